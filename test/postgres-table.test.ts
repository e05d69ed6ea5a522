// @module-tag all/postgres
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRandom } from "../src/internals.ts";
import { DomainIndex, type SearchRequest } from "../src/retrieval/domain-index.ts";
import { EmbeddedEngine } from "../src/retrieval/embedded-engine.ts";
import type { VectorTables } from "../src/retrieval/table-vectors.ts";
import type { StoredDocument } from "../src/shared/types.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { assertPostgresVectors, type VectorTable } from "../src/store/postgres-vectors.ts";
import { createStore, type Store } from "../src/store/store.ts";
import { fakeEncoder } from "../src/testing/fake-encoder.ts";
import { fileContent } from "../src/testing/store/fixtures.ts";
import { windowedDocument } from "../src/testing/windowed-document.ts";
import { openLibrary } from "./support/engine.ts";
import { usePostgres, whyNoPostgres } from "./support/postgres.ts";
import { searchRequest } from "./support/search-request.ts";

/** Above the number of windows that are searched exactly. */
const DOCUMENTS = 30;
const WINDOWS = 80;
const WORDS = 300;
const QUESTIONS = 20;
const NEVER = new AbortController().signal;

describe.skipIf(whyNoPostgres !== null)("an index whose vectors are searched by pgvector", () => {
  const server = usePostgres();
  const hnsw = async (db: Awaited<ReturnType<typeof openPostgres>>) =>
    (await sql`select 1 from pg_indexes where indexdef like '%hnsw%'`.execute(db)).rows.length;
  const random = createRandom(5);
  const sentence = () => Array.from({ length: 8 }, () => `w${Math.floor(random() * WORDS)}`).join(" ");
  const document = (n: number, over: Partial<StoredDocument> = {}) =>
    windowedDocument(
      `doc${n}`,
      Array.from({ length: WINDOWS }, () => `${sentence()}.`),
      over,
    );
  const questions = Array.from({ length: QUESTIONS }, sentence);

  function put(store: Store, ...documents: StoredDocument[]): Promise<unknown> {
    return store.documents.putFiles(
      documents.map((one) => ({ place: { domain: "d", tenant: one.tenant, source: "s", path: one.path }, content: fileContent(one) })),
    );
  }

  async function world() {
    const db = await openPostgres({ url: await server().createDatabase(), connections: 4, timeoutMs: 30_000 });
    onTestFinished(() => db.destroy());
    const store = createStore(db, { now: () => new Date(0), clock: () => 0 });
    const warned: string[] = [];
    const asked: ("exact" | "index")[] = [];
    const tables: VectorTables = {
      from: 1_000,
      warn: (message) => warned.push(message),
      async open(of) {
        const table = (await store.vectors?.open({ ...of, domain: "d" })) ?? null;
        if (table === null) return null;
        return {
          ...table,
          search: (query) => {
            asked.push(query.isExact ? "exact" : "index");
            return table.search(query);
          },
        };
      },
    };
    const corpusOf = (over: VectorTables | null = tables) =>
      new DomainIndex({
        domain: "d",
        engine: new EmbeddedEngine({ domain: "d", tables: over ?? undefined }),
        documents: store.documents,
        embeddings: store.embeddings,
        encoder: fakeEncoder(),
        batch: 500,
      });
    const opened = async () => {
      const corpus = corpusOf();
      await corpus.sync();
      await corpus.idle();
      return corpus;
    };
    return { db, store, tables, warned, asked, corpusOf, opened };
  }

  async function candidates(corpus: DomainIndex, question: string, over: Partial<SearchRequest> = {}) {
    await corpus.sync({ signal: NEVER });
    const vector = await corpus.embedQuestion(question);
    return corpus.search(searchRequest(corpus, question, { vector, bm25: false, ...over }));
  }

  const find = async (...asked: Parameters<typeof candidates>) => (await candidates(...asked)).map(({ chunk }) => chunk.id);

  /** Recall of an index against exact search; any of several chunks with the last score counts. */
  async function recall(index: DomainIndex, exact: DomainIndex, over: Partial<SearchRequest> = {}): Promise<number> {
    let found = 0;
    let wanted = 0;
    for (const question of questions) {
      const truth = await candidates(exact, question, over);
      const last = truth.at(-1)?.dense ?? 1;
      found += (await candidates(index, question, over)).filter(({ dense }) => (dense ?? 0) > last - 1e-5).length;
      wanted += truth.length;
    }
    return found / wanted;
  }

  it("finds what exact search in the process finds, and holds no vectors; small scopes and parts of documents are compared exactly", async () => {
    const { db, store, asked, warned, opened, corpusOf } = await world();
    const many = Array.from({ length: DOCUMENTS }, (_, n) => document(n));
    await put(store, ...many, document(100, { tenant: "few" }));
    const index = await opened();
    const exact = corpusOf(null);
    await exact.sync();
    const windows = (DOCUMENTS + 1) * WINDOWS;
    expect(await index.engine.coverage("fake-encoder")).toMatchObject({ windows, vectors: windows, dimensions: 64, bytes: { vectors: 0 } });
    expect((await exact.engine.coverage("fake-encoder")).bytes.vectors).toBeGreaterThan(64 * windows);
    expect(await recall(index, exact)).toBeGreaterThan(0.95);
    expect(asked.splice(0)).toEqual(Array.from({ length: QUESTIONS }, () => "index"));
    const few = { scope: { domain: "d", tenant: "few", access: ["public"] } };
    expect(await recall(index, exact, few)).toBeGreaterThan(0.95);
    expect(asked.splice(0)).toEqual(Array.from({ length: QUESTIONS }, () => "index"));
    const parts = new Map([["doc3", { version: null, ranges: [{ start: 0, end: many[3]?.text.length ?? 0 }] }]]);
    const part = { area: { parts, fit: "window" as const } };
    expect(await recall(index, exact, part)).toBe(1);
    expect(asked.splice(0)).toEqual(Array.from({ length: QUESTIONS }, () => "exact"));
    expect(await find(index, questions[0] as string, { scope: { domain: "d", tenant: null, access: ["secret"] } })).toEqual([]);
    expect([warned, await hnsw(db)]).toEqual([[], 1]);
  });

  it("gives chunks found by words the same cosines as a process with vectors", async () => {
    const { store, corpusOf } = await world();
    await put(store, document(0), document(1));
    const [index, exact] = [corpusOf(), corpusOf(null)];
    const cosines = async (corpus: DomainIndex) => {
      await corpus.sync();
      const vector = await corpus.embedQuestion(questions[0] as string);
      const scope = { domain: "d", tenant: null, access: ["public"] };
      const found = await corpus.engine.search({ terms: corpus.tokens(questions[0] as string), vector, filters: { scope }, k: 20 });
      return found.filter(({ bm25 }) => bm25 !== null).map(({ chunk, cosine, dense }) => ({ id: chunk.id, cosine: cosine ?? 0, dense }));
    };
    const [expected, got] = [await cosines(exact), await cosines(index)];
    expect(expected.some(({ dense }) => dense === null)).toBe(true);
    expect(got.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    for (const [i, { cosine }] of got.entries()) expect(cosine).toBeCloseTo(expected[i]?.cosine ?? 1, 5);
  });

  it("finds new and changed documents at once in every replica, drops deleted ones, and inserts nothing again on restart", async () => {
    const { db, store, opened } = await world();
    await put(store, ...Array.from({ length: DOCUMENTS }, (_, n) => document(n)));
    const [first, second] = [await opened(), await opened()];
    const rows = async () => Number((await sql<{ n: number }>`select count(*) as n from vectors_64`.execute(db)).rows[0]?.n);
    expect(await rows()).toBe(DOCUMENTS * WINDOWS);
    await put(store, windowedDocument("new", ["zebra quagga okapi."]));
    for (const one of [first, second]) expect((await find(one, "zebra quagga okapi"))[0]).toBe("new-0-v1");
    const changed = windowedDocument("new", ["ibex markhor chamois."], { version: "v2" });
    await put(store, changed);
    for (const one of [second, first]) {
      expect((await find(one, "ibex markhor chamois"))[0]).toBe("new-0-v2");
      expect(await find(one, "zebra quagga okapi")).not.toContain("new-0-v1");
    }
    await Promise.all([first.idle(), second.idle()]);
    expect(await rows()).toBe(DOCUMENTS * WINDOWS + 1);
    const third = await opened();
    const deleted = () => store.documents.deleteFiles({ domain: "d", tenant: null, source: "s" }, ["new.md"]);
    // Stored again before a replica notices the deletion, which deleted its vectors too.
    await deleted().then(() => put(store, changed));
    for (const one of [first, third]) expect((await find(one, "ibex markhor chamois"))[0]).toBe("new-0-v2");
    await deleted();
    for (const one of [first, second, third]) expect(await find(one, "ibex markhor chamois")).not.toContain("new-0-v2");
    expect(await rows()).toBe(DOCUMENTS * WINDOWS);
  });

  it("is used by setting, or if the source of the server's profile requires it", async () => {
    const tables = async (url: string) => {
      const db = await openPostgres({ url, connections: 2, timeoutMs: 30_000 });
      const { rows } = await sql<{ n: number }>`select count(*) as n from pg_tables where tablename like 'vectors_%'`.execute(db);
      await db.destroy();
      return Number(rows[0]?.n);
    };
    const warned: string[] = [];
    for (const [settings, made, profile] of [
      [{}, 0],
      [{ profile: "seven-layer", "database.vectors": "process" }, 0],
      [{ profile: "seven-layer" }, 1],
      [{ "database.vectors": "pgvector" }, 1],
      [{}, 0, "seven-layer"],
    ] as const) {
      const url = await server().createDatabase();
      const own = { "database.url": url, "database.connections": 4, "database.vectors_from": 1, ...settings };
      const library = await openLibrary({ settings: own, warn: (message) => warned.push(message) });
      await library.ask("How much does a library card cost?", profile === undefined ? {} : { profile });
      await library.close();
      expect([settings, profile, await tables(url)]).toEqual([settings, profile, made]);
    }
    expect(warned).toEqual([]);
  });

  it("says what to do when pgvector is missing", async () => {
    const db = await openPostgres({ url: await server().createDatabase(), connections: 2, timeoutMs: 30_000 });
    await sql`create role plain login`.execute(db);
    await sql`set role plain`.execute(db);
    await expect(assertPostgresVectors(db)).rejects.toMatchObject({
      code: "vectors_unavailable",
      message: expect.stringContaining("create extension vector"),
    });
    await db.destroy();
  });

  it("compares all vectors while the HNSW index cannot be built, warns once and tries again", async () => {
    const { db, store, tables, warned, corpusOf } = await world();
    await put(store, ...Array.from({ length: DOCUMENTS }, (_, n) => document(n)));
    let fails = true;
    const failing = corpusOf({
      ...tables,
      open: async (of) => {
        const table = await tables.open(of);
        const buildIndex = () => (fails ? Promise.reject(new Error("no space left")) : (table as VectorTable).buildIndex());
        return table === null ? null : { ...table, buildIndex };
      },
    });
    for (let n = 0; n < 2; n++) {
      await put(store, document(DOCUMENTS + n));
      expect(await find(failing, questions[n] as string)).toHaveLength(10);
      await failing.idle();
    }
    expect(warned).toEqual([expect.stringMatching(/could not be built in PostgreSQL, so questions are slower: no space left$/)]);
    expect(await hnsw(db)).toBe(0);
    fails = false;
    await put(store, document(DOCUMENTS + 2));
    await find(failing, questions[0] as string);
    await failing.idle();
    expect(await hnsw(db)).toBe(1);
  });
});
