import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

/** How a source was ingested: enough to read it again. */
export interface Origin {
  readonly domain: string;
  readonly tenant: string | null;
  readonly source: string;
  /** Folder that was read, absolute; `null`: files by name. */
  readonly folder: string | null;
  /** Paths of files are relative to it, absolute. */
  readonly root: string;
  readonly access: string;
  readonly baseUrl: string | null;
}

export interface OriginStore {
  /** Remembers how a source was ingested last. */
  put(origin: Origin): Promise<void>;
  list(domain: string): Promise<Origin[]>;
}

/** In the place of a folder; no folder's absolute path is empty. */
const BY_NAME = "";

export function createOriginStore(db: Kysely<Database>, now: () => Date): OriginStore {
  return {
    async put({ domain, tenant, source, folder, baseUrl, ...rest }) {
      const values = { ...rest, folder: folder ?? BY_NAME, base_url: baseUrl, updated_at: now().toISOString() };
      await db
        .insertInto("origins")
        .values({ domain, tenant: tenant ?? "", source, ...values })
        .onConflict((c) => c.columns(["domain", "tenant", "source"]).doUpdateSet(values))
        .execute();
    },
    async list(domain) {
      const rows = await db.selectFrom("origins").selectAll().where("domain", "=", domain).orderBy("source").orderBy("tenant").execute();
      return rows.map(({ tenant, folder, base_url, updated_at: _, ...row }) => ({
        ...row,
        folder: folder === BY_NAME ? null : folder,
        tenant: tenant === "" ? null : tenant,
        baseUrl: base_url,
      }));
    },
  };
}
