import { describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { ModelError } from "../errors.ts";
import type { Reranker } from "../models/reranker.ts";
import { describeRerankerContract } from "../testing/reranker-contract.ts";
import { Lexicon, RELATED_COSINE } from "./lexicon.ts";
import { createEmbeddedReranker, readRerankWeights, rerankCandidates, viewPairs } from "./rerank.ts";
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

  it("gives the same scores again", async () => {
    const pairs = passages((i) => ({ dense: 0.5, bm25: 3 - i, fused: 1 }));
    const again = createEmbeddedReranker(encoder);
    await again.rerank("something else", [{ title: "a b", section: "", text: "other words first" }]);
    expect(await again.rerank("How is tinnitus rated?", pairs)).toEqual(await embedded.rerank("How is tinnitus rated?", pairs));
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
