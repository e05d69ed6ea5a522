import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Kysely } from "kysely";
import type { Config } from "../shared/config.ts";
import { messageOf, StoreError } from "../shared/errors.ts";
import { type BackupHeader, type BackupLine, dumpRows, parseBackupLine, restoreRows } from "../store/backup.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../store/private.ts";
import type { Database } from "../store/schema.ts";
import { openSqlite } from "../store/sqlite.ts";
import { DATABASE_FILE, KEPT_FOLDERS, PROOF_KEY_FILE } from "./open.ts";
import { listFiles } from "./sources.ts";
import { folderOf, labelOf } from "./upload-room.ts";

/** `key` of the proof key's row in table `meta` of PostgreSQL. */
const PROOF_KEY_FACT = "fact:proof-key";

type Row = Extract<BackupLine, { table: string }>;
/**
 * Returns the row of `originals` that stores a file in PostgreSQL. Such files are uploads, web pages and submitted
 * files. `null`: no row stores it, for example an incomplete file that a killed process left.
 * @param name path relative to the data folder, with `/` as separator
 */
function placeOf(name: string): Pick<Database["originals"], "domain" | "tenant" | "label" | "path"> | null {
  const [kind, domain = "", tenant = "", folder = "", ...rest] = name.split("/");
  const label = kind === "uploads" ? labelOf(folder) : `${kind} ${folder}`;
  const path = rest.join("/");
  if (domain.startsWith(".") || folder.startsWith(".") || label === null || path === "") return null;
  return { domain, tenant: tenant === "_" ? "" : tenant, label, path };
}

/** Matches labels of web pages and submitted files in the PostgreSQL table `originals`. */
const SOURCE_LABEL = /^(web|input) ([0-9a-f]{16})$/;

/** Returns the file that a row of the backup becomes in a data folder; `null`: it stays a row. */
function fileOfRow({ table, row }: Row, { database }: Place): { readonly name: string; readonly bytes: Buffer } | null {
  if (database !== undefined) return null;
  if (table === "meta" && row.key === PROOF_KEY_FACT) return { name: PROOF_KEY_FILE, bytes: Buffer.from(String(row.value), "utf8") };
  if (table !== "originals") return null;
  const [domain, tenant, label, path] = [row.domain, row.tenant, row.label, row.path].map(String) as [string, string, string, string];
  const [, kind, source] = SOURCE_LABEL.exec(label) ?? [];
  const uploads = folderOf("uploads", { domain, tenant: tenant || null, label });
  const folder = kind === undefined ? uploads : join(kind, domain, tenant || "_", source as string);
  const bytes = typeof row.bytes === "object" && row.bytes !== null ? Buffer.from(row.bytes.base64, "base64") : Buffer.alloc(0);
  return { name: `${folder.split(sep).join("/")}/${path}`, bytes };
}

type Place = Pick<Config, "data_dir" | "database">;

export interface BackupResult {
  readonly rows: number;
  readonly files: number;
}

/** Opens the configured database and runs its migrations, up to `last` if given. */
async function openDatabase({ data_dir: folder, database }: Place, last?: string): Promise<Kysely<Database>> {
  if (database === undefined) return openSqlite(join(folder, DATABASE_FILE), last);
  const { openPostgres } = await import("../store/postgres.ts");
  return openPostgres({ url: database.url, connections: 2, timeoutMs: 3_600_000 }, last);
}

/** Writes a consistent snapshot of all records, the proof key and `KEPT_FOLDERS` into one compressed file. @throws StoreError `backup_unwritable` */
export async function backup(place: Place, path: string, now: Date): Promise<BackupResult> {
  await assertMayReplace(place, path);
  const part = `${path}.${randomUUID()}.part`;
  const db = await openDatabase(place);
  try {
    const zip = createGzip();
    const done = pipeline(zip, createWriteStream(part, { mode: PRIVATE_FILE, flags: "wx" }));
    const write = async (line: BackupLine) => {
      if (!zip.write(`${JSON.stringify(line)}\n`)) await Promise.race([once(zip, "drain"), done]);
    };
    const rows = await Promise.race([dumpRows(db, now, write), done.then(() => Promise.reject(new Error("the file ended early")))]);
    const files = place.database === undefined ? await dumpFiles(place.data_dir, write) : 0;
    await write({ rows, files });
    zip.end();
    await done;
    await rename(part, path);
    return { rows, files };
  } catch (cause) {
    await rm(part, { force: true });
    if (cause instanceof StoreError) throw cause;
    const message = `The backup ${path} could not be written (${messageOf(cause)}). The incomplete file was removed. Free disk space or choose another place, and run the command again.`;
    throw new StoreError("backup_unwritable", message, { path }, { cause });
  } finally {
    await db.destroy();
  }
}

/** Checks that the path is free, an earlier backup or an empty file. */
async function assertMayReplace({ data_dir: folder }: Place, path: string): Promise<void> {
  const there = await stat(path).catch(() => null);
  if (there === null) return;
  // Recognise the database by its inode. Opening and closing the file outside SQLite would drop SQLite's locks.
  const databases = await Promise.all(
    ["", "-wal", "-shm"].map((ending) => stat(join(folder, `${DATABASE_FILE}${ending}`)).catch(() => null)),
  );
  const isDatabase = databases.some((one) => one !== null && one.ino === there.ino && one.dev === there.dev);
  if (!isDatabase && there.isFile() && (there.size === 0 || (await beginsAsGzip(path)))) return;
  const message = `${path} already exists and is not a backup, so it was not overwritten. Choose another file name.`;
  throw new StoreError("backup_unwritable", message, { path });
}

async function beginsAsGzip(path: string): Promise<boolean> {
  for await (const bytes of createReadStream(path, { end: 1 })) return Buffer.of(0x1f, 0x8b).equals(bytes);
  return false;
}

async function dumpFiles(folder: string, write: (line: BackupLine) => Promise<void>): Promise<number> {
  const names: string[] = existsSync(join(folder, PROOF_KEY_FILE)) ? [PROOF_KEY_FILE] : [];
  for (const kept of KEPT_FOLDERS) for (const path of await listFiles(join(folder, kept))) names.push(`${kept}/${path}`);
  for (const file of names) await write({ file, base64: await readFile(join(folder, file), "base64") });
  return names.length;
}

/**
 * Restores a backup of this or an older version into an empty database. Restoring a SQLite backup into PostgreSQL moves
 * uploads, web pages and the proof key into tables. Restoring a PostgreSQL backup into SQLite moves them into files.
 * @throws StoreError `backup_invalid`, `backup_unreadable`, `backup_elsewhere`, `store_not_empty`, `store_newer`
 */
export async function restore(place: Place, path: string): Promise<BackupResult> {
  const { header, names } = await check(path, place);
  const calibration = names.filter((name) => name.startsWith("calibration/"));
  if (place.database !== undefined && calibration.length > 0) {
    const message = `The backup contains calibration files (${calibration.slice(0, 5).join(", ")}), which PostgreSQL cannot store, so nothing was restored. Move them from the data folder into the domain pack, and create the backup again.`;
    throw new StoreError("backup_elsewhere", message);
  }
  const db = await openDatabase(place, header.migration).catch((cause: unknown) => {
    if (!/Migration ".*" not found|doesn't exist/i.test(messageOf(cause))) throw cause;
    const message =
      "The backup was made by a newer version of Sourcebound, so nothing was restored. Update Sourcebound, and restore the backup again.";
    throw new StoreError("store_newer", message, {}, { cause });
  });
  let rows = 0;
  try {
    rows = await restoreRows(db, rowsOf(path, place));
  } finally {
    await db.destroy();
  }
  const current = await openDatabase(place);
  try {
    for await (const line of linesOf(path))
      if ("file" in line) await keepFile(place, current, line.file, Buffer.from(line.base64, "base64"));
      else if ("table" in line) {
        const file = fileOfRow(line, place);
        if (file !== null) await keepFile(place, current, file.name, file.bytes);
      }
  } finally {
    await current.destroy();
  }
  return { rows, files: names.length };
}

/** Validates the whole backup first, so that a truncated or altered one restores nothing. */
async function check(path: string, place: Place): Promise<{ header: BackupHeader; names: readonly string[] }> {
  let header: BackupHeader | null = null;
  let rows = 0;
  let end: { rows: number; files: number } | null = null;
  const names: string[] = [];
  const moved: string[] = [];
  for await (const line of linesOf(path)) {
    if ("format" in line) header = line;
    else if ("table" in line) {
      rows++;
      const file = fileOfRow(line, place);
      if (file !== null) moved.push(file.name);
    } else if ("file" in line) names.push(line.file);
    else end = line;
  }
  const stray = [...names, ...moved].find(
    (name) => name.split("/").includes("..") || !(name === PROOF_KEY_FILE || KEPT_FOLDERS.some((kept) => name.startsWith(`${kept}/`))),
  );
  const invalid = (fault: string) =>
    new StoreError("backup_invalid", `${path} ${fault}. Nothing was restored. Use another backup.`, { path });
  if (stray !== undefined) throw invalid(`contains an unexpected file (${stray.slice(0, 100)})`);
  if (header === null || end === null || end.rows !== rows || end.files !== names.length) throw invalid("is not a complete backup");
  return { header, names: [...names, ...moved] };
}

async function* linesOf(path: string): AsyncGenerator<BackupLine, void> {
  const source = createReadStream(path);
  const unzipped = createGunzip();
  const reading = pipeline(source, unzipped);
  reading.catch(() => undefined);
  try {
    for await (const line of createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY })) yield parseBackupLine(line);
    await reading;
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const message = `${path} cannot be read as a backup (${messageOf(cause)}). Nothing was restored. Check that this is a file written by \`sourcebound backup\`.`;
    throw new StoreError("backup_unreadable", message, { path }, { cause });
  } finally {
    source.destroy();
  }
}

/** Yields the rows of a backup, except those that become files at the destination. */
async function* rowsOf(path: string, place: Place) {
  for await (const line of linesOf(path)) if ("table" in line && fileOfRow(line, place) === null) yield line;
}

async function keepFile({ data_dir: folder, database }: Place, db: Kysely<Database>, name: string, bytes: Buffer): Promise<void> {
  if (database === undefined) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    await writeFile(path, bytes, { mode: PRIVATE_FILE });
    return;
  }
  if (name === PROOF_KEY_FILE) {
    const row = { key: PROOF_KEY_FACT, value: bytes.toString("utf8") };
    await db.insertInto("meta").values(row).execute();
    return;
  }
  const place = placeOf(name);
  if (place === null) return;
  const row = { ...place, bytes, updatedAt: new Date(0).toISOString() };
  await db.insertInto("originals").values(row).execute();
}
