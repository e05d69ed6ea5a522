import type { Kysely } from "kysely";
import { z } from "zod";
import type { Scope } from "../shared/types.ts";
import { equal, putFact, transact, upsert } from "./dialect.ts";
import { placeOf, type SourcePlace } from "./document-rows.ts";
import type { Database } from "./schema.ts";

const factSchema = z.object({ domain: z.string(), tenant: z.string(), source: z.string(), access: z.string(), files: z.int() });
const PREFIX = "unfinished:";

export interface Ingested extends SourcePlace {
  /** The files to ingest; `null`: the whole folder. */
  readonly only: readonly string[] | null;
}

/** Sources whose ingest has changed documents but has not finished: it is running or was interrupted. Stored in table `meta`. */
export function createUnfinishedStore(db: Kysely<Database>) {
  return {
    /** @param source its place, its default access label and the number of files to ingest */
    begin: ({ access, files, ...of }: Ingested & { readonly access: string; readonly files: number }): Promise<void> =>
      putFact(db, keyOf(of), JSON.stringify({ ...placeOf(of), access, files })),
    /** An ingest of the whole folder also completes an interrupted ingest of some of its files, but not the reverse. */
    async end(of: Ingested): Promise<void> {
      const keys = of.only === null ? [keyOf(of), keyOf({ ...of, only: [] })] : [keyOf(of)];
      await db.deleteFrom("meta").where("key", "in", keys).execute();
    },
    /** Returns the number of files to ingest for each unfinished source that the scope may see and that has stored files. */
    async list({ domain, tenant, access }: Scope): Promise<number[]> {
      const rows = await db.selectFrom("meta").select("value").where("key", "like", `${PREFIX}%`).orderBy("key").execute();
      const found: number[] = [];
      for (const { value } of rows) {
        const { access: label, files, ...place } = factSchema.parse(JSON.parse(value));
        if (place.domain !== domain || (place.tenant !== "" && place.tenant !== tenant) || !access.includes(label)) continue;
        const stored = await db.selectFrom("files").select("path").where(equal(place)).limit(1).executeTakeFirst();
        if (stored !== undefined) found.push(files);
      }
      return found;
    },
  };
}

function keyOf({ domain, tenant, source, only }: Ingested): string {
  return `${PREFIX}${JSON.stringify([domain, tenant ?? "", source, ...(only === null ? [] : ["files"])])}`;
}

/** Parameters of a source's last ingest, so that it can be ingested again. */
export interface Origin extends SourcePlace {
  /** Absolute path of the ingested folder; `null`: single files were ingested. */
  readonly folder: string | null;
  /** Absolute path to which file paths are relative. */
  readonly root: string;
  readonly access: string;
  readonly baseUrl: string | null;
}

export function createOriginStore(db: Kysely<Database>, now: () => Date) {
  return {
    async put({ folder, root, access, baseUrl, ...place }: Origin): Promise<void> {
      // No absolute path is empty, so an empty text stands for a missing folder.
      const values = { root, access, folder: folder ?? "", baseUrl, updatedAt: now().toISOString() };
      await upsert(db, "origins", { ...placeOf(place), ...values }, ["domain", "tenant", "source"], values);
    },
    async list(domain: string): Promise<Origin[]> {
      const rows = await db.selectFrom("origins").selectAll().where("domain", "=", domain).orderBy("source").orderBy("tenant").execute();
      return rows.map(({ tenant, folder, updatedAt: _, ...row }) => ({ ...row, folder: folder || null, tenant: tenant || null }));
    },
  };
}

/** Identifies a group of uploaded files that are ingested together. */
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

export function createOriginalStore(db: Kysely<Database>, now: () => Date) {
  const place = ({ domain, tenant, label }: OriginalsOf) => ({ domain, tenant: tenant ?? "", label });
  const chosen = (of: OriginalsOf, from: Kysely<Database> = db) => from.selectFrom("originals").where(equal(place(of)));
  const insert = async (into: Kysely<Database>, of: OriginalsOf, path: string, bytes: Uint8Array) => {
    const file = { bytes, updatedAt: now().toISOString() };
    await upsert(into, "originals", { ...place(of), path, ...file }, ["domain", "tenant", "label", "path"], file);
  };
  return {
    put: (of: OriginalsOf, path: string, bytes: Uint8Array): Promise<void> => insert(db, of, path, bytes),
    /** Stores all files or none. @param fits gets the paths of the stored files; it throws if the new ones conflict with them */
    putAll: (
      of: OriginalsOf,
      files: readonly { readonly path: string; readonly bytes: Uint8Array }[],
      fits: (paths: readonly string[]) => void,
    ): Promise<void> =>
      transact(db, async (trx) => {
        fits((await chosen(of, trx).select("path").execute()).map(({ path }) => path));
        for (const { path, bytes } of files) await insert(trx, of, path, bytes);
      }),
    async remove(of: OriginalsOf, path: string): Promise<void> {
      const file = { ...place(of), path };
      await db.deleteFrom("originals").where(equal(file)).execute();
    },
    list: (of: OriginalsOf): Promise<Original[]> => chosen(of).select(["path", "updatedAt"]).orderBy("path").execute(),
    /** Returns the bytes of a file; `null`: no such file. */
    async bytes(of: OriginalsOf, path: string): Promise<Uint8Array<ArrayBuffer> | null> {
      const row = await chosen(of).select("bytes").where("path", "=", path).executeTakeFirst();
      return row === undefined ? null : Uint8Array.from(row.bytes);
    },
  };
}

/** Uploaded files, byte for byte. */
export type OriginalStore = ReturnType<typeof createOriginalStore>;
