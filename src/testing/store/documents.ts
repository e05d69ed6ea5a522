import { describe, expect, it } from "vitest";
import type { Scope, StoredDocument } from "../../shared/types.ts";
import type { Store } from "../../store/store.ts";
import { fileContent, place, scope, storedDocument, type WithStore } from "./fixtures.ts";

export function describeDocuments(name: string, withStore: WithStore): void {
  describe(`${name}: documents`, () => {
    it(
      "returns a document as it was stored",
      withStore(async ({ store }) => {
        const document = storedDocument();
        expect(await store.documents.putFile(place, fileContent(document))).toEqual({ added: 1, changed: 0, unchanged: 0, deleted: 0 });
        expect((await store.documents.load(scope, ["doc-a"])).get("doc-a")).toEqual(document);
      }),
    );

    it(
      "counts a change, and raises the revision only for a change",
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
      "stores many files at once like each alone, one of them under its new name",
      withStore(async ({ store }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        const put = (id: string, version = "v1") => ({
          place: { ...place, path: `${id}.md` },
          content: fileContent(storedDocument({ id, version, path: `${id}.md` })),
        });
        const renamed = { ...put("doc-a", "v2"), renamedFrom: place.path };
        const one = { added: 1, changed: 0, unchanged: 0, deleted: 0 };
        expect(await store.documents.revision("d")).toBe(1);
        expect(await store.documents.putFiles([put("doc-b"), renamed, put("doc-c")])).toEqual([one, { ...one, added: 0, changed: 1 }, one]);
        // Files that are stored together raise the revision by one. The log entry of this revision names all of them.
        expect(await store.documents.revision("d")).toBe(2);
        expect((await store.corpusLog.heldAt("d", 2)).map(({ id, version }) => [id, version])).toEqual([
          ["doc-a", "v2"],
          ["doc-b", "v1"],
          ["doc-c", "v1"],
        ]);
        const changedSince = async (revision: number) =>
          (await store.documents.changedSince("d", revision)).map((change) => [change.id, change.revision]);
        expect(await changedSince(1)).toEqual([
          ["doc-a", 2],
          ["doc-b", 2],
          ["doc-c", 2],
        ]);
        await store.documents.deleteFiles(place, ["doc-b.md"]);
        expect(await changedSince(2)).toEqual([["doc-b", 3]]);
        expect((await changedSince(1)).map(([id]) => id)).toEqual(["doc-a", "doc-c", "doc-b"]);
        expect(await changedSince(3)).toEqual([]);
        await store.documents.putFiles([put("doc-b")]);
        expect((await store.documents.listFiles(place)).map(({ path }) => path)).toEqual(["doc-a.md", "doc-b.md", "doc-c.md"]);
        expect([...(await store.documents.heads("d")).keys()].sort()).toEqual(["doc-a", "doc-b", "doc-c"]);
      }),
    );

    it(
      "lists every label of a domain: of files, and of documents with their own",
      withStore(async ({ store, second }) => {
        expect(await store.documents.labels("d")).toEqual([]);
        await store.documents.putFile(place, { ...fileContent(storedDocument({ access: "board" })), access: "staff" });
        expect(await second.documents.labels("d")).toEqual(["board", "staff"]);
        expect(await second.documents.labels("nowhere")).toEqual([]);
      }),
    );

    it(
      "stores none of many files when one cannot be stored",
      withStore(async ({ store }) => {
        const put = (id: string, document: string) => ({
          place: { ...place, path: `${id}.md` },
          content: fileContent(storedDocument({ id: document, path: `${id}.md` })),
        });
        // Two files cannot contain the same document.
        await expect(store.documents.putFiles([put("one", "doc-a"), put("two", "doc-a")])).rejects.toThrow();
        expect(await store.documents.listFiles(place)).toEqual([]);
        expect([...(await store.documents.heads("d")).keys()]).toEqual([]);
        expect(await store.documents.revision("d")).toBe(0);
      }),
    );

    it(
      "deletes documents that a file no longer contains",
      withStore(async ({ store }) => {
        await store.documents.putFile(place, fileContent(storedDocument(), storedDocument({ id: "doc-b", path: "a.md#b" })));
        const outcome = await store.documents.putFile(place, fileContent(storedDocument()));
        expect(outcome).toEqual({ added: 0, changed: 0, unchanged: 1, deleted: 1 });
        expect([...(await store.documents.heads("d")).keys()]).toEqual(["doc-a"]);
      }),
    );

    it(
      "counts the dates of visible documents, and of those in an area",
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
      "stores an unreadable file without its old documents",
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
        expect(await store.documents.listFiles(place)).toMatchObject([
          { path: "a.md", status: "failed", reason: "not UTF-8", access: "public", readAt: null },
        ]);
      }),
    );

    it(
      "keeps documents of a file that is now unreadable, and counts it apart from files that were never read",
      withStore(async ({ store }) => {
        await store.documents.putFile(place, fileContent(storedDocument()));
        const [{ readAt } = { readAt: null }] = await store.documents.listFiles(place);
        expect(readAt).toMatch(/^\d{4}-/);
        const failed = { originalHash: "", settings: "s1", access: "public", documents: null, failure: "locked" };
        expect(await store.documents.putFile(place, failed)).toEqual({ added: 0, changed: 0, unchanged: 0, deleted: 0 });
        expect(await store.documents.counts(scope)).toMatchObject({ documents: 1, revision: 1, unreadable: [] });
        expect(await store.corpusLog.unreadable("d")).toEqual([]);
        expect(await store.documents.listFiles(place)).toMatchObject([{ status: "failed", reason: "locked", readAt }]);
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
      "outlines visible documents, and counts chunks in an area",
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
        expect((await store.documents.outlines({ ...scope, tenant: "bob" }, 1)).map(({ id }) => id)).toEqual(["doc-a"]);
        const area = (start: number, end: number) =>
          new Map(["doc-a", "doc-b"].map((id) => [id, { version: null, ranges: [{ start, end }] }]));
        expect(await store.documents.counts(scope, area(0, 5))).toMatchObject({ documents: 1, chunks: 1, revision: 2 });
        expect(await store.documents.counts(scope, area(5_000, 9_000))).toMatchObject({ documents: 0, chunks: 0 });
      }),
    );

    it(
      "separates domains, tenants and access labels",
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
      "checks access and version of a document again on each read",
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
      "keeps all writes of two connections",
      withStore(async ({ store, second }) => {
        const put = (into: Store, n: number) =>
          into.documents.putFile({ ...place, path: `${n}.md` }, fileContent(storedDocument({ id: `doc-${n}`, path: `${n}.md` })));
        await Promise.all(Array.from({ length: 20 }, (_, n) => put(n % 2 === 0 ? store : second, n)));
        expect((await store.documents.heads("d")).size).toBe(20);
        expect(await store.documents.revision("d")).toBe(20);
      }),
    );

    it(
      "stores hostile text unchanged",
      withStore(async ({ store }) => {
        const text = "'; drop table documents; -- \u{1F600} \u{202E} \uD83D\uDE00";
        await store.documents.putFile(place, fileContent(storedDocument({ text, title: text })));
        expect((await store.documents.load(scope, ["doc-a"])).get("doc-a")?.text).toBe(text);
      }),
    );
  });
}
