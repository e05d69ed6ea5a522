import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

/** How a source was ingested: enough to read it again. */
export interface Origin {
  readonly domain: string;
  readonly tenant: string | null;
  readonly source: string;
  /** Folder that was read, and the one that paths are relative to, absolute. */
  readonly folder: string;
  readonly root: string;
  readonly access: string;
  readonly baseUrl: string | null;
}

export interface OriginStore {
  /** Remembers how a source was ingested last. */
  put(origin: Origin): Promise<void>;
  list(domain: string): Promise<Origin[]>;
}

export function createOriginStore(db: Kysely<Database>, now: () => Date): OriginStore {
  return {
    async put({ domain, tenant, source, baseUrl, ...rest }) {
      const values = { ...rest, base_url: baseUrl, updated_at: now().toISOString() };
      await db
        .insertInto("origins")
        .values({ domain, tenant: tenant ?? "", source, ...values })
        .onConflict((c) => c.columns(["domain", "tenant", "source"]).doUpdateSet(values))
        .execute();
    },
    async list(domain) {
      const rows = await db.selectFrom("origins").selectAll().where("domain", "=", domain).orderBy("source").orderBy("tenant").execute();
      return rows.map(({ tenant, base_url, updated_at: _, ...row }) => ({
        ...row,
        tenant: tenant === "" ? null : tenant,
        baseUrl: base_url,
      }));
    },
  };
}
