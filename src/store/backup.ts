import { type Kysely, sql, type TableMetadata } from "kysely";
import { z } from "zod";
import { StoreError } from "../shared/errors.ts";
import { isPostgres } from "./dialect.ts";
import { type Database, TABLES } from "./schema.ts";

const FORMAT = "sourcebound-backup-1";
/** Maximum number of rows per query. It is low, because the row of a single document can have megabytes. */
const ROWS_AT_ONCE = 50;

const valueSchema = z.union([z.string(), z.number(), z.null(), z.object({ base64: z.string() })]);
const lineSchema = z.union([
  z.object({ format: z.literal(FORMAT), migration: z.string(), engine: z.enum(["sqlite", "postgres"]), created_at: z.string() }),
  z.object({ table: z.string(), row: z.record(z.string(), valueSchema) }),
  z.object({ file: z.string(), base64: z.string() }),
  z.object({ rows: z.int(), files: z.int() }),
]);
export type BackupLine = z.infer<typeof lineSchema>;
export type BackupHeader = Extract<BackupLine, { format: string }>;

/** @throws StoreError `backup_invalid` */
export function parseBackupLine(line: string): BackupLine {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new StoreError("backup_invalid", "The file is no backup or is damaged. Nothing was restored. Use another backup.", {}, { cause });
  }
}

/** Writes a header and every row of one consistent snapshot; returns the number of rows. With SQLite, writers wait meanwhile. */
export async function dumpRows(db: Kysely<Database>, now: Date, write: (line: BackupLine) => Promise<void>): Promise<number> {
  let count = 0;
  const snapshot = db.withoutPlugins().transaction().setIsolationLevel("repeatable read");
  await snapshot.execute(async (trx) => {
    const [migration] = (await sql<{ name: string }>`select name from kysely_migration order by name desc limit 1`.execute(trx)).rows;
    const engine = isPostgres(db) ? "postgres" : "sqlite";
    await write({ format: FORMAT, migration: migration?.name ?? "", engine, created_at: now.toISOString() });
    for (const [table, key] of Object.entries(TABLES)) {
      const order = sql.join(key.map((column) => sql.ref(column)));
      for (let offset = 0; ; offset += ROWS_AT_ONCE) {
        const { rows } = await sql<Record<string, unknown>>`
            select * from ${sql.table(table)} order by ${order} limit ${sql.lit(ROWS_AT_ONCE)} offset ${sql.lit(offset)}`.execute(trx);
        for (const row of rows)
          await write({ table, row: Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toValue(value)])) });
        count += rows.length;
        if (rows.length < ROWS_AT_ONCE) break;
      }
    }
  });
  return count;
}

function toValue(value: unknown): z.infer<typeof valueSchema> {
  return value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : valueSchema.parse(value);
}

/**
 * Restores rows, all or none, into an empty database with the same migrations; returns the number of rows.
 * @param rows in the order of `dumpRows`
 * @throws StoreError `store_not_empty`, `backup_invalid`
 */
export async function restoreRows(db: Kysely<Database>, rows: AsyncIterable<Extract<BackupLine, { table: string }>>): Promise<number> {
  let count = 0;
  const restore = db.withoutPlugins().transaction();
  await restore.execute(async (trx) => {
    for (const table of ["documents", "files", "interactions", "api_keys", "sessions"] as const) {
      const found = await trx.selectFrom(table).select(sql<number>`1`.as("one")).limit(1).executeTakeFirst();
      if (found !== undefined)
        throw new StoreError("store_not_empty", "The database already contains records. Restore into an empty one. Nothing was changed.");
    }
    await sql`delete from meta`.execute(trx);
    const tables = await trx.introspection.getTables();
    if (tables.some(({ name }) => name === "turns")) await sql`delete from turns`.execute(trx);
    for await (const { table, row } of rows) {
      if (!(table in TABLES))
        throw new StoreError("backup_invalid", `The backup contains an unknown table "${table.slice(0, 40)}". Nothing was changed.`);
      const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
      const values = sql.join(Object.values(row).map(fromValue));
      await sql`insert into ${sql.table(table)} (${columns}) values (${values})`.execute(trx);
      count++;
    }
    if (isPostgres(db)) await numberOn(trx, tables);
  });
  return count;
}

function fromValue(value: z.infer<typeof valueSchema>): string | number | null | Uint8Array {
  return typeof value === "object" && value !== null ? Buffer.from(value.base64, "base64") : value;
}

/** Advances PostgreSQL's id sequences past the restored rows. SQLite does so itself. */
async function numberOn(db: Kysely<Database>, tables: readonly TableMetadata[]): Promise<void> {
  for (const { name: table, columns } of tables.filter(({ name }) => name in TABLES))
    for (const { name: column } of columns.filter(({ isAutoIncrementing }) => isAutoIncrementing)) {
      const next = sql`coalesce((select max(${sql.ref(column)}) from ${sql.table(table)}), 0) + 1`;
      await sql`select setval(pg_get_serial_sequence(${sql.lit(table)}, ${sql.lit(column)}), ${next}, false)`.execute(db);
    }
}
