import { PLAIN_QUERY, type Profile } from "./profile.ts";

/** Source 002: verify before generating. Numbers: its phase 2. */
export const vgRag: Profile = {
  name: "vg-rag",
  title: "Verification gate before generation",
  needs: ["encoder"],
  retrieve: {
    dense: true,
    bm25: false,
    candidates: 8,
    reranker: "none",
    rerank: 0,
    passages: 8,
    fusion: "min-max",
    alpha: 1,
    beta: 0,
    selection: "clip",
    query: PLAIN_QUERY,
    twins: "off",
    perDocument: null,
  },
  gate: { type: "v-score", verified: 0.75, rejected: 0.4 },
  comparePassages: true,
  thresholdsOf: "text-embedding-3-small",
  write: {
    writer: "auto",
    quotes: 6,
    quoteTokens: 1024,
    promptTokens: 8000,
    temperature: 0.3,
    route: null,
    sentences: { normal: 3, more: 8 },
    refusal: "No passage could be verified as an answer to this question.",
    unreliable: "The answer was not supported by verified evidence and is not shown.",
  },
  check: { uncited: "remove", values: "remove", claims: "remove", recite: true, support: null, urls: "remove", verificationScore: null },
  sessionTurns: 0,
  caches: ["exact"],
  unbuilt: [
    { stage: "verify", what: "the model as verifier: consistency and agreement are scored by rules" },
    { stage: "verify", what: "web check of uncertain passages: they are not used" },
  ],
  rules: [
    {
      rule: "V_score from relevance, consistency, agreement; weights unstated",
      state: "corrected",
      why: "equal weights (our choice), renormalised over the scores that exist; agreement is null when no other passage speaks of the same",
    },
    {
      rule: "consistency: self-contained, clear, unambiguous, by a model",
      state: "corrected",
      why: "by rules: dangling references, stubs, boilerplate, undated, two values for the same; reproducible, without a model",
    },
    {
      rule: "agreement: an outlier against the majority of passages goes",
      state: "reproduced",
      why: "rejected when at least two passages contradict it and fewer bear it out (our reading of majority); values, dates, polarity and conditions are compared by rules",
    },
    {
      rule: "≥ .75 verified, .40–.75 uncertain, < .40 rejected",
      state: "reproduced",
      why: "the source names no encoder: relevance is read as a cosine of text-embedding-3-small (our choice), carried over by quantile",
    },
    { rule: "uncertain passages go to the web", state: "not built", why: "until then they are left out" },
    { rule: "only verified passages reach the writer", state: "reproduced", why: "" },
  ],
};
