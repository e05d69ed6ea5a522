import { describe, expect, it } from "vitest";
import { sampleAnswer, sampleCitation } from "../testing/answers.ts";
import type { Answer } from "../types.ts";
import { answerToWire, createAnswerWriter } from "./index.ts";

const passage = { title: "Cards", url: null, asOf: null, headingPath: [], path: "a.md", context: "A card costs 5 dollars “naïve ☂”." };
const stored = sampleAnswer({
  question: "What does a card cost?",
  sentences: [{ text: "A card costs 5 dollars.", citations: [1] }],
  citations: [sampleCitation(1, passage, "costs 5 dollars")],
});
const hit = (over: Partial<Answer> = {}): Answer => ({ ...stored, cacheMode: "exact", id: "h", ...over });

describe("createAnswerWriter", () => {
  it("writes what answerToWire says, of a hit the first time and every further one", () => {
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

  it("writes what a hit shares with the one before it only once", () => {
    const write = createAnswerWriter();
    write(hit());
    let read = 0;
    const counted = hit({ id: "second" });
    const watched = new Proxy(counted, {
      get: (target, name, receiver) => {
        if (name === "claims") read++;
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
    expect(JSON.parse(write(watched))).toMatchObject({ id: "second", status: "ok" });
    // Once for the comparison; to be written it would be read again.
    expect(read).toBe(1);
  });
});
