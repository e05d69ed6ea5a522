import { describe, expect, it } from "vitest";
import type { Store } from "../../store/store.ts";
import { addInteraction, cachePut, DC, fileContent, interaction, place, storedDocument, type WithStore } from "./fixtures.ts";

export function describeCache(name: string, withStore: WithStore): void {
  describe(`${name}: cache`, () => {
    it(
      "returns an entry with its document versions, until it expires",
      withStore(async ({ store, advance }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        expect(await store.cache.put(cachePut())).toBe(true);
        expect(await store.cache.get("k")).toEqual({
          key: "k",
          question: "What is tinnitus?",
          answer: "{}",
          documents: cachePut().documents,
          reviewStatus: "unreviewed",
          createdAt: "2026-01-01T00:00:00.000Z",
          expiresAt: "2026-01-01T01:00:00.000Z",
        });
        expect((await store.cache.questions(["k"], "scope")).found).toMatchObject([
          { key: "k", retrieved: { documents: ["doc-a"], chunks: ["doc-a-0"], cited: ["doc-a-0"] } },
        ]);
        expect(await store.cache.use({ key: "k", expiresAt: "2026-01-01T01:00:00.000Z" })).toBe(true);
        advance(3_600_001);
        expect(await store.cache.use({ key: "k", expiresAt: "2026-01-01T01:00:00.000Z" })).toBe(false);
        expect(await store.cache.get("k")).toBeNull();
        expect(await store.cache.questions(["k"], "scope")).toEqual({ found: [], gone: [] });
      }),
    );

    it(
      "rejects an answer whose source has changed meanwhile",
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
      [
        "changed elsewhere",
        (store: Store) =>
          store.documents.putFile(place, fileContent(storedDocument({ version: "v2", text: `${storedDocument().text} More.` }))),
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
      "drops an entry with a document that it names but does not cite",
      withStore(async ({ store, second }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        const other = { ...place, path: "b.md" };
        await store.documents.putFile(other, fileContent(storedDocument({ id: "doc-b", path: "b.md" })));
        const documents = [...cachePut().documents, { id: "doc-b", version: "v1" }];
        await store.cache.put(cachePut({ documents }));
        await second.documents.putFile(other, fileContent(storedDocument({ id: "doc-b", path: "b.md", version: "v2" })));
        expect(await store.cache.get("k")).toBeNull();
      }),
    );

    it(
      "returns the newest text of an entry that was read before, whoever stored it",
      withStore(async ({ store, second }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        await store.cache.put(cachePut());
        expect(await store.cache.get("k")).toMatchObject({ answer: "{}" });
        expect(await store.cache.get("k")).toMatchObject({ answer: "{}" });
        await second.cache.put(cachePut({ answer: "{1}" }));
        expect(await store.cache.get("k")).toMatchObject({ answer: "{1}" });
        await second.cache.delete("k");
        expect(await store.cache.get("k")).toBeNull();
      }),
    );

    it(
      "is deleted with its interaction, and has its review status",
      withStore(async ({ store }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        expect(await store.cache.put(cachePut({ interactionId: "forgotten" }))).toBe(false);
        await addInteraction(store, interaction("i1"));
        expect(await store.cache.put(cachePut({ interactionId: "i1" }))).toBe(true);
        expect((await store.cache.get("k"))?.reviewStatus).toBe("unreviewed");
      }),
    );

    it(
      "reports new questions to every connection, in order, and only of its scope",
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
        await addInteraction(store, interaction("i1"));
        await store.cache.put(cachePut({ interactionId: "i1" }));
        const query = { scope: "scope", domain: "d", topics: ["ears"], entities: [DC], approvedOnly: false, limit: 5 };
        expect(await store.graph.related(query)).toEqual(["k"]);
        expect(await store.graph.related({ ...query, approvedOnly: true })).toEqual([]);
        for (const other of [{ scope: "x" }, { topics: ["eyes"] }, { entities: [{ type: "dc_code", value: "DC 6261" }] }, { domain: "e" }])
          expect(await store.graph.related({ ...query, ...other })).toEqual([]);
        for (const none of [{ topics: [] }, { entities: [] }]) expect(await store.graph.related({ ...query, ...none })).toEqual([]);
        expect((await store.graph.nodesOf(["k"])).get("k")).toEqual({
          topics: [{ slug: "ears", name: "Ears" }],
          entities: [DC],
          sources: [{ documentId: "doc-a", title: "A" }],
        });
      }),
    );

    it(
      "joins a question for exact hits only to its documents, and offers it as no candidate",
      withStore(async ({ store }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        await store.cache.put(cachePut({ shared: null }));
        expect((await store.graph.nodesOf(["k"])).get("k")).toEqual({
          topics: [],
          entities: [],
          sources: [{ documentId: "doc-a", title: "A" }],
        });
        expect((await store.graph.questions("d", 5)).map(({ sources }) => sources.map(({ documentId }) => documentId))).toEqual([
          ["doc-a"],
        ]);
        const query = { scope: "scope", domain: "d", topics: ["ears"], entities: [DC], approvedOnly: false, limit: 5 };
        expect(await store.graph.related(query)).toEqual([]);
        expect((await store.cache.questions(["k"], "scope")).found).toEqual([]);
        expect(await store.cache.vectorsAfter(0)).toEqual([]);
      }),
    );

    it(
      "keeps the most recently used entries",
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
}
