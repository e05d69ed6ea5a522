import { describe, expect, it } from "vitest";
import { sampleAnswer, sampleCitation } from "../testing/answers.ts";
import type { Conflict } from "../types.ts";
import { answerToWire } from "./index.ts";

const page = { title: "Rules", url: null, asOf: null, headingPath: [], path: "rules.md" };
const context = "Of lockers: Guarantee: unlimited. A lost card costs $9. Ask at the desk. The key is returned within 30 minutes.";
const answerOf = (...quotes: string[]) =>
  sampleAnswer({
    question: "How long is the guarantee of a locker?",
    sentences: quotes.map((text, i) => ({ text, citations: [i + 1] })),
    citations: quotes.map((quote, i) => sampleCitation(i + 1, { ...page, context }, quote)),
  });
const KEY = "The key is returned within 30 minutes.";

describe("words that are marked as the answer", () => {
  it("stand in the best quote or right beside it, not in a further one", () => {
    expect(answerToWire(answerOf("Guarantee: unlimited.", KEY)).answer_spans).toEqual([]);
    expect(answerToWire(answerOf(KEY, "Guarantee: unlimited.")).answer_spans).toMatchObject([{ sentence: 0 }]);
    expect(answerToWire(answerOf("Ask at the desk.", KEY)).answer_spans).toMatchObject([{ sentence: 1 }]);
  });

  it("may stand anywhere in what a model wrote", () => {
    expect(answerToWire({ ...answerOf("Guarantee: unlimited.", KEY), model: "writer" }).answer_spans).toMatchObject([{ sentence: 1 }]);
  });

  it("are none where sources disagree", () => {
    const side = {
      sid: "S1",
      value: "30",
      quote: KEY,
      documentId: "d",
      documentVersion: "1",
      title: "Rules",
      url: null,
      asOf: null,
      start: 0,
      end: 9,
    };
    const conflict: Conflict = { kind: "value", about: "", certainty: 0.8, sides: [side, side], resolvedBy: null };
    expect(answerToWire({ ...answerOf(KEY), conflicts: [conflict] }).answer_spans).toEqual([]);
  });
});
