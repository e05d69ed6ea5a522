import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { outlineOf } from "../text/outline.ts";
import type { Block, BlockType } from "../types.ts";
import { createMemoryTables } from "./memory-tables.ts";
import { addContents } from "./migrate-contents.ts";
import { addLoad } from "./migrate-load.ts";
import { keepNoStatistics } from "./migrate-planning.ts";
import { createRecordTables } from "./migrate-records.ts";
import { addReview } from "./migrate-review.ts";
import { addService } from "./migrate-service.ts";
import { addShared } from "./migrate-shared.ts";

/** Migrations run forward on start, in the order of their names; a name that has been released never changes. */
export const migrations: Readonly<Record<string, Migration>> = {
  "001_first_light": { up: createFirstTables },
  "002_outline_and_pages": { up: addOutlineAndPages },
  "003_chance": { up: addChance },
  "003_reports": { up: addReports },
  "004_memory": { up: createMemoryTables },
  "005_review": { up: addReview },
  "006_reading": { up: addReading },
  "007_keys": { up: addKeys },
  "008_records": { up: createRecordTables },
  "009_service": { up: addService },
  "010_shared": { up: addShared },
  "011_load": { up: addLoad },
  "012_contents": { up: addContents },
  "013_planning": { up: keepNoStatistics },
  "014_cache": { up: dropParked },
};

async function createFirstTables(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("meta")
    .addColumn("key", "text", (c) => c.primaryKey())
    .addColumn("value", "text", (c) => c.notNull())
    .execute();
  await schema
    .createTable("revisions")
    .addColumn("domain", "text", (c) => c.primaryKey())
    .addColumn("revision", "integer", (c) => c.notNull())
    .execute();
  await schema
    .createTable("files")
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("source", "text", (c) => c.notNull())
    .addColumn("path", "text", (c) => c.notNull())
    .addColumn("access", "text", (c) => c.notNull())
    .addColumn("original_hash", "text", (c) => c.notNull())
    .addColumn("settings", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("reason", "text")
    .addColumn("updated_at", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("files_key", ["domain", "tenant", "source", "path"])
    .execute();
  await schema
    .createTable("documents")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("access", "text", (c) => c.notNull())
    .addColumn("source", "text", (c) => c.notNull())
    .addColumn("file", "text", (c) => c.notNull())
    .addColumn("path", "text", (c) => c.notNull())
    .addColumn("title", "text", (c) => c.notNull())
    .addColumn("description", "text")
    .addColumn("url", "text")
    .addColumn("as_of", "text")
    .addColumn("authority", "text")
    .addColumn("topic", "text")
    .addColumn("subtopic", "text")
    .addColumn("type", "text")
    .addColumn("original_hash", "text", (c) => c.notNull())
    .addColumn("version", "text", (c) => c.notNull())
    .addColumn("normaliser", "text", (c) => c.notNull())
    .addColumn("text", "text", (c) => c.notNull())
    .addColumn("blocks", "text", (c) => c.notNull())
    .addColumn("units", "text", (c) => c.notNull())
    .addColumn("source_map", "text", (c) => c.notNull())
    .addColumn("updated_at", "text", (c) => c.notNull())
    .addUniqueConstraint("documents_place", ["domain", "tenant", "source", "path"])
    .execute();
  await schema.createIndex("documents_file").on("documents").columns(["domain", "tenant", "source", "file"]).execute();
  await schema
    .createTable("chunks")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("document_id", "text", (c) => c.notNull().references("documents.id").onDelete("cascade"))
    .addColumn("ordinal", "integer", (c) => c.notNull())
    .addColumn("start", "integer", (c) => c.notNull())
    .addColumn("end", "integer", (c) => c.notNull())
    .addColumn("tokens", "integer", (c) => c.notNull())
    .addColumn("heading_path", "text", (c) => c.notNull())
    .addColumn("windows", "text", (c) => c.notNull())
    .execute();
  await schema.createIndex("chunks_document").on("chunks").column("document_id").execute();
  await schema
    .createTable("embeddings")
    .addColumn("model", "text", (c) => c.notNull())
    .addColumn("text_hash", "text", (c) => c.notNull())
    .addColumn("vector", "blob", (c) => c.notNull())
    .addPrimaryKeyConstraint("embeddings_key", ["model", "text_hash"])
    .execute();
  await schema
    .createTable("interactions")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("access", "text", (c) => c.notNull())
    .addColumn("profile", "text", (c) => c.notNull())
    .addColumn("session_id", "text")
    .addColumn("question", "text", (c) => c.notNull())
    .addColumn("answer", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("review_status", "text", (c) => c.notNull())
    .addColumn("confidence", "real")
    .addColumn("cache_mode", "text", (c) => c.notNull())
    .addColumn("created_at", "text", (c) => c.notNull())
    .execute();
  await schema.createIndex("interactions_time").on("interactions").columns(["domain", "created_at"]).execute();
  await schema
    .createTable("cache_entries")
    .addColumn("key", "text", (c) => c.primaryKey())
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("answer", "text", (c) => c.notNull())
    .addColumn("created_at", "text", (c) => c.notNull())
    .addColumn("expires_at", "text", (c) => c.notNull())
    .addColumn("used_at", "text", (c) => c.notNull())
    .execute();
  await schema.createIndex("cache_entries_used").on("cache_entries").column("used_at").execute();
  await schema
    .createTable("cache_documents")
    .addColumn("key", "text", (c) => c.notNull().references("cache_entries.key").onDelete("cascade"))
    .addColumn("document_id", "text", (c) => c.notNull())
    .addColumn("version", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("cache_documents_key", ["key", "document_id"])
    .execute();
  await schema.createIndex("cache_documents_document").on("cache_documents").column("document_id").execute();
  await schema
    .createTable("sessions")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("access", "text", (c) => c.notNull())
    .addColumn("user_id", "text")
    .addColumn("created_at", "text", (c) => c.notNull())
    .addColumn("updated_at", "text", (c) => c.notNull())
    .addColumn("expires_at", "text", (c) => c.notNull())
    .execute();
  await schema.createIndex("sessions_expiry").on("sessions").column("expires_at").execute();
  await schema
    .createTable("session_turns")
    .addColumn("id", "integer", (c) => c.primaryKey().autoIncrement())
    .addColumn("session_id", "text", (c) => c.notNull().references("sessions.id").onDelete("cascade"))
    .addColumn("question", "text", (c) => c.notNull())
    .addColumn("answer", "text", (c) => c.notNull())
    .addColumn("citations", "text", (c) => c.notNull())
    .addColumn("created_at", "text", (c) => c.notNull())
    .execute();
  await schema.createIndex("session_turns_session").on("session_turns").columns(["session_id", "id"]).execute();
}

/** Pages of documents ingested before are not known until they are read anew, which the new version of the normaliser brings about. */
async function addOutlineAndPages(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable("documents")
    .addColumn("outline", "text", (c) => c.notNull().defaultTo("[]"))
    .execute();
  await schema.alterTable("documents").addColumn("pages", "text").execute();
  const documents = db as Kysely<{ documents: { id: string; text: string; blocks: string; outline: string } }>;
  for (const { id } of await documents.selectFrom("documents").select("id").execute()) {
    const row = await documents.selectFrom("documents").select(["text", "blocks"]).where("id", "=", id).executeTakeFirstOrThrow();
    const blocks = (JSON.parse(row.blocks) as [number, number, BlockType, number, number][]).map(
      ([start, end, type, level, header]): Block => ({ start, end, type, level, header }),
    );
    const outline = JSON.stringify(outlineOf(row.text, blocks).map(({ start, level, text }) => [start, level, text]));
    await documents.updateTable("documents").set({ outline }).where("id", "=", id).execute();
  }
}

async function addReports({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("reports")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("interaction_id", "text", (c) => c.notNull().references("interactions.id").onDelete("cascade"))
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("tenant", "text", (c) => c.notNull())
    .addColumn("access", "text", (c) => c.notNull())
    .addColumn("profile", "text", (c) => c.notNull())
    .addColumn("topic", "text", (c) => c.notNull())
    .addColumn("confidence", "real")
    .addColumn("report", "text", (c) => c.notNull())
    .addColumn("created_at", "text", (c) => c.notNull())
    .execute();
  await schema.createIndex("reports_interaction").on("reports").column("interaction_id").execute();
  await schema.createIndex("reports_owner").on("reports").columns(["domain", "tenant", "created_at", "id"]).execute();
  await schema.createIndex("reports_time").on("reports").column("created_at").execute();
}

/** How files became text is not known of documents that were ingested before: they are read anew with the new version of the normaliser. */
async function addReading({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable("documents").addColumn("reading", "text").execute();
}

async function addChance(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("interactions").addColumn("chance", "real").execute();
}

async function addKeys({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("api_keys")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("roles", "text", (c) => c.notNull())
    .addColumn("domains", "text", (c) => c.notNull())
    .addColumn("tenants", "text", (c) => c.notNull())
    .addColumn("access", "text", (c) => c.notNull())
    .addColumn("requests_per_hour", "integer")
    .addColumn("created_at", "text", (c) => c.notNull())
    .addColumn("expires_at", "text")
    .addColumn("revoked_at", "text")
    .execute();
}

/** An answer goes when a document that it names changes: none waits for a new place in the changed document any more. */
async function dropParked(db: Kysely<unknown>): Promise<void> {
  const cache = db as Kysely<{ cache_entries: { state: string } }>;
  await cache.deleteFrom("cache_entries").where("state", "=", "parked").execute();
  await db.schema.alterTable("cache_entries").dropColumn("state").execute();
  await db.schema.alterTable("cache_documents").dropColumn("passages").execute();
}
