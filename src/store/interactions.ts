import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { LRUCache } from "lru-cache";
import { StoreError } from "../shared/errors.ts";
import { keyedHash, questionHash } from "../text/hash.ts";
import { areCurrent, type Given, isPostgres, prepare, prepareRows, transact } from "./dialect.ts";
import { dropInteractions, type Retention } from "./forget.ts";
import type { Interaction, InteractionFacts, NewRecord, ReviewStatus } from "./interaction.ts";
import { askerOf, createRecordWriter, createSharedWriter, wholeAnswer, withContents } from "./interaction.ts";
import { insertReport, type NewReport } from "./reports.ts";
import { copyReviewedVersions, insertReviewedVersions } from "./review.ts";
import type { Database } from "./schema.ts";
import { createSeldom, type NewTurn, type WriteTurns } from "./sessions.ts";

/** Default maximum number of items per write. */
const MOST_AT_ONCE = 64;

type Waiting<Item, Result> = { readonly item: Item } & PromiseWithResolvers<Result>;

/**
 * Batches concurrent writes. While `atOnce` writes run, further items queue in order. Each caller gets the result of its own item. If a
 * batch fails, its items are retried one by one. If the database or disk failed (`StoreError`), all items are rejected.
 * @param write stores one or more of the items, beginning with the first, in one transaction, and returns their results in order; the next
 * call gets the remaining items
 * @param options.most maximum number of items per write
 * @param options.atOnce maximum number of concurrent writes
 */
export function joined<Item, Result>(
  write: (items: readonly Item[]) => Promise<readonly Result[]>,
  { most = MOST_AT_ONCE, atOnce = 1 }: { readonly most?: number; readonly atOnce?: number } = {},
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let writing = 0;

  const writeAll = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await write(batch.map(({ item }) => item));
      if (results.length === 0) throw new Error("nothing was written");
      for (const [i, result] of results.entries()) batch[i]?.resolve(result);
      waiting.unshift(...batch.slice(results.length));
    } catch (error) {
      if (batch.length === 1 || error instanceof StoreError) for (const { reject } of batch) reject(error);
      else for (const one of batch) await writeAll([one]);
    }
  };
  const next = async (): Promise<void> => {
    writing++;
    while (waiting.length > 0) await writeAll(waiting.splice(0, most));
    writing--;
  };
  return (item) => {
    const one = { item, ...Promise.withResolvers<Result>() };
    waiting.push(one);
    if (writing < atOnce) void next();
    return one.promise;
  };
}

/** Number of stored interactions between two checks of the retention limits. */
const ADDITIONS_PER_LOOK = 256;
/** Maximum rows per insert statement. More rows save little time. */
const ROWS_AT_ONCE = 16;
/** Milliseconds after which a write to SQLite takes no more items. SQLite runs in the thread that also serves requests. */
const WRITE_MS = 6;
/** Maximum number of concurrent writes to PostgreSQL. While one write is flushed to disk, the next one can run. */
const SERVER_WRITES = 3;

/** Further rows to store with an interaction. */
export interface Beside {
  readonly record?: NewRecord | null;
  readonly turn?: NewTurn | null;
}

/** Creates a writer of interactions and their related rows. Concurrent additions share a transaction. */
function createInteractionWriter(db: Kysely<Database>, { writeTurns, clock, retention }: InteractionParts) {
  // SQLite runs in this thread. PostgreSQL is another process, so several writes can run at the same time.
  const waits = isPostgres(db);
  const addTogether = createTogetherWriter(db, writeTurns);
  const seldom = createSeldom();
  /** Enforces the limits of retention if a check is due. @returns a callback to run after the commit */
  const dropOld = async (trx: Transaction<Database>, more: number, at: Date): Promise<() => void> => {
    if (retention === undefined || !seldom.isDue(more)) return () => seldom.done(more);
    await dropInteractions(trx, retention, at);
    await trx.deleteFrom("sessions").where("expiresAt", "<=", at.toISOString()).execute();
    return () => seldom.done(more, ADDITIONS_PER_LOOK - more);
  };
  const addAll = async (batch: readonly Adding[]): Promise<ReviewStatus[]> => {
    const [first] = batch;
    if (first === undefined) return [];
    const { statuses, committed } = await transact(db, async (trx) => {
      const known: Known = { reviews: new Map(), kept: new Set(), committed: [] };
      const begun = clock();
      const statuses: ReviewStatus[] = [];
      do {
        const some = batch.slice(statuses.length, statuses.length + ROWS_AT_ONCE);
        statuses.push(...(await addTogether(trx, some, known)));
      } while (statuses.length < batch.length && (waits || clock() - begun < WRITE_MS));
      const dropped = await dropOld(trx, statuses.length, first.at);
      return { statuses, committed: [...known.committed, dropped] };
    });
    for (const tell of committed) tell();
    return statuses;
  };
  return joined(addAll, { atOnce: waits ? SERVER_WRITES : 1 });
}

/**
 * Creates a writer that stores interactions in order. It inserts a reviewed interaction immediately, so that later
 * interactions with the same answer can inherit its review.
 */
function createTogetherWriter(db: Kysely<Database>, writeTurns: WriteTurns) {
  const reviewOf = createReviewReader(db);
  const insertInteractions = prepareRows((rows: readonly Selectable<Database["interactions"]>[]) =>
    db.insertInto("interactions").values(rows),
  );
  const writeContent = createSharedWriter(db, "answer_contents");
  const writeRecords = createRecordWriter(db);
  /** Inserts the rows of interactions, in bulk per table where possible. */
  const insertAll = async (trx: Transaction<Database>, decided: readonly Adding[], known: Known): Promise<void> => {
    const [first] = decided;
    if (first === undefined) return;
    const rows = decided.map(({ row }) => row);
    await insertInteractions(trx, rows);
    for (const { interaction, report, at } of decided) if (report !== null) await insertReport(trx, interaction, report, at);
    const records = decided.flatMap(({ row: { id, domain }, record }) => (record === null ? [] : { ...record, interactionId: id, domain }));
    await writeRecords(trx, records, known.kept);
    const turns = decided.flatMap(({ turn }) => turn ?? []);
    if (turns.length > 0) known.committed.push(await writeTurns(trx, turns, first.key));
  };
  return async (trx: Transaction<Database>, batch: readonly Adding[], known: Known): Promise<ReviewStatus[]> => {
    const statuses: ReviewStatus[] = [];
    let decided: Adding[] = [];
    for (const one of batch) {
      const { row, approved, interaction } = one;
      const { content } = interaction;
      const reviewed = approved === null ? await reviewOf(trx, row, known.reviews) : null;
      // Approve only if the cited versions are still current. If they changed earlier, nothing would withdraw the approval later.
      const holds = approved !== null && (await areCurrent(trx, approved));
      const reviewStatus = holds ? "approved" : (reviewed?.reviewStatus ?? "unreviewed");
      if (content != null) await writeContent(trx, content.hash, () => content.body, known.kept);
      decided.push({ ...one, row: { ...row, reviewStatus } });
      statuses.push(reviewStatus);
      if (reviewStatus === "unreviewed") continue;
      await insertAll(trx, decided, known);
      decided = [];
      known.reviews.clear();
      if (holds) await insertReviewedVersions(trx, row.id, approved);
      else if (reviewed !== null) await copyReviewedVersions(trx, reviewed.id, row.id);
    }
    await insertAll(trx, decided, known);
    return statuses;
  };
}

type Row = Selectable<Database["interactions"]>;

/** An interaction that waits to be stored. */
interface Adding extends Required<Beside> {
  readonly interaction: Interaction;
  /** The row to insert. Its status is `unreviewed` until the transaction has looked for a review. */
  readonly row: Row;
  readonly approved: InteractionFacts["approved"];
  readonly report: NewReport | null;
  readonly at: Date;
  readonly key: string;
}

/** Data of one transaction that later additions reuse. */
interface Known {
  /** Reviews by keys of question and answer; `null`: there is none. */
  readonly reviews: Map<string, Reviewed | null>;
  /** Hashes of contents and settings that are known to be stored. */
  readonly kept: Set<string>;
  /** Callbacks to run after the commit. */
  readonly committed: (() => void)[];
}

type Reviewed = Pick<Row, "id" | "reviewStatus">;

/** Creates a lookup of the newest review of the same answer to the same question. */
function createReviewReader(db: Kysely<Database>) {
  const reviews = prepare((given: Given<{ curatedKey: string; answerHash: string }>) =>
    db
      .selectFrom("interactions")
      .select(["id", "reviewStatus"])
      .where("curatedKey", "=", given("curatedKey"))
      .where("answerHash", "=", given("answerHash"))
      // A literal, so that the partial index of reviewed interactions applies.
      .where("reviewStatus", "!=", sql.lit("unreviewed"))
      .orderBy("reviewedAt", "desc")
      .orderBy("id")
      .limit(1),
  );
  return async (trx: Transaction<Database>, { curatedKey, answerHash }: Row, known: Known["reviews"]): Promise<Reviewed | null> => {
    if (curatedKey === null) return null;
    const pair = `${curatedKey} ${answerHash}`;
    if (!known.has(pair)) known.set(pair, (await reviews(trx, { curatedKey, answerHash }))[0] ?? null);
    return known.get(pair) ?? null;
  };
}

interface InteractionParts {
  readonly now: () => Date;
  readonly secret: () => Promise<string>;
  readonly writeTurns: WriteTurns;
  /** Monotonic time in milliseconds. */
  readonly clock: () => number;
  readonly retention?: Retention | undefined;
}

/** Maximum number of answers whose hashes are cached; about 3 kB each. */
const HASHED_ANSWERS = 256;

export function createInteractionStore(db: Kysely<Database>, parts: InteractionParts) {
  const { now, secret } = parts;
  /** Hashes of answers by their text, so that an answer that is served repeatedly is hashed once. */
  const answered = new LRUCache<string, string>({ max: HASHED_ANSWERS });
  const addSoon = createInteractionWriter(db, parts);
  return {
    /**
     * Stores an interaction with its report, record and session turn in one transaction. If the same answer to the same
     * question was reviewed before, the interaction inherits that review.
     * @returns the initial review status
     */
    async add(
      interaction: Interaction,
      report: NewReport | null,
      facts: InteractionFacts,
      { record = null, turn = null }: Beside = {},
    ): Promise<ReviewStatus> {
      const at = now();
      const key = await secret();
      const answerHash = answered.get(facts.answered) ?? keyedHash(key, "answer", facts.answered);
      answered.set(facts.answered, answerHash);
      const row = toRow(interaction, facts, key, { createdAt: at.toISOString(), answerHash });
      return addSoon({ interaction, row, approved: facts.approved, report, record, turn, at, key });
    },
    async list(domain: string, limit: number) {
      const latest = withContents(db).where("domain", "=", domain).orderBy("createdAt", "desc").orderBy("id", "desc").limit(limit);
      const rows = await latest
        .select(["id", "domain", "tenant", "access", "profile", "question", wholeAnswer.as("answer"), "status", "confidence", "chance"])
        .select(["privacy", "sessionId", "cacheMode", "reviewStatus", "createdAt"])
        .execute();
      return rows.map((row) => ({ ...row, ...askerOf(row) }));
    },
  };
}

function toRow(
  { id, domain, profile, question, answer, status, confidence, chance, ...rest }: Interaction,
  facts: InteractionFacts,
  secret: string,
  { createdAt, answerHash }: { readonly createdAt: string; readonly answerHash: string },
): Row {
  const { access, cacheMode, sessionId, userId = null, tenant, content } = rest;
  const { privacy, curatedKey, cacheKey, reason, warnings, conflicts, tokens, costUsd, savedTokens, savedUsd, latencyMs } = facts;
  const askedHash = questionHash(secret, domain, facts.asked);
  // Keep the same order of columns for every row, as `prepareRows` requires.
  return {
    ...{ id, domain, profile, question, answer, status, confidence, chance, cacheMode, askedHash, answerHash, createdAt },
    ...{ privacy, curatedKey, cacheKey, reason, warnings, conflicts, tokens, costUsd, savedTokens, savedUsd, latencyMs },
    ...{ reviewStatus: "unreviewed", reviewedBy: null, reviewedAt: null, demotedAt: null },
    tenant: tenant ?? "",
    access: JSON.stringify(access),
    content: content?.hash ?? null,
    sessionId: sessionId === null ? null : keyedHash(secret, "session", sessionId),
    userId: userId === null ? null : keyedHash(secret, "user", userId),
    questionHash: facts.resolved === facts.asked ? askedHash : questionHash(secret, domain, facts.resolved),
    topics: JSON.stringify(facts.topics),
  };
}
