import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Report, TableRow } from "../../src/grading/report.ts";
import type { EmbeddingStore } from "../../src/store/embeddings.ts";
import { writeFakeHubModel, writeFakeHubRuntime } from "../../src/testing/fake-hub.ts";
import { folderOfFile, writeIn } from "../../test/support/folders.ts";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { PEERS_COMMAND } from "./peers.ts";
import { evaluateRetrieval, type RetrievalOptions } from "./retrieval.ts";
import { embeddedSystems, hubSystemNames, hubSystems, OURS, peerSystems, type RetrievalSystem } from "./retrieval-systems.ts";

const folder = folderOfFile();
const data = join(folder, "data");
const { signal } = new AbortController();

/** Held-out sites, by the rule of `lab/train/splits.json`. */
const SITES = ["fool.com", "yahoo.com"] as const;
const TOPICS = ["advertising partners", "location history", "cookies", "payment cards", "children under thirteen", "deleted accounts"];

beforeAll(() => {
  const rows = TOPICS.map((topic, i) => ({
    id: `c${i}`,
    question: `what happens with ${topic}`,
    answerable: i > 0,
    title: `Page ${i}`,
    passage: `This page is about ${topic}. It says what happens with them.`,
  }));
  writeIn(data, "clapnq/clapnq_dev.jsonl", rows);
  const passages = SITES.flatMap((site) =>
    TOPICS.map((topic, i) => ({ passage_id: `${site}#${i}`, site, text: `We handle ${topic} with care.` })),
  );
  writeIn(data, "policyqa/passages.jsonl", passages);
  const questions = SITES.flatMap((site) =>
    TOPICS.map((topic, i) => ({ site, question: `Who handles ${topic}?`, passage_id: `${site}#${i}` })),
  );
  writeIn(data, "policyqa/questions.jsonl", questions);
  writeFakeHubRuntime(join(folder, "runtime"));
  writeFakeHubModel(join(folder, "models"), "Xenova/all-MiniLM-L6-v2");
  writeFakeHubModel(join(folder, "models"), "some/broken", { weights: "broken" });
});

function memoryCache(): EmbeddingStore {
  const known = new Map<string, Float32Array>();
  return {
    async get(model, hashes) {
      return new Map(hashes.flatMap((hash) => (known.has(model + hash) ? [[hash, known.get(model + hash) as Float32Array] as const] : [])));
    },
    async put(model, vectors) {
      for (const [hash, vector] of vectors) known.set(model + hash, vector);
    },
  };
}

const hubOptions = (cache: EmbeddingStore) => ({
  modelsDir: join(folder, "models"),
  runtimeDirs: [join(folder, "runtime")],
  cache,
  signal,
});

async function evaluate(
  systems: readonly RetrievalSystem[],
  options: Partial<RetrievalOptions> = {},
): Promise<{ report: Report; table: readonly TableRow[]; progress: string[] }> {
  const progress: string[] = [];
  const events = evaluateRetrieval({ data, sets: ["clapnq"], systems, comparisons: [], command: "test", limit: 100, signal, ...options });
  for await (const event of events) {
    if (event.type === "report") return { ...event, progress };
    progress.push(event.what);
  }
  throw new Error("no report");
}

/** Writes a fake peer like the files of `lab/bench/peers`. */
function writeFakePeer(name: string, source: string): string {
  const peers = join(folder, `peers-${name}`);
  writeIn(peers, "minisearch.mjs", source);
  writeIn(peers, "orama.mjs", 'import "package-that-is-not-there";\n');
  return peers;
}

describe("a model of the hub beside ours", () => {
  it("is measured alone, fused at the same weights and at equal weights, with the difference from ours", async () => {
    const cache = memoryCache();
    const hub = await hubSystems("all-MiniLM-L6-v2", hubOptions(cache));
    const { hybrid } = hubSystemNames("all-MiniLM-L6-v2");
    const settings = { bm25: false, dense: false, alpha: 0, beta: 0, fusion: "min-max" } as const;
    const nothing: RetrievalSystem = { type: "index", name: "nothing", encoder: null, settings };
    const comparisons = [hybrid, "nothing"].map((against) => ({ system: OURS, against }));
    const systems = [...embeddedSystems(SHARED_PARTS.embedded()), ...hub, nothing];
    const { report, table, progress } = await evaluate(systems, { comparisons });
    const names = ["bm25", "dense", "hybrid", OURS, "dense:all-MiniLM-L6-v2", hybrid, "hybrid.5:all-MiniLM-L6-v2", "nothing"];
    expect(new Set(report.items.map(({ system }) => system))).toEqual(new Set(names));
    const { metrics } = report;
    expect(metrics[`clapnq.${OURS}.minus.${hybrid}.ndcg@10`]).toEqual(expect.any(Number));
    const key = `clapnq.${OURS}.minus.nothing.ndcg@10`;
    expect([metrics[key], metrics[`${key}.low`], metrics[`${key}.high`]]).toEqual([1, 1, 1]);
    expect(metrics["clapnq.nothing.minus.bm25.ndcg@10"]).toBe(-1);
    expect(table).toContainEqual(
      expect.objectContaining({ name: `  ${OURS} − ${hybrid}`, interval: expect.stringMatching(/^nDCG [+−]\S+ \[[+−]\S+, [+−]\S+\]$/) }),
    );
    expect(table).toContainEqual(expect.objectContaining({ name: `${OURS} − ${hybrid}`, note: expect.stringContaining("of 1 sets") }));
    expect(report.versions["dense:all-MiniLM-L6-v2"]).toMatch(/^hub\/all-MiniLM-L6-v2\/q8\/mean\//);
    expect(progress).toContain("clapnq: dense:all-MiniLM-L6-v2, 6/6 windows");
  });

  it.each([
    ["the model is not there", "some/absent", "runtime", "not installed", /`sourcebound models pull some\/absent`/],
    ["the model does not run", "some/broken", "runtime", "does not run", /some\/broken.*protobuf parsing failed/],
  ] as const)("when %s, a row says so and the rest is measured", async (_what, model, runtime, state, remedy) => {
    const hub = await hubSystems(model, { ...hubOptions(memoryCache()), runtimeDirs: [join(folder, runtime)] });
    const { hybrid } = hubSystemNames(model);
    const systems = [...embeddedSystems(SHARED_PARTS.embedded()), ...hub];
    const { report, table } = await evaluate(systems, { comparisons: [{ system: OURS, against: hybrid }] });
    expect(table).toContainEqual({ name: hybrid, figure: state, note: expect.stringMatching(remedy) });
    expect(report.versions[hybrid]).toBe(state);
    expect(report.metrics[`clapnq.${OURS}.ndcg@10`]).toEqual(expect.any(Number));
    expect(Object.keys(report.metrics).filter((key) => key.includes(hybrid))).toEqual([]);
  });
});

describe("peers", () => {
  it("are asked with the scope, given title and text, and their numbers become documents", async () => {
    const peers = writeFakePeer(
      "scoped",
      `export const asked = [];
      export const peer = { name: "Fake", package: "fake", async documents(rows) {
        asked.push(rows);
        return async (question, k) => { asked.push({ ...question, k }); return rows.flatMap((row, i) => row.scope === question.scope && question.text.includes(row.text.slice(10, 17)) ? [i] : []); };
      } };`,
    );
    const [minisearch, orama] = await peerSystems(peers);
    expect(orama).toEqual({ type: "absent", name: "orama", state: "not installed", remedy: PEERS_COMMAND });
    const { report, table } = await evaluate([...embeddedSystems(SHARED_PARTS.embedded()), minisearch, orama] as RetrievalSystem[], {
      sets: ["policyqa"],
    });
    const { asked } = (await import(join(peers, "minisearch.mjs"))) as { asked: unknown[] };
    expect(asked[0]).toContainEqual({ title: "", text: "We handle cookies with care.", scope: "fool.com" });
    expect(asked).toContainEqual({ text: "Who handles cookies?", scope: "yahoo.com", k: 50 });
    expect(report.items).toContainEqual({
      set: "policyqa",
      system: "minisearch",
      question: "Who handles cookies?",
      ranked: ["yahoo.com#2"],
      "ndcg@10": 1,
    });
    expect(report.metrics["policyqa.minisearch.ndcg@10"]).toBe(1);
    expect(table).toContainEqual({ name: "orama", figure: "not installed", note: "npm ci --prefix lab/bench/peers --ignore-scripts" });
  });
});

describe("sets", () => {
  it("say what the training saw of them", async () => {
    const { table } = await evaluate(embeddedSystems(SHARED_PARTS.embedded()), { sets: ["clapnq", "policyqa"] });
    const notes = table.filter(({ figure }) => figure === "").map(({ name, note }) => `${name}: ${note}`);
    expect(notes[0]).toBe("clapnq: 5 questions, 6 documents; never trained on");
    expect(notes[1]).toMatch(/^policyqa: 12 questions, 12 documents; held-out part .* no site of it was trained on, but the same wordings/);
  });

  it("that are absent have a row; none at all is an error that names the folder", async () => {
    const systems = embeddedSystems(SHARED_PARTS.embedded());
    const { table } = await evaluate(systems, { sets: ["medquad", "clapnq"] });
    expect(table).toContainEqual({ name: "medquad", figure: "absent", note: "no such folder" });
    await expect(evaluate(systems, { sets: ["medquad"] })).rejects.toMatchObject({
      code: "data_missing",
      message: expect.stringContaining(data),
    });
  });
});
