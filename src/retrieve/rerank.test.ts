import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { ModelError } from "../errors.ts";
import type { Reranker } from "../models/reranker.ts";
import { describeRerankerContract } from "../testing/reranker-contract.ts";
import { Lexicon, RELATED_COSINE } from "./lexicon.ts";
import { createEmbeddedReranker, readRerankWeights, readStandings, rerankCandidates, viewPairs } from "./rerank.ts";
import { FEATURES, type Match, type PairView, proximity } from "./rerank-features.ts";
import type { Candidate } from "./search-index.ts";

const encoder = SHARED_PARTS.embedded();
const embedded = createEmbeddedReranker(encoder);

describeRerankerContract("embedded", async (behaviour) =>
  behaviour === "broken" ? null : { reranker: embedded, close: async () => undefined },
);

describe("createEmbeddedReranker", () => {
  const texts = ["Tinnitus is rated at 10 percent.", "A flag drapes the casket."];
  const passages = (scores: (i: number) => { dense: number | null; bm25: number | null; fused: number }) =>
    texts.map((text, i) => ({ title: "", section: "", text, scores: scores(i) }));

  it("works with both rankings, with words alone, and with no scores", async () => {
    for (const scores of [
      (i: number) => ({ dense: 0.5 - i / 10, bm25: 3 - i, fused: 1 - i }),
      (i: number) => ({ dense: null, bm25: 3 - i, fused: 1 - i }),
      (i: number) => ({ dense: null, bm25: null, fused: 1 - i }),
    ]) {
      const [first, second] = await embedded.rerank("How is tinnitus rated?", passages(scores));
      expect(first ?? 0).toBeGreaterThan(second ?? 1);
    }
  });

  it("prefers a related word to a stranger", async () => {
    const [related, stranger] = await embedded.rerank("physician", [
      { title: "", section: "", text: "The doctor came." },
      { title: "", section: "", text: "The ship sailed." },
    ]);
    expect(related ?? 0).toBeGreaterThan(stranger ?? 1);
  });

  it("says what to do when its weights are missing", () => {
    expect(() => readRerankWeights("/nowhere/weights.json")).toThrow(ModelError);
    expect(() => readRerankWeights("/nowhere/weights.json")).toThrow(/lab\/train\/reranker/);
  });
});

describe("viewPairs", () => {
  it("has no match for a title or a heading that is not there", () => {
    const [bare, titled] = viewPairs(
      "How is tinnitus rated?",
      [
        { title: "", section: " ", text: "Ten percent." },
        { title: "Tinnitus", section: "Ratings", text: "Ten percent." },
      ],
      new Lexicon(encoder),
      undefined,
    );
    expect([bare?.title, bare?.section]).toEqual([null, null]);
    expect(titled?.title?.best[0]).toBe(1);
    expect(titled?.section?.best[1]).toBe(1);
  });
});

describe("Lexicon", () => {
  const lexicon = new Lexicon(encoder);
  const similarity = (one: string, other: string) => {
    const [a, b] = lexicon.read([one, other]);
    return lexicon.similarity(a?.words[0] as number, b?.words[0] as number);
  };

  it("takes forms of a word as equal and stop words as nothing", () => {
    expect(similarity("appeals", "appealed")).toBe(1);
    expect(similarity("the", "the")).toBe(0);
  });

  it("gives related words the cosine of their vectors, strangers 0", () => {
    const [one, other] = encoder.embedSync(["doctor", "physician"]) as [Float32Array, Float32Array];
    const cosine = one.reduce((sum, value, i) => sum + value * (other[i] as number), 0);
    expect(cosine).toBeGreaterThan(RELATED_COSINE);
    expect(similarity("doctor", "physician")).toBeCloseTo(cosine, 2);
    expect(similarity("doctor", "sailing")).toBe(0);
  });
});

describe("rerankCandidates", () => {
  const candidate = (id: string, fused: number): Candidate => ({
    documentId: id,
    version: "1",
    chunk: { id, documentId: id, ordinal: 0, tokens: 1, headingPath: ["Top", "Sub"], windows: [], start: 0, end: 1 },
    window: { start: 0, end: 1 },
    title: id,
    text: id,
    dense: null,
    bm25: fused,
    fused,
  });
  const fixed = (scores: readonly (number | null)[]): Reranker => ({ id: "fixed", rerank: async () => [...scores] });
  const four = ["a", "b", "c", "d"].map((id, i) => candidate(id, 1 - i / 10));
  const ids = async (depth: number, reranker: Reranker | null) =>
    (await rerankCandidates("q", four, depth, reranker)).map(({ documentId, rerank }) => [documentId, rerank]);

  it("orders the first ones by the mean of both scores and leaves the rest behind them", async () => {
    expect(await ids(3, fixed([0.1, 0.3, 0.2]))).toEqual([
      // Scaled fused and reranker scores: b ½ and 1, a 1 and 0, c 0 and ½.
      ["b", 0.3],
      ["a", 0.1],
      ["c", 0.2],
      ["d", null],
    ]);
  });

  it("keeps the order among equals and among those without a score, which come after the scored", async () => {
    expect((await ids(4, fixed([null, 0.5, null, 0.5]))).map(([id]) => id)).toEqual(["b", "d", "a", "c"]);
    expect((await ids(4, fixed([null, null, null, null]))).map(([id]) => id)).toEqual(["a", "b", "c", "d"]);
  });

  it("leaves a candidate with a code of the question before all others", async () => {
    const coded = four.map((one, i) => ({ ...one, coded: i === 3 }));
    const ranked = await rerankCandidates("q", coded, 4, fixed([0.1, 0.9, 0.2, 0.05]));
    expect(ranked.map(({ documentId }) => documentId)).toEqual(["d", "b", "a", "c"]);
  });

  it("changes nothing without a reranker or at depth 0", async () => {
    for (const found of [await ids(3, null), await ids(0, fixed([]))]) expect(found.map(([id]) => id)).toEqual(["a", "b", "c", "d"]);
  });
});

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
