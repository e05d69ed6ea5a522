import { describe, expect, it } from "vitest";
import type { CachePut } from "../store/cached.ts";
import type { FileContent, FilePlace } from "../store/document-records.ts";
import type { Interaction, InteractionFacts } from "../store/interaction.ts";
import type { NewReport, ReportSelection } from "../store/reports.ts";
import type { Store } from "../store/store.ts";
import { passageHash } from "../text/hash.ts";
import type { Scope, StoredDocument } from "../types.ts";
import { sampleReport } from "./reports.ts";

export interface StoreUnderTest {
  readonly store: Store;
  /** A second connection to the same records, as another process has it. */
  readonly second: Store;
  /** Moves the clock of both. */
  readonly advance: (ms: number) => void;
}

export const scope: Scope = { domain: "d", tenant: null, access: ["public"] };
export const place: FilePlace = { domain: "d", tenant: null, source: "s", path: "a.md" };

/** A small document; everything can be overridden. */
export function storedDocument(over: Partial<StoredDocument> = {}): StoredDocument {
  const text = over.text ?? "Tinnitus is rated at 10 percent.";
  const id = over.id ?? "doc-a";
  return {
    id,
    domain: "d",
    tenant: null,
    access: "public",
    source: "s",
    path: "a.md",
    title: "A",
    description: null,
    url: "https://example.org/a/",
    asOf: null,
    authority: null,
    topic: null,
    subtopic: null,
    type: null,
    originalHash: "hash",
    version: "v1",
    normaliser: "1",
    text,
    blocks: [{ start: 0, end: text.length, type: "paragraph", level: 0, header: -1 }],
    units: [{ start: 0, end: text.length, type: "paragraph", block: 0 }],
    sourceMap: [0, text.length, 0, text.length],
    pages: [0, 5],
    chunks: [
      {
        id: `${id}-0`,
        documentId: id,
        ordinal: 0,
        start: 0,
        end: text.length,
        tokens: 8,
        headingPath: ["H"],
        windows: [{ start: 0, end: text.length, tokens: 8 }],
      },
    ],
    ...over,
  };
}

export function fileContent(...documents: StoredDocument[]): FileContent {
  return { originalHash: "hash", settings: "s1", access: "public", documents, failure: null };
}

const DC = { type: "dc_code", value: "DC 6260" };

/** An entry of the cache that rests on the small document; everything can be overridden. */
function cachePut(over: Partial<CachePut> = {}): CachePut {
  return {
    key: "k",
    scope: "scope",
    place: {
      domain: "d",
      tenant: null,
      access: ["public"],
      profile: "p",
      language: "en",
      detail: "normal",
      encoder: "none",
      configHash: "c",
    },
    answer: "{}",
    interactionId: null,
    documents: [{ id: "doc-a", version: "v1", passages: [passageHash(storedDocument().text)] }],
    sources: [{ documentId: "doc-a", version: "v1", url: "https://example.org/a/", title: "A" }],
    question: "What is tinnitus?",
    shared: {
      slots: "null",
      vector: { model: "m", values: Float32Array.from([1, 0]) },
      topics: [{ slug: "ears", name: "Ears", keywords: ["tinnitus"] }],
      entities: [DC],
    },
    retrieved: { documents: ["doc-a"], chunks: ["doc-a-0"], cited: ["doc-a-0"] },
    hours: 1,
    capacity: 10,
    ...over,
  };
}

function interaction(id: string): Interaction {
  const base = { domain: "d", tenant: null, access: ["public"], profile: "p", sessionId: null, answer: "{}" };
  return { ...base, id, question: id, status: "ok", confidence: null, chance: null, cacheMode: "miss" };
}

/** What every store does, whatever database is behind it. */
export function describeStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  const withStore = (use: (under: StoreUnderTest) => Promise<void>) => async () => {
    const under = await open();
    try {
      await use(under);
    } finally {
      await under.store.close();
      await under.second.close();
    }
  };

  describe(`${name}: documents`, () => {
    it(
      "gives a document back as it was put in",
      withStore(async ({ store }) => {
        const document = storedDocument();
        expect(await store.documents.putFile(place, fileContent(document))).toEqual({ added: 1, changed: 0, unchanged: 0, deleted: 0 });
        expect((await store.documents.load(scope, ["doc-a"])).get("doc-a")).toEqual(document);
      }),
    );

    it(
      "counts a change, and raises the revision only when something changed",
      withStore(async ({ store }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        expect(await store.documents.revision("d")).toBe(1);
        expect(await store.documents.putFile(place, fileContent(storedDocument()))).toEqual({
          added: 0,
          changed: 0,
          unchanged: 1,
          deleted: 0,
        });
        expect(await store.documents.revision("d")).toBe(1);
        const changed = storedDocument({ version: "v2", text: "Now 20 percent." });
        expect(await store.documents.putFile(place, fileContent(changed))).toEqual({ added: 0, changed: 1, unchanged: 0, deleted: 0 });
        expect(await store.documents.revision("d")).toBe(2);
        expect((await store.documents.load(scope, ["doc-a"])).get("doc-a")?.chunks).toHaveLength(1);
      }),
    );

    it(
      "takes out what a file no longer holds",
      withStore(async ({ store }) => {
        await store.documents.putFile(place, fileContent(storedDocument(), storedDocument({ id: "doc-b", path: "a.md#b" })));
        const outcome = await store.documents.putFile(place, fileContent(storedDocument()));
        expect(outcome).toEqual({ added: 0, changed: 0, unchanged: 1, deleted: 1 });
        expect([...(await store.documents.heads("d")).keys()]).toEqual(["doc-a"]);
      }),
    );

    it(
      "counts the dates of what the scope sees, and of what lies in an area",
      withStore(async ({ store }) => {
        const put = (id: string, asOf: string | null, access = "public") =>
          store.documents.putFile({ ...place, path: `${id}.md` }, fileContent(storedDocument({ id, path: `${id}.md`, asOf, access })));
        await put("old", "2019-05-01");
        await put("new", "2026-01-15");
        await put("none", null);
        await put("hidden", "2030-01-01", "staff");
        expect((await store.documents.counts(scope)).asOf).toEqual({ from: "2019-05-01", to: "2026-01-15", undated: 1 });
        const part = { version: null, ranges: [{ start: 0, end: 5 }] };
        const area = (...ids: string[]) => new Map(ids.map((id) => [id, part]));
        expect((await store.documents.counts(scope, area("old", "none"))).asOf).toEqual({
          from: "2019-05-01",
          to: "2019-05-01",
          undated: 1,
        });
        expect((await store.documents.counts(scope, area("hidden"))).asOf).toEqual({ from: null, to: null, undated: 0 });
      }),
    );

    it(
      "remembers a file that could not be read, without its old documents",
      withStore(async ({ store }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        await store.documents.putFile(place, { originalHash: "", settings: "s1", access: "public", documents: [], failure: "not UTF-8" });
        expect(await store.documents.counts(scope)).toEqual({
          documents: 0,
          chunks: 0,
          revision: 2,
          asOf: { from: null, to: null, undated: 0 },
          unreadable: ["a.md"],
        });
        expect(await store.documents.listFiles(place)).toMatchObject([{ path: "a.md", status: "failed", reason: "not UTF-8" }]);
      }),
    );

    it(
      "deletes files of one source only",
      withStore(async ({ store }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        await store.documents.putFile({ ...place, source: "other" }, fileContent(storedDocument({ id: "doc-o", source: "other" })));
        expect(await store.documents.deleteFiles(place, ["a.md", "never.md"])).toBe(1);
        expect([...(await store.documents.heads("d")).keys()]).toEqual(["doc-o"]);
      }),
    );

    it(
      "outlines what a scope may see, and counts what lies in an area",
      withStore(async ({ store }) => {
        const text = "One\n\nText of it.";
        const blocks = [{ start: 0, end: 3, type: "heading", level: 2, header: -1 } as const];
        await store.documents.putFile(place, fileContent(storedDocument({ text, blocks })));
        const theirs = storedDocument({ id: "doc-b", path: "b.md", tenant: "bob", pages: null });
        await store.documents.putFile({ ...place, tenant: "bob", path: "b.md" }, fileContent(theirs));
        const headings = [{ start: 0, level: 2, text: "One" }];
        expect(await store.documents.outlines(scope)).toEqual([
          { id: "doc-a", version: "v1", path: "a.md", title: "A", headings, pages: [0, 5] },
        ]);
        const seen = await store.documents.outlines({ ...scope, tenant: "bob" });
        expect(seen.map(({ id, pages }) => [id, pages])).toEqual([
          ["doc-a", [0, 5]],
          ["doc-b", null],
        ]);
        const area = (start: number, end: number) =>
          new Map(["doc-a", "doc-b"].map((id) => [id, { version: null, ranges: [{ start, end }] }]));
        expect(await store.documents.counts(scope, area(0, 5))).toMatchObject({ documents: 1, chunks: 1, revision: 2 });
        expect(await store.documents.counts(scope, area(5_000, 9_000))).toMatchObject({ documents: 0, chunks: 0 });
      }),
    );

    it(
      "shows nothing across domain, tenant and access label",
      withStore(async ({ store }) => {
        const put = (over: Partial<StoredDocument>) =>
          store.documents.putFile(
            { domain: over.domain ?? "d", tenant: over.tenant ?? null, source: "s", path: over.path ?? "a.md" },
            fileContent(storedDocument(over)),
          );
        await put({ id: "shared" });
        await put({ id: "secret", access: "staff", path: "b.md" });
        await put({ id: "bobs", tenant: "bob", path: "c.md" });
        await put({ id: "elsewhere", domain: "e" });
        const ids = ["shared", "secret", "bobs", "elsewhere"];
        const seen = async (as: Scope) => [...(await store.documents.load(as, ids)).keys()].sort();
        expect(await seen(scope)).toEqual(["shared"]);
        expect(await seen({ ...scope, tenant: "alice" })).toEqual(["shared"]);
        expect(await seen({ ...scope, tenant: "bob" })).toEqual(["bobs", "shared"]);
        expect(await seen({ ...scope, access: ["public", "staff"] })).toEqual(["secret", "shared"]);
        expect(await seen({ domain: "e", tenant: "bob", access: ["public"] })).toEqual(["elsewhere"]);
        expect(await store.documents.counts({ ...scope, tenant: "bob" })).toMatchObject({ documents: 2, chunks: 2 });
        const { version, title, description } = storedDocument();
        const head = { version, title, description, tenant: null, access: "public", path: "a.md" };
        const heads = [...(await store.documents.heads("d"))].sort(([a], [b]) => (a < b ? -1 : 1));
        expect(heads).toEqual([
          ["bobs", { ...head, tenant: "bob", path: "c.md" }],
          ["secret", { ...head, access: "staff", path: "b.md" }],
          ["shared", head],
        ]);
        expect((await store.documents.heads("nowhere")).size).toBe(0);
      }),
    );

    it(
      "asks anew who may see a document and in which version, however often it was read before",
      withStore(async ({ store, second }) => {
        const read = async (as: Scope = scope) => (await store.documents.load(as, ["doc-a", "doc-b"])).get("doc-a");
        const put = (over: Partial<StoredDocument>) => second.documents.putFile(place, fileContent(storedDocument(over)));
        const staff = { ...scope, access: ["staff"] };
        await put({});
        expect((await read())?.version).toBe("v1");
        expect(await read({ ...scope, domain: "e" })).toBeUndefined();
        expect(await read(staff)).toBeUndefined();
        await put({ version: "v2", text: "Changed." });
        expect(await read()).toMatchObject({ version: "v2", text: "Changed." });
        await put({ version: "v3", access: "staff" });
        expect(await read()).toBeUndefined();
        expect((await read(staff))?.version).toBe("v3");
        await put({});
        expect((await read())?.text).toBe(storedDocument().text);
        await second.documents.deleteFiles(place, ["a.md"]);
        expect(await read()).toBeUndefined();
      }),
    );

    it(
      "shows another connection what was committed, at once",
      withStore(async ({ store, second }) => {
        expect(await second.documents.revision("d")).toBe(0);
        await store.documents.putFile(place, fileContent(storedDocument()));
        expect(await second.documents.revision("d")).toBe(1);
        expect((await second.documents.load(scope, ["doc-a"])).size).toBe(1);
      }),
    );

    it(
      "keeps every write of two connections at once",
      withStore(async ({ store, second }) => {
        const put = (into: Store, n: number) =>
          into.documents.putFile({ ...place, path: `${n}.md` }, fileContent(storedDocument({ id: `doc-${n}`, path: `${n}.md` })));
        await Promise.all(Array.from({ length: 20 }, (_, n) => put(n % 2 === 0 ? store : second, n)));
        expect((await store.documents.heads("d")).size).toBe(20);
        expect(await store.documents.revision("d")).toBe(20);
      }),
    );

    it(
      "keeps hostile text as it is",
      withStore(async ({ store }) => {
        const text = "'; drop table documents; -- \u{1F600} \u{202E} \uD83D\uDE00";
        await store.documents.putFile(place, fileContent(storedDocument({ text, title: text })));
        expect((await store.documents.load(scope, ["doc-a"])).get("doc-a")?.text).toBe(text);
      }),
    );
  });

  describe(`${name}: cache`, () => {
    it(
      "gives an entry back with the versions that it names, until it expires",
      withStore(async ({ store, advance }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        expect(await store.cache.put(cachePut())).toBe(true);
        expect(await store.cache.get("k")).toEqual({
          key: "k",
          state: "served",
          question: "What is tinnitus?",
          answer: "{}",
          documents: cachePut().documents,
          reviewStatus: "unreviewed",
          createdAt: "2026-01-01T00:00:00.000Z",
        });
        expect((await store.cache.questions(["k"], "scope")).found).toMatchObject([
          { key: "k", retrieved: { documents: ["doc-a"], chunks: ["doc-a-0"], cited: ["doc-a-0"] }, slots: "null" },
        ]);
        advance(3_600_001);
        expect(await store.cache.get("k")).toBeNull();
        expect(await store.cache.questions(["k"], "scope")).toEqual({ found: [], gone: [] });
      }),
    );

    it(
      "does not take an answer whose source has changed meanwhile",
      withStore(async ({ store }) => {
        await store.documents.putFile(place, fileContent(storedDocument({ version: "v2" })));
        expect(await store.cache.put(cachePut())).toBe(false);
        expect(await store.cache.count()).toBe(0);
      }),
    );

    it.each([
      [
        "changed",
        (store: Store) => store.documents.putFile(place, fileContent(storedDocument({ version: "v2", text: "Now 20 percent." }))),
      ],
      ["deleted", (store: Store) => store.documents.deleteFiles(place, ["a.md"])],
      ["hidden", (store: Store) => store.documents.putFile(place, fileContent(storedDocument({ version: "v2", access: "staff" })))],
      ["renamed", (store: Store) => store.documents.putFile(place, fileContent(storedDocument({ version: "v2", title: "B" })))],
      ["dated anew", (store: Store) => store.documents.putFile(place, fileContent(storedDocument({ version: "v2", asOf: "2026-02-02" })))],
      [
        "unreadable",
        (store: Store) =>
          store.documents.putFile(place, { originalHash: "", settings: "s1", access: "public", documents: [], failure: "not UTF-8" }),
      ],
    ])("drops an entry and its edges in the transaction in which its document is %s", (_what, change) =>
      withStore(async ({ store, second }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        await store.cache.put(cachePut());
        expect(await store.cache.stats(null)).toMatchObject({ entries: 1, topics: 1, entities: 1, sources: 1, edges: 3 });
        await change(second);
        expect(await store.cache.get("k")).toBeNull();
        expect(await store.cache.stats(null)).toMatchObject({ entries: 0, topics: 0, entities: 0, sources: 0, edges: 0 });
      })(),
    );

    it(
      "drops an entry with a document that it names and does not cite",
      withStore(async ({ store, second }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        const other = { ...place, path: "b.md" };
        await store.documents.putFile(other, fileContent(storedDocument({ id: "doc-b", path: "b.md" })));
        const documents = [...cachePut().documents, { id: "doc-b", version: "v1", passages: [] }];
        await store.cache.put(cachePut({ documents }));
        await second.documents.putFile(other, fileContent(storedDocument({ id: "doc-b", path: "b.md", version: "v2" })));
        expect(await store.cache.get("k")).toBeNull();
      }),
    );

    it(
      "parks an entry, without edges, when its document changes elsewhere; revives it only in the version that is current",
      withStore(async ({ store, second }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        await store.cache.put(cachePut());
        const change = (version: string) => second.documents.putFile(place, fileContent(storedDocument({ version })));
        await change("v2");
        expect(await store.cache.get("k")).toMatchObject({ state: "parked" });
        expect(await store.cache.stats(null)).toMatchObject({ entries: 1, parked: 1, edges: 0 });
        const anchored = (version: string) => {
          const { documents, sources, retrieved, shared } = cachePut();
          const at = <T>(list: readonly T[]) => list.map((one) => ({ ...one, version }));
          return { key: "k", domain: "d", answer: "{2}", documents: at(documents), sources: at(sources), retrieved, nodes: shared };
        };
        expect(await store.cache.revive(anchored("v1"))).toBe(false);
        await change("v3");
        expect(await store.cache.revive(anchored("v2"))).toBe(false);
        expect(await store.cache.get("k")).toMatchObject({ state: "parked", answer: "{}" });
        expect(await store.cache.revive(anchored("v3"))).toBe(true);
        expect(await store.cache.get("k")).toMatchObject({ state: "served", answer: "{2}", documents: [{ id: "doc-a", version: "v3" }] });
        expect(await store.cache.stats(null)).toMatchObject({ parked: 0, edges: 3 });
        expect(await store.cache.revive(anchored("v3"))).toBe(false);
      }),
    );

    it(
      "goes with the interaction that it came from, and has its review status",
      withStore(async ({ store }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        expect(await store.cache.put(cachePut({ interactionId: "forgotten" }))).toBe(false);
        await store.interactions.add(interaction("i1"));
        expect(await store.cache.put(cachePut({ interactionId: "i1" }))).toBe(true);
        expect((await store.cache.get("k"))?.reviewStatus).toBe("unreviewed");
      }),
    );

    it(
      "tells every connection of new questions, in order, and of scopes only their own",
      withStore(async ({ store, second }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        expect(await second.cache.newest()).toBe(0);
        await store.cache.put(cachePut({ key: "a" }));
        await store.cache.put(cachePut({ key: "b", shared: null }));
        const newest = await second.cache.newest();
        await store.cache.put(cachePut({ key: "a" }));
        expect(await second.cache.newest()).toBeGreaterThan(newest);
        expect((await second.cache.vectorsAfter(newest)).map(({ key, scope, model }) => [key, scope, model])).toEqual([
          ["a", "scope", "m"],
        ]);
        const [row] = await second.cache.vectorsAfter(0);
        expect(row?.vector).toEqual(Float32Array.from([1, 0]));
        const asked = await second.cache.questions(["a", "b", "c"], "scope");
        expect([asked.found.map(({ key }) => key), asked.gone]).toEqual([["a"], ["c"]]);
        expect(await second.cache.questions(["a"], "other")).toEqual({ found: [], gone: [] });
      }),
    );

    it(
      "joins questions by topic and entity inside a scope",
      withStore(async ({ store }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        await store.interactions.add(interaction("i1"));
        await store.cache.put(cachePut({ interactionId: "i1" }));
        const query = { scope: "scope", domain: "d", topics: ["ears"], entities: [DC], approvedOnly: false, limit: 5 };
        expect(await store.graph.related(query)).toEqual(["k"]);
        expect(await store.graph.related({ ...query, approvedOnly: true })).toEqual([]);
        for (const other of [{ scope: "x" }, { topics: ["eyes"] }, { entities: [{ type: "dc_code", value: "DC 6261" }] }, { domain: "e" }])
          expect(await store.graph.related({ ...query, ...other })).toEqual([]);
        for (const none of [{ topics: [] }, { entities: [] }]) expect(await store.graph.related({ ...query, ...none })).toEqual([]);
        expect((await store.graph.nodesOf(["k"])).get("k")).toEqual({ topics: ["ears"], entities: [DC], sources: ["doc-a"] });
      }),
    );

    it(
      "keeps the most recently used",
      withStore(async ({ store, advance }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        for (const key of ["a", "b"]) {
          await store.cache.put(cachePut({ key, capacity: 2 }));
          advance(10);
        }
        await store.cache.get("a");
        advance(10);
        await store.cache.put(cachePut({ key: "c", capacity: 2 }));
        expect(await store.cache.get("b")).toBeNull();
        expect(await store.cache.get("a")).not.toBeNull();
        expect(await store.cache.count()).toBe(2);
      }),
    );
  });

  describe(`${name}: sessions`, () => {
    const turn = (n: number) => ({ question: `q${n}`, answer: `a${n}`, citations: [`c${n}`] });
    const keep = { idleMinutes: 30, limit: 5 };

    it(
      "keeps the last turns, oldest first",
      withStore(async ({ store }) => {
        for (let n = 1; n <= 7; n++) await store.sessions.append("s1", scope, turn(n), keep);
        expect((await store.sessions.turns("s1", scope, 5)).map(({ question }) => question)).toEqual(["q3", "q4", "q5", "q6", "q7"]);
      }),
    );

    it(
      "forgets after the idle time, and purges",
      withStore(async ({ store, advance }) => {
        await store.sessions.append("s1", scope, turn(1), keep);
        advance(30 * 60_000 + 1);
        expect(await store.sessions.turns("s1", scope, 5)).toEqual([]);
        expect(await store.sessions.purge()).toBe(1);
      }),
    );

    it(
      "belongs to the scope in which it began",
      withStore(async ({ store }) => {
        await store.sessions.append("s1", scope, turn(1), keep);
        expect(await store.sessions.turns("s1", { ...scope, tenant: "bob" }, 5)).toEqual([]);
        expect(await store.sessions.turns("s1", { ...scope, domain: "e" }, 5)).toEqual([]);
        expect(await store.sessions.turns("s1", { ...scope, access: ["public", "staff"] }, 5)).toEqual([]);
        await store.sessions.append("s1", { ...scope, tenant: "bob" }, turn(2), keep);
        expect((await store.sessions.turns("s1", scope, 5)).map(({ question }) => question)).toEqual(["q1"]);
      }),
    );
  });

  describe(`${name}: reports`, () => {
    const add = (store: Store, id: string, { report = {}, ...over }: Partial<Interaction> & { report?: Partial<NewReport> } = {}) => {
      const interaction = {
        id,
        domain: "d",
        tenant: null,
        access: ["public"],
        profile: "p",
        sessionId: null,
        question: `q ${id}`,
        answer: "{}",
      };
      const rest = { status: "ok", confidence: 0.25, chance: null, cacheMode: "miss" };
      const made = { id: `r-${id}`, topic: "cards", report: sampleReport(), days: 90, entries: 100, ...report };
      return store.interactions.add({ ...interaction, ...rest, ...over }, made);
    };
    const all = { scope, since: new Date(0) };
    const idsOf = async (store: Store, over: Partial<ReportSelection> = {}, page = { limit: 10, offset: 0 }) =>
      (await store.reports.list({ ...all, ...over }, page)).map(({ id }) => id);

    it(
      "gives a report back as it was put in, by its id and by that of its interaction",
      withStore(async ({ store, second }) => {
        await add(store, "i1");
        const stored = {
          id: "r-i1",
          interactionId: "i1",
          domain: "d",
          tenant: null,
          profile: "p",
          topic: "cards",
          createdAt: "2026-01-01T00:00:00.000Z",
          question: "q i1",
          report: sampleReport(),
        };
        expect(await second.reports.get("r-i1", all)).toEqual(stored);
        expect(await second.reports.get("i1", all)).toEqual(stored);
        expect(await second.reports.get("i2", all)).toBeNull();
        expect((await store.interactions.list("d", 10)).map(({ id }) => id)).toEqual(["i1"]);
      }),
    );

    it(
      "lists newest first, by page, topic and time",
      withStore(async ({ store, advance }) => {
        for (let n = 1; n <= 5; n++) {
          await add(store, `i${n}`, { report: { topic: n % 2 === 0 ? null : "cards" } });
          advance(1000);
        }
        expect(await idsOf(store)).toEqual(["r-i5", "r-i4", "r-i3", "r-i2", "r-i1"]);
        expect(await idsOf(store, {}, { limit: 2, offset: 1 })).toEqual(["r-i4", "r-i3"]);
        expect(await idsOf(store, {}, { limit: 2, offset: 5 })).toEqual([]);
        expect(await idsOf(store, { topic: null })).toEqual(["r-i4", "r-i2"]);
        expect(await idsOf(store, { topic: "cards" })).toEqual(["r-i5", "r-i3", "r-i1"]);
        expect(await idsOf(store, { since: new Date("2026-01-01T00:00:03Z") })).toEqual(["r-i5", "r-i4"]);
      }),
    );

    it(
      "reads each report once, however many were made at the same time",
      withStore(async ({ store }) => {
        for (let n = 0; n < 502; n++) await add(store, `i${n}`, { report: { entries: 5000 } });
        const seen: string[] = [];
        for await (const { id } of store.reports.each(all)) seen.push(id);
        expect(seen).toHaveLength(502);
        expect(new Set(seen).size).toBe(502);
        expect(seen).toEqual([...seen].sort().reverse());
      }),
    );

    it(
      "shows reports of exactly the tenant, made with no label that is lacking",
      withStore(async ({ store }) => {
        await add(store, "none");
        await add(store, "alice", { tenant: "alice" });
        await add(store, "staff", { access: ["staff", "public", "staff"] });
        await add(store, "other", { domain: "e" });
        expect(await idsOf(store)).toEqual(["r-none"]);
        expect(await idsOf(store, { scope: { ...scope, tenant: "alice" } })).toEqual(["r-alice"]);
        expect(await idsOf(store, { scope: { ...scope, tenant: "bob" } })).toEqual([]);
        expect(await idsOf(store, { scope: { ...scope, access: ["public", "staff", "board"] } })).toEqual(["r-staff", "r-none"]);
        expect(await idsOf(store, { scope: { ...scope, access: ["staff"] } })).toEqual([]);
        expect(await idsOf(store, { scope: { ...scope, access: [] } })).toEqual([]);
        for (const id of ["r-alice", "alice", "r-staff", "staff", "r-other"]) expect(await store.reports.get(id, all), id).toBeNull();
      }),
    );

    it(
      "drops what is too old, and the oldest of a tenant that has too many",
      withStore(async ({ store, advance }) => {
        await add(store, "old");
        await add(store, "alice", { tenant: "alice" });
        advance(86_400_000);
        for (const id of ["i1", "i2", "i3"]) {
          await add(store, id, { report: { entries: 2 } });
          advance(1000);
        }
        expect(await idsOf(store)).toEqual(["r-i3", "r-i2"]);
        expect(await idsOf(store, { scope: { ...scope, tenant: "alice" } })).toEqual(["r-alice"]);
        await add(store, "i4", { report: { days: 1 } });
        expect(await idsOf(store, { scope: { ...scope, tenant: "alice" } })).toEqual([]);
        expect((await store.interactions.list("d", 10)).map(({ id }) => id)).toContain("old");
      }),
    );

    it(
      "purges what is older, and nothing else",
      withStore(async ({ store, advance }) => {
        expect(await store.reports.purge(new Date("2027-01-01T00:00:00Z"))).toBe(0);
        await add(store, "i1");
        advance(1000);
        await add(store, "i2");
        expect(await store.reports.purge(new Date("2026-01-01T00:00:01Z"))).toBe(1);
        expect(await idsOf(store)).toEqual(["r-i2"]);
        expect(await store.interactions.list("d", 10)).toHaveLength(2);
      }),
    );

    it(
      "keeps both or none when a report cannot be stored",
      withStore(async ({ store }) => {
        await add(store, "i1");
        await expect(add(store, "i2", { report: { id: "r-i1" } })).rejects.toThrow();
        expect((await store.interactions.list("d", 10)).map(({ id }) => id)).toEqual(["i1"]);
      }),
    );

    it(
      "loses no report of two writers",
      withStore(async ({ store, second }) => {
        const writers = [store, second];
        await Promise.all(Array.from({ length: 60 }, (_, n) => add(writers[n % 2] as Store, `i${n}`)));
        expect(await idsOf(store, {}, { limit: 100, offset: 0 })).toHaveLength(60);
      }),
    );
  });

  describe(`${name}: sessions of users`, () => {
    const keep = { idleMinutes: 30, limit: 5 };
    const turn = { question: "q", answer: "a", citations: [], shown: "{}" };

    it(
      "are apart from those of others, and are deleted by their owner alone",
      withStore(async ({ store, second }) => {
        await store.sessions.append("s1", scope, turn, { ...keep, userId: "ann" });
        expect(await second.sessions.turns("s1", scope, 5, "ann")).toMatchObject([{ ...turn, createdAt: expect.any(String) }]);
        for (const other of ["ben", null]) {
          expect(await store.sessions.turns("s1", scope, 5, other)).toEqual([]);
          expect(await store.sessions.delete("s1", scope, other)).toBe(false);
        }
        expect(await store.sessions.delete("s1", { ...scope, tenant: "bob" }, "ann")).toBe(false);
        expect(await store.sessions.delete("s1", scope, "ann")).toBe(true);
        expect(await second.sessions.turns("s1", scope, 5, "ann")).toEqual([]);
      }),
    );
  });

  describe(`${name}: review`, () => {
    const interaction = {
      domain: "d",
      tenant: null,
      access: ["public"],
      profile: "p",
      sessionId: "s",
      question: "q",
      answer: "{}",
      status: "ok",
      confidence: 0.5,
      chance: null,
      cacheMode: "miss",
    };
    const facts = (over: Partial<InteractionFacts> = {}): InteractionFacts => ({
      asked: "q",
      resolved: "q",
      answered: "a",
      privacy: "redacted",
      curatedKey: "k",
      cacheKey: null,
      reason: null,
      warnings: 0,
      conflicts: 0,
      tokens: 0,
      costUsd: 0,
      savedTokens: null,
      savedUsd: null,
      topics: [],
      latencyMs: 1,
      approved: null,
      ...over,
    });
    const versions = new Map([["doc-a", "v1"]]);

    it(
      "takes over what was decided on the same answer, and nothing else",
      withStore(async ({ store, second }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        expect(await store.interactions.add({ ...interaction, id: "i1" }, null, facts())).toBe("unreviewed");
        expect(await second.review.approve({ id: "i1", by: "Ann", versions })).toBe("done");
        expect(await store.interactions.add({ ...interaction, id: "i2" }, null, facts())).toBe("approved");
        expect(await store.interactions.add({ ...interaction, id: "i3" }, null, facts({ answered: "b" }))).toBe("unreviewed");
        expect(await store.interactions.add({ ...interaction, id: "i4" }, null, facts({ curatedKey: "other" }))).toBe("unreviewed");
        expect(await store.interactions.add({ ...interaction, id: "i5" }, null, facts({ curatedKey: null }))).toBe("unreviewed");
        await second.documents.putFile(place, fileContent(storedDocument({ version: "v2" })));
        for (const id of ["i1", "i2"])
          expect(await store.review.get(id)).toMatchObject({ reviewStatus: "unreviewed", demotedAt: expect.any(String) });
        expect(await store.interactions.add({ ...interaction, id: "late" }, null, facts({ approved: versions }))).toBe("unreviewed");
        expect(await store.review.approve({ id: "i1", by: "Ann", versions })).toBe("stale");
        expect(await store.review.approve({ id: "i9", by: "Ann", versions })).toBe("missing");
      }),
    );

    it(
      "serves a correction until its document changes, and never one whose document has changed before",
      withStore(async ({ store, second }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        await store.interactions.add({ ...interaction, id: "i1" }, null, facts());
        const act = { id: "i1", by: "Ann", versions, curatedId: "c1", answer: '{"a":1}' };
        expect(await store.review.correct({ ...act, versions: new Map([["doc-a", "v0"]]) })).toBe("stale");
        expect(await store.review.correct({ ...act, versions: new Map() })).toBe("stale");
        expect(await second.review.curated("k")).toBeNull();
        expect(await store.review.correct(act)).toBe("done");
        expect(await second.review.curated("k")).toEqual({ id: "c1", answer: '{"a":1}', versions, createdAt: expect.any(String) });
        await second.documents.deleteFiles(place, ["a.md"]);
        expect(await store.review.curated("k")).toBeNull();
        expect((await store.review.get("i1"))?.curated).toMatchObject({ status: "demoted", createdBy: "Ann" });
        expect((await store.audit.list({ limit: 9 })).map(({ action }) => action)).toEqual(["demote", "correct"]);
        expect(await store.audit.verify()).toMatchObject({ intact: true, rows: 2 });
      }),
    );

    it(
      "counts what would be forgotten without forgetting it",
      withStore(async ({ store, second }) => {
        await store.interactions.add({ ...interaction, id: "i1" }, null, facts());
        const target = { type: "session", id: "s" } as const;
        const counted = await store.forgetting.count(target);
        expect(counted).toMatchObject({ interactions: 1 });
        expect(await second.interactions.list("d", 5)).toHaveLength(1);
        expect(await store.forgetting.forget(target, "Ann")).toEqual(counted);
        expect(await second.interactions.list("d", 5)).toEqual([]);
      }),
    );
  });

  describe(`${name}: the rest`, () => {
    it(
      "keeps vectors bit for bit",
      withStore(async ({ store }) => {
        const vector = Float32Array.from([0.1, -2.5, 3e-8]);
        await store.embeddings.put("m", new Map([["h", vector]]));
        expect((await store.embeddings.get("m", ["h", "x"])).get("h")).toEqual(vector);
        expect((await store.embeddings.get("other", ["h"])).size).toBe(0);
      }),
    );

    it(
      "remembers which encoder serves a domain",
      withStore(async ({ store, second }) => {
        expect(await store.encoders.active("d")).toBeNull();
        await store.encoders.activate("d", { id: "a", spec: "embedded", configured: "x" });
        await second.encoders.activate("d", { id: "b", spec: { hub: "m", dtype: "q8" }, configured: "x" });
        expect(await store.encoders.active("d")).toEqual({ id: "b", spec: { hub: "m", dtype: "q8" }, configured: "x" });
        expect(await store.encoders.active("e")).toBeNull();
      }),
    );

    it(
      "remembers how each source was ingested last",
      withStore(async ({ store, second }) => {
        const origin = { domain: "d", tenant: null, source: "s", folder: "/f", root: "/f", access: "public", baseUrl: null };
        await store.origins.put({ ...origin, access: "staff" });
        await store.origins.put(origin);
        await store.origins.put({ ...origin, tenant: "bob", source: "b", baseUrl: "https://example.org" });
        expect(await second.origins.list("d")).toEqual([{ ...origin, tenant: "bob", source: "b", baseUrl: "https://example.org" }, origin]);
        expect(await store.origins.list("e")).toEqual([]);
      }),
    );

    it(
      "has one secret, whoever asks first",
      withStore(async ({ store, second }) => {
        const [one, two] = await Promise.all([store.secret(), second.secret()]);
        expect(one).toMatch(/^[0-9a-f]{64}$/);
        expect(two).toBe(one);
      }),
    );

    it(
      "lists interactions newest first",
      withStore(async ({ store, advance }) => {
        for (const id of ["i1", "i2"]) {
          await store.interactions.add(interaction(id));
          advance(5);
        }
        expect((await store.interactions.list("d", 10)).map(({ id, reviewStatus }) => [id, reviewStatus])).toEqual([
          ["i2", "unreviewed"],
          ["i1", "unreviewed"],
        ]);
      }),
    );

    it(
      "lists what the gate said of the latest questions of one domain and profile",
      withStore(async ({ store, advance }) => {
        const base = {
          domain: "d",
          tenant: null,
          access: [],
          profile: "p",
          sessionId: null,
          answer: "{}",
          status: "ok",
          cacheMode: "miss",
        };
        const add = (id: string, chance: number | null, over: Partial<typeof base> = {}) => {
          advance(1000);
          return store.interactions.add({ ...base, confidence: 1, chance, id, question: id, ...over });
        };
        await add("before", 0.1);
        await add("first", 0.2);
        const [first] = await store.interactions.list("d", 1);
        await add("unjudged", null);
        await add("other-profile", 0.3, { profile: "q" });
        await add("other-domain", 0.4, { domain: "e" });
        await add("second", 0.5);
        await add("third", 0.6);
        const of = { domain: "d", profile: "p", since: first?.createdAt ?? "" };
        expect(await store.interactions.recentChances(of, 10)).toEqual([0.6, 0.5, 0.2]);
        expect(await store.interactions.recentChances(of, 2)).toEqual([0.6, 0.5]);
      }),
    );
  });
}
