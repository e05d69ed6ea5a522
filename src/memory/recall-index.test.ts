import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VectorGroups } from "../retrieval/dense.ts";
import type { CacheStore } from "../store/cache.ts";
import { hashedWords } from "../testing/fake-encoder.ts";
import { QuestionIndex } from "./recall.ts";

type VectorRow = Awaited<ReturnType<CacheStore["vectorsAfter"]>>[number];

/** A fake database of cache entries: their numbers increase, and entries are replaced and deleted by key. */
function fakeCache() {
  const rows = new Map<string, VectorRow>();
  let seq = 0;
  let reads = 0;
  return {
    rows,
    reads: () => reads,
    put(key: string, scope: string, text: string, model = "m") {
      rows.delete(key);
      rows.set(key, { seq: ++seq, key, scope, model, vector: hashedWords(text) });
    },
    newest: async () => Math.max(0, ...[...rows.values()].map((row) => row.seq)),
    vectorsAfter: async (after: number) => {
      reads++;
      return [...rows.values()].filter((row) => row.seq > after).sort((a, b) => a.seq - b.seq);
    },
    read: async (keys: readonly string[]) => ({ found: keys.filter((key) => rows.has(key)), gone: keys.filter((key) => !rows.has(key)) }),
  };
}
type FakeCache = ReturnType<typeof fakeCache>;
const indexOf = (cache: FakeCache) => new QuestionIndex(cache, () => new VectorGroups());
const nearest = async (index: QuestionIndex, cache: FakeCache, text: string) =>
  (await index.nearest({ model: "m", scope: "s", vector: hashedWords(text) }, 3, cache.read)).found;

describe("QuestionIndex", () => {
  it("finds entries of other processes, nearest first, and reads the database only for new ones", async () => {
    const cache = fakeCache();
    const index = indexOf(cache);
    expect(await nearest(index, cache, "red boat")).toEqual([]);
    cache.put("a", "s", "red boat");
    cache.put("b", "s", "red boat house");
    expect(await nearest(index, cache, "red boat")).toEqual(["a", "b"]);
    expect(await nearest(index, cache, "red boat house")).toEqual(["b", "a"]);
    expect(cache.reads()).toBe(1);
  });

  it("returns further entries when the nearest are deleted", async () => {
    const cache = fakeCache();
    for (let n = 0; n < 9; n++) cache.put(`near${n}`, "s", "red boat");
    cache.put("far", "s", "red house");
    const index = indexOf(cache);
    await nearest(index, cache, "red boat");
    for (let n = 0; n < 9; n++) cache.rows.delete(`near${n}`);
    expect(await nearest(index, cache, "red boat")).toEqual(["far"]);
  });

  it("recovers after a database failure", async () => {
    const cache = fakeCache();
    cache.put("a", "s", "red boat");
    let failing = true;
    const index = new QuestionIndex(
      {
        newest: cache.newest,
        vectorsAfter: async (seq) => {
          if (failing) throw new Error("down");
          return cache.vectorsAfter(seq);
        },
      },
      () => new VectorGroups(),
    );
    await expect(nearest(index, cache, "red boat")).rejects.toThrow("down");
    failing = false;
    expect(await nearest(index, cache, "red boat")).toEqual(["a"]);
  });

  it("finds the same as a search of all rows of one scope and model, after any additions, replacements and deletions", async () => {
    const [scope, model] = [fc.constantFrom("s", "t"), fc.constantFrom("m", "n")];
    const step = fc.record({ key: fc.nat(12), scope, model, word: fc.nat(6), remove: fc.boolean(), ask: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const cache = fakeCache();
        const index = indexOf(cache);
        for (const { key, scope, model, word, remove, ask } of steps) {
          if (remove) cache.rows.delete(`${key}`);
          else cache.put(`${key}`, scope, `word${word} word${key}`, model);
          if (!ask) continue;
          const asked = hashedWords(`word${word}`);
          const dot = (row: VectorRow) => row.vector.reduce((sum, value, i) => sum + value * (asked[i] as number), 0);
          const best = Math.max(...[...cache.rows.values()].filter((row) => row.scope === scope && row.model === model).map(dot));
          const [found] = (await index.nearest({ model, scope, vector: asked }, 3, cache.read)).found;
          const row = found === undefined ? undefined : cache.rows.get(found);
          if (best === -Infinity) expect(row).toBeUndefined();
          else expect(row === undefined ? -1 : dot(row)).toBeCloseTo(best, 5);
          if (row !== undefined) expect([row.scope, row.model]).toEqual([scope, model]);
        }
      }),
      { numRuns: 200, seed: 3 },
    );
  });
});
