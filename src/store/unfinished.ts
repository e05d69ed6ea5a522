import type { Kysely } from "kysely";
import { z } from "zod";
import type { Scope } from "../types.ts";
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
