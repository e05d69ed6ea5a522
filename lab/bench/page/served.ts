import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createClient } from "../../../src/client/index.ts";
import { createEngine, type Engine, loadProcessConfig } from "../../../src/index.ts";
import { makePdf } from "../../../src/ingest/testing/made-pdf.ts";
import { PACKAGE_ROOT } from "../../../src/internals.ts";
import { createApp } from "../../../src/server/app.ts";
import { serve } from "../../../src/server/serve.ts";
import { embeddedIn } from "../../../src/shared/config.ts";

const DOMAIN = "veterans";
/** Sentences per page of the generated book: about as many words as a printed page. */
const SENTENCES = 14;

export interface ServedPage {
  readonly url: string;
  /** Id of the generated book. */
  readonly book: string;
  /** Grants access to every view. */
  readonly adminToken: string;
  close(): Promise<void>;
}

export interface ServedOptions {
  /** Milliseconds before each sentence, to simulate a model. */
  readonly pauseMs: number;
  readonly bookPages: number;
  /** Number of questions in the generated graph. */
  readonly questions: number;
}

/** Serves the built page in this process on a free port, with the demo documents and one long book. */
export async function servePage({ pauseMs, bookPages, questions }: ServedOptions): Promise<ServedPage> {
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-bench-"));
  const engine = await createEngine(
    embeddedIn(loadProcessConfig({ data_dir: join(folder, "data"), domain: DOMAIN }), join(folder, "data")),
  );
  const close = async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for await (const _event of engine.ingestDomain(DOMAIN));
    const documents = join(folder, "books");
    mkdirSync(documents);
    writeFileSync(join(documents, "book.pdf"), makeBook(bookPages));
    for await (const _event of engine.ingest(documents, { source: "books" }));
    await engine.corpus(DOMAIN).ready();
    const log = { info: () => {}, error: () => {} };
    const webRoot = join(PACKAGE_ROOT, "dist", "web");
    const adminToken = randomUUID();
    const app = createApp({
      ...{ engine: slowed(remembering(engine, questions), pauseMs) },
      ...{ log, webRoot, adminToken },
    });
    const server = await serve(app, { host: "127.0.0.1", port: 0, stop_grace_ms: 0 });
    const { items } = await createClient({ baseUrl: server.url }).documents({ limit: 100 });
    const book = items
      .flatMap(({ path, documents: [document] }) => (path.endsWith("book.pdf") && document !== undefined ? [document.id] : []))
      .at(0);
    if (book === undefined) throw new Error("the made book was not read");
    return {
      ...{ url: server.url, book, adminToken },
      close: async () => {
        await server.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Replaces the questions of the graph by generated ones. */
function remembering(engine: Engine, questions: number): Engine {
  const made = Array.from({ length: questions }, (_, i) => ({
    ...{ key: `q${i}`, tenant: null, access: ["public"], question: `Question ${i} about lamp ${i % 97}`, answerId: `a${i}` },
    topics: [{ slug: `t${i % 40}`, name: `Topic ${i % 40}` }],
    entities: [{ type: "lamp", value: `${i % 97}` }],
    sources: [{ documentId: `d${i % 700}`, title: `Document ${i % 700}` }],
  }));
  return { ...engine, store: { ...engine.store, graph: { ...engine.store.graph, questions: async () => made } } };
}

/** Delays each sentence, as a model would. */
function slowed(engine: Engine, pauseMs: number): Engine {
  return {
    ...engine,
    async *ask(question, options) {
      for await (const event of engine.ask(question, options)) {
        if (event.type === "sentence") await wait(pauseMs, undefined, { signal: options?.signal });
        yield event;
      }
    },
  };
}

function makeBook(pages: number): Uint8Array {
  const blocks = Array.from({ length: pages }, (_, page) => [
    { type: "heading", level: 1, text: `Chapter ${page + 1}` } as const,
    ...Array.from({ length: 3 }, (_paragraph, paragraph) => ({
      type: "paragraph" as const,
      text: Array.from(
        { length: SENTENCES },
        (_sentence, i) => `The keeper of lamp ${page}.${paragraph}.${i} wrote the hour into the book.`,
      ).join(" "),
    })),
  ]).flat();
  return makePdf(blocks).bytes;
}
