import { describe, expect, it } from "vitest";
import type { Reranker } from "../src/models/reranker.ts";
import { spark } from "../src/profiles/spark.ts";
import type { Candidate } from "../src/retrieval/fuse.ts";
import { rerankCandidates } from "../src/retrieval/rerank.ts";

const candidate = (i: number): Candidate => ({
  documentId: `d${i}`,
  version: "v1",
  title: `Title ${i}`,
  text: `Text ${i}`,
  chunk: { id: `c${i}`, documentId: `d${i}`, ordinal: 0, tokens: 2, windows: [], start: 0, end: 10, headingPath: [] },
  window: { start: 0, end: 10 },
  dense: 1 - i / 100,
  bm25: null,
  fused: 1 - i / 100,
});

describe("the cross-encoder of spark", () => {
  it("reads all 50, and its score alone is the order of the 8", async () => {
    const read: string[] = [];
    // The last passage of the fused ranking has the highest score.
    const reranker: Reranker = {
      id: "fixed",
      rerank: async (_question, passages) => {
        read.push(...passages.map(({ title }) => title));
        return passages.map((_, i) => (i === 49 ? 0.9 : i === 3 ? 0.8 : 0.01 * (i % 7)));
      },
    };
    const fifty = Array.from({ length: 50 }, (_, i) => candidate(i));
    const ranked = await rerankCandidates("q", fifty, spark.retrieve.rerank, reranker);
    expect(read).toHaveLength(50);
    expect(ranked.slice(0, 2).map(({ documentId }) => documentId)).toEqual(["d49", "d3"]);
    const scores = ranked.map(({ rerank }) => rerank ?? -1);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect([spark.retrieve.candidates, spark.retrieve.rerank, spark.retrieve.passages]).toEqual([50, 50, 8]);
    expect(spark.gate.type === "guard" && spark.gate.keep).toBe(5);
  });
});
