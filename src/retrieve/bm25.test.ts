import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BM25_B, BM25_K1, Bm25Index, type WeightedField } from "./bm25.ts";

/** The formula once more, written from the paper over plain maps, to compare with. */
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

  it("ranks a title above a body and a short text above a long one", () => {
    const index = new Bm25Index();
    const inBody = index.add([
      { tokens: ["forms"], weight: 2 },
      { tokens: "flag and more words here".split(" "), weight: 1 },
    ]);
    const inTitle = index.add([
      { tokens: ["flag"], weight: 2 },
      { tokens: "some text with more words".split(" "), weight: 1 },
    ]);
    const short = index.add([
      { tokens: ["forms"], weight: 2 },
      { tokens: ["flag"], weight: 1 },
    ]);
    expect(index.search(["flag"], 3).map(({ slot }) => slot)).toEqual([inTitle, short, inBody]);
  });

  it("ranks ties by slot, and cuts none off", () => {
    const index = new Bm25Index();
    for (let i = 0; i < 20; i++) index.add(body("same words"));
    index.add(body("same words and more"));
    const found = index.search(["same"], 4).map(({ slot }) => slot);
    expect(found).toEqual(Array.from({ length: 20 }, (_, slot) => slot));
  });

  it("filters before ranking: a filter never empties a result that has a match", () => {
    const index = new Bm25Index();
    for (let i = 0; i < 100; i++) index.add(body("flag flag flag"));
    const weak = index.add(body("flag among many other words that make it weak"));
    expect(index.search(["flag"], 1, (slot) => slot === weak).map(({ slot }) => slot)).toEqual([weak]);
  });

  it("answers nothing on an empty index, an empty query, unknown words, k = 0", () => {
    const index = new Bm25Index();
    expect(index.search(["a"], 5)).toEqual([]);
    index.add(body("a"));
    expect(index.search([], 5)).toEqual([]);
    expect(index.search(["zzz"], 5)).toEqual([]);
    expect(index.search(["a"], 0)).toEqual([]);
  });

  it("equals an independent implementation after any adds and deletes", () => {
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
});
