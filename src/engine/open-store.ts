import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { ConfigError } from "../errors.ts";
import type { Changes } from "../store/postgres.ts";
import { makePrivateFolder } from "../store/private.ts";
import { openSqlite } from "../store/sqlite.ts";
import { createStore, type Store, type StoreOptions } from "../store/store.ts";

/** The store, and how to hear of what other processes do to it; `null`: it is a file. */
export interface OpenedStore {
  readonly store: Store;
  readonly changes: Changes | null;
}

/** Name of the database in the data folder. */
export const DATABASE_FILE = "sourcebound.db";

/**
 * Opens the configured database: a file in the data folder, or PostgreSQL.
 * @throws StoreError when it cannot be used; ConfigError `config_local_records` when PostgreSQL is configured and the data folder holds records of its own
 */
export async function openStore(
  { data_dir: folder, database }: Pick<Config, "data_dir" | "database">,
  options: StoreOptions & { readonly warn: (message: string) => void },
): Promise<OpenedStore> {
  if (database === undefined) return { store: createStore(await openSqlite(join(folder, DATABASE_FILE)), options), changes: null };
  assertNothingLocal(folder);
  makePrivateFolder(folder);
  // Loaded only where it is configured: a laptop needs none of it.
  const [{ openPostgres }, { createChanges }] = await Promise.all([import("../store/postgres.ts"), import("../store/postgres.ts")]);
  const { url, connections, timeout_ms: timeoutMs } = database;
  const db = await openPostgres({ url, connections, timeoutMs });
  return { store: createStore(db, options), changes: createChanges(url, options.warn) };
}

/** What a data folder holds that every process must see, and would hold unseen beside PostgreSQL. */
const RECORDS_OF_A_FOLDER = [DATABASE_FILE, "proof-key.pem", "uploads", "web", "input", "calibration"] as const;

/** Records that stayed behind in a folder would be missing silently, and another replica would answer differently. */
function assertNothingLocal(folder: string): void {
  const left = RECORDS_OF_A_FOLDER.filter((name) => holdsSomething(join(folder, name)));
  if (left.length === 0) return;
  const message = `PostgreSQL is configured (DATABASE_URL), and ${folder} holds records of its own: ${left.join(", ")}. Move them with \`sourcebound backup\` without DATABASE_URL and \`sourcebound restore\` with it (calibrations go into the domain's pack), then set SOURCEBOUND_DATA_DIR to another folder, or unset DATABASE_URL.`;
  throw new ConfigError("config_local_records", message, { folder, left });
}

function holdsSomething(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    return readdirSync(path).some((name) => !name.startsWith("."));
  } catch {
    return true;
  }
}
