import { PLAIN_QUERY, type Profile } from "./profile.ts";

/** Source 000: seven layers against hallucination. Numbers: its equations 1, 2, 4, 10, 11 and listings 1 to 5. */
export const sevenLayer: Profile = {
  name: "seven-layer",
  title: "Seven-layer hallucination defence with model routing",
  needs: ["encoder"],
  retrieve: {
    dense: true,
    bm25: false,
    candidates: 7,
    reranker: "none",
    rerank: 0,
    passages: 7,
    fusion: "min-max",
    alpha: 1,
    beta: 0,
    selection: "clip",
    query: PLAIN_QUERY,
    twins: "off",
    perDocument: null,
  },
  gate: { type: "similarity", minimum: 0.45, weak: 0.55, veryWeak: 0.45, warn: 0.5 },
  comparePassages: false,
  thresholdsOf: "text-embedding-3-small",
  write: {
    writer: "auto",
    quotes: 7,
    quoteTokens: 1024,
    promptTokens: 8000,
    temperature: 0.3,
    route: { complexTerms: 1, passages: 5, meanSimilarity: 0.55 },
    sentences: { normal: 3, more: 8 },
    refusal: "I have no reliable information about that in my knowledge base. Try other words, or ask the official site.",
    unreliable: "No sentence of the answer stood up to its sources. Try other words, or ask the official site.",
  },
  check: { uncited: "allow", values: "warn", claims: "warn", recite: false, support: null, urls: "home-page", verificationScore: 0.7 },
  sessionTurns: 0,
  caches: ["exact", "semantic", "graph"],
  unbuilt: [
    { stage: "lookup", what: "semantic and graph caches" },
    { stage: "remember", what: "low-confidence diagnostic report (layer 7)" },
  ],
  rules: [
    {
      rule: "layer 1: keep passages with cosine ≥ .45, K = 7; weak below .55",
      state: "reproduced",
      why: "raw cosines with text-embedding-3-small; with another encoder carried over by quantile",
    },
    { rule: "layer 1b: best below .45 refuses without a model call", state: "reproduced", why: "zero tokens" },
    { rule: "layer 2: grounding rules in the prompt", state: "reproduced", why: "five rules, in our words" },
    {
      rule: "layer 3: URL host on the whitelist, else the home page",
      state: "reproduced",
      why: "hosts and home page come from the domain pack",
    },
    {
      rule: "layer 4: supported ÷ total citations below .7 is flagged",
      state: "reproduced",
      why: "a citation supports when values, names, polarity and wording of its sentence agree with its quote; citations that lead nowhere are taken out first and count for nothing",
    },
    {
      rule: "layer 5: percentages and 7xxx codes must stand in the chunks",
      state: "corrected",
      why: "its pattern reads 3.5 % as 5, codes outside 7xxx escape, and its is_clean ignores codes; here every value counts, dollars and periods too, in the cited quotes and said there of the same",
    },
    {
      rule: "layer 6: strip citations beyond the last source",
      state: "corrected",
      why: "its loop ends at superscript 19; here any number in any marker style",
    },
    {
      rule: "layer 7: warning prefix below .50, with a report",
      state: "reproduced",
      why: "its condition `weak and best < .50`; the report is not built",
    },
    {
      rule: "routing: large model if complex terms ≥ 1, > 5 passages, or mean similarity < .55",
      state: "reproduced",
      why: "words from the domain pack",
    },
    { rule: "cache: exact, semantic, graph", state: "not built", why: "exact only" },
  ],
};
