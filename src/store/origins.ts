import type { Kysely } from "kysely";
import { z } from "zod";
import type { Scope } from "../types.ts";
import { transact } from "./dialect.ts";
import type { FilePlace } from "./document-records.ts";
import type { Database } from "./schema.ts";

type SourcePlace = Omit<FilePlace, "path">;

/** Sources whose reading began to change documents and has not come to its end: it goes on, or was cut off. */
export interface UnfinishedStore {
  /** @param source with the access label of documents that state none, and the files that are to be read */
  begin(source: SourcePlace & { readonly access: string; readonly files: number }): Promise<void>;
  end(place: SourcePlace): Promise<void>;
  /** Files to be read, of each that a request may know of and of which anything is stored. */
  list(scope: Scope): Promise<number[]>;
}

const factSchema = z.object({ domain: z.string(), tenant: z.string(), source: z.string(), access: z.string(), files: z.int() });
const PREFIX = "unfinished:";

/** In the table of facts: mostly there is none. */
export function createUnfinishedStore(db: Kysely<Database>): UnfinishedStore {
  return {
    async begin({ domain, tenant, source, access, files }) {
      const value = JSON.stringify({ domain, tenant: tenant ?? "", source, access, files });
      await db
        .insertInto("meta")
        .values({ key: keyOf({ domain, tenant, source }), value })
        .onConflict((c) => c.column("key").doUpdateSet({ value }))
        .execute();
    },
    async end(place) {
      await db.deleteFrom("meta").where("key", "=", keyOf(place)).execute();
    },
    async list({ domain, tenant, access }) {
      const rows = await db.selectFrom("meta").select("value").where("key", "like", `${PREFIX}%`).orderBy("key").execute();
      const seen = rows
        .map(({ value }) => factSchema.parse(JSON.parse(value)))
        .filter((one) => one.domain === domain && (one.tenant === "" || one.tenant === tenant) && access.includes(one.access));
      const files: number[] = [];
      for (const one of seen) if (await hasFiles(db, one)) files.push(one.files);
      return files;
    },
  };
}

/** What was deleted since is not missed. */
async function hasFiles(db: Kysely<Database>, { domain, tenant, source }: z.infer<typeof factSchema>): Promise<boolean> {
  const row = await db
    .selectFrom("files")
    .select("path")
    .where("domain", "=", domain)
    .where("tenant", "=", tenant)
    .where("source", "=", source)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function keyOf({ domain, tenant, source }: SourcePlace): string {
  return `${PREFIX}${JSON.stringify([domain, tenant ?? "", source])}`;
}

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
      const values = { ...rest, folder: folder ?? BY_NAME, baseUrl, updatedAt: now().toISOString() };
      await db
        .insertInto("origins")
        .values({ domain, tenant: tenant ?? "", source, ...values })
        .onConflict((c) => c.columns(["domain", "tenant", "source"]).doUpdateSet(values))
        .execute();
    },
    async list(domain) {
      const rows = await db.selectFrom("origins").selectAll().where("domain", "=", domain).orderBy("source").orderBy("tenant").execute();
      return rows.map(({ tenant, folder, baseUrl, updatedAt: _, ...row }) => ({
        ...row,
        folder: folder === BY_NAME ? null : folder,
        tenant: tenant === "" ? null : tenant,
        baseUrl,
      }));
    },
  };
}

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
    const file = { bytes, updatedAt: now().toISOString() };
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
      const rows = await chosen(of).select(["path", "updatedAt"]).orderBy("path").execute();
      return rows.map(({ path, updatedAt }) => ({ path, updatedAt }));
    },
    async bytes(of, path) {
      const row = await chosen(of).select("bytes").where("path", "=", path).executeTakeFirst();
      return row === undefined ? null : Uint8Array.from(row.bytes instanceof ArrayBuffer ? new Uint8Array(row.bytes) : row.bytes);
    },
  };
}
