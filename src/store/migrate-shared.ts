import type { Kysely } from "kysely";
import { TURNS } from "./turn.ts";

/** What several processes share: rows that are held by whoever writes what only one may write, jobs of ingestion, and files that were uploaded to any of them. */
export async function addShared(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("turns")
    .addColumn("name", "text", (c) => c.primaryKey())
    .execute();
  await (db as Kysely<{ turns: { name: string } }>)
    .insertInto("turns")
    .values(TURNS.map((name) => ({ name })))
    .execute();
  await db.schema
    .createTable("jobs")
    .addColumn("seq", "integer", (c) => c.primaryKey().autoIncrement())
    .addColumn("id", "text", (c) => c.notNull().unique())
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("work", "text", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("reason", "text")
    .addColumn("worker", "text")
    .addColumn("alive_at", "text")
    .addColumn("created_at", "text", (c) => c.notNull())
    .addColumn("updated_at", "text", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("jobs_state").on("jobs").columns(["state", "seq"]).execute();
  await db.schema
    .createTable("originals")
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("label", "text", (c) => c.notNull())
    .addColumn("path", "text", (c) => c.notNull())
    .addColumn("bytes", "blob", (c) => c.notNull())
    .addColumn("updated_at", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("originals_key", ["domain", "tenant", "label", "path"])
    .execute();
}
