import type { Kysely } from "kysely";
import type { Database } from "./schema.ts";
import { transact } from "./transact.ts";

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
  /** Puts all of them, or none. @param fits told the paths that are there before; throws where the new ones cannot lie beside them */
  putAll(
    of: OriginalsOf,
    files: readonly { readonly path: string; readonly bytes: Uint8Array }[],
    fits: (paths: readonly string[]) => void,
  ): Promise<void>;
  remove(of: OriginalsOf, path: string): Promise<void>;
  list(of: OriginalsOf): Promise<Original[]>;
  /** `null`: there is none. */
  bytes(of: OriginalsOf, path: string): Promise<Uint8Array | null>;
}

export function createOriginalStore(db: Kysely<Database>, now: () => Date): OriginalStore {
  const place = ({ domain, tenant, label }: OriginalsOf) => ({ domain, tenant: tenant ?? "", label });
  const chosen = (of: OriginalsOf, from: Kysely<Database> = db) => {
    const { domain, tenant, label } = place(of);
    return from.selectFrom("originals").where("domain", "=", domain).where("tenant", "=", tenant).where("label", "=", label);
  };
  const insert = async (into: Kysely<Database>, of: OriginalsOf, path: string, bytes: Uint8Array) => {
    const file = { bytes, updated_at: now().toISOString() };
    await into
      .insertInto("originals")
      .values({ ...place(of), path, ...file })
      .onConflict((c) => c.columns(["domain", "tenant", "label", "path"]).doUpdateSet(file))
      .execute();
  };
  return {
    put: (of, path, bytes) => insert(db, of, path, bytes),
    putAll: (of, files, fits) =>
      transact(db, async (trx) => {
        fits((await chosen(of, trx).select("path").execute()).map(({ path }) => path));
        for (const { path, bytes } of files) await insert(trx, of, path, bytes);
      }),
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
