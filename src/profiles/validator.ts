import { PLAIN_QUERY, type Profile } from "./profile.ts";

/** Source 003: grade every answer live, block nothing. Numbers: its table of L1 metrics. */
export const validator: Profile = {
  name: "validator",
  title: "Answers graded live, with tenants' terminology",
  needs: ["encoder"],
  retrieve: {
    dense: true,
    bm25: false,
    candidates: 3,
    reranker: "none",
    rerank: 0,
    passages: 3,
    fusion: "min-max",
    alpha: 1,
    beta: 0,
    selection: "clip",
    query: PLAIN_QUERY,
    twins: "off",
    perDocument: null,
  },
  gate: { type: "none" },
  comparePassages: false,
  thresholdsOf: "all-MiniLM-L6-v2",
  write: {
    writer: "auto",
    quotes: 3,
    quoteTokens: 1024,
    promptTokens: 8000,
    temperature: 0.3,
    route: null,
    sentences: { normal: 3, more: 8 },
    refusal: "There are no documents to answer from.",
    unreliable: "There is no answer to show.",
  },
  check: { uncited: "allow", values: "warn", claims: "off", recite: false, support: null, urls: "off", verificationScore: null },
  sessionTurns: 0,
  caches: [],
  unbuilt: [
    { stage: "check", what: "its five metrics (PII, token budget, relevancy, faithfulness, terminology) and its report" },
    { stage: "check", what: "batch grading against golden answers" },
  ],
  rules: [
    { rule: "top 3 by cosine", state: "reproduced", why: "" },
    { rule: "five L1 metrics report and do not block", state: "not built", why: "" },
    { rule: "index rebuilt by /refresh-cache", state: "not built", why: "ingest is seen within a second without it" },
  ],
};
