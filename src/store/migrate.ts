import type { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import { messageOf, StoreError } from "../errors.ts";
import { migrations } from "./migrations.ts";
import type { Database } from "./schema.ts";

/**
 * Brings a database to this version; one process at a time, as a whole or not at all.
 * @param name what messages call it: a path, never an address with a password
 * @param last the migration to stop at; all of them when absent
 * @throws StoreError `store_newer`
 */
export async function migrateStore(db: Kysely<Database>, name: string, last: string | undefined): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = last === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(last);
  if (error === undefined) return;
  if (/previously executed migration .* is missing/.test(messageOf(error))) {
    throw new StoreError(
      "store_newer",
      `${name} was written by a newer version of Sourcebound. Update the program, or set SOURCEBOUND_DATA_DIR or DATABASE_URL to another place.`,
      { path: name },
      { cause: error },
    );
  }
  throw error;
}
