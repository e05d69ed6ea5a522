import { denseOnly, SOURCE_WRITING, STRICT_CHECKS } from "./guards.ts";
import { type Profile, REPORT_MARGIN, rulesOf } from "./profile.ts";

/**
 * Minimum confidence of the best passage for a question on the book's topic. On the validation collections, this
 * threshold separates answerable questions from questions of other domains with the best balanced accuracy. Chosen on
 * either half of these collections, it is .04 or .05, and its balanced accuracy on the other half is .98 (`./run eval
 * topics`, 2026-11-30). The design that this profile reproduces has a cosine threshold of .7. Converted by quantile to
 * the embedded encoder, that threshold refused 45 of 60 questions that the book answers.
 */
const ON_TOPIC = 0.05;

/** Reproduces the published `book` design (docs/profiles.md): chat about one book. */
export const book: Profile = {
  name: "book",
  title: "Book chat with selected text",
  needs: ["encoder"],
  retrieve: denseOnly(5),
  gate: { type: "best-similarity", minimum: 0.7, probability: ON_TOPIC },
  comparePassages: false,
  thresholdsOf: "text-embedding-3-small",
  write: {
    ...SOURCE_WRITING,
    onFault: "reject",
    refusal: "I found nothing about this topic in the book that is near enough to answer from.",
    unreliable: "I cannot give a reliable answer from the book's content.",
  },
  check: {
    ...STRICT_CHECKS,
    uncitedSimilarity: { minimum: 0.6, of: "text-embedding-3-small" },
    recite: false,
  },
  lowConfidence: { margin: REPORT_MARGIN },
  sessionTurns: 5,
  caches: ["exact"],
  rewordings: "always",
  match: { type: "learned" },
  rules: rulesOf({
    "chunks of 800 tokens, 512–1,024, overlap 128": "reproduced: for every profile",
    "selection: start ≥ a and end ≤ b":
      "corrected: applied before ranking. Chunks of 800 tokens seldom lie within a selection, so chunks that extend beyond it are cut to its whole sentences and scored after the cut",
    "below 500 ms with a selection":
      "corrected: not enforced, only measured: in a clone of the source, `./run eval selected --profile book` prints the 95th percentile of the latency",
    "filters by chapter, section and page":
      "corrected: passages are also cut to the sentences that match; a citation shows its headings from chapter to section and its page",
    "all retrieved passages go into the prompt as numbered sources":
      "reproduced: whole chunks with chapter, section and page; if they exceed the model's context, cut to the parts relevant to the question",
    "top 5; refuse when nothing is found or the best is below .7":
      "corrected: .7 is taken as a cosine of text-embedding-3-small, because the design names no encoder. With the embedded encoder, .7 converted by quantile would refuse most questions that the book answers. Instead, a question is answered if the best confidence of a passage is at least .05, a limit chosen on the validation collections. Ranking by vectors alone misses chapters that share words with the question; the profile `sourcebound` ranks by both",
    "two refusals: nothing about the topic, and no reliable answer":
      "corrected: in the first case, the design says that the book contains nothing about the topic. A search cannot know that, and a refusal must not read as a negative answer, so here it only says that nothing was found",
    "cited sources exist; otherwise the answer is rejected, with a message of its own":
      "reproduced: nothing is shown before the whole answer has passed its checks. In addition to the design, a wrong value also rejects the answer",
    "uncited sentences: similarity ≥ .6 to a chunk, otherwise the answer is rejected":
      "corrected: the most similar quote is cited, and the sentence is checked against it. The design names no encoder, so .6 is taken as a cosine of text-embedding-3-small and converted by quantile",
    "last 5 pairs in the prompt, temperature .3, 30 minutes idle":
      "corrected: earlier turns help to interpret a question; they are never evidence",
  }),
};
