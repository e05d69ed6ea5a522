import { describe, expect, it } from "vitest";
import { SlotSet } from "../retrieval/slot-set.ts";
import type { VectorSearch, WordSearch } from "../retrieval/top-k.ts";

const TEXTS = ["tinnitus rating ten", "hearing loss rating", "hearing aids battery", "travel pay mileage"];
const field = (text: string) => [{ tokens: text.split(" "), weight: 1 }];

/** What every ranking by words must do; `create` gives an empty one. */
export function describeWordSearchContract(name: string, create: () => WordSearch): void {
  const filled = (): WordSearch => {
    const index = create();
    for (const text of TEXTS) index.add(field(text));
    return index;
  };

  describe(`${name} as a word search`, () => {
    it("hands out slots in rising order and counts what is alive", () => {
      const index = create();
      expect(TEXTS.map((text) => index.add(field(text)))).toEqual([0, 1, 2, 3]);
      expect(index.size).toBe(4);
      index.delete(1);
      expect(index.size).toBe(3);
    });

    it("ranks entries that hold more of the question, and rarer words, higher", () => {
      const found = filled().search(["hearing", "battery"], 10);
      expect(found.map(({ slot }) => slot)).toEqual([2, 1]);
      expect(found[0]?.score).toBeGreaterThan(found[1]?.score as number);
    });

    it("ranks the lower slot first among equal scores, and gives at most as many as asked", () => {
      const index = create();
      for (let i = 0; i < 3; i++) index.add(field("same words here"));
      expect(index.search(["same"], 2).map(({ slot }) => slot)).toEqual([0, 1]);
    });

    it("finds only what is accepted, and nothing for words that no entry holds", () => {
      const index = filled();
      expect(index.search(["rating"], 10, (slot) => slot !== 0).map(({ slot }) => slot)).toEqual([1]);
      expect(index.search(["nowhere"], 10)).toEqual([]);
      expect(index.search([], 10)).toEqual([]);
    });

    it("does not find what was deleted, and knows its words no more", () => {
      const index = filled();
      index.delete(3);
      expect(index.search(["mileage"], 10)).toEqual([]);
      expect(index.has("mileage")).toBe(false);
      expect(index.has("rating")).toBe(true);
    });

    it("weighs rare words more than common ones, and scores a text as it would an entry", () => {
      const index = filled();
      expect(index.idf("mileage")).toBeGreaterThan(index.idf("rating"));
      const [best] = index.search(["tinnitus", "rating"], 1);
      expect(index.score(["tinnitus", "rating"], field(TEXTS[0] as string))).toBeCloseTo(best?.score as number, 9);
    });

    it("counts a weighted term in proportion", () => {
      const index = filled();
      const plain = index.search(["mileage"], 1)[0]?.score as number;
      expect(index.search([{ token: "mileage", weight: 0.5 }], 1)[0]?.score).toBeCloseTo(plain / 2, 9);
    });
  });
}

const VECTORS = [
  [1, 0, 0],
  [0.6, 0.8, 0],
  [0, 1, 0],
  [0, 0, 1],
].map((values) => Float32Array.from(values));
const X = Float32Array.from([1, 0, 0]);

/** What every ranking by vectors must do; `create` gives an empty one. */
export function describeVectorSearchContract(name: string, create: () => VectorSearch): void {
  const filled = (): VectorSearch => {
    const index = create();
    for (const vector of VECTORS) index.add(vector);
    return index;
  };
  const only = (...slots: number[]): SlotSet => {
    const set = new SlotSet();
    for (const slot of slots) set.add(slot);
    return set;
  };

  describe(`${name} as a vector search`, () => {
    it("hands out slots in rising order and counts what is alive", () => {
      const index = create();
      expect(VECTORS.map((vector) => index.add(vector))).toEqual([0, 1, 2, 3]);
      index.delete(0);
      expect(index.size).toBe(3);
    });

    it("ranks by cosine, exactly", () => {
      const found = filled().search(X, 2);
      expect(found.map(({ slot }) => slot)).toEqual([0, 1]);
      expect(found[0]?.score).toBeCloseTo(1, 5);
      expect(found[1]?.score).toBeCloseTo(0.6, 5);
    });

    it("finds only what is accepted, and as many of those as asked", () => {
      const index = filled();
      expect(index.search(X, 2, only(1, 2)).map(({ slot }) => slot)).toEqual([1, 2]);
      expect(index.search(X, 2, only())).toEqual([]);
    });

    it("does not find what was deleted", () => {
      const index = filled();
      index.delete(0);
      expect(index.search(X, 1).map(({ slot }) => slot)).toEqual([1]);
    });

    it("gives the highest cosine of some entries, null of none", () => {
      const index = filled();
      expect(index.best(X, [1, 2])).toBeCloseTo(0.6, 5);
      expect(index.best(X, [])).toBeNull();
    });

    it("ranks the lower slot first among equal scores", () => {
      const index = create();
      for (let i = 0; i < 3; i++) index.add(X);
      expect(index.search(X, 3).map(({ slot }) => slot)).toEqual([0, 1, 2]);
    });
  });
}
