import { describe, expect, it } from "vitest";
import type { Reader, TextReading } from "../cross-encoder/reader.ts";
import { ModelError } from "../shared/errors.ts";

export interface ReaderUnderTest {
  readonly reader: Reader;
  close(): Promise<void>;
}

const passage = "Visitors pay $4 a day. 🅿️ Résidents du quartier, on the other hand, park free of charge from 18:00 to 8:00.";
const other = "When do residents pay?";

const lengthOf = (reading: TextReading | undefined) => Math.hypot(...(reading?.vector ?? []));

/** Defines the tests that every `Reader` (cross-encoder) must pass. */
export function describeReaderContract(name: string, open: () => Promise<ReaderUnderTest>): void {
  const withReader = (use: (reader: Reader) => Promise<void>) => async () => {
    const under = await open();
    try {
      await use(under.reader);
    } finally {
      await under.close();
    }
  };

  describe(`${name}: reader`, () => {
    it(
      "returns one unit vector per text, in order",
      withReader(async (reader) => {
        expect(await reader.read([])).toEqual([]);
        const [first, second, again] = await reader.read([passage, other, passage]);
        expect(lengthOf(first)).toBeCloseTo(1, 5);
        expect(second).not.toEqual(first);
        expect(again).toEqual(first);
      }),
    );

    it(
      "encodes a question with a text, depending on both",
      withReader(async (reader) => {
        const pair = { question: other, text: passage };
        const [alone] = await reader.read([passage]);
        const [beside, swapped, again] = await reader.read([pair, { question: passage, text: other }, pair]);
        expect(alone).not.toHaveProperty("answer");
        expect(await reader.read([passage, pair])).toEqual([alone, beside]);
        expect(Number.isFinite(beside?.answer) && Number.isFinite(beside?.same)).toBe(true);
        const probabilities = Object.values(beside?.claim ?? {}).map(Math.exp);
        expect(probabilities).toHaveLength(3);
        expect(probabilities.reduce((sum, probability) => sum + probability, 0)).toBeCloseTo(1, 1);
        expect(lengthOf(beside)).toBeCloseTo(1, 5);
        expect(beside?.vector).not.toEqual(alone?.vector);
        expect(swapped?.answer).not.toBe(beside?.answer);
        expect(again).toEqual(beside);
      }),
    );

    it(
      "truncates a long question beside a text",
      withReader(async (reader) => {
        const [long, longer] = await reader.read(
          [12, 200].map((times) => ({ question: other.repeat(times), text: passage.repeat(times) })),
        );
        expect(longer).toEqual(long);
        const [short, different] = await reader.read([passage, other].map((text) => ({ question: other.repeat(200), text })));
        expect(different?.answer).not.toBe(short?.answer);
        for (const reading of await reader.read([
          { question: "", text: "" },
          { question: "[SEP]", text: "\ud800" },
        ]))
          expect(Number.isFinite(reading.answer)).toBe(true);
      }),
    );

    it(
      "returns the same result for a text in any batch",
      withReader(async (reader) => {
        const together = await reader.read([other, passage, passage.repeat(2)]);
        expect((await reader.read([passage]))[0]).toEqual(together[1]);
      }),
    );

    it(
      "truncates a long text",
      withReader(async (reader) => {
        const [long, longer] = await reader.read([passage.repeat(12), passage.repeat(200)]);
        expect(lengthOf(long)).toBeCloseTo(1, 5);
        expect(longer).toEqual(long);
      }),
    );

    it(
      "accepts empty, blank and hostile text",
      withReader(async (reader) => {
        const texts = [
          "",
          " \n\t",
          "\u0000\ufffd\ud800",
          "[SEP] [CLS] [MASK]",
          "a\u0301".repeat(150),
          "x".repeat(5000),
          "漢字🅰️ж".repeat(20),
        ];
        for (const reading of await reader.read(texts)) expect(lengthOf(reading)).toBeCloseTo(1, 5);
      }),
    );

    it(
      "throws the signal's reason when it is cancelled, before and while it runs",
      withReader(async (reader) => {
        const reason = new Error("nobody waits");
        await expect(reader.read([other], AbortSignal.abort(reason))).rejects.toBe(reason);
        const stop = new AbortController();
        const many = Array.from({ length: 400 }, (_, i) => `${i} ${passage.repeat(20)}`);
        const reading = reader.read(many, stop.signal);
        setTimeout(() => stop.abort(reason), 5);
        await expect(reading).rejects.toBe(reason);
        expect(await reader.read([other])).toHaveLength(1);
      }),
    );

    it(
      "returns each concurrent caller its own results",
      withReader(async (reader) => {
        const asked = Array.from({ length: 6 }, (_, i) => [`${i} ${passage}`, { question: `${i} ${other}`, text: passage }, other]);
        const together = await Promise.all(asked.map((texts) => reader.read(texts)));
        for (const [i, texts] of asked.entries()) expect(together[i]).toEqual(await reader.read(texts));
        expect(new Set(together.map((readings) => JSON.stringify(readings.slice(0, 2)))).size).toBe(asked.length);
      }),
    );

    it(
      "rejects a cancelled call, and continues for other callers",
      withReader(async (reader) => {
        const many = Array.from({ length: 30 }, (_, i) => `cancelled ${i} ${passage}`);
        const stop = new AbortController();
        const cancelled = reader.read(many, stop.signal);
        const waiting = reader.read(["Asked behind them"]);
        stop.abort(new Error("nobody waits"));
        await expect(cancelled).rejects.toThrow("nobody waits");
        expect(await waiting).toEqual(await reader.read(["Asked behind them"]));
      }),
    );

    it(
      "has a name and a hash, and rejects calls after it was closed",
      withReader(async (reader) => {
        expect(reader.weights.name).not.toBe("");
        expect(reader.weights.hash).toMatch(/^[0-9a-f]{64}$/);
        await reader.close();
        await expect(reader.read(["Asked after the end"])).rejects.toBeInstanceOf(ModelError);
        await reader.close();
      }),
    );
  });
}
