import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askedBits, VALUE_BITS, valueBits } from "./lexicon.ts";
import { readStandings } from "./rerank.ts";
import {
  bestSentence,
  bigrams,
  codes,
  coverage,
  density,
  FEATURES,
  longestPhrase,
  type Match,
  type PairView,
  proximity,
  softCoverage,
  softCoverageOfPair,
  softLeast,
  union,
  valueMatch,
} from "./rerank-features.ts";

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

const hits = (...pairs: [number, number][]) => pairs.map(([asked, place]) => ({ asked, place }));
const { asked } = viewOf({});

describe("words found", () => {
  it("counts the weight of words that stand there in any form, and relatives only when soft", () => {
    expect(coverage(match(1, 0.8, 0), asked)).toBe(0.5);
    expect(softCoverage(match(1, 0.8, 0), asked)).toBeCloseTo(0.7, 6);
    expect(softLeast(match(1, 0.5, 0.75))).toBe(0.5);
  });

  it("takes the best of several texts word by word", () => {
    expect([...union(match(1, 0, 0), match(0, 0.5, 0), match(0.25, 0.25, 0)).best]).toEqual([1, 0.5, 0]);
  });

  it("knows a missing title or heading from one that matches nothing", () => {
    const bare = viewOf({ title: null, section: null, text: match(1, 0, 0) });
    for (const name of ["title.coverage", "title.soft", "section.coverage", "section.soft"]) {
      expect(FEATURES[name]?.(bare)).toBeNull();
      expect(FEATURES[name]?.(viewOf({}))).toBe(0);
    }
    expect(FEATURES["all.coverage"]?.(bare)).toBe(0.5);
    expect(codes({ ...bare, asked: [word(1, true)] })).toBe(1);
  });

  it("finds the sentence that covers most, the first among equals", () => {
    expect(bestSentence(viewOf({ sentences: [match(0, 1, 0), match(1, 0, 0), match(1, 0, 0)] }))).toBe(1);
    expect(bestSentence(viewOf({}))).toBe(-1);
  });

  it("takes two sentences in a row together, not two apart", () => {
    const sentences = [match(1, 0, 0), nothing, match(0, 1, 0), match(0, 0, 1)];
    expect(softCoverageOfPair(viewOf({ sentences }))).toBe(0.5);
    expect(softCoverageOfPair(viewOf({ sentences: sentences.slice(2) }))).toBe(0.5);
    expect(softCoverageOfPair(viewOf({ sentences: [match(1, 0, 0), match(0, 1, 0)] }))).toBe(0.75);
  });
});

describe("order and nearness", () => {
  it("counts neighbours of the question that stand near and in order", () => {
    expect(bigrams(viewOf({ hits: hits([0, 3], [1, 4]) }))).toBe(0.5);
    expect(bigrams(viewOf({ hits: hits([1, 3], [0, 4]) }))).toBe(0);
    expect(bigrams(viewOf({ hits: hits([0, 0], [1, 9]) }))).toBe(0);
    expect(bigrams(viewOf({ asked: [word(1)] }))).toBeNull();
  });

  it("measures the longest run in the question's order", () => {
    expect(longestPhrase(viewOf({ hits: hits([0, 0], [1, 1], [0, 5], [1, 6], [2, 8]) }))).toBe(1);
    expect(longestPhrase(viewOf({ hits: hits([2, 0], [0, 1]) }))).toBeCloseTo(1 / 3, 6);
    expect(longestPhrase(viewOf({}))).toBe(0);
  });

  it("measures the shortest stretch that holds all words found", () => {
    expect(proximity(viewOf({ hits: hits([0, 0], [1, 10], [0, 11]) }))).toBe(1);
    expect(proximity(viewOf({ hits: hits([0, 0], [1, 4]) }))).toBe(0.25);
    expect(proximity(viewOf({ hits: hits([0, 0], [0, 4]) }))).toBeNull();
  });

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

  it("rises with hits, falls with length, and is unknown of an empty text", () => {
    expect(density(viewOf({ hits: hits([0, 0]), length: 80 }))).toBe(0.1);
    expect(density(viewOf({ length: 0 }))).toBeNull();
  });
});

describe("codes and values", () => {
  it("asks for codes wherever they may stand, and for nothing where there are none", () => {
    const withCode = [word(0.5, true), word(0.5)];
    const none = match(0, 0);
    expect(codes(viewOf({ asked: withCode, text: none, title: match(1, 0), section: none }))).toBe(1);
    expect(codes(viewOf({ asked: withCode, text: match(0.9, 1), title: none, section: none }))).toBe(0);
    expect(codes(viewOf({}))).toBeNull();
  });

  it("looks for the kind of value asked for in the best sentence and the next", () => {
    const sentences = [match(1, 0, 0), nothing, nothing];
    const held = (at: number) => viewOf({ askedValues: VALUE_BITS.amount, sentences, valuesIn: (i) => (i === at ? VALUE_BITS.amount : 0) });
    expect([0, 1, 2].map((at) => valueMatch(held(at)))).toEqual([1, 1, 0]);
    expect(valueMatch(viewOf({ sentences }))).toBeNull();
  });

  it.each([
    ["How much is the pension?", "It pays $1,200."],
    ["How long does a review take?", "A review takes five months."],
    ["When did the war end?", "It ended in 1945."],
    ["Who wrote the letter?", "It was written by Anna."],
    ["Which form do I need?", "Send VA Form 21-526EZ."],
    ["How many children had the king?", "He had three sons."],
  ])("knows that %s is answered by a sentence such as %s", (question, sentence) => {
    expect(askedBits(question) & valueBits(sentence)).not.toBe(0);
    expect(askedBits(question) & valueBits("it is not said")).toBe(0);
  });

  it("does not guess what other questions want", () => {
    expect(askedBits("Is tinnitus rated?")).toBe(0);
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
