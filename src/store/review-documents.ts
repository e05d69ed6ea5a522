import { sql, type Transaction } from "kysely";
import type { Database } from "./schema.ts";

/** Replaces the versions of documents that a review rests on. */
export async function insertReviewedVersions(trx: Transaction<Database>, id: string, versions: ReadonlyMap<string, string>): Promise<void> {
  await trx.deleteFrom("review_documents").where("interaction_id", "=", id).execute();
  const rows = [...versions].map(([document_id, version]) => ({ interaction_id: id, document_id, version }));
  if (rows.length > 0) await trx.insertInto("review_documents").values(rows).execute();
}

/** The review of another interaction holds for a new one: it rests on the same versions. */
export async function copyReviewedVersions(trx: Transaction<Database>, from: string, to: string): Promise<void> {
  await trx
    .insertInto("review_documents")
    .columns(["interaction_id", "document_id", "version"])
    .expression((eb) =>
      eb
        .selectFrom("review_documents")
        .select([sql<string>`${to}`.as("interaction_id"), "document_id", "version"])
        .where("interaction_id", "=", from),
    )
    .execute();
}
