import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

/** A stored answer (as JSON text) with the document versions that it cites. */
export interface CacheEntry {
  readonly answer: string;
  readonly versions: ReadonlyMap<string, string>;
}

export interface CachePut {
  readonly key: string;
  readonly domain: string;
  readonly tenant: string | null;
  readonly answer: string;
  readonly versions: ReadonlyMap<string, string>;
  readonly hours: number;
  /** Entries kept in all; the least recently used go. */
  readonly capacity: number;
}

export interface CacheStore {
  /** The entry, if it has not expired. Marks it as used. */
  get(key: string): Promise<CacheEntry | null>;
  /**
   * Stores an answer, unless a document that it cites has changed since (then it returns false): a concurrent ingest cannot be outrun.
   */
  put(entry: CachePut): Promise<boolean>;
  delete(key: string): Promise<void>;
  clear(domain: string | null): Promise<number>;
  count(): Promise<number>;
}

export function createCacheStore(db: Kysely<Database>, now: () => Date): CacheStore {
  return {
    async get(key) {
      const at = now().toISOString();
      const row = await db
        .selectFrom("cache_entries")
        .select("answer")
        .where("key", "=", key)
        .where("expires_at", ">", at)
        .executeTakeFirst();
      if (row === undefined) return null;
      const cited = await db.selectFrom("cache_documents").select(["document_id", "version"]).where("key", "=", key).execute();
      await db.updateTable("cache_entries").set({ used_at: at }).where("key", "=", key).execute();
      return { answer: row.answer, versions: new Map(cited.map((row) => [row.document_id, row.version])) };
    },
    put: (entry) =>
      db.transaction().execute(async (trx) => {
        const ids = [...entry.versions.keys()];
        const current =
          ids.length === 0 ? [] : await trx.selectFrom("documents").select(["id", "version"]).where("id", "in", ids).execute();
        const versions = new Map(current.map(({ id, version }) => [id, version]));
        if (ids.some((id) => versions.get(id) !== entry.versions.get(id))) return false;
        const at = now();
        await trx.deleteFrom("cache_entries").where("key", "=", entry.key).execute();
        await trx
          .insertInto("cache_entries")
          .values({
            key: entry.key,
            domain: entry.domain,
            tenant: entry.tenant ?? "",
            answer: entry.answer,
            created_at: at.toISOString(),
            used_at: at.toISOString(),
            expires_at: new Date(at.getTime() + entry.hours * 3_600_000).toISOString(),
          })
          .execute();
        const rows = [...entry.versions].map(([document_id, version]) => ({ key: entry.key, document_id, version }));
        if (rows.length > 0) await trx.insertInto("cache_documents").values(rows).execute();
        await trx
          .deleteFrom("cache_entries")
          .where("key", "in", (eb) =>
            eb
              .selectFrom("cache_entries")
              .select("key")
              .orderBy("used_at", "desc")
              .orderBy("key")
              .limit(1_000_000_000)
              .offset(entry.capacity),
          )
          .execute();
        return true;
      }),
    async delete(key) {
      await db.deleteFrom("cache_entries").where("key", "=", key).execute();
    },
    async clear(domain) {
      const query = db.deleteFrom("cache_entries");
      const { numDeletedRows } = await (domain === null ? query : query.where("domain", "=", domain)).executeTakeFirst();
      return Number(numDeletedRows);
    },
    async count() {
      const { n } = await db
        .selectFrom("cache_entries")
        .select((eb) => eb.fn.countAll<number>().as("n"))
        .executeTakeFirstOrThrow();
      return Number(n);
    },
  };
}
