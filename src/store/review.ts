import { type Kysely, sql, type Transaction } from "kysely";
import { appendAudit } from "./audit.ts";
import { areCurrent, equal, type Given, inParts, prepare, transact, upsert } from "./dialect.ts";
import { type Asker, askerOf, type ReviewStatus, wholeAnswer, withContents } from "./interaction.ts";
import type { Database } from "./schema.ts";

/** Actor of automatic actions in the audit log. */
const AUTOMATIC_ACTOR = "sourcebound";

/**
 * Withdraws reviewed answers whose documents are about to change or be deleted, in the same transaction. Corrections
 * are no longer served, and approvals no longer count. Both return to the review queue.
 */
export async function demoteDependants(trx: Transaction<Database>, documentIds: readonly string[], at: string): Promise<void> {
  if (documentIds.length === 0) return;
  const citing = trx.selectFrom("curated_documents").select("key").where("documentId", "in", documentIds);
  const curated = await servedCorrections(trx).where("key", "in", citing).orderBy("key").execute();
  for (const row of curated) await demoteCurated(trx, row, "a source changed", at);
  const resting = trx.selectFrom("review_documents").select("interactionId").where("documentId", "in", documentIds);
  const withdraw = trx.updateTable("interactions").set({ reviewStatus: "unreviewed", demotedAt: at }).where("id", "in", resting);
  const approved = await withdraw.where("reviewStatus", "=", "approved").returning(["id", "reviewedBy"]).execute();
  await trx.deleteFrom("review_documents").where("interactionId", "in", resting).execute();
  // Only answers that a person approved get an audit row, not those that were stored as approved.
  for (const { id, reviewedBy } of approved)
    if (reviewedBy !== null)
      await appendAudit(trx, { actor: AUTOMATIC_ACTOR, action: "demote", subject: id, details: { why: "a source changed" } }, at);
}

function servedCorrections(trx: Transaction<Database>) {
  return trx.selectFrom("curated").select(["key", "interactionId"]).where("status", "=", "served");
}

/** Withdraws a correction and returns the answer that it replaced to the review queue. */
async function demoteCurated(
  trx: Transaction<Database>,
  { key, interactionId }: { readonly key: string; readonly interactionId: string },
  why: string,
  at: string,
): Promise<void> {
  await trx.updateTable("curated").set({ status: "demoted", demotedAt: at }).where("key", "=", key).execute();
  const withdraw = trx.updateTable("interactions").set({ reviewStatus: "unreviewed", demotedAt: at });
  await withdraw.where(equal({ curatedKey: key, cacheMode: "curated", reviewStatus: "approved" })).execute();
  await trx.updateTable("interactions").set({ demotedAt: at }).where("id", "=", interactionId).execute();
  await appendAudit(trx, { actor: AUTOMATIC_ACTOR, action: "demote", subject: interactionId, details: { why, curated: true } }, at);
}

export interface ReviewAct {
  readonly id: string;
  readonly by: string;
  /** Versions of the documents that the answer cites. */
  readonly versions: ReadonlyMap<string, string>;
}

/** `stale`: a document of the answer has changed. `missing`: there is no such interaction, or it cannot be corrected. */
export type ReviewOutcome = "done" | "stale" | "missing";

export interface Rating extends Asker {
  readonly id: string;
  /** Keyed hash of the session in which the question was asked. `null`: the id of the answer suffices. */
  readonly sessionHash: string | null;
  readonly verdict: "up" | "down";
  readonly reason: string | null;
}

export function createReviewStore(db: Kysely<Database>, now: () => Date) {
  const inTransaction =
    <Act, Outcome>(work: (trx: Transaction<Database>, act: Act, at: string) => Promise<Outcome>) =>
    (act: Act): Promise<Outcome> =>
      transact(db, (trx) => work(trx, act, now().toISOString()));
  const readCurated = prepare((given: Given<{ key: string }>) =>
    db.selectFrom("curated").select(["id", "answer", "createdAt"]).where("key", "=", given("key")).where("status", "=", "served"),
  );
  return {
    /** Lists answers to review, newest first: those neither approved nor corrected, and those rated down after their review. */
    pending: (domain: string, options: PendingOptions): Promise<PendingInteraction[]> => listPending(db, domain, options),
    get: (id: string, sees?: Sees): Promise<ReviewedInteraction | null> => getReviewed(db, id, sees),
    async questions(ids: readonly string[]): Promise<Map<string, string>> {
      const rows = await db.selectFrom("interactions").select(["id", "question"]).where("id", "in", ids).execute();
      return new Map(rows.map(({ id, question }) => [id, question]));
    },
    /** Returns the askers of interactions by id; deleted interactions are absent. */
    async askers(ids: readonly string[]): Promise<Map<string, Asker>> {
      const rows = await db.selectFrom("interactions").select(["id", "domain", "tenant", "access"]).where("id", "in", ids).execute();
      return new Map(rows.map((row) => [row.id, askerOf(row)]));
    },
    /** Approves an answer, and all equal answers to the same question. */
    approve: inTransaction(approve),
    /** Flags an answer and all equal answers to the same question. Removes them from the cache unless `keepsCached`. */
    flag: inTransaction(flag),
    /** Stores a reviewer's answer. It replaces an earlier correction. */
    correct: inTransaction(correct),
    async curated(key: string) {
      const [row] = await readCurated(db, { key });
      if (row === undefined) return null;
      const cited = await db.selectFrom("curated_documents").select(["documentId", "version"]).where("key", "=", key).execute();
      return { ...row, versions: new Map(cited.map(({ documentId, version }) => [documentId, version])) };
    },
    /** Withdraws a correction that fails its checks; the answer that it replaced returns to the review queue. */
    demote: (key: string, why: string): Promise<void> =>
      transact(db, async (trx) => {
        const row = await servedCorrections(trx).where("key", "=", key).executeTakeFirst();
        if (row !== undefined) await demoteCurated(trx, row, why, now().toISOString());
      }),
    /** Stores a rating of an answer, which replaces an earlier one. `missing`: no such answer for this scope and session. */
    rate: inTransaction(rate),
  };
}

export type ReviewStore = ReturnType<typeof createReviewStore>;

async function approve(trx: Transaction<Database>, { id, by, versions }: ReviewAct, at: string): Promise<ReviewOutcome> {
  const same = await sameAnswers(trx, id);
  if (same.length === 0) return "missing";
  if (!(await areCurrent(trx, versions))) return "stale";
  await setStatus(trx, same, "approved", by, at);
  for (const one of same) await insertReviewedVersions(trx, one, versions);
  await appendAudit(trx, { actor: by, action: "approve", subject: id, details: { same: same.length } }, at);
  return "done";
}

/** `keepsCached`: the answer stays in the cache, to be served with a warning. */
type FlagAct = Pick<ReviewAct, "id" | "by"> & { readonly keepsCached?: boolean };

async function flag(trx: Transaction<Database>, { id, by, keepsCached = false }: FlagAct, at: string): Promise<ReviewOutcome> {
  const same = await sameAnswers(trx, id);
  if (same.length === 0) return "missing";
  await setStatus(trx, same, "flagged", by, at, keepsCached);
  await appendAudit(trx, { actor: by, action: "flag", subject: id, details: { same: same.length } }, at);
  const curated = trx
    .selectFrom("interactions")
    .select("curatedKey")
    .where(equal({ id, cacheMode: "curated" }));
  for (const row of await servedCorrections(trx).where("key", "in", curated).execute())
    await demoteCurated(trx, row, "the correction was flagged", at);
  return "done";
}

async function correct(
  trx: Transaction<Database>,
  { id, by, versions, curatedId, answer }: ReviewAct & { readonly curatedId: string; readonly answer: string },
  at: string,
): Promise<ReviewOutcome> {
  const facts = trx.selectFrom("interactions").select(["curatedKey", "domain", "question", "questionHash"]);
  const row = await facts.where("id", "=", id).executeTakeFirst();
  if (row === undefined || row.curatedKey === null) return "missing";
  if (versions.size === 0 || !(await areCurrent(trx, versions))) return "stale";
  const { curatedKey: key, domain, question, questionHash } = row;
  await trx.deleteFrom("curated").where("key", "=", key).execute();
  const served = { status: "served", demotedAt: null, createdBy: by, createdAt: at } as const;
  const correction = { key, id: curatedId, interactionId: id, domain, question, questionHash, answer, ...served };
  await trx.insertInto("curated").values(correction).execute();
  const cited = [...versions].map(([documentId, version]) => ({ key, documentId, version }));
  await trx.insertInto("curated_documents").values(cited).execute();
  const same = await sameAnswers(trx, id);
  await setStatus(trx, same, "flagged", by, at);
  await appendAudit(trx, { actor: by, action: "correct", subject: id, details: { curated: curatedId, documents: versions.size } }, at);
  return "done";
}

/** Returns the ids of the interaction and all others with the same answer to the same question. */
async function sameAnswers(trx: Transaction<Database>, id: string): Promise<string[]> {
  const row = await trx.selectFrom("interactions").select(["curatedKey", "answerHash"]).where("id", "=", id).executeTakeFirst();
  if (row === undefined) return [];
  if (row.curatedKey === null) return [id];
  return (await trx.selectFrom("interactions").select("id").where(equal(row)).execute()).map((one) => one.id);
}

/** Sets the review status. If not `approved`, also deletes the reviewed versions and, unless `keepsCached`, the cache entries. */
async function setStatus(
  trx: Transaction<Database>,
  ids: readonly string[],
  status: ReviewStatus,
  by: string,
  at: string,
  keepsCached = false,
): Promise<void> {
  for (const part of inParts(ids)) {
    const review = { reviewStatus: status, reviewedBy: by, reviewedAt: at, demotedAt: null };
    await trx.updateTable("interactions").set(review).where("id", "in", part).execute();
    if (status === "approved") continue;
    await trx.deleteFrom("review_documents").where("interactionId", "in", part).execute();
    if (keepsCached) continue;
    const cached = trx.selectFrom("interactions").select("cacheKey as key").where("id", "in", part).where("cacheKey", "is not", null);
    await trx.deleteFrom("cache_entries").where("key", "in", cached.$narrowType<{ key: string }>()).execute();
  }
}

/** Maximum number of changes of a rating. Limited because every change adds a row to the audit log. */
const VERDICT_CHANGES = 10;

async function rate(trx: Transaction<Database>, rating: Rating, at: string): Promise<"done" | "missing" | "too_often"> {
  const { id, domain, tenant, sessionHash, verdict } = rating;
  const interaction = trx.selectFrom("interactions").select(["access", "sessionId", "privacy"]);
  const row = await interaction.where(equal({ id, domain, tenant: tenant ?? "" })).executeTakeFirst();
  if (row === undefined || !sameLabels(JSON.parse(row.access) as string[], rating.access)) return "missing";
  if (sessionHash !== null && row.sessionId !== sessionHash) return "missing";
  const reason = row.privacy === "ephemeral" ? null : rating.reason;
  const rated = trx.selectFrom("feedback").select(["verdict", "reason", "changes"]);
  const before = await rated.where("interactionId", "=", id).executeTakeFirst();
  if (before?.verdict === verdict && before.reason === reason) return "done";
  const changes = before === undefined ? 0 : before.changes + 1;
  if (changes > VERDICT_CHANGES) return "too_often";
  const feedback = { verdict, reason, changes, updatedAt: at };
  await upsert(trx, "feedback", { interactionId: id, createdAt: at, ...feedback }, ["interactionId"], feedback);
  await appendAudit(trx, { actor: "asker", action: "feedback", subject: id, details: { verdict, reason: reason !== null } }, at);
  return "done";
}

function sameLabels(stored: readonly string[], given: readonly string[]): boolean {
  return JSON.stringify([...new Set(stored)].sort()) === JSON.stringify([...new Set(given)].sort());
}

/** Replaces the document versions of a review. */
export async function insertReviewedVersions(trx: Transaction<Database>, id: string, versions: ReadonlyMap<string, string>): Promise<void> {
  await trx.deleteFrom("review_documents").where("interactionId", "=", id).execute();
  const rows = [...versions].map(([documentId, version]) => ({ interactionId: id, documentId, version }));
  if (rows.length > 0) await trx.insertInto("review_documents").values(rows).execute();
}

/** Copies the document versions of a review to the interaction that inherits it. */
export async function copyReviewedVersions(trx: Transaction<Database>, from: string, to: string): Promise<void> {
  const copies = trx.selectFrom("review_documents").select([sql<string>`${to}`.as("interactionId"), "documentId", "version"]);
  const insert = trx.insertInto("review_documents").columns(["interactionId", "documentId", "version"]);
  await insert.expression(copies.where("interactionId", "=", from)).execute();
}

/** An interaction that waits for review, with the values by which the queue is ranked. */
export type PendingInteraction = Awaited<ReturnType<typeof listPending>>[number];

/** An interaction with its review, feedback and correction. */
export type ReviewedInteraction = NonNullable<Awaited<ReturnType<typeof getReviewed>>>;

/** Returns whether the reviewer may see questions of this asker. Questions of others are neither listed nor counted. */
export type Sees = (asker: Asker) => boolean;

export interface PendingOptions {
  readonly limit: number;
  readonly status?: ReviewStatus | undefined;
  readonly sees?: Sees | undefined;
}

async function listPending(db: Kysely<Database>, domain: string, { limit, status, sees }: PendingOptions) {
  const askers = await countAskers(db, { domain }, sees);
  const seen = (of: "tenant" | "access") => [...new Set(askers.map((one) => one[of]))];
  const open = db
    .selectFrom("interactions as i")
    .leftJoin("feedback as f", "f.interactionId", "i.id")
    .leftJoin("curated as c", (join) => join.onRef("c.key", "=", "i.curatedKey").on("c.status", "=", "served"))
    .select(["i.id", "i.tenant", "i.access", "i.profile", "i.questionHash", "i.status", "i.reviewStatus", "i.confidence"])
    .select(["i.warnings", "i.conflicts", "i.demotedAt", "i.createdAt", "f.verdict"])
    .select((eb) => eb.exists(eb.selectFrom("reports as r").select("r.id").whereRef("r.interactionId", "=", "i.id")).as("reported"))
    .where("i.domain", "=", domain)
    .where("i.privacy", "=", "redacted")
    .orderBy("i.createdAt", "desc")
    .orderBy("i.id")
    .limit(limit);
  const wanted =
    status === undefined
      ? open.where((eb) =>
          eb.or([
            eb.and([eb("i.reviewStatus", "!=", "approved"), eb("c.key", "is", null)]),
            // An answer that is rated down after its review waits for another review.
            eb.and([eb("f.verdict", "=", "down"), eb("f.updatedAt", ">", eb.fn.coalesce("i.reviewedAt", sql.lit("")))]),
          ]),
        )
      : open.where("i.reviewStatus", "=", status);
  const rows = await wanted
    .$if(sees !== undefined, (query) =>
      query.where("i.tenant", "in", ["", ...seen("tenant")]).where("i.access", "in", ["", ...seen("access")]),
    )
    .execute();
  const mayBeSeen = new Set(askers.map(ownerKey));
  const asked = new Map<string, number>();
  for (const { questionHash, n } of askers) asked.set(questionHash, (asked.get(questionHash) ?? 0) + Number(n));
  return rows
    .filter((row) => mayBeSeen.has(ownerKey(row)))
    .map(({ demotedAt, verdict, reported, ...row }) => ({
      ...row,
      ...{ demoted: demotedAt !== null, thumbs: verdict, reported: Boolean(reported) },
      /** How often the question was asked in this domain by askers whose questions the reviewer may see. */
      asked: asked.get(row.questionHash) ?? 1,
    }));
}

function ownerKey({ tenant, access }: { readonly tenant: string; readonly access: string }): string {
  return `${tenant}\u0000${access}`;
}

/** Counts interactions by question and asker, for askers whose questions the reviewer may see. */
async function countAskers(
  db: Kysely<Database>,
  { domain, questionHash }: { readonly domain: string; readonly questionHash?: string },
  sees: Sees | undefined,
) {
  const rows = await db
    .selectFrom("interactions")
    .select(["questionHash", "tenant", "access", (eb) => eb.fn.countAll<number>().as("n")])
    .where("domain", "=", domain)
    .$if(questionHash !== undefined, (query) => query.where("questionHash", "=", questionHash as string))
    .groupBy(["questionHash", "tenant", "access"])
    .execute();
  return sees === undefined ? rows : rows.filter((row) => sees(askerOf({ domain, ...row })));
}

/** Returns an interaction with its review. `answer` and `curated.answer` are JSON text; `answer` is empty if its text is not stored. */
async function getReviewed(db: Kysely<Database>, id: string, sees: Sees | undefined) {
  const row = await withContents(db)
    .select(["id", "domain", "tenant", "access", "profile", "question", wholeAnswer.as("answer"), "privacy", "status", "reason"])
    .select(["reviewStatus", "reviewedBy", "reviewedAt", "demotedAt", "confidence", "cacheMode", "curatedKey", "createdAt", "questionHash"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { questionHash, ...found } = { ...row, ...askerOf(row) };
  if (sees?.(found) === false) return null;
  const rated = await db.selectFrom("feedback").selectAll().where("interactionId", "=", id).executeTakeFirst();
  const curated = await db
    .selectFrom("curated")
    .selectAll()
    .where("key", "=", row.curatedKey ?? "")
    .executeTakeFirst();
  const report = await db.selectFrom("reports").select("id").where("interactionId", "=", id).executeTakeFirst();
  const askers = await countAskers(db, { domain: row.domain, questionHash }, sees);
  return {
    ...found,
    asked: askers.reduce((sum, { n }) => sum + Number(n), 0),
    feedback: rated === undefined ? null : { verdict: rated.verdict, reason: rated.reason, at: rated.updatedAt },
    curated: curated ?? null,
    /** Id of the interaction's diagnostic report; `null`: none. */
    report: report?.id ?? null,
  };
}
