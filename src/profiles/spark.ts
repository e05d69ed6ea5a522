import { PLAIN_QUERY, type Profile } from "./profile.ts";

/** Source 001: hybrid retrieval, guard, quote compression. Numbers: its sections 2 and 3. */
export const spark: Profile = {
  name: "spark",
  title: "Hybrid retrieval with guard and quote compression",
  needs: ["encoder"],
  retrieve: {
    dense: true,
    bm25: true,
    candidates: 50,
    reranker: "cross-encoder",
    rerank: 8,
    passages: 8,
    fusion: "min-max",
    alpha: 0.6,
    beta: 0.4,
    selection: "clip",
    query: PLAIN_QUERY,
    twins: "cosine",
    perDocument: null,
  },
  gate: { type: "guard", relevanceWeight: 0.7, crossWeight: 0.3, perPassage: 0.28, aggregate: 0.35, keep: 5 },
  comparePassages: false,
  thresholdsOf: "text-embedding-3-small",
  write: {
    writer: "auto",
    quotes: 6,
    quoteTokens: 120,
    promptTokens: 2200,
    temperature: 0.3,
    route: null,
    sentences: { normal: 3, more: 8 },
    refusal: "I do not have enough reliable context to answer this.",
    unreliable: "The answer did not agree with its citations and is not shown.",
  },
  check: { uncited: "remove", values: "remove", claims: "remove", recite: true, support: null, urls: "remove", verificationScore: null },
  sessionTurns: 0,
  caches: ["exact", "semantic"],
  unbuilt: [
    { stage: "lookup", what: "semantic cache" },
    { stage: "compress", what: "compression by a model: quotes are cut by rule instead" },
  ],
  rules: [
    {
      rule: "fusion .6 vector + .4 BM25 after min-max",
      state: "corrected",
      why: "its formula divides by zero when all scores are equal; here a constant list scores 1 and an empty one leaves the other alone",
    },
    {
      rule: "passages with TF-IDF cosine ≥ .85 to a better one are dropped",
      state: "reproduced",
      why: "one that differs in a value is dropped as the rule says, but never listed as a further source",
    },
    { rule: "K 50 → 8 → 5", state: "reproduced", why: "" },
    {
      rule: "guard .7·rel + .3·cross, ≥ .28 each, mean ≥ .35",
      state: "corrected",
      why: "rel is the cosine as text-embedding-3-small would have given it, by quantile; without a cross score its weight is renormalised, never taken as 0",
    },
    { rule: "at most 6 quotes of 120 tokens in 2,200", state: "reproduced", why: "" },
    {
      rule: "exact cache: SHA-256 of the question",
      state: "corrected",
      why: "keyed hash over question and scope; cited versions are compared",
    },
    { rule: "semantic cache .92 / .6 / .6", state: "not built", why: "" },
    {
      rule: "questions ≤ 500 characters, HTML sanitised",
      state: "reproduced",
      why: "HTML is built from checked text, every character escaped",
    },
  ],
};
