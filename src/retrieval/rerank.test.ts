import { describe, expect, it } from "vitest";
import type { Reranker } from "../models/reranker.ts";
import { spark } from "../profiles/spark.ts";
import { rerankCandidates } from "./retrieve.ts";
import type { Candidate } from "./top-k.ts";

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

  it("sorts the first candidates by the reranker's score and keeps the others after them", async () => {
    expect(await ids(3, fixed([0.1, 0.3, 0.2]))).toEqual([
      ["b", 0.3],
      ["c", 0.2],
      ["a", 0.1],
      ["d", null],
    ]);
  });

  it("keeps the order of equal scores and of missing ones, which come last", async () => {
    expect((await ids(4, fixed([null, 0.5, null, 0.5]))).map(([id]) => id)).toEqual(["b", "d", "a", "c"]);
    expect((await ids(4, fixed([null, null, null, null]))).map(([id]) => id)).toEqual(["a", "b", "c", "d"]);
  });

  it("keeps candidates with a code of the question first", async () => {
    const coded = four.map((one, i) => ({ ...one, coded: i === 3 }));
    const ranked = await rerankCandidates("q", coded, 4, fixed([0.1, 0.9, 0.2, 0.05]));
    expect(ranked.map(({ documentId }) => documentId)).toEqual(["d", "b", "c", "a"]);
  });

  it("scores all 50 of spark, and orders the 8 by that score alone", async () => {
    const read: string[] = [];
    // The last passage of the fused ranking has the highest score.
    const reranker: Reranker = {
      id: "fixed",
      rerank: async (_question, passages) => {
        read.push(...passages.map(({ title }) => title));
        return passages.map((_, i) => (i === 49 ? 0.9 : i === 3 ? 0.8 : 0.01 * (i % 7)));
      },
    };
    const fifty = Array.from({ length: 50 }, (_, i) => candidate(`d${i}`, 1 - i / 100));
    const ranked = await rerankCandidates("q", fifty, spark.retrieve.rerank, reranker);
    expect(read).toHaveLength(50);
    expect(ranked.slice(0, 2).map(({ documentId }) => documentId)).toEqual(["d49", "d3"]);
    const scores = ranked.map(({ rerank }) => rerank ?? -1);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect([spark.retrieve.candidates, spark.retrieve.rerank, spark.retrieve.passages]).toEqual([50, 50, 8]);
    expect(spark.gate.type === "guard" && spark.gate.keep).toBe(5);
  });

  it("changes nothing without a reranker or at depth 0", async () => {
    for (const found of [await ids(3, null), await ids(0, fixed([]))]) expect(found.map(([id]) => id)).toEqual(["a", "b", "c", "d"]);
  });
});
