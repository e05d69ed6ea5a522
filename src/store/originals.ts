import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";

/** Uploaded files that are read together. */
export interface OriginalsOf {
  readonly domain: string;
  readonly tenant: string | null;
  /** Access label. */
  readonly label: string;
}

export interface Original {
  readonly path: string;
  readonly updatedAt: string;
}

/** Files that were uploaded, byte for byte. */
export interface OriginalStore {
  put(of: OriginalsOf, path: string, bytes: Uint8Array): Promise<void>;
  remove(of: OriginalsOf, path: string): Promise<void>;
  list(of: OriginalsOf): Promise<Original[]>;
  /** `null`: there is none. */
  bytes(of: OriginalsOf, path: string): Promise<Uint8Array | null>;
}

export function createOriginalStore(db: Kysely<Database>, now: () => Date): OriginalStore {
  const place = ({ domain, tenant, label }: OriginalsOf) => ({ domain, tenant: tenant ?? "", label });
  const chosen = (of: OriginalsOf) => {
    const { domain, tenant, label } = place(of);
    return db.selectFrom("originals").where("domain", "=", domain).where("tenant", "=", tenant).where("label", "=", label);
  };
  return {
    async put(of, path, bytes) {
      const file = { bytes, updated_at: now().toISOString() };
      await db
        .insertInto("originals")
        .values({ ...place(of), path, ...file })
        .onConflict((c) => c.columns(["domain", "tenant", "label", "path"]).doUpdateSet(file))
        .execute();
    },
    async remove(of, path) {
      const { domain, tenant, label } = place(of);
      await db
        .deleteFrom("originals")
        .where("domain", "=", domain)
        .where("tenant", "=", tenant)
        .where("label", "=", label)
        .where("path", "=", path)
        .execute();
    },
    async list(of) {
      const rows = await chosen(of).select(["path", "updated_at"]).orderBy("path").execute();
      return rows.map(({ path, updated_at: updatedAt }) => ({ path, updatedAt }));
    },
    async bytes(of, path) {
      const row = await chosen(of).select("bytes").where("path", "=", path).executeTakeFirst();
      return row === undefined ? null : Uint8Array.from(row.bytes instanceof ArrayBuffer ? new Uint8Array(row.bytes) : row.bytes);
    },
  };
}
