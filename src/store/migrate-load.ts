import { type Kysely, sql } from "kysely";

/** What a service needs that many ask at once: indexes for what every answer asks of the store, and what processes count together. */
export async function addLoad(db: Kysely<unknown>): Promise<void> {
  await addHitIndexes(db);
  await db.schema
    .createTable("usage_reservations")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("caller", "text", (c) => c.notNull())
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("tokens", "integer", (c) => c.notNull())
    .addColumn("cost_usd", "real", (c) => c.notNull())
    .addColumn("expires_at", "text", (c) => c.notNull())
    .execute();
  await db.schema.createIndex("usage_reservations_caller").on("usage_reservations").columns(["caller", "day"]).execute();
  // In the order in which `rate-limiter-flexible` fills them.
  await db.schema
    .createTable("rate_limits")
    .addColumn("key", "text", (c) => c.primaryKey())
    .addColumn("points", "integer", (c) => c.notNull())
    .addColumn("expire", "integer")
    .execute();
}

/**
 * What is asked of every answer that is served again. Which version of a document is current, and who may see it, is read from an index: the rows hold whole
 * texts. Reviews are few among the interactions of one question: whoever asks it again must not read all of those to find that none was reviewed. The condition must
 * stand in the query as it stands here. And what is too old or too many is found without reading all that is kept.
 */
async function addHitIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("interactions_reviewed")
    .on("interactions")
    .columns(["curated_key", "answer_hash"])
    .where("review_status" as never, "!=", sql.lit("unreviewed"))
    .execute();
  await db.schema.createIndex("interactions_age").on("interactions").columns(["created_at", "id", "review_status"]).execute();
  await db.schema.createIndex("documents_visible").on("documents").columns(["id", "version", "domain", "tenant", "access"]).execute();
}
