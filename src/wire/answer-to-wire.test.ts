import { describe, expect, it } from "vitest";
import type { Answer, Conflict } from "../shared/types.ts";
import { sampleAnswer, sampleCitation, sampleSide } from "../testing/answers.ts";
import { answerToWire, createAnswerWriter } from "./index.ts";

const passage = { title: "Cards", url: null, asOf: null, headingPath: [], path: "a.md", context: "A card costs 5 dollars “naïve ☂”." };
const stored = sampleAnswer({
  question: "What does a card cost?",
  sentences: [{ text: "A card costs 5 dollars.", citations: [1] }],
  citations: [sampleCitation(1, passage, "costs 5 dollars")],
});
const hit = (over: Partial<Answer> = {}): Answer => ({ ...stored, cacheMode: "exact", id: "h", ...over });

describe("createAnswerWriter", () => {
  it("writes a cache hit like answerToWire, the first time and later", () => {
    const write = createAnswerWriter();
    const answers = [
      stored,
      hit(),
      hit({ id: "another", latencyMs: 7, timings: { admit: 1 }, sessionId: "s" }),
      hit({ question: "what does a card cost" }),
      hit({ warnings: [{ code: "c", message: "Look." }] }),
      hit({ cacheMode: "semantic", cached: { question: "Other?", storedAt: "2026-01-01T00:00:00Z" } }),
      hit({ domain: "other" }),
      hit({ tokenUsage: { verification: 1, compression: null, answer: null, total: 1 } }),
      hit({ sentences: [{ text: "Another.", citations: [1] }] }),
      hit({ confidence: 0.25 }),
      hit(),
    ];
    for (const answer of answers) expect(JSON.parse(write(answer))).toEqual(JSON.parse(JSON.stringify(answerToWire(answer))));
  });
});

const page = { title: "Rules", url: null, asOf: null, headingPath: [], path: "rules.md" };
const context = "Of lockers: Guarantee: unlimited. A lost card costs $9. Ask at the desk. The key is returned within 30 minutes.";
const answerOf = (...quotes: string[]) =>
  sampleAnswer({
    question: "How long is the guarantee of a locker?",
    sentences: quotes.map((text, i) => ({ text, citations: [i + 1] })),
    citations: quotes.map((quote, i) => sampleCitation(i + 1, { ...page, context }, quote)),
  });
const KEY = "The key is returned within 30 minutes.";

describe("highlighted words", () => {
  it("are in the best quote or next to it, not in a later one", () => {
    expect(answerToWire(answerOf("Guarantee: unlimited.", KEY)).answer_spans).toEqual([]);
    expect(answerToWire(answerOf(KEY, "Guarantee: unlimited.")).answer_spans).toMatchObject([{ sentence: 0 }]);
    expect(answerToWire(answerOf("Ask at the desk.", KEY)).answer_spans).toMatchObject([{ sentence: 1 }]);
  });

  it("may be anywhere in a model's sentence", () => {
    expect(answerToWire({ ...answerOf("Guarantee: unlimited.", KEY), model: "writer" }).answer_spans).toMatchObject([{ sentence: 1 }]);
  });

  it("are absent if sources disagree", () => {
    const side = sampleSide("Rules", "30", { quote: KEY });
    const conflict: Conflict = { kind: "value", about: "", certainty: 0.8, sides: [side, side], resolvedBy: null };
    expect(answerToWire({ ...answerOf(KEY), conflicts: [conflict] }).answer_spans).toEqual([]);
  });
});
