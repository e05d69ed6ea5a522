import { type Kysely, sql } from "kysely";

/**
 * What is asked of every answer that is served again. Which version of a document is current, and who may see it, is read from an index: the rows hold whole
 * texts. Reviews are few among the interactions of one question: whoever asks it again must not read all of those to find that none was reviewed. The condition must
 * stand in the query as it stands here. And what is too old or too many is found without reading all that is kept.
 */
export async function addHitIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("interactions_reviewed")
    .on("interactions")
    .columns(["curated_key", "answer_hash"])
    .where("review_status" as never, "!=", sql.lit("unreviewed"))
    .execute();
  await db.schema.createIndex("interactions_age").on("interactions").columns(["created_at", "id", "review_status"]).execute();
  await db.schema.createIndex("documents_visible").on("documents").columns(["id", "version", "domain", "tenant", "access"]).execute();
}
