import { createEngine, loadProcessConfig } from "../../../src/index.ts";
import { embeddedIn } from "../../../src/shared/config.ts";
import { generatedEncoder } from "./generate.ts";

/** Process that opens a data folder, syncs its documents and searches once, prints the times, and exits without writing. */
const [dataDir = "", encoder = ""] = process.argv.slice(2);
const begun = performance.now();
const parts = encoder === "generated" ? { encoder: generatedEncoder(0) } : {};
const engine = await createEngine(
  embeddedIn(loadProcessConfig({ data_dir: dataDir, domain: "veterans", "cache.enabled": false }), dataDir),
  parts,
);
const opened = performance.now();
const corpus = engine.corpus("veterans");
await corpus.sync();
const synced = performance.now();
const vector = await corpus.embedQuestion("disability pension");
const asked = performance.now();
const scope = { domain: "veterans", tenant: null, access: ["public"] };
const [alpha, beta] = [0.6, 0.4];
const terms = corpus.tokens("disability pension");
await corpus.search({ terms, codes: [], vector, scope, bm25: true, candidates: 50, alpha, beta, fusion: "min-max" });
const searched = performance.now();
const times = { open: opened - begun, sync: synced - opened, search: searched - asked };
process.stdout.write(JSON.stringify({ ...times, windows: corpus.windows, bytes: process.memoryUsage().rss }));
process.exit(0);
