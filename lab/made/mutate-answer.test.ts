import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/grade/metrics.ts";
import { ANSWER_MUTATIONS, type AnswerMutation, mutateSentence } from "./mutate-answer.ts";

const material = {
  passage: "In March 2019 the Board paid 10 percent within 30 days.",
  donor: "The Library of Congress opens at noon.",
  claims: ["The fee is waived for nurses."],
  sources: 2,
};
const text = "If you served, the Veterans Board must pay at least 10 percent within 30 days of March 2019.";
const made = (kind: AnswerMutation, sentence = text, seed = 1) =>
  mutateSentence(kind, { text: sentence, cited: [0] }, material, createRandom(seed));

describe("mutateSentence", () => {
  it.each(ANSWER_MUTATIONS)("makes one thing wrong: %s", (kind) => {
    const wrong = made(kind);
    expect(wrong).not.toBeNull();
    const { text: changed, cited, missing } = wrong ?? { text, cited: [0], missing: [] };
    expect({ text: changed, cited, missing }).not.toEqual({ text, cited: [0], missing: [] });
    expect(made(kind)).toEqual(wrong);
  });

  it.each([
    ["condition", "The Veterans Board must pay at least 10 percent within 30 days of March 2019."],
    ["comparison", /at most 10|after 30/],
    ["unit", /30 months|10 dollars/],
    ["date", /days of (?!March)\w+ 2019/],
  ] as const)("%s changes what it says", (kind, expected) => {
    expect(made(kind)?.text).toMatch(expected);
  });

  it("leaves the citation of every worded fault, and the words of every fault of a citation", () => {
    for (const kind of ["number", "unit", "date", "entity", "negation", "condition", "comparison"] as const)
      expect(made(kind)?.cited).toEqual([0]);
    expect(made("citation_swap")).toEqual({ text, cited: [1], missing: [] });
    expect(made("source_dropped")).toEqual({ text, cited: [], missing: [] });
    expect(made("citation_nowhere")?.missing[0]).toBeGreaterThan(material.sources);
  });

  it("is null where a sentence offers no place", () => {
    for (const kind of ["number", "unit", "date", "condition", "comparison"] as const) expect(made(kind, "We help.")).toBeNull();
    expect(mutateSentence("citation_swap", { text, cited: [0] }, { ...material, sources: 1 }, createRandom(1))).toBeNull();
    expect(mutateSentence("claim_added", { text, cited: [0] }, { ...material, claims: [] }, createRandom(1))).toBeNull();
  });
});
