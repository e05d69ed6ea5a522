// @module-tag all/opensearch
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { MAPPING_VERSION } from "../src/retrieval/opensearch/mapping.ts";
import { fakeEncoder } from "../src/testing/fake-encoder.ts";
import { type Library, type LibraryOptions, openInTest } from "./support/engine.ts";
import { connectOpenSearch, deleteIndexes, openSearchNodes, whyNoOpenSearch } from "./support/opensearch.ts";

const page = (title: string, text: string) => `# ${title}\n\n${text}\n`;
const LOST = { "card.md": page("Cards", "A lost card costs 12 dollars to replace."), "fees.md": page("Fees", "Parking costs 3 dollars.") };
const STAFF = { domain: "library", tenant: null, access: ["staff"] };
const CARD = "What does a lost card cost to replace?";

describe.skipIf(whyNoOpenSearch !== null)("a service that searches with OpenSearch", () => {
  const { connection, prefix } = connectOpenSearch();
  afterEach(() => deleteIndexes(connection, prefix));

  const open = (options: LibraryOptions = {}): Promise<Library> =>
    openInTest({
      documents: LOST,
      ...options,
      settings: { search: { type: "opensearch", url: [...openSearchNodes], prefix }, "cache.enabled": false, ...options.settings },
    });
  const quotes = async (library: Library, question: string, access?: readonly string[]) =>
    (await library.ask(question, access === undefined ? {} : { access })).citations.map(({ quote }) => quote);
  const indexNames = async () =>
    Object.keys((await connection.find({ method: "GET", path: `/${prefix}.library`, schema: z.record(z.string(), z.unknown()) })) ?? {});

  it("answers like the embedded engine, without words or vectors in the process", async () => {
    const [own, shared] = [await openInTest({ documents: LOST }), await open()];
    for (const question of [CARD, "What does parking cost?", "How much is a lots card?"]) {
      const [expected, answer] = [await own.ask(question), await shared.ask(question)];
      expect([answer.status, answer.citations.map(({ quote }) => quote)]).toEqual([
        expected.status,
        expected.citations.map(({ quote }) => quote),
      ]);
      expect(answer.confidence).toBeCloseTo(expected.confidence ?? 0, 4);
    }
    const corpus = shared.engine.corpus("library");
    expect((await corpus.engine.coverage(corpus.encoder?.id ?? "")).bytes).toEqual({ words: 0, vectors: 0 });
    expect(await shared.engine.searchStates()).toEqual([{ domain: "library", revision: expect.any(Number), lag: 0 }]);
  });

  it("never shows edited, deleted or restricted text after the commit, even while the index is stale", async () => {
    const library = await open();
    const { leases } = library.engine.store;
    const file = join(library.sandbox.folder, "documents", "card.md");
    expect(await quotes(library, CARD)).toEqual(["A lost card costs 12 dollars to replace."]);
    /** Commits a change while another process holds the lease for indexing, so that the index stays stale. */
    const changed = async (access: string, ask: () => Promise<void>) => {
      expect(await leases.take("search index of library", "someone", 600_000)).toBe(true);
      const ingesting = library.ingest("documents", { access });
      await expect.poll(async () => (await library.engine.searchStates())[0]?.lag).toBe(1);
      await ask();
      expect((await library.ask(CARD)).warnings.map(({ code }) => code)).toContain("index_behind");
      await leases.release("search index of library", "someone");
      await ingesting;
      expect((await library.engine.searchStates())[0]?.lag).toBe(0);
    };
    writeFileSync(file, page("Cards", "A lost card costs 20 dollars to replace."));
    await changed("public", async () => expect(await quotes(library, CARD)).not.toContain("A lost card costs 12 dollars to replace."));
    expect(await quotes(library, CARD)).toEqual(["A lost card costs 20 dollars to replace."]);
    await changed("staff", async () => expect(await quotes(library, CARD)).toEqual([]));
    expect(await quotes(library, CARD)).toEqual([]);
    expect(await quotes(library, CARD, ["staff"])).toHaveLength(1);
    rmSync(file);
    await changed("staff", async () =>
      expect(await quotes(library, CARD, ["staff"])).not.toContain("A lost card costs 20 dollars to replace."),
    );
    expect((await library.engine.corpus("library").statistics(["card"], STAFF)).frequencies.get("card")).toBe(0);
  });

  it("finds new text within a second of its commit, also from another process", async () => {
    const first = await open();
    const second = await open({ documents: {}, settings: { data_dir: first.engine.config.data_dir } });
    expect(await quotes(second, CARD)).toHaveLength(1);
    writeFileSync(join(first.sandbox.folder, "documents", "pool.md"), page("Pool", "A swim in the pool costs 7 dollars."));
    await first.ingest();
    expect(await quotes(second, "What does a swim in the pool cost?")).toEqual(["A swim in the pool costs 7 dollars."]);
  });

  it("keeps documents while the cluster is down, reports it, and indexes them later", async () => {
    const away = await open({ settings: { "search.url": "http://127.0.0.1:1" }, documents: {} });
    writeFileSync(join(away.sandbox.folder, "documents", "card.md"), LOST["card.md"]);
    const events = await away.ingest();
    expect(events.filter(({ type }) => type === "index-failed" || type === "ingest-end")).toMatchObject([
      { type: "index-failed", code: "search_unavailable" },
      { type: "ingest-end", counts: { added: 1 } },
    ]);
    await expect(away.ask(CARD)).rejects.toMatchObject({ code: "search_unavailable" });
    await expect(away.engine.searchStates()).rejects.toMatchObject({ code: "search_unavailable" });
    const back = await open({ documents: {}, settings: { data_dir: away.engine.config.data_dir } });
    await expect.poll(() => quotes(back, CARD)).toHaveLength(1);
  });

  it("builds a new index beside the old one, on demand and for a new mapping, while it answers", async () => {
    const library = await open();
    const before = await indexNames();
    await library.engine.refresh("library");
    const after = await indexNames();
    expect([before.length, after.length, after[0] === before[0]]).toEqual([1, 1, false]);
    expect(await quotes(library, CARD)).toHaveLength(1);
    const _meta = { version: MAPPING_VERSION - 1, store: await storeIn(after[0] as string) };
    await connection.call({ method: "PUT", path: `/${after[0]}/_mapping`, body: { _meta }, schema: z.unknown() });
    const updated = await open({ documents: {}, settings: { data_dir: library.engine.config.data_dir } });
    await updated.engine.corpus("library").sync();
    expect((await indexNames())[0]).not.toBe(after[0]);
    expect(await quotes(updated, CARD)).toHaveLength(1);
  });

  it("refuses the index of another installation", async () => {
    await open();
    const other = await open({ documents: {} });
    await expect(other.engine.corpus("library").sync()).rejects.toMatchObject({ code: "search_foreign" });
  });

  it("drops the vectors of a replaced encoder, while it answers", async () => {
    const library = await open({ encoder: fakeEncoder({ id: "one" }) });
    const corpus = library.engine.corpus("library");
    await corpus.switchTo(fakeEncoder({ id: "two", dimensions: 32 }), async () => undefined);
    expect(await corpus.engine.coverage("two")).toMatchObject({ dimensions: 32, vectors: 2 });
    const before = await indexNames();
    await corpus.engine.index({});
    expect(await indexNames()).not.toEqual(before);
    expect(await corpus.engine.coverage("one")).toMatchObject({ vectors: 0, dimensions: null });
    expect(await corpus.engine.coverage("two")).toMatchObject({ windows: 2, vectors: 2 });
  });

  async function storeIn(index: string): Promise<string> {
    const meta = z.record(z.string(), z.object({ mappings: z.object({ _meta: z.object({ store: z.string() }) }) }));
    const found = await connection.call({ method: "GET", path: `/${index}/_mapping`, schema: meta });
    return found[index]?.mappings._meta.store ?? "";
  }
});
