import { describe, expect, it } from "vitest";
import type { Answer } from "../shared/types.ts";
import { sampleAnswer, sampleCitation, samplePage } from "../testing/answers.ts";
import type { ClaimJudge } from "./claim-judge.ts";
import type { GoldenPlaces } from "./golden-places.ts";
import { scoreAnswer } from "./score-answer.ts";

const PASSAGE = samplePage({ context: "The fee is $5. It is due in May." });
const none: GoldenPlaces = { gold: () => new Map(), quotes: () => [], contradicting: () => new Map() };
const labels = { id: "a", answer: "", gold_quotes: [] as string[], key_values: [], keyphrases: [] };

/** A judge that supports only claims that a text contains verbatim. Claims with `?` cannot be scored. */
const wordForWord: ClaimJudge = {
  supports: async (claim, texts) => (claim.includes("?") ? null : texts.some(({ text }) => text.includes(claim))),
  async judge(claim, cited, others, question) {
    const supported = await this.supports(claim, cited, question);
    if (supported === null) return { supported, fault: "unscored", reason: "r" };
    const elsewhere = await this.supports(claim, others, question);
    return { supported, fault: supported ? null : elsewhere ? "misattributed" : "fabricated", reason: "r" };
  },
};

function answerOf(...sentences: readonly (readonly [string, ...number[]])[]): Answer {
  const citations = [sampleCitation(1, PASSAGE, "The fee is $5."), sampleCitation(2, PASSAGE, "It is due in May.")];
  return sampleAnswer({ question: "q", citations, sentences: sentences.map(([text, ...numbers]) => ({ text, citations: numbers })) });
}

describe("scoreAnswer", () => {
  it("counts citations like ALCE: recall by sentence, precision by citation that is needed", async () => {
    const answer = answerOf(["The fee is $5.", 1, 2], ["It is due in June.", 2]);
    const { scores, faults } = await scoreAnswer(answer, labels, none, wordForWord);
    // Sentence 1 is supported, but not by its second citation, which is not needed. Sentence 2 is unsupported.
    expect(scores).toMatchObject({ citation_recall: 0.5, citation_precision: 1 / 3, faithfulness: 0.5 });
    expect(faults).toEqual([{ sentence: 1, fault: "fabricated", reason: "r" }]);
  });

  it("skips unscored sentences, and reports an answer without any score", async () => {
    const part = await scoreAnswer(answerOf(["The fee is $5.", 1], ["Really?", 2]), labels, none, wordForWord);
    expect(part.scores).toMatchObject({ citation_recall: 1, citation_precision: 1 });
    const all = await scoreAnswer(answerOf(["Really?", 2]), labels, none, wordForWord);
    expect(all.scores).toMatchObject({ citation_recall: null, citation_precision: null, faithfulness: null });
    expect(all.unscored.citation_recall).toBe("no sentence could be scored");
  });

  it("computes the share of keyphrases and the F1 of Ragas over claims", async () => {
    const asked = { ...labels, answer: "The fee is $5. Students pay nothing.", keyphrases: ["$5", "students"] };
    const { scores } = await scoreAnswer(answerOf(["The fee is $5.", 1], ["It is due in May.", 2]), asked, none, wordForWord);
    // Of two claims of the answer, one is right and one is extra; one claim of the reference is missing: 2 ÷ (2 + 1 + 1).
    expect(scores).toMatchObject({ keyphrase_coverage: 0.5, answer_correctness: 0.5 });
  });

  it("skips a sentence that the reference is too short to support, unless gold quotes concern it or it contains another value", async () => {
    const answer = answerOf(["The fee is $5.", 1]);
    const scored = async (over: Partial<typeof labels>) => {
      const { scores, unscored } = await scoreAnswer(answer, { ...labels, ...over }, none, wordForWord);
      return scores.answer_correctness ?? unscored.answer_correctness;
    };
    expect(await scored({ answer: "$5" })).toMatch(/^the reference answer occurs only inside longer sentences/);
    expect(await scored({ answer: "$6" })).toBe(0);
    expect(await scored({ answer: "The fee is $5." })).toBe(1);
    expect(await scored({ answer: "$5", gold_quotes: ["The fee is $5."] })).toBe(1);
    // If there are gold quotes, a sentence that neither they nor the reference support is wrong.
    expect(await scored({ answer: "$5", gold_quotes: ["It is due in May."] })).toBe(0);
  });

  it("returns null, not 0, for a refusal", async () => {
    const refused = { ...answerOf(), status: "insufficient_context" as const };
    const { scores, unscored } = await scoreAnswer(refused, { ...labels, answer: "x", key_values: ["x"] }, none, wordForWord);
    expect(Object.values(scores).every((score) => score === null)).toBe(true);
    expect(unscored.answer_correctness).toBe("no answer was shown");
  });
});
