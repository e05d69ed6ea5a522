import { describe, expect, it } from "vitest";
import { PIECES_READ, readPassages } from "../answer/verify.ts";
import type { ReadTexts } from "../reader/reader.ts";
import { fakeReader, fakeReadTexts } from "../testing/fake-reader.ts";
import { fakePassage } from "../testing/passages.ts";

const QUESTION = "What does a visitor pay for the boat?";
const { signal } = new AbortController();

/** Sentences say how near they lie to the question (`n7` is .7) and the log odds that they answer (`a-2`). */
const embed = (texts: readonly string[]) =>
  texts.map((text) => {
    const near = text === QUESTION ? 1 : Number(`0.${text.match(/n(\d)/)?.[1] ?? 0}`);
    return Float32Array.of(near, Math.sqrt(1 - near ** 2));
  });
const answers = fakeReadTexts((one) =>
  typeof one === "string"
    ? { vector: Float32Array.of(1) }
    : { vector: Float32Array.of(1), answer: Number(one.text.match(/a(-?\d)/)?.[1] ?? Number.NaN) },
);
const passage = (...pieces: string[]) => fakePassage({ title: "Ferry", headingPath: ["Prices"], pieces });
const read = (passages: Parameters<typeof readPassages>[1], readTexts: ReadTexts = answers, stop = signal) =>
  readPassages(QUESTION, passages, { maxCharacters: 500, embed, readTexts, signal: stop });

describe("readPassages", () => {
  it("gives the best of the pieces of each passage that lie nearest to the question, in the order of the passages", async () => {
    expect(PIECES_READ).toBe(2);
    const far = "A sure one that lies far off: n1 a9.";
    expect(
      await read([
        passage("Near: n8 a-3.", far, "Next: n7 a2."),
        passage("Alone: n2 a-4."),
        passage("First: n6 a1.", "Second: n5 a-1.", "Third: n4 a5."),
      ]),
    ).toEqual([2, -4, 1]);
  });

  it("reads them all at once beside the question, below title and headings, as a piece that may be quoted is read", async () => {
    const reader = fakeReader();
    await read([passage("Near: n8 a1.", "Far: n1 a1."), passage("Alone: n2 a1.")], (texts, stop) => reader.read(texts, stop));
    const texts = ["Near: n8 a1.", "Far: n1 a1.", "Alone: n2 a1."].map((text) => `Ferry › Prices\n${text}`);
    expect(reader.calls).toEqual([texts.map((text) => ({ question: QUESTION, text }))]);
  });

  it("says nothing of a passage that has nothing to quote, and reads nothing where none has", async () => {
    const reader = fakeReader();
    const readTexts: ReadTexts = (texts, stop) => reader.read(texts, stop);
    const empty = fakePassage({ pieces: [{ type: "heading", text: "Prices" }] });
    expect(await read([empty, passage("Alone: n2 a1."), empty])).toEqual([null, 1, null]);
    expect(await read([empty], readTexts)).toEqual([null]);
    expect(await read([], readTexts)).toEqual([]);
    expect(reader.calls).toEqual([]);
  });

  it("gives null where the reader could not read, and passes a cancellation on", async () => {
    expect(await read([passage("Alone: n2 a1.")], async () => null)).toBeNull();
    const reason = new Error("nobody waits");
    await expect(read([passage("Alone: n2 a1.")], answers, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
