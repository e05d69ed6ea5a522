import { PLAIN_QUERY, type Profile } from "./profile.ts";

/** Source 004: chat about one book. Numbers: its sections 1 to 5. */
export const book: Profile = {
  name: "book",
  title: "Book chat with selected text",
  needs: ["encoder"],
  retrieve: {
    dense: true,
    bm25: false,
    candidates: 5,
    reranker: "none",
    rerank: 0,
    passages: 5,
    fusion: "min-max",
    alpha: 1,
    beta: 0,
    selection: "containment",
    query: PLAIN_QUERY,
    twins: "off",
    perDocument: null,
  },
  gate: { type: "best-similarity", minimum: 0.7 },
  thresholdsOf: "text-embedding-3-small",
  write: {
    writer: "auto",
    quotes: 5,
    quoteTokens: 1024,
    promptTokens: 8000,
    temperature: 0.3,
    route: null,
    sentences: { normal: 3, more: 8 },
    refusal: "The book holds no information about this topic.",
    unreliable: "No reliable answer can be given from the book's content.",
  },
  check: { uncited: "remove", values: "remove", claims: "remove", recite: false, support: null, urls: "remove", verificationScore: null },
  sessionTurns: 5,
  caches: ["exact"],
  unbuilt: [
    { stage: "check", what: "similarity ≥ .6 of uncited sentences: they are removed instead" },
    { stage: "retrieve", what: "filters by chapter, section and page" },
  ],
  rules: [
    { rule: "chunks of 800 tokens, 512–1,024, overlap 128", state: "reproduced", why: "for every profile" },
    { rule: "selection: start ≥ a and end ≤ b", state: "reproduced", why: "containment, before ranking" },
    {
      rule: "top 5; refuse below .7",
      state: "reproduced",
      why: "the source names no encoder: text-embedding-3-small is assumed (our choice); with another one carried over by quantile",
    },
    { rule: "cited sources exist; else the answer is rejected", state: "reproduced", why: "" },
    { rule: "uncited sentences: similarity ≥ .6", state: "not built", why: "stricter until then: removed" },
    {
      rule: "last 5 pairs in the prompt, temperature .3, 30 minutes idle",
      state: "corrected",
      why: "history helps to understand a question; it is never evidence",
    },
  ],
};
