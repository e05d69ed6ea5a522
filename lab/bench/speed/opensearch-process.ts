import { quantile } from "../../../src/internals.ts";
import type { Encoder } from "../../../src/models/encoder.ts";
import { OpenSearchConnection } from "../../../src/retrieval/opensearch/connection.ts";
import { OpenSearchEngine } from "../../../src/retrieval/opensearch/opensearch-engine.ts";
import { tokenize } from "../../../src/text/tokens.ts";
import { createTexts, createVectors } from "./generate.ts";

/** Figures of a process that searches an index which another process filled. */
export interface ReplicaFigures {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly found: number;
  readonly megabytes: number;
}

const [nodes = "", prefix = "", seed = "1", dimensions = "384", topics = "400", questions = "200"] = process.argv.slice(2);
const connection = new OpenSearchConnection({ nodes: nodes.split(","), timeoutMs: 60_000 });
const engine = new OpenSearchEngine({
  ...{ connection, prefix, domain: "bench", store: "bench", shards: 1, createId: () => String(process.pid) },
  isCurrent: async () => () => true,
});
const encoder = { id: "bench" } as Encoder;
const scope = { domain: "bench", tenant: null, access: ["public"] };
const makeVector = createVectors(Number(seed), Number(dimensions), Number(topics));
const texts = createTexts(Number(seed));
const times: number[] = [];
let found = 0;
for (let i = 0; i < Number(questions); i++) {
  const terms = tokenize(texts.question(texts.passage()).join(" "));
  const begun = performance.now();
  const hits = await engine.search({ terms, vector: { encoder, values: makeVector() }, filters: { scope }, k: 10 });
  times.push(performance.now() - begun);
  found += hits.length;
}
await connection.close();
times.sort((a, b) => a - b);
const figures: ReplicaFigures = {
  ...{ p50Ms: quantile(times, 0.5) ?? 0, p95Ms: quantile(times, 0.95) ?? 0, found },
  megabytes: process.memoryUsage.rss() / 1e6,
};
process.stdout.write(JSON.stringify(figures));
