import type { Transaction } from "kysely";
import { appendAudit } from "./audit.ts";
import type { Database } from "./schema.ts";

/** Who acts where nobody did. */
export const AUTOMATIC_ACTOR = "sourcebound";

/**
 * Takes reviewed answers out of service whose documents change, go or change hands, in the transaction in which they do: corrections are
 * served no more, approvals no longer count, and both are in the queue again.
 */
export async function demoteDependants(trx: Transaction<Database>, documentIds: readonly string[], at: string): Promise<void> {
  if (documentIds.length === 0) return;
  const curated = await trx
    .selectFrom("curated")
    .select(["key", "interaction_id"])
    .where("status", "=", "served")
    .where("key", "in", (eb) => eb.selectFrom("curated_documents").select("key").where("document_id", "in", documentIds))
    .orderBy("key")
    .execute();
  for (const { key, interaction_id } of curated) await demoteCurated(trx, { key, interaction_id }, "a source changed", at);
  const resting = trx.selectFrom("review_documents").select("interaction_id").where("document_id", "in", documentIds);
  const approved = await trx
    .updateTable("interactions")
    .set({ review_status: "unreviewed", demoted_at: at })
    .where("id", "in", resting)
    .where("review_status", "=", "approved")
    .returning(["id", "reviewed_by"])
    .execute();
  await trx.deleteFrom("review_documents").where("interaction_id", "in", resting).execute();
  // Answers that took over a review were reviewed by nobody themselves: they have no act to take back.
  for (const { id } of approved.filter(({ reviewed_by }) => reviewed_by !== null)) {
    await appendAudit(trx, { actor: AUTOMATIC_ACTOR, action: "demote", subject: id, details: { why: "a source changed" } }, at);
  }
}

/** Serves a correction no more and puts what it corrected back into the queue. */
export async function demoteCurated(
  trx: Transaction<Database>,
  { key, interaction_id }: { readonly key: string; readonly interaction_id: string },
  why: string,
  at: string,
): Promise<void> {
  await trx.updateTable("curated").set({ status: "demoted", demoted_at: at }).where("key", "=", key).execute();
  await trx
    .updateTable("interactions")
    .set({ review_status: "unreviewed", demoted_at: at })
    .where("curated_key", "=", key)
    .where("cache_mode", "=", "curated")
    .where("review_status", "=", "approved")
    .execute();
  await trx.updateTable("interactions").set({ demoted_at: at }).where("id", "=", interaction_id).execute();
  await appendAudit(trx, { actor: AUTOMATIC_ACTOR, action: "demote", subject: interaction_id, details: { why, curated: true } }, at);
}
