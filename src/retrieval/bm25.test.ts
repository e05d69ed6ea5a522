import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { snapshotBytes, snapshotIn } from "../../test/support/snapshot-bytes.ts";
import { Bm25Index } from "./bm25.ts";
import { BM25_B, BM25_K1, scoreText } from "./postings.ts";
import type { WeightedField } from "./top-k.ts";

/** An independent implementation of the formula from the paper, over plain maps. */
function naiveScores(documents: readonly (readonly WeightedField[] | null)[], query: readonly string[]): Map<number, number> {
  const alive = documents.flatMap((fields, slot) => (fields === null ? [] : [{ slot, fields }]));
  const lengthOf = (fields: readonly WeightedField[]) => fields.reduce((sum, { tokens, weight }) => sum + weight * tokens.length, 0);
  const average = alive.reduce((sum, { fields }) => sum + lengthOf(fields), 0) / alive.length;
  const frequency = (fields: readonly WeightedField[], term: string) =>
    fields.reduce((sum, { tokens, weight }) => sum + weight * tokens.filter((token) => token === term).length, 0);
  const scores = new Map<number, number>();
  for (const { slot, fields } of alive) {
    let score = 0;
    for (const term of query) {
      const n = alive.filter((other) => frequency(other.fields, term) > 0).length;
      const idf = Math.log(1 + (alive.length - n + 0.5) / (n + 0.5));
      const tf = frequency(fields, term);
      score += (idf * tf * (BM25_K1 + 1)) / (tf + BM25_K1 * (1 - BM25_B + (BM25_B * lengthOf(fields)) / average));
    }
    if (score > 0) scores.set(slot, score);
  }
  return scores;
}

const body = (text: string): WeightedField[] => [{ tokens: text.split(" "), weight: 1 }];

describe("Bm25Index", () => {
  it("gives a hand-worked score", () => {
    const index = new Bm25Index();
    index.add(body("tinnitus rating"));
    index.add(body("burial flag"));
    // N = 2, n = 1: idf = ln(1 + 1.5/1.5) = ln 2; tf = 1, length = average: tf part = 2.2 / 2.2 = 1.
    expect(index.search(["tinnitus"], 5)).toEqual([{ slot: 0, score: expect.closeTo(Math.log(2), 12) }]);
  });

  it("equals an independent implementation after any additions and deletions", () => {
    const word = fc.constantFrom("a", "b", "c", "d", "e", "f");
    const fields = fc.tuple(fc.array(word, { maxLength: 3 }), fc.array(word, { maxLength: 12 })).map(([title, text]): WeightedField[] => [
      { tokens: title, weight: 2 },
      { tokens: text, weight: 1 },
    ]);
    fc.assert(
      fc.property(
        fc.array(fields, { minLength: 1, maxLength: 15 }),
        fc.array(fc.nat(14), { maxLength: 8 }),
        fc.array(word, { minLength: 1, maxLength: 5 }),
        (added, deleted, query) => {
          const index = new Bm25Index();
          const documents: (WeightedField[] | null)[] = added.map((one) => one);
          for (const one of added) index.add(one);
          for (const slot of deleted) {
            index.delete(slot);
            if (slot < documents.length) documents[slot] = null;
          }
          const expected = [...naiveScores(documents, query)].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
          const found = index.search(query, 100);
          expect(new Map(found.map(({ slot, score }) => [slot, Number(score.toFixed(4))]))).toEqual(
            new Map(expected.map(([slot, score]) => [slot, Number(score.toFixed(4))])),
          );
          for (let i = 1; i < found.length; i++) expect((found[i - 1]?.score ?? 0) - (found[i]?.score ?? 0)).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  it("returns exactly the same with and without pruning", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 31 }),
        fc.array(fc.nat(400), { maxLength: 60 }),
        fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        (seed, deleted, words, k, filtered) => {
          const index = zipfIndex(seed, 400);
          const query = words.flatMap(([word, times]) => Array.from({ length: times }, () => `w${word}`));
          const accept = filtered ? (slot: number) => slot % 3 === 0 : undefined;
          // The first search computes the bounds. Later additions and deletions must keep them valid.
          index.search(query, k, accept);
          for (const slot of deleted) index.delete(slot);
          for (let i = 0; i < 20; i++) index.add(body(`w${i} w1 w2${" filler".repeat(i)}`));
          // With `k` equal to the number of entries, nothing can be pruned.
          expect(index.search(query, k, accept)).toEqual(index.search(query, index.slots, accept).slice(0, k));
        },
      ),
      { numRuns: 150 },
    );
  });

  it("scores a text with its statistics exactly like an entry", () => {
    const index = zipfIndex(5, 300);
    const text = body("w1 w4 w4 w9 unheard");
    const slot = index.add(text);
    const query = ["w9", "w4", { token: "w1", weight: 0.3 }, "w4", "nowhere"];
    const tokens = query.map((one) => (typeof one === "string" ? one : one.token));
    const frequencies = new Map(tokens.map((token) => [token, index.frequency(token)]));
    const score = scoreText(query, text, { windows: index.size, averageLength: index.averageLength, frequencies });
    expect(index.search(query, 400).find((found) => found.slot === slot)?.score).toBe(score);
  });

  it("continues from a saved index", () => {
    const index = zipfIndex(3, 300);
    index.search(["w1"], 3);
    for (const slot of [297, 298, 299]) index.delete(slot);
    const loaded = Bm25Index.load(snapshotIn(snapshotBytes(index.save())));
    for (const one of [index, loaded]) {
      one.add(body("w1 w2 ünï 言葉"));
      one.delete(5);
    }
    const query = ["w5", "w2", "言葉", "w5"];
    const before = index.search(query, 50).map(({ slot, score }) => ({ slot: slot === 300 ? 297 : slot, score }));
    expect(loaded.search(query, 50)).toEqual(before);
    expect([loaded.size, loaded.slots, loaded.frequency("w1")]).toEqual([index.size, 298, index.frequency("w1")]);
    expect(Bm25Index.load(snapshotIn(snapshotBytes(new Bm25Index().save()))).search(["a"], 1)).toEqual([]);
  });

  it("scores a word repeated 500 times, emoji and right-to-left text, and rejects a weight that is not finite", () => {
    const index = new Bm25Index();
    const slot = index.add(body("flag 🎖 שלום"));
    const once = index.search(["flag"], 1)[0]?.score ?? 0;
    expect(
      index.search(
        Array.from({ length: 500 }, () => "flag"),
        1,
      )[0]?.score,
    ).toBeCloseTo(500 * once, 6);
    expect(index.search(["🎖", "שלום"], 1)[0]?.slot).toBe(slot);
    expect(() => index.add([{ tokens: ["a"], weight: Number.NaN }])).toThrow(RangeError);
    expect(index.slots).toBe(1);
  });
});

/** Entries of 3 to 42 words with Zipf-like frequencies over 60 words, from a seed. */
function zipfIndex(seed: number, entries: number): Bm25Index {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const index = new Bm25Index();
  for (let i = 0; i < entries; i++) {
    const words = Array.from({ length: 3 + Math.floor(random() * 40) }, () => `w${Math.floor(60 ** random()) - 1}`);
    index.add([
      { tokens: words.slice(0, 2), weight: 2 },
      { tokens: words.slice(2), weight: 1 },
    ]);
  }
  return index;
}
