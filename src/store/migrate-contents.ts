import type { Kysely } from "kysely";

/** What an answer that is served again has in common with all that were served from the same stored one is kept once. Answers stored before keep their own. */
export async function addContents(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("answer_contents")
    .addColumn("hash", "text", (c) => c.primaryKey())
    .addColumn("body", "text", (c) => c.notNull())
    .execute();
  await db.schema
    .alterTable("interactions")
    .addColumn("content", "text", (c) => c.references("answer_contents.hash"))
    .execute();
  await db.schema
    .createIndex("interactions_content")
    .on("interactions")
    .column("content")
    .where("content" as never, "is not", null)
    .execute();
}
