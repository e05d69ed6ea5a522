import { type Kysely, sql, type Transaction } from "kysely";
import { keyedHash, questionHash, sha256Hex } from "../text/hash.ts";
import { appendAudit } from "./audit.ts";
import { dropUnneededVersions } from "./corpus-log.ts";
import { ALL_ROWS, countAll, deleteBy, deletedBy, emptyLog, inParts, isPostgres, leftInLog, rewrite, transact } from "./dialect.ts";
import { daysBefore } from "./reports.ts";
import type { Database } from "./schema.ts";
/** Selection of the data to delete. */
export type ForgetTarget =
  | { readonly type: "session"; readonly id: string }
  | { readonly type: "user"; readonly id: string }
  | { readonly type: "question"; readonly question: string }
  /** Everything stored before this time (ISO, UTC). */
  | { readonly type: "before"; readonly time: string }
  | { readonly type: "all" };

/** Numbers of deleted rows by kind. `curated`: number of corrections that were deleted or whose question was removed. */
export type Forgotten = Awaited<ReturnType<typeof forget>>;

/** Retention periods and limits. */
export interface Retention {
  readonly interactionsDays: number;
  /** Maximum number of unreviewed interactions; the oldest are deleted first. */
  readonly interactionsRows: number;
  readonly reportsDays: number;
  readonly auditDays: number;
}

export type Purged = Awaited<ReturnType<typeof purge>>;

export function createForgetStore(db: Kysely<Database>, now: () => Date, secret: () => Promise<string>) {
  const run = async (target: ForgetTarget, by: string | null) => {
    const key = await secret();
    try {
      return await transact(db, async (trx) => {
        const counted = await forget(trx, target, key);
        // `count` deletes the rows too and then rolls back, so that it counts exactly what `forget` deletes.
        if (by === null) throw new CountOnly(counted);
        const details = { ...counted, ...(target.type === "before" ? { time: target.time } : {}) };
        await appendAudit(trx, { actor: by, action: "forget", subject: target.type, details }, now().toISOString());
        return counted;
      });
    } catch (error) {
      if (error instanceof CountOnly) return error.counted;
      throw error;
    }
  };
  return {
    /** Counts the rows that `forget` would delete. */
    count: (target: ForgetTarget): Promise<Forgotten> => run(target, null),
    /** Deletes the data in one transaction and adds a row to the audit log, without any of the deleted words. */
    forget: (target: ForgetTarget, by: string): Promise<Forgotten> => run(target, by),
    /** Deletes everything that is older than its retention period. */
    async purge(retention: Retention): Promise<Purged> {
      const purged = await transact(db, (trx) => purge(trx, retention, now()));
      await emptyLog(db);
      return purged;
    },
    /**
     * Rewrites the tables so that no deleted data remains. Returns `false` if the write-ahead log may still contain
     * some, because another connection was reading or the database is PostgreSQL.
     */
    async scrub(): Promise<boolean> {
      await rewrite(db);
      return emptyLog(db);
    },
    /** Message for when `scrub` returned `false`, with the steps to take. */
    unscrubbed: leftInLog(db),
  };
}

class CountOnly extends Error {
  readonly counted: Forgotten;
  constructor(counted: Forgotten) {
    super();
    this.counted = counted;
  }
}

async function forget(trx: Transaction<Database>, target: ForgetTarget, secret: string) {
  const before = await countRows(trx);
  const found = await findInteractions(trx, target, secret);
  const ids = found.map(({ id }) => id);
  const questions = found.map(({ question }) => question).concat(target.type === "question" ? target.question : []);
  const hashes = new Set(questions.map((question) => sha256Hex(question)));
  const embeddings = await deleteBy(trx, "embeddings", "textHash", [...hashes]);
  const curated = await forgetCurated(trx, target, ids, secret);
  const cached = found.flatMap(({ cacheKey }) => cacheKey ?? []);
  await deleteBy(trx, "cache_entries", "key", cached);
  await deleteBy(trx, "interactions", "id", ids);
  await deleteBy(trx, "exposures", "answerId", ids);
  // Stored responses do not record whose request they answer, so delete all of them. They would expire within an hour anyway.
  await trx.deleteFrom("idempotency").execute();
  for (const table of ["exposures", "cache_entries"] as const) {
    if (target.type === "all") await trx.deleteFrom(table).execute();
    if (target.type === "before") await trx.deleteFrom(table).where("createdAt", "<", target.time).execute();
  }
  await forgetSessions(trx, target, secret);
  await dropUnneeded(trx);
  const after = await countRows(trx);
  const gone = (kind: keyof typeof before) => before[kind] - after[kind];
  return {
    ...{ interactions: gone("interactions"), cache: gone("cache"), sessions: gone("sessions"), turns: gone("turns") },
    ...{ feedback: gone("feedback"), reports: gone("reports"), curated, embeddings },
  };
}

async function countRows(trx: Transaction<Database>) {
  return {
    interactions: await countAll(trx, "interactions"),
    cache: await countAll(trx, "cache_entries"),
    sessions: await countAll(trx, "sessions"),
    turns: await countAll(trx, "session_turns"),
    feedback: await countAll(trx, "feedback"),
    reports: await countAll(trx, "reports"),
  };
}

async function findInteractions(trx: Transaction<Database>, target: ForgetTarget, secret: string) {
  const all = trx.selectFrom("interactions").select(["id", "cacheKey", "question"]);
  switch (target.type) {
    case "session":
      return all.where("sessionId", "=", keyedHash(secret, "session", target.id)).execute();
    case "user":
      return all.where("userId", "=", keyedHash(secret, "user", target.id)).execute();
    case "question": {
      const hashes = await questionHashes(trx, target.question, secret);
      return all.where((eb) => eb.or([eb("questionHash", "in", hashes), eb("askedHash", "in", hashes)])).execute();
    }
    case "before":
      return all.where("createdAt", "<", target.time).execute();
    case "all":
      return all.execute();
  }
}

/** Returns the hashes of a question in all domains, because the caller may not know where it was asked. */
async function questionHashes(trx: Transaction<Database>, question: string, secret: string): Promise<string[]> {
  const asked = trx.selectFrom("interactions").select("domain").distinct();
  const domains = await asked.union(trx.selectFrom("curated").select("domain").distinct()).execute();
  return domains.map(({ domain }) => questionHash(secret, domain, question)).concat(questionHash(secret, "", question));
}

/** Deletes rows that no row of another table references. Skips rows that a transaction has locked to reference them. */
async function dropUnnamed(trx: Transaction<Database>, named: string, by: string): Promise<void> {
  const [table = "", key = ""] = named.split(".");
  const [naming = ""] = by.split(".");
  const lock = sql.raw(isPostgres(trx) ? "for update skip locked" : "");
  await sql`delete from ${sql.table(table)} where ${sql.ref(key)} in (
    select ${sql.ref(key)} from ${sql.table(table)}
    where not exists (select 1 from ${sql.table(naming)} where ${sql.ref(by)} = ${sql.ref(named)}) ${lock})`.execute(trx);
}

/** Deletes corrections of a forgotten question. Other corrections are the reviewer's work: only the user's words are deleted. */
async function forgetCurated(trx: Transaction<Database>, target: ForgetTarget, ids: readonly string[], secret: string): Promise<number> {
  if (target.type === "all") return deletedBy(trx.deleteFrom("curated"));
  const hashes = target.type === "question" ? await questionHashes(trx, target.question, secret) : [];
  return (await deleteBy(trx, "curated", "questionHash", hashes)) + (await blankCurated(trx, ids));
}

async function blankCurated(trx: Transaction<Database>, ids: readonly string[]): Promise<number> {
  let blanked = 0;
  for (const part of inParts(ids)) {
    const written = trx.selectFrom("curated").select(["key", "answer"]).where("question", "!=", "");
    const rows = await written.where("interactionId", "in", part).execute();
    for (const { key, answer } of rows) {
      const emptied = JSON.stringify({ ...(JSON.parse(answer) as object), question: "" });
      await trx.updateTable("curated").set({ question: "", answer: emptied }).where("key", "=", key).execute();
      blanked++;
    }
  }
  return blanked;
}

async function forgetSessions(trx: Transaction<Database>, target: ForgetTarget, secret: string): Promise<void> {
  const sessions = trx.deleteFrom("sessions");
  switch (target.type) {
    case "session":
      await sessions.where("nameHash", "=", keyedHash(secret, "session", target.id)).execute();
      return;
    case "user":
      await sessions.where("userId", "=", keyedHash(secret, "user", target.id)).execute();
      return;
    case "question": {
      const turns = await trx.selectFrom("session_turns").select(["id", "question"]).execute();
      const wanted = questionHash(secret, "", target.question);
      const ids = turns.filter(({ question }) => questionHash(secret, "", question) === wanted).map(({ id }) => id);
      await deleteBy(trx, "session_turns", "id", ids);
      return;
    }
    case "before":
      await trx.deleteFrom("session_turns").where("createdAt", "<", target.time).execute();
      await sessions.where("updatedAt", "<", target.time).execute();
      return;
    case "all":
      await sessions.execute();
  }
}

async function purge(trx: Transaction<Database>, retention: Retention, now: Date) {
  const at = now.toISOString();
  const ago = (days: number) => daysBefore(now, days).toISOString();
  const sessions = await deletedBy(trx.deleteFrom("sessions").where("expiresAt", "<=", at));
  const cache = await deletedBy(trx.deleteFrom("cache_entries").where("expiresAt", "<=", at));
  const reports = await deletedBy(trx.deleteFrom("reports").where("createdAt", "<", ago(retention.reportsDays)));
  const interactions = await dropInteractions(trx, retention, now);
  await trx.deleteFrom("idempotency").where("expiresAt", "<=", at).execute();
  await trx.deleteFrom("exposures").where("createdAt", "<", ago(retention.interactionsDays)).execute();
  await trx.deleteFrom("usage").where("day", "<", ago(retention.interactionsDays).slice(0, 10)).execute();
  await dropUnnamed(trx, "entities.id", "question_entities.entity_id");
  return { sessions, cache, reports, interactions, audit: await purgeAudit(trx, ago(retention.auditDays), at) };
}

/**
 * Deletes interactions older than `interactionsDays`, and the oldest unreviewed ones above `interactionsRows`. Reviewed
 * interactions do not count towards that maximum; otherwise a flood of questions would push them out. Interactions with
 * a cached answer count but stay: the cached answer would be deleted too, and users would wait for a new one.
 * @returns the number of deleted interactions
 */
export async function dropInteractions(
  trx: Transaction<Database>,
  { interactionsDays, interactionsRows }: Pick<Retention, "interactionsDays" | "interactionsRows">,
  now: Date,
): Promise<number> {
  const tooOld = trx.selectFrom("interactions").select("id").where("createdAt", "<", daysBefore(now, interactionsDays).toISOString());
  const unreviewed = trx.selectFrom("interactions").select("id").where("reviewStatus", "=", "unreviewed");
  const tooMany = unreviewed.orderBy("createdAt", "desc").orderBy("id", "desc").limit(ALL_ROWS).offset(interactionsRows);
  const serving = trx.selectFrom("cache_entries").select("interactionId").where("interactionId", "is not", null);
  const notServed = trx.selectFrom(tooMany.as("old")).select("old.id").where("old.id", "not in", serving);
  const gone = [...(await tooOld.execute()), ...(await notServed.execute())].map(({ id }) => id);
  // Delete the user's words in corrections, too.
  await blankCurated(trx, gone);
  const deleted = await deleteBy(trx, "interactions", "id", gone);
  if (deleted > 0) await dropUnneeded(trx);
  return deleted;
}

/** Deletes replaced document texts, settings, contents and entities that no stored answer or question references. */
async function dropUnneeded(trx: Transaction<Database>): Promise<void> {
  await dropUnneededVersions(trx);
  await dropUnnamed(trx, "entities.id", "question_entities.entity_id");
  await dropUnnamed(trx, "record_settings.hash", "records.settings");
  await dropUnnamed(trx, "answer_contents.hash", "interactions.content");
}

/** Deletes the oldest rows of the audit log. Records in a new row where the hash chain now begins. */
async function purgeAudit(trx: Transaction<Database>, before: string, at: string): Promise<number> {
  const last = trx.selectFrom("audit_log").select(["seq", "hash"]).orderBy("seq", "desc").limit(1);
  const newest = await last.executeTakeFirst();
  const lastOld = await last.where("at", "<", before).executeTakeFirst();
  if (newest === undefined || lastOld === undefined) return 0;
  // Keep purge rows if there are no other rows: the last purge row records where the chain begins, and a new one would only replace it.
  const oldRows = await trx.selectFrom("audit_log").select("action").where("seq", "<=", lastOld.seq).execute();
  if (newest.seq === lastOld.seq && oldRows.every(({ action }) => action === "purge")) return 0;
  const details = { audit_from: lastOld.seq + 1, audit_previous: lastOld.hash, rows: oldRows.length };
  await appendAudit(trx, { actor: "sourcebound", action: "purge", subject: "audit", details }, at);
  await trx.deleteFrom("audit_log").where("seq", "<=", lastOld.seq).execute();
  return oldRows.length;
}
