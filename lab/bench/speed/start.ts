import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createEngine, loadProcessConfig } from "../../../src/index.ts";
import { embeddedIn } from "../../../src/shared/config.ts";
import { createTexts, generatedDocument, generatedEncoder } from "./generate.ts";

const DOMAIN = "veterans";
const CHUNKS_PER_DOCUMENT = 10;
/** Documents per transaction. */
const DOCUMENTS_PER_FILE = 500;

/** Starts without a snapshot, which take a hundred times as long. */
const FEW_RUNS = 2;

/** One start in a separate process, in ms. */
export interface Start {
  readonly open: number;
  /** Until every stored document is searchable. */
  readonly sync: number;
  /** The first search. */
  readonly search: number;
  readonly windows: number;
  /** Memory of the process at the end. */
  readonly bytes: number;
}

export interface Starts {
  readonly with: readonly Start[];
  readonly without: readonly Start[];
  readonly snapshotBytes: number;
}

/** Measures starts on generated documents or on a folder of documents (`null`: those of the demo domain). */
export async function measureStarts(
  source: { readonly chunks: number; readonly seed: number } | { readonly folder: string | null },
  runs: number,
  progress: (text: string) => void,
): Promise<Starts> {
  const dataDir = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
  const snapshot = join(dataDir, "index", `${DOMAIN}.snapshot`);
  const encoder = "chunks" in source ? "generated" : "embedded";
  const start = (): Start => JSON.parse(execFileSync(process.execPath, [PROCESS, dataDir, encoder], { encoding: "utf8" }));
  const times = (what: string, count: number) => {
    progress(what);
    return Array.from({ length: count }, start);
  };
  try {
    await fill(dataDir, source, progress);
    const { size } = statSync(snapshot);
    const loaded = times("starts with a snapshot", runs);
    rmSync(snapshot);
    const built = times("starts without", FEW_RUNS);
    if (existsSync(snapshot)) throw new Error("A start wrote a snapshot: the times without one are not.");
    return { with: loaded, without: built, snapshotBytes: size };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const PROCESS = fileURLToPath(new URL("./start-process.js", import.meta.url));

async function fill(dataDir: string, source: Parameters<typeof measureStarts>[0], progress: (text: string) => void): Promise<void> {
  const parts = "chunks" in source ? { encoder: generatedEncoder(source.seed) } : {};
  const engine = await createEngine(embeddedIn(loadProcessConfig({ data_dir: dataDir, domain: "veterans" }), dataDir), parts);
  try {
    if ("chunks" in source) {
      const texts = createTexts(source.seed);
      const count = Math.ceil(source.chunks / CHUNKS_PER_DOCUMENT);
      for (let from = 0; from < count; from += DOCUMENTS_PER_FILE) {
        progress(`${from}/${count} documents`);
        const length = Math.min(DOCUMENTS_PER_FILE, count - from);
        const documents = Array.from({ length }, (_, i) => generatedDocument(DOMAIN, from + i, texts, CHUNKS_PER_DOCUMENT));
        const place = { domain: DOMAIN, tenant: null, source: "generated", path: `${from}.json` };
        await engine.store.documents.putFile(place, { originalHash: "", settings: "", access: "public", documents, failure: null });
      }
      await engine.corpus(DOMAIN).sync({ onEmbed: (done, total) => progress(`${done}/${total} vectors`) });
    } else {
      const events = source.folder === null ? engine.ingestDomain(DOMAIN) : engine.ingest(source.folder);
      for await (const event of events) if (event.type === "document") progress(`${event.counts.done}/${event.counts.total} files`);
    }
  } finally {
    await engine.close();
  }
}
