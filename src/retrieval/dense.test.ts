import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { folderOfTest } from "../../test/support/folders.ts";
import { snapshotBytes, snapshotIn } from "../../test/support/snapshot-bytes.ts";
import { createRandom } from "../grading/metrics.ts";
import { createScalarKernel } from "../testing/scalar-kernel.ts";
import { DenseIndex, type DenseOptions } from "./dense.ts";
import { ScratchFile } from "./scratch-file.ts";
import { SlotSet } from "./top-k.ts";

const here = folderOfTest();

const unit = (values: readonly number[]): Float32Array => {
  const norm = Math.hypot(...values) || 1;
  return Float32Array.from(values, (value) => value / norm);
};

/** An independent ranking in f64 over plain arrays, rounded because the index sums in f32. */
function naiveRanking(rows: readonly (Float32Array | null)[], query: Float32Array, accept: (slot: number) => boolean): number[] {
  return rows
    .flatMap((row, slot) =>
      row === null || !accept(slot) ? [] : [{ slot, score: row.reduce((sum, x, i) => sum + x * (query[i] ?? 0), 0) }],
    )
    .sort((a, b) => b.score - a.score || a.slot - b.slot)
    .map(({ score }) => score);
}

const vectorsOf = (dimensions: number) =>
  fc.array(fc.integer({ min: -40, max: 40 }), { minLength: dimensions, maxLength: dimensions }).map(unit);

/** Added vectors, deleted slots, accepted slots, a query, and the number of wanted results. */
const scenes = fc.integer({ min: 1, max: 37 }).chain((dimensions) =>
  fc.record({
    rows: fc.array(vectorsOf(dimensions), { minLength: 1, maxLength: 90 }),
    deleted: fc.array(fc.nat(89), { maxLength: 30 }),
    kept: fc.option(fc.array(fc.nat(89), { maxLength: 40 }), { nil: null }),
    query: vectorsOf(dimensions),
    k: fc.integer({ min: 1, max: 20 }),
  }),
);

describe("DenseIndex", () => {
  it("equals exact search after any additions, deletions and filters", () => {
    fc.assert(
      fc.property(scenes, ({ rows, deleted, kept, query, k }) => {
        const index = new DenseIndex();
        for (const row of rows) index.add(row);
        const left: (Float32Array | null)[] = [...rows];
        for (const slot of deleted) {
          index.delete(slot);
          if (slot < left.length) left[slot] = null;
        }
        const accept = (slot: number) => kept === null || kept.includes(slot);
        const found = index.search(query, k, kept === null ? undefined : SlotSet.from(rows.length, accept));
        const expected = naiveRanking(left, query, accept).slice(0, k);
        expect(found.length).toBe(expected.length);
        found.forEach(({ slot, score }, i) => {
          expect(left[slot]).not.toBeNull();
          expect(accept(slot)).toBe(true);
          expect(score).toBeCloseTo(expected[i] as number, 4);
        });
        for (const { slot, score } of found) expect(index.best(query, [slot])).toBe(score);
        expect(index.size).toBe(left.filter((row) => row !== null).length);
      }),
      { numRuns: 60 },
    );
  });

  it("returns the same slots and bits in WebAssembly and in TypeScript", () => {
    fc.assert(
      fc.property(scenes, ({ rows, deleted, kept, query, k }) => {
        const one = new DenseIndex();
        const other = new DenseIndex({ createKernel: createScalarKernel });
        for (const index of [one, other]) {
          for (const row of rows) index.add(row);
          for (const slot of deleted) index.delete(slot);
        }
        const accept = kept === null ? undefined : SlotSet.from(rows.length, (slot) => kept.includes(slot));
        expect(other.search(query, k, accept)).toEqual(one.search(query, k, accept));
      }),
      { numRuns: 60 },
    );
  });

  it("finds at least .99 of the ten best through int8, over several blocks of memory", () => {
    const { vectors, queries } = clustered({ rows: 3000, queries: 30, dimensions: 64 });
    const exact = new DenseIndex({ oversampling: Number.POSITIVE_INFINITY });
    const index = new DenseIndex({ minCandidates: 1 });
    for (const vector of vectors) {
      exact.add(vector);
      index.add(vector);
    }
    let shared = 0;
    for (const query of queries) {
      const best = new Set(exact.search(query, 10).map(({ slot }) => slot));
      shared += index.search(query, 10).filter(({ slot }) => best.has(slot)).length;
    }
    expect(shared / 300).toBeGreaterThanOrEqual(0.99);
  });

  it("continues from a saved index, even if vectors are added before the sections are read", () => {
    const { vectors, queries } = clustered({ rows: 1100, queries: 1, dimensions: 20 });
    const index = new DenseIndex();
    for (const vector of vectors) index.add(vector);
    index.delete(3);
    index.delete(1050);
    const query = queries[0] as Float32Array;
    const [sections, found] = [index.save(), index.search(query, 50)];
    index.add(query, 3);
    for (const vector of vectors) index.add(vector);
    const loaded = DenseIndex.load(snapshotIn(snapshotBytes(sections)));
    expect(loaded.search(query, 50)).toEqual(found);
    expect([loaded.size, loaded.slots, loaded.dimensions]).toEqual([1098, 1100, 20]);
    expect(loaded.add(query)).toBe(1100);
    expect(loaded.search(query, 1)[0]?.slot).toBe(1100);
    expect(DenseIndex.load(snapshotIn(snapshotBytes(new DenseIndex().save()))).slots).toBe(0);
  });

  it("ranks and saves several memories like one", () => {
    const { vectors, queries } = clustered({ rows: 3000, queries: 10, dimensions: 20 });
    const whole = new DenseIndex();
    // One block of 1,024 rows of 32 padded dimensions fits into each memory.
    const split = new DenseIndex({ memoryBytes: 250_000 });
    const slots = Array.from(vectors.keys()).reverse();
    for (const slot of slots) whole.add(vectors[slot] as Float32Array, slot);
    for (const slot of slots) split.add(vectors[slot] as Float32Array, slot);
    const some = SlotSet.from(3000, (slot) => slot % 700 < 5);
    const createFile = () => new ScratchFile(join(here.folder, "index"));
    const filed = new DenseIndex({ memoryBytes: 250_000, createFile });
    for (const slot of slots) filed.add(vectors[slot] as Float32Array, slot);
    for (const index of [whole, split, filed]) for (const slot of [0, 1023, 1024, 2047, 2048]) index.delete(slot);
    const load = (index: DenseIndex, options: DenseOptions = {}) =>
      DenseIndex.load(snapshotIn(snapshotBytes(index.save())), { memoryBytes: 250_000, ...options });
    const loaded = [load(split), load(filed), load(split, { createFile })];
    expect(split.bytes).toBeGreaterThan(whole.bytes);
    expect(readdirSync(join(here.folder, "index"))).toEqual([]);
    for (const index of [split, filed, ...loaded])
      for (const query of queries) {
        expect(index.search(query, 20)).toEqual(whole.search(query, 20));
        expect(index.search(query, 20, some)).toEqual(whole.search(query, 20, some));
        expect(index.best(query, [1, 1500, 2999])).toBe(whole.best(query, [1, 1500, 2999]));
      }
    for (const index of loaded) expect(index.best(vectors[2500] as Float32Array, [2500])).toBeCloseTo(1, 6);
  });

  it("reports exhausted memory with the next engine, and keeps its vectors", () => {
    let available = 1e9;
    const index = new DenseIndex({ availableBytes: () => available });
    const { vectors, queries } = clustered({ rows: 1025, queries: 1, dimensions: 20 });
    for (const vector of vectors.slice(0, 1024)) index.add(vector);
    available = 1e6;
    const last = vectors[1024] as Float32Array;
    const full = { code: "index_full", message: expect.stringMatching(/1025 windows of 20 dimensions.*search: \{ type: opensearch/) };
    expect(() => index.add(last)).toThrow(expect.objectContaining(full));
    const broken = createScalarKernel();
    broken.grow = () => {
      throw new RangeError("no pages");
    };
    expect(() => new DenseIndex({ createKernel: () => broken }).add(last)).toThrow(expect.objectContaining({ code: "index_full" }));
    const query = queries[0] as Float32Array;
    expect([index.size, index.slots, index.search(query, 9).length]).toEqual([1024, 1024, 9]);
    available = 1e9;
    expect(index.add(last)).toBe(1024);
  });

  it("accepts vectors in given slots, and saves some of them", () => {
    const index = new DenseIndex();
    const [a, b, c] = [unit([1, 0]), unit([0, 1]), unit([1, 1])];
    index.add(a, 5);
    index.add(b, 2);
    expect(index.search(a, 9).map(({ slot }) => slot)).toEqual([5, 2]);
    expect([index.has(2), index.has(3), index.best(a, [2, 3, 5]), index.best(a, [3])]).toEqual([true, false, 1, null]);
    const loaded = DenseIndex.load(snapshotIn(snapshotBytes(index.save([3, 5, 6]))));
    expect([loaded.size, loaded.slots, loaded.has(0)]).toEqual([1, 2, false]);
    expect(loaded.search(a, 9)).toEqual([{ slot: 1, score: 1 }]);
    loaded.add(c, 0);
    expect(loaded.search(c, 1)[0]?.slot).toBe(0);
  });

  it("rejects vectors of another dimension and values that are not finite", () => {
    const index = new DenseIndex();
    index.add(unit([1, 0]));
    expect(() => index.add(unit([1, 0, 0]))).toThrow(RangeError);
    expect(() => index.search(unit([1]), 1)).toThrow("Vector has 1 dimensions; the index has 2.");
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => index.add(Float32Array.of(0, bad))).toThrow(/not a finite number, at 1/);
      expect(() => index.search(Float32Array.of(bad, 0), 1)).toThrow(RangeError);
    }
    expect(() => new DenseIndex().add(new Float32Array(0))).toThrow(RangeError);
    const fresh = new DenseIndex();
    expect(() => fresh.add(Float32Array.of(Number.NaN))).toThrow(RangeError);
    expect(fresh.add(unit([1, 0]))).toBe(0);
    expect(index.size).toBe(1);
  });
});

/** Unit vectors around a few centres, from a fixed seed. */
function clustered(n: { rows: number; queries: number; dimensions: number }): { vectors: Float32Array[]; queries: Float32Array[] } {
  const next = createRandom(42);
  const random = () => next() - 0.5;
  const make = () => Array.from({ length: n.dimensions }, random);
  const centres = Array.from({ length: 20 }, make);
  const near = () => {
    const centre = centres[Math.floor((random() + 0.5) * 20)] as number[];
    return unit(centre.map((value) => value + 0.7 * random()));
  };
  return { vectors: Array.from({ length: n.rows }, near), queries: Array.from({ length: n.queries }, near) };
}
