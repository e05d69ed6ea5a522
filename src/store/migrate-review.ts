import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import { keyedHash, questionHash } from "../text/keyed-hash.ts";

interface Before {
  meta: { key: string; value: string };
  interactions: { id: string; domain: string; session_id: string | null; question: string; question_hash: string; asked_hash: string };
}

/**
 * Review, audit and what is counted. Names of sessions become keyed hashes. Sessions of an earlier version cannot be reached under their
 * new keys, and cached answers have no interaction that leads to them, so that nobody could ask to forget them: both go.
 */
export async function addReview(given: Kysely<unknown>): Promise<void> {
  const { schema } = given;
  const text = ["user_id", "curated_key", "cache_key", "reason", "reviewed_by", "reviewed_at", "demoted_at"];
  const numbers = ["tokens", "saved_tokens"];
  const reals = ["cost_usd", "saved_usd", "latency_ms"];
  for (const name of text) await schema.alterTable("interactions").addColumn(name, "text").execute();
  for (const name of numbers) await schema.alterTable("interactions").addColumn(name, "integer").execute();
  for (const name of reals) await schema.alterTable("interactions").addColumn(name, "real").execute();
  for (const [name, empty] of [
    ["privacy", "redacted"],
    ["question_hash", ""],
    ["asked_hash", ""],
    ["answer_hash", ""],
    ["topics", "[]"],
  ] as const) {
    await schema
      .alterTable("interactions")
      .addColumn(name, "text", (c) => c.notNull().defaultTo(empty))
      .execute();
  }
  for (const name of ["warnings", "conflicts"]) {
    await schema
      .alterTable("interactions")
      .addColumn(name, "integer", (c) => c.notNull().defaultTo(0))
      .execute();
  }
  await schema.createIndex("interactions_question").on("interactions").columns(["domain", "question_hash"]).execute();
  await schema.createIndex("interactions_answer").on("interactions").columns(["curated_key", "answer_hash"]).execute();
  await schema.createIndex("interactions_session").on("interactions").column("session_id").execute();
  await createReviewTables(given);
  await schema
    .alterTable("session_turns")
    .addColumn("shown", "text", (c) => c.notNull().defaultTo(""))
    .execute();
  await schema
    .alterTable("sessions")
    .addColumn("name_hash", "text", (c) => c.notNull().defaultTo(""))
    .execute();
  await schema.createIndex("sessions_name").on("sessions").column("name_hash").execute();
  await given.deleteFrom("sessions" as never).execute();
  await given.deleteFrom("cache_entries" as never).execute();
  await hashStored(given as Kysely<Before>);
}

async function createReviewTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("review_documents")
    .addColumn("interaction_id", "text", (c) => c.notNull().references("interactions.id").onDelete("cascade"))
    .addColumn("document_id", "text", (c) => c.notNull())
    .addColumn("version", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("review_documents_key", ["interaction_id", "document_id"])
    .execute();
  await schema.createIndex("review_documents_document").on("review_documents").column("document_id").execute();
  await schema
    .createTable("curated")
    .addColumn("key", "text", (c) => c.primaryKey())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("interaction_id", "text", (c) => c.notNull())
    .addColumn("domain", "text", (c) => c.notNull())
    .addColumn("question", "text", (c) => c.notNull())
    .addColumn("question_hash", "text", (c) => c.notNull())
    .addColumn("answer", "text", (c) => c.notNull())
    .addColumn("status", "text", (c) => c.notNull())
    .addColumn("created_by", "text", (c) => c.notNull())
    .addColumn("created_at", "text", (c) => c.notNull())
    .addColumn("demoted_at", "text")
    .execute();
  await schema.createIndex("curated_interaction").on("curated").column("interaction_id").execute();
  await schema
    .createTable("curated_documents")
    .addColumn("key", "text", (c) => c.notNull().references("curated.key").onDelete("cascade"))
    .addColumn("document_id", "text", (c) => c.notNull())
    .addColumn("version", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("curated_documents_key", ["key", "document_id"])
    .execute();
  await schema.createIndex("curated_documents_document").on("curated_documents").column("document_id").execute();
  await schema
    .createTable("feedback")
    .addColumn("interaction_id", "text", (c) => c.primaryKey().references("interactions.id").onDelete("cascade"))
    .addColumn("verdict", "text", (c) => c.notNull())
    .addColumn("reason", "text")
    .addColumn("changes", "integer", (c) => c.notNull())
    .addColumn("created_at", "text", (c) => c.notNull())
    .addColumn("updated_at", "text", (c) => c.notNull())
    .execute();
  await schema
    .createTable("audit_log")
    .addColumn("seq", "integer", (c) => c.primaryKey())
    .addColumn("at", "text", (c) => c.notNull())
    .addColumn("actor", "text", (c) => c.notNull())
    .addColumn("action", "text", (c) => c.notNull())
    .addColumn("subject", "text", (c) => c.notNull())
    .addColumn("details", "text", (c) => c.notNull())
    .addColumn("previous", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .execute();
  await schema.createIndex("audit_log_subject").on("audit_log").column("subject").execute();
}

async function hashStored(db: Kysely<Before>): Promise<void> {
  const rows = await db.selectFrom("interactions").select(["id", "domain", "session_id", "question"]).execute();
  if (rows.length === 0) return;
  await db
    .insertInto("meta")
    .values({ key: "secret", value: randomBytes(32).toString("hex") })
    .onConflict((c) => c.doNothing())
    .execute();
  const { value: secret } = await db.selectFrom("meta").select("value").where("key", "=", "secret").executeTakeFirstOrThrow();
  for (const { id, domain, session_id, question } of rows) {
    const hash = questionHash(secret, domain, question);
    await db
      .updateTable("interactions")
      .set({
        question_hash: hash,
        asked_hash: hash,
        session_id: session_id === null ? null : keyedHash(secret, "session", session_id),
      })
      .where("id", "=", id)
      .execute();
  }
}
