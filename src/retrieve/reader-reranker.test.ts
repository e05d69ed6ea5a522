import { describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { ModelError } from "../errors.ts";
import type { RerankPassage } from "../models/reranker.ts";
import { openSharedReader } from "../reader/shared-reader.ts";
import { fakeReader } from "../testing/fake-reader.ts";
import { describeRerankerContract } from "../testing/reranker-contract.ts";
import { createReaderReranker } from "./reader-reranker.ts";

const embed = (texts: readonly string[]) => SHARED_PARTS.embedded().embedSync(texts);

describeRerankerContract("reader", async (behaviour) => {
  if (behaviour === "broken") {
    return { reranker: createReaderReranker({ name: "broken", readTexts: async () => null, embed }), close: async () => undefined };
  }
  const reader = openSharedReader();
  return { reranker: createReaderReranker({ name: reader.weights.name, readTexts: reader.read, embed }), close: reader.close };
});

const passage = (text: string, title = "Library", section = "Fees"): RerankPassage => ({ title, section, text });

function opened() {
  const reader = fakeReader({ nameOf: (text) => (/fee|cost/i.test(text.split("\n").at(-1) ?? "") ? "fee" : "other") });
  return { reader, reranker: createReaderReranker({ name: "fake", readTexts: reader.read, embed }) };
}

describe("createReaderReranker", () => {
  it("reads each passage once beside the question, below title and headings, and gives the chance of the log odds", async () => {
    const { reader, reranker } = opened();
    const scores = await reranker.rerank("What does a card cost?", [
      passage("A card's fee is\n\n$3."),
      passage("Open all day.", "", "Hours"),
    ]);
    expect(reader.calls).toEqual([
      [
        { question: "What does a card cost?", text: "Library › Fees\nA card's fee is $3." },
        { question: "What does a card cost?", text: "Hours\nOpen all day." },
      ],
    ]);
    expect(scores[0]).toBeCloseTo(1 / (1 + Math.exp(-4)), 12);
    expect(scores[1]).toBeCloseTo(1 / (1 + Math.exp(4)), 12);
  });

  it("reads of a long passage the sentences most like the question, wherever they stand", async () => {
    const filler = Array.from({ length: 12 }, (_, i) => `Room ${i} is open to all visitors of the reading hall every day.`);
    for (const place of [0, 6, 12]) {
      const { reader, reranker } = opened();
      const text = [...filler.slice(0, place), "A library card costs three dollars.", ...filler.slice(place)].join(" ");
      expect((await reranker.rerank("How much does a library card cost?", [passage(text)]))[0]).toBeGreaterThan(0.9);
      const [read] = reader.calls[0] as [{ text: string }];
      const part = read.text.split("\n")[1] as string;
      expect(part).toContain("A library card costs three dollars.");
      expect(text).toContain(part);
      expect(part.length).toBeLessThanOrEqual(420);
    }
  });

  it("reads of hostile texts no more than of others", async () => {
    const { reader, reranker } = opened();
    const hostile = ["x\n".repeat(400), "a".repeat(50_000), "[SEP] fee ".repeat(4_000), "\u202e\ud800 fee", "\u0000"];
    const scores = await reranker.rerank(
      "What is the fee?",
      hostile.map((text) => passage(text, text, text)),
    );
    expect(scores.every((score) => score !== null && score >= 0 && score <= 1)).toBe(true);
    for (const { text } of reader.calls[0] as { text: string }[]) expect(text.length).toBeLessThanOrEqual(80 + 3 + 120 + 1 + 420);
  });

  it("throws what the reader throws when it is cancelled while it reads, and a ModelError where it could not read", async () => {
    const stop = new AbortController();
    const reason = new Error("asker left");
    const readTexts = async (_: unknown, signal: AbortSignal) => {
      stop.abort(reason);
      signal.throwIfAborted();
      return null;
    };
    const reranker = createReaderReranker({ name: "fake", readTexts, embed });
    await expect(reranker.rerank("q", [passage("x")], { signal: stop.signal })).rejects.toBe(reason);
    const mute = createReaderReranker({ name: "fake", readTexts: async () => null, embed });
    await expect(mute.rerank("q", [passage("x")])).rejects.toBeInstanceOf(ModelError);
  });
});
