import { describe, expect, it } from "vitest";
import { loadConfig } from "../src/config.ts";
import { createLocalModels } from "../src/engine/local-models.ts";
import type { Reranker } from "../src/models/reranker.ts";
import { spark } from "../src/profiles/spark.ts";
import { rerankCandidates } from "../src/retrieve/rerank.ts";
import type { Candidate } from "../src/retrieve/search-index.ts";
import { openLibrary } from "./support/engine.ts";
import { createSandbox } from "./support/library.ts";
import { near } from "./support/model-engine.ts";
import { SHARED_PARTS } from "./support/shared-parts.ts";

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
    // The last of the fused ranking is the best by its score.
    const reranker: Reranker = {
      id: "fixed",
      rerank: async (_question, passages) => {
        read.push(...passages.map(({ title }) => title));
        return passages.map((_, i) => (i === 49 ? 0.9 : i === 3 ? 0.8 : 0.01 * (i % 7)));
      },
    };
    const fifty = Array.from({ length: 50 }, (_, i) => candidate(i));
    const ranked = await rerankCandidates("q", fifty, spark.retrieve.rerank, reranker, { share: 1 });
    expect(read).toHaveLength(50);
    expect(ranked.slice(0, 2).map(({ documentId }) => documentId)).toEqual(["d49", "d3"]);
    const scores = ranked.map(({ rerank }) => rerank ?? -1);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect([spark.retrieve.candidates, spark.retrieve.rerank, spark.retrieve.passages]).toEqual([50, 50, 8]);
    expect(spark.gate.type === "guard" && spark.gate.keep).toBe(5);
  });
});

describe("without a cross-encoder of the hub", () => {
  it("the reader reads all 50 of a corpus, its score is the cross score, and alone the order", async () => {
    const sandbox = createSandbox({});
    const local = createLocalModels(loadConfig({ cwd: sandbox.folder, env: sandbox.env }), { ...SHARED_PARTS, calibrations: [] });
    expect(local.rerankers["cross-encoder"]).toBeNull();
    const reader = local.rerankers.reader as Reranker;
    const fifty = Array.from({ length: 50 }, (_, i) => ({
      ...candidate(i),
      title: "Loans",
      text: i === 49 ? "A film may be kept for 7 days." : `Shelf ${i} holds maps of the county.`,
    }));
    const [best, ...others] = await rerankCandidates("How long may I keep a film?", fifty, spark.retrieve.rerank, reader, { share: 1 });
    expect(best?.documentId).toBe("d49");
    expect(best?.rerank).toBeGreaterThan(0.5);
    for (const { rerank } of others) expect(rerank).toBeLessThan(0.1);
    await local.close();
    sandbox.remove();
  });

  it("the guard weighs .7 of the cosine and .3 of what the reader says, .28 and .35 by the encoder of the source", async () => {
    const library = await openLibrary({ encoder: near(0.3) });
    const { evidence, status } = await library.ask("How much does a library card cost?", { profile: "spark" });
    const crossed = evidence.map(({ passage }) => passage.scores.cross ?? Number.NaN);
    expect(crossed).toEqual([...crossed].sort((a, b) => b - a));
    for (const { score, passage, verdict } of evidence) {
      expect(passage.scores.rerank).toBeNull();
      expect(score).toBeCloseTo(0.7 * 0.3 + 0.3 * (passage.scores.cross ?? Number.NaN), 6);
      expect(verdict).toBe(score >= 0.28 ? "verified" : "rejected");
    }
    expect([status, evidence[0]?.passage.document.title]).toEqual(["ok", "Library cards"]);
    await library.close();
  });
});
