// @module-tag all/postgres
import { afterEach, describe, expect } from "vitest";
import { EmbeddedEngine } from "../src/retrieval/embedded-engine.ts";
import type { IndexChanges } from "../src/retrieval/search-engine.ts";
import type { VectorTables } from "../src/retrieval/table-vectors.ts";
import { openPostgres } from "../src/store/postgres.ts";
import { createStore, type Store } from "../src/store/store.ts";
import { describeSearchEngineContract } from "../src/testing/search-engine-contract.ts";
import { fileContent, storedDocument } from "../src/testing/store/fixtures.ts";
import { usePostgres, whyNoPostgres } from "./support/postgres.ts";

/** An engine that also stores its documents, because vector rows belong to stored documents. */
class StoringEngine extends EmbeddedEngine {
  private readonly documents: Store["documents"];

  constructor(documents: Store["documents"], open: VectorTables["open"]) {
    super({ domain: "d", tables: { from: 1, open, warn: () => undefined } });
    this.documents = documents;
  }

  override async index(changes: IndexChanges): Promise<void> {
    for (const { id, version, tenant, access } of changes.documents ?? []) {
      await this.forget(id);
      const document = storedDocument({ id, version, tenant, access, path: `${id}.md`, source: "s", domain: "d" });
      await this.documents.putFile({ domain: "d", tenant, source: "s", path: `${id}.md` }, fileContent(document));
    }
    await super.index(changes);
    if (changes.vectors !== undefined) await this.idle();
  }

  override async remove(ids: readonly string[]): Promise<void> {
    await super.remove(ids);
    for (const id of ids) await this.forget(id);
  }

  private async forget(id: string): Promise<void> {
    for (const tenant of [null, "acme"]) await this.documents.deleteFiles({ domain: "d", tenant, source: "s" }, [`${id}.md`]);
  }
}

describe.skipIf(whyNoPostgres !== null)("pgvector", () => {
  const server = usePostgres();
  const closing: (() => Promise<void>)[] = [];
  let asked = 0;
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  describeSearchEngineContract(
    "EmbeddedEngine with pgvector",
    async () => {
      const db = await openPostgres({ url: await server().createDatabase(), connections: 3, timeoutMs: 30_000 });
      closing.push(() => db.destroy());
      const { documents, vectors } = createStore(db, { now: () => new Date(0), clock: () => 0 });
      const engine = new StoringEngine(documents, async (of) => {
        const table = (await vectors?.open({ ...of, domain: "d" })) ?? null;
        if (table === null) return null;
        return {
          ...table,
          search(query) {
            asked++;
            return table.search(query);
          },
        };
      });
      closing.unshift(() => engine.idle());
      return engine;
    },
    { runs: 3 },
  );

  afterEach(({ task }) => {
    if (task.name.startsWith("finds the best by words")) expect(asked).toBeGreaterThan(0);
  });
});
