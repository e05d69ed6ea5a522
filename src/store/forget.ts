import type { Kysely, Transaction } from "kysely";
import { sha256Hex } from "../text/hash.ts";
import { keyedHash, questionHash } from "../text/keyed-hash.ts";
import { appendAudit } from "./audit.ts";
import { dropUnneededVersions } from "./corpus-log.ts";
import { emptyLog, leftInLog, rewrite, transact } from "./dialect.ts";
import { dropUnnamedContents } from "./interaction.ts";
import { dropUnnamedSettings } from "./records.ts";
import type { Database } from "./schema.ts";
/** What is to be forgotten. */
export type ForgetTarget =
  | { readonly type: "session"; readonly id: string }
  | { readonly type: "user"; readonly id: string }
  | { readonly type: "question"; readonly question: string }
  /** Everything that was stored before this time (ISO, UTC). */
  | { readonly type: "before"; readonly time: string }
  | { readonly type: "all" };

export interface Forgotten {
  readonly interactions: number;
  readonly cache: number;
  readonly sessions: number;
  readonly turns: number;
  readonly feedback: number;
  readonly reports: number;
  /** Corrections that lost the question that they answer, or went. */
  readonly curated: number;
  readonly embeddings: number;
}

/** Days for which each kind is kept. */
export interface Retention {
  readonly interactionsDays: number;
  /** Unreviewed interactions kept in all; the oldest go first. */
  readonly interactionsRows: number;
  readonly reportsDays: number;
  readonly auditDays: number;
}

export interface Purged {
  readonly interactions: number;
  readonly reports: number;
  readonly sessions: number;
  readonly cache: number;
  readonly audit: number;
}

export interface ForgetStore {
  /** What would go. */
  count(target: ForgetTarget): Promise<Forgotten>;
  /** Deletes it in one transaction and writes into the audit log that it was done, without its words. */
  forget(target: ForgetTarget, by: string): Promise<Forgotten>;
  /** Deletes what is older than it may be kept. */
  purge(retention: Retention): Promise<Purged>;
  /**
   * Writes the tables anew, so that nothing deleted is left in them. `false`: the write-ahead log still holds old pages, because somebody else was reading,
   * or because it is a server's, which keeps it for as long as it is set to.
   */
  scrub(): Promise<boolean>;
  /** What is left where `scrub` says `false`, and what to do, in words. */
  readonly unscrubbed: string;
}

export function createForgetStore(db: Kysely<Database>, now: () => Date, secret: () => Promise<string>): ForgetStore {
  const run = async (target: ForgetTarget, by: string | null) => {
    const key = await secret();
    const found: Forgotten[] = [];
    try {
      await transact(db, async (trx) => {
        const counted = await forget(trx, target, key);
        found.push(counted);
        // Counting is forgetting that is taken back: there is one way of finding what goes.
        if (by === null) throw new CountOnly();
        const details = { ...counted, ...(target.type === "before" ? { time: target.time } : {}) };
        await appendAudit(trx, { actor: by, action: "forget", subject: target.type, details }, now().toISOString());
      });
    } catch (error) {
      if (!(error instanceof CountOnly)) throw error;
    }
    const counted = found.at(-1);
    if (counted === undefined) throw new Error("nothing was counted");
    return counted;
  };
  return {
    count: (target) => run(target, null),
    forget: (target, by) => run(target, by),
    async purge(retention) {
      const purged = await transact(db, (trx) => purge(trx, retention, now()));
      await emptyLog(db);
      return purged;
    },
    async scrub() {
      await rewrite(db);
      return emptyLog(db);
    },
    unscrubbed: leftInLog(db),
  };
}

class CountOnly extends Error {}

async function forget(trx: Transaction<Database>, target: ForgetTarget, secret: string): Promise<Forgotten> {
  const before = await countRows(trx);
  const found = await findInteractions(trx, target, secret);
  const embeddings = await forgetVectors(
    trx,
    found.map(({ question }) => question).concat(target.type === "question" ? target.question : []),
  );
  const curated = await forgetCurated(
    trx,
    target,
    found.map(({ id }) => id),
    secret,
  );
  for (const part of inParts(found)) {
    const keys = part.flatMap(({ cacheKey }) => cacheKey ?? []);
    if (keys.length > 0) await trx.deleteFrom("cache_entries").where("key", "in", keys).execute();
    await trx
      .deleteFrom("interactions")
      .where(
        "id",
        "in",
        part.map(({ id }) => id),
      )
      .execute();
    await trx
      .deleteFrom("exposures")
      .where(
        "answerId",
        "in",
        part.map(({ id }) => id),
      )
      .execute();
  }
  // Whose responses those are cannot be told from what is stored of them, and an hour later all of them would be gone.
  await trx.deleteFrom("idempotency").execute();
  if (target.type === "all") await trx.deleteFrom("exposures").execute();
  if (target.type === "before") await trx.deleteFrom("exposures").where("createdAt", "<", target.time).execute();
  await forgetSessions(trx, target, secret);
  if (target.type === "all") await trx.deleteFrom("cache_entries").execute();
  if (target.type === "before") await trx.deleteFrom("cache_entries").where("createdAt", "<", target.time).execute();
  await forgetEntities(trx);
  await dropUnneeded(trx);
  const after = await countRows(trx);
  return {
    interactions: before.interactions - after.interactions,
    cache: before.cache_entries - after.cache_entries,
    sessions: before.sessions - after.sessions,
    turns: before.session_turns - after.session_turns,
    feedback: before.feedback - after.feedback,
    reports: before.reports - after.reports,
    curated,
    embeddings,
  };
}

async function countRows(trx: Transaction<Database>) {
  const count = async (table: "interactions" | "cache_entries" | "sessions" | "session_turns" | "feedback" | "reports") => {
    const { n } = await trx
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow();
    return Number(n);
  };
  return {
    interactions: await count("interactions"),
    cache_entries: await count("cache_entries"),
    sessions: await count("sessions"),
    session_turns: await count("session_turns"),
    feedback: await count("feedback"),
    reports: await count("reports"),
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

/** A question's hash in every domain: whoever wants it forgotten need not know where it was asked. */
async function questionHashes(trx: Transaction<Database>, question: string, secret: string): Promise<string[]> {
  const asked = trx.selectFrom("interactions").select("domain").distinct();
  const domains = await asked.union(trx.selectFrom("curated").select("domain").distinct()).execute();
  return domains.map(({ domain }) => questionHash(secret, domain, question)).concat(questionHash(secret, "", question));
}

/** What questions named, as far as no stored question names it any more. */
async function forgetEntities(trx: Transaction<Database>): Promise<void> {
  await trx
    .deleteFrom("entities")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("entities")
        .select("id")
        .where("id", "not in", (of) => of.selectFrom("question_entities").select("entityId"))
        .forUpdate()
        .skipLocked(),
    )
    .execute();
}

/** Vectors of questions, as far as any were kept by their text. */
async function forgetVectors(trx: Transaction<Database>, questions: readonly string[]): Promise<number> {
  let gone = 0;
  for (const part of inParts([...new Set(questions)].map((question) => sha256Hex(question)))) {
    const { numDeletedRows } = await trx.deleteFrom("embeddings").where("textHash", "in", part).executeTakeFirst();
    gone += Number(numDeletedRows);
  }
  return gone;
}

/** A correction is the reviewer's work and rests on documents: it stays without the asker's words, unless the question itself is to go. */
async function forgetCurated(trx: Transaction<Database>, target: ForgetTarget, ids: readonly string[], secret: string): Promise<number> {
  if (target.type === "all") return Number((await trx.deleteFrom("curated").executeTakeFirst()).numDeletedRows);
  if (target.type === "question") {
    const hashes = await questionHashes(trx, target.question, secret);
    const direct = await trx.deleteFrom("curated").where("questionHash", "in", hashes).executeTakeFirst();
    return Number(direct.numDeletedRows) + (await blankCurated(trx, ids));
  }
  return blankCurated(trx, ids);
}

async function blankCurated(trx: Transaction<Database>, ids: readonly string[]): Promise<number> {
  let blanked = 0;
  for (const part of inParts(ids)) {
    const rows = await trx
      .selectFrom("curated")
      .select(["key", "answer"])
      .where("interactionId", "in", part)
      .where("question", "!=", "")
      .execute();
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
      for (const part of inParts(ids)) await trx.deleteFrom("session_turns").where("id", "in", part).execute();
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

const DAY_MS = 86_400_000;

async function purge(trx: Transaction<Database>, retention: Retention, now: Date): Promise<Purged> {
  const at = now.toISOString();
  const { reportsDays, auditDays } = retention;
  const ago = (days: number) => daysAgo(days, now);
  const sessions = await trx.deleteFrom("sessions").where("expiresAt", "<=", at).executeTakeFirst();
  const cache = await trx.deleteFrom("cache_entries").where("expiresAt", "<=", at).executeTakeFirst();
  const reports = await trx.deleteFrom("reports").where("createdAt", "<", ago(reportsDays)).executeTakeFirst();
  const interactions = await dropInteractions(trx, retention, now);
  await trx.deleteFrom("idempotency").where("expiresAt", "<=", at).execute();
  await trx.deleteFrom("exposures").where("createdAt", "<", ago(retention.interactionsDays)).execute();
  await trx.deleteFrom("usage").where("day", "<", ago(retention.interactionsDays).slice(0, 10)).execute();
  await forgetEntities(trx);
  return {
    sessions: Number(sessions.numDeletedRows),
    cache: Number(cache.numDeletedRows),
    reports: Number(reports.numDeletedRows),
    interactions,
    audit: await purgeAudit(trx, ago(auditDays), at),
  };
}

/**
 * Deletes interactions that are too old or too many. What a reviewer has judged does not count as too much: a flood of questions would push it out; nor does
 * what the cache serves, since its entry would go with it, and the question that all ask would be made anew for all of them at once.
 * @returns how many went
 */
export async function dropInteractions(
  trx: Transaction<Database>,
  { interactionsDays, interactionsRows }: Pick<Retention, "interactionsDays" | "interactionsRows">,
  now: Date,
): Promise<number> {
  const tooOld = trx.selectFrom("interactions").select("id").where("createdAt", "<", daysAgo(interactionsDays, now));
  const tooMany = trx
    .selectFrom("interactions")
    .select("id")
    .where("reviewStatus", "=", "unreviewed")
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .limit(ALL)
    .offset(interactionsRows);
  const beyond = await notServed(
    trx,
    (await tooMany.execute()).map(({ id }) => id),
  );
  const gone = [...(await tooOld.execute()).map(({ id }) => id), ...beyond];
  // The text that a correction was made from goes with the interaction.
  await blankCurated(trx, gone);
  let deleted = 0;
  for (const part of inParts(gone))
    deleted += Number((await trx.deleteFrom("interactions").where("id", "in", part).executeTakeFirst()).numDeletedRows);
  if (deleted > 0) await dropUnneeded(trx);
  return deleted;
}

/** Those of the interactions that no entry of the cache came from. */
async function notServed(trx: Transaction<Database>, ids: readonly string[]): Promise<string[]> {
  const left: string[] = [];
  for (const part of inParts(ids)) {
    const rows = await trx.selectFrom("cache_entries").select("interactionId").where("interactionId", "in", part).execute();
    const served = new Set(rows.map(({ interactionId }) => interactionId));
    left.push(...part.filter((id) => !served.has(id)));
  }
  return left;
}

/** What no stored answer rests on any more: replaced texts of documents, settings, contents. */
async function dropUnneeded(trx: Transaction<Database>): Promise<void> {
  await dropUnneededVersions(trx);
  await dropUnnamedSettings(trx);
  await dropUnnamedContents(trx);
}

/** SQLite wants a limit before an offset. */
const ALL = 1_000_000_000;

function daysAgo(days: number, now: Date): string {
  return new Date(Math.max(0, now.getTime() - days * DAY_MS)).toISOString();
}

/** Cuts the oldest rows off; a row that says so is the new anchor of the chain. */
async function purgeAudit(trx: Transaction<Database>, before: string, at: string): Promise<number> {
  const newest = await trx.selectFrom("audit_log").select(["seq", "hash"]).orderBy("seq", "desc").limit(1).executeTakeFirst();
  const lastOld = await trx
    .selectFrom("audit_log")
    .select(["seq", "hash"])
    .where("at", "<", before)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined || lastOld === undefined) return 0;
  // Only a purge itself is left: it is the anchor, and replacing it by another one would go on for ever.
  const oldRows = await trx.selectFrom("audit_log").select("action").where("seq", "<=", lastOld.seq).execute();
  if (newest.seq === lastOld.seq && oldRows.every(({ action }) => action === "purge")) return 0;
  const details = { audit_from: lastOld.seq + 1, audit_previous: lastOld.hash, rows: oldRows.length };
  await appendAudit(trx, { actor: "sourcebound", action: "purge", subject: "audit", details }, at);
  await trx.deleteFrom("audit_log").where("seq", "<=", lastOld.seq).execute();
  return oldRows.length;
}

const IDS_PER_QUERY = 500;

function inParts<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / IDS_PER_QUERY) }, (_, i) => items.slice(i * IDS_PER_QUERY, (i + 1) * IDS_PER_QUERY));
}
