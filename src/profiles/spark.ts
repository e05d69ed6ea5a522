import { SOURCE_GUARDS } from "./guards.ts";
import { FOREIGN_LANGUAGE, PLAIN_QUERY, type Profile, REPORT_MARGIN } from "./profile.ts";

/**
 * The source's .28 and .35 where models that ship judge: from where what it says of them holds, .85 of the passages relevant and .90 of the questions answerable,
 * chosen on each half of eight domains (`./run eval guard`). The reader: .75, on the other half .60 and .86; the other half's own choice is .84, which two passages
 * reach, and is not taken. The learned chance: .69 and .77, here their middle. A mean of what passes the first passes the second, which is mute here.
 */
const CARRIED = { reader: { perPassage: 0.75, aggregate: 0.75 }, chance: { perPassage: 0.73, aggregate: 0.73 } } as const;

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
    rerank: 50,
    passages: 8,
    fusion: "min-max",
    alpha: 0.6,
    beta: 0.4,
    query: PLAIN_QUERY,
    twins: "cosine",
    perDocument: null,
  },
  gate: { type: "guard", relevanceWeight: 0.7, crossWeight: 0.3, perPassage: 0.28, aggregate: 0.35, keep: 5, carried: CARRIED },
  comparePassages: false,
  thresholdsOf: "text-embedding-3-small",
  write: {
    writer: "auto",
    given: { type: "quotes", most: 6, tokens: 120 },
    promptTokens: 2200,
    temperature: 0.3,
    route: "large",
    compress: "model",
    onFault: "quotes",
    sentences: { normal: 3, more: 8 },
    refusal: "I do not have enough reliable context to answer this.",
    unreliable: "The answer did not agree with its citations and is not shown.",
  },
  check: {
    guards: SOURCE_GUARDS,
    uncited: "remove",
    values: "remove",
    claims: "remove",
    recite: true,
    support: null,
    urls: "remove",
    verificationScore: null,
  },
  lowConfidence: { margin: REPORT_MARGIN },
  sessionTurns: 0,
  caches: ["exact", "semantic"],
  rewordings: "always",
  match: { type: "thresholds", of: "all-MiniLM-L6-v2", cosine: 0.92, entities: 0.6, documents: 0.6 },
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
    {
      rule: "K 50 → 8 → 5",
      state: "reproduced",
      why: "the cross-encoder reads all 50 and its score alone is the order; the guard judges the best 8 and hands the best 5 of those that pass to the writer. With the reader in its place a passage with a marked quote is first of the 8 for 113 of 200 answerable questions and among them for 172; by the learned reranker that stood there before 147 and 187 (items of `./run eval guard`, 2026-11-26)",
    },
    {
      rule: "cross-encoder ms-marco-MiniLM-L-6-v2 on `title. section. text`",
      state: "corrected",
      why: "the hub's where it is installed; else the reader that ships, a cross-encoder too: it reads `title › section`, and below it the whole sentences in a row of the passage, up to 420 characters, that are most like the question; the score is the logistic of its log odds. That takes some 2 s of a core more for each question (310 questions: 846 s of processor instead of 180, `./run eval guard`, 2026-11-26). Where the reader cannot be opened the learned reranker orders the 50, and the learned chance that a passage answers is the cross score",
    },
    {
      rule: "guard .7·rel + .3·cross, ≥ .28 each, mean of those ≥ .35; else refused without a model call",
      state: "corrected",
      why: "rel is the cosine as text-embedding-3-small would have given it, by quantile; a cross score that is missing is left out and the weights renormalised, never taken as 0. The source says P(relevant) ≈ .85 from .28 and P(answerable) ≈ .90 from .35. With the encoder and the reader that ship .28 and .35 as they stand give .14 (213 of 1,517) and .79 (173 of 220), and both are carried over to .75: P(relevant) .69 (45 of 65), P(answerable) .89 (42 of 47), and 158 of 200 answerable questions are refused. .75 was chosen on half of eight domains (.86, 19 of 22, and .94, 17 of 18, there; .60, 26 of 43, and .86, 25 of 29, on the other half); the other half chooses .84, which two passages reach (`./run eval guard`, 2026-11-26). So .85 is not reached at a threshold that leaves answers. Most questions have one marked passage among the eight: what else is relevant counts against it",
    },
    {
      rule: "at most 6 quotes of 120 tokens in 2,200",
      state: "reproduced",
      why: "2,200 is the whole prompt of the answer, counted by cl100k; a quote comes with its conditions or not at all",
    },
    {
      rule: "GPT-4o-mini picks verbatim quotes, GPT-4o answers",
      state: "reproduced",
      why: "the small model picks, the large one answers; a quote that is not in its passage byte for byte is dropped, a part of a sentence becomes the whole; rules pick when nothing is left",
    },
    {
      rule: "citation consistency",
      state: "reproduced",
      why: "a sentence without a citation that exists is left out and quotes take its place; where nothing stands, all of it is quoted",
    },
    {
      rule: "exact cache: SHA-256 of the question",
      state: "corrected",
      why: "keyed hash over question and scope; cited versions are compared",
    },
    {
      rule: "semantic cache: cosine ≥ .92, entity Jaccard ≥ .6, document overlap ≥ .6; the weighted sum ranks",
      state: "corrected",
      why: "all three hold, the cosine carried over by quantile from all-MiniLM-L6-v2; its weights are not given; slots must agree, for opposite questions pass these thresholds",
    },
    {
      rule: "invalidation by document version",
      state: "reproduced",
      why: "in the transaction in which the document changes, and again on every hit",
    },
    {
      rule: "questions ≤ 500 characters, HTML sanitised",
      state: "reproduced",
      why: "HTML is built from checked text, every character escaped",
    },
    FOREIGN_LANGUAGE,
  ],
};
