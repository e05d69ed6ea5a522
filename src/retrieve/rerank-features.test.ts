import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readStandings } from "./rerank.ts";
import { FEATURES, type Match, type PairView, proximity } from "./rerank-features.ts";

const match = (...best: number[]): Match => ({ best: Float32Array.from(best) });
const word = (weight: number, code = false) => ({ weight, code });
const nothing = match(0, 0, 0);

function viewOf(part: Partial<PairView>): PairView {
  return {
    asked: [word(0.5), word(0.25), word(0.25)],
    askedValues: 0,
    text: nothing,
    title: nothing,
    section: nothing,
    sentences: [],
    valuesIn: () => 0,
    hits: [],
    length: 10,
    scores: null,
    ...part,
  };
}

describe("order and nearness", () => {
  it("finds the same stretch as trying all of them", () => {
    const some = fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 4 })), { maxLength: 12 });
    fc.assert(
      fc.property(some, (steps) => {
        let place = 0;
        const found = steps.map(([one, step]) => {
          place += step;
          return { asked: one, place };
        });
        const wanted = new Set(found.map((hit) => hit.asked)).size;
        let shortest = Number.POSITIVE_INFINITY;
        for (const from of found) {
          for (const to of found) {
            const inside = found.filter((hit) => hit.place >= from.place && hit.place <= to.place);
            if (new Set(inside.map((hit) => hit.asked)).size === wanted) shortest = Math.min(shortest, to.place - from.place);
          }
        }
        expect(proximity(viewOf({ hits: found }))).toBe(wanted < 2 ? null : (wanted - 1) / shortest);
      }),
    );
  });
});

describe("readStandings", () => {
  const passage = (dense: number | null, bm25: number | null, fused: number) => ({
    title: "",
    section: "",
    text: "",
    scores: { dense, bm25, fused },
  });

  it("ranks each ranking by itself; what a ranking lacks stands with its least and says so", () => {
    const [one, two] = readStandings([passage(0.5, 4, 1), passage(0.9, null, 0.5)]);
    expect(one?.dense).toEqual({ score: 0.5, held: true, rank: 1, best: 0.9, least: 0.5, median: 0.5 });
    expect(two?.bm25).toEqual({ score: 4, held: false, rank: 1, best: 4, least: 4, median: 4 });
  });

  it("knows nothing of a ranking that did not run", () => {
    const [one] = readStandings([passage(null, 4, 1), passage(null, 2, 0.5)]);
    expect(one?.dense).toBeNull();
    expect(FEATURES["dense.of-range"]?.(viewOf({ scores: one ?? null }))).toBeNull();
    expect(FEATURES["bm25.of-range"]?.(viewOf({ scores: one ?? null }))).toBe(1);
    expect(readStandings([{ title: "", section: "", text: "" }])).toEqual([null]);
  });
});
