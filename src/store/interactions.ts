import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { keyedHash, questionHash } from "../text/keyed-hash.ts";
import { createContentWriter, wholeAnswer, withContents } from "./contents.ts";
import { isPostgres } from "./dialect.ts";
import { dropInteractions, type Retention } from "./forget.ts";
import type { Interaction, InteractionFacts, ReviewStatus, StoredInteraction } from "./interaction.ts";
import { joined } from "./joined.ts";
import { type Given, prepare, prepareInsert } from "./prepared.ts";
import { createRecordWriter, type NewRecord } from "./records.ts";
import { insertReport, type NewReport } from "./reports.ts";
import type { Database } from "./schema.ts";
import type { NewTurn, WriteTurns } from "./sessions.ts";
import { transact } from "./transact.ts";

export interface InteractionStore {
  /**
   * Stores it, with its report, the record of what it was made from and the turn of its session in the same transaction. The same answer to the same
   * question as one that was reviewed keeps that review.
   * @returns the review status that it begins with
   */
  add(interaction: Interaction, report?: NewReport | null, facts?: InteractionFacts, beside?: Beside): Promise<ReviewStatus>;
  /** Newest first. */
  list(domain: string, limit: number): Promise<StoredInteraction[]>;
  /** What the learned gate said of the latest questions of a profile that it judged, newest first. */
  recentChances(of: { readonly domain: string; readonly profile: string; readonly since: string }, limit: number): Promise<number[]>;
}

/** What is stored together with an interaction. */
export interface Beside {
  readonly record?: NewRecord | null;
  readonly turn?: NewTurn | null;
}

/** What an interaction store needs besides the database. */
export interface InteractionParts {
  readonly now: () => Date;
  readonly secret: () => Promise<string>;
  readonly writeTurns: WriteTurns;
  readonly retention?: Retention | undefined;
}

/** Additions between two looks at what is too old or too many; the first of a process looks, since many processes add only one. */
const ADDITIONS_PER_LOOK = 256;
/** Rows of one kind that one statement puts in: most of what many save is saved by so many. */
const ROWS_AT_ONCE = 16;
/** Milliseconds after which a write on the thread that answers takes no more, so that what else is asked of the thread is heard. */
const WRITE_MS = 6;
/** Writes on their way to a database server at once: one is written while another one is put on the disk. */
const SERVER_WRITES = 3;
/** Answers whose hashes are kept: some 3 kB each. */
const HASHED_ANSWERS = 256;

export function createInteractionStore(db: Kysely<Database>, { now, secret, writeTurns, retention }: InteractionParts): InteractionStore {
  let added = 0;
  const { reviewOf, insertInteractions } = interactionQueries(db);
  const writeContent = createContentWriter(db);
  const writeRecords = createRecordWriter(db);
  const answeredHash = createAnsweredHasher();
  /** Puts in what was decided upon, each kind of row by one statement. */
  const insertAll = async (trx: Transaction<Database>, decided: readonly Decided[], known: Known): Promise<void> => {
    if (decided.length === 0) return;
    await insertInteractions(
      trx,
      decided.map(({ row }) => row),
    );
    for (const { interaction, report, at } of decided) if (report !== null) await insertReport(trx, interaction, report, at);
    const records = decided.flatMap(({ row, record }) => (record === null ? [] : [{ interaction: row, record }]));
    await writeRecords(trx, records, known.kept);
    const turns = decided.flatMap(({ turn }) => turn ?? []);
    if (turns.length > 0) await writeTurns(trx, turns, (decided[0] as Decided).key);
  };
  /** Those with a review are put in before the next one asks for reviews. */
  const addTogether = async (trx: Transaction<Database>, batch: readonly Adding[], known: Known): Promise<ReviewStatus[]> => {
    const statuses: ReviewStatus[] = [];
    let decided: Decided[] = [];
    for (const one of batch) {
      const { row, approved, interaction } = one;
      const reviewed = approved === null ? await reviewOf(trx, row, known.reviews) : null;
      // A document that has changed while the answer was on its way would take the approval back from nobody.
      const holds = approved !== null && (await areCurrent(trx, approved));
      const review_status = holds ? "approved" : (reviewed?.review_status ?? "unreviewed");
      if (interaction.content != null) await writeContent(trx, interaction.content, known.kept);
      decided.push({ ...one, row: { ...row, review_status } });
      statuses.push(review_status);
      if (review_status === "unreviewed") continue;
      await insertAll(trx, decided, known);
      decided = [];
      known.reviews.clear();
      if (holds) await insertDocuments(trx, row.id, approved);
      else if (reviewed !== null) await copyDocuments(trx, reviewed.id, row.id);
    }
    await insertAll(trx, decided, known);
    return statuses;
  };
  /** From time to time: not for each answer. */
  const dropOld = async (trx: Transaction<Database>, more: number, at: Date): Promise<void> => {
    const isDue = added % ADDITIONS_PER_LOOK === 0 || (added % ADDITIONS_PER_LOOK) + more > ADDITIONS_PER_LOOK;
    added += more;
    if (retention === undefined || !isDue) return;
    await dropInteractions(trx, retention, at);
    await trx.deleteFrom("sessions").where("expires_at", "<=", at.toISOString()).execute();
  };
  const addAll = (batch: readonly Adding[]) =>
    transact(db, async (trx) => {
      const known = nothingKnown();
      const begun = performance.now();
      const statuses: ReviewStatus[] = [];
      do {
        const some = batch.slice(statuses.length, statuses.length + ROWS_AT_ONCE);
        statuses.push(...(await addTogether(trx, some, known)));
      } while (statuses.length < batch.length && (waits || performance.now() - begun < WRITE_MS));
      await dropOld(trx, statuses.length, (batch[0] as Adding).at);
      return statuses;
    });
  // An embedded database works in the thread that answers; a server is waited for, by one write while the next one is on its way.
  const waits = isPostgres(db);
  const addSoon = joined(addAll, { atOnce: waits ? SERVER_WRITES : 1 });
  return {
    async add(interaction, report = null, given = undefined, { record = null, turn = null } = {}) {
      const facts = given ?? factsOf(interaction);
      const at = now();
      const key = await secret();
      const row = toRow(interaction, facts, key, { at: at.toISOString(), answered: answeredHash(key, facts.answered) });
      return addSoon({ interaction, row, approved: facts.approved, report, record, turn, at, key });
    },
    async list(domain, limit) {
      const rows = await withContents(db)
        .selectAll("interactions")
        .select(wholeAnswer.as("whole"))
        .where("domain", "=", domain)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
      return rows.map(({ whole, ...row }) => fromRow({ ...row, answer: whole }));
    },
    async recentChances({ domain, profile, since }, limit) {
      const rows = await db
        .selectFrom("interactions")
        .select("chance")
        .where("domain", "=", domain)
        .where("created_at", ">=", since)
        .where("profile", "=", profile)
        .where("chance", "is not", null)
        .orderBy("created_at", "desc")
        .limit(limit)
        .execute();
      return rows.flatMap(({ chance }) => chance ?? []);
    },
  };
}

/** An interaction whose review is known. */
interface Decided extends Omit<Adding, "row"> {
  readonly row: Selectable<Database["interactions"]>;
}

/** An interaction on its way into the store. */
interface Adding extends Required<Beside> {
  readonly interaction: Interaction;
  readonly row: Row;
  readonly approved: InteractionFacts["approved"];
  readonly report: NewReport | null;
  readonly at: Date;
  readonly key: string;
}

/** What one transaction has found, for those that it adds later. */
interface Known {
  /** By question and answer. */
  readonly reviews: Map<string, Reviewed | null>;
  /** Hashes of contents and settings that are there. */
  readonly kept: Set<string>;
}

function nothingKnown(): Known {
  return { reviews: new Map(), kept: new Set() };
}

type Reviewed = Pick<Selectable<Database["interactions"]>, "id" | "review_status">;

/** What every answer asks and writes. */
function interactionQueries(db: Kysely<Database>) {
  const reviews = prepare((given: Given<{ curated_key: string; answer_hash: string }>) =>
    db
      .selectFrom("interactions")
      .select(["id", "review_status"])
      .where("curated_key", "=", given("curated_key"))
      .where("answer_hash", "=", given("answer_hash"))
      // Written out, so that the index of reviewed ones is taken.
      .where("review_status", "!=", sql.lit("unreviewed"))
      .orderBy("reviewed_at", "desc")
      .orderBy("id")
      .limit(1),
  );
  return {
    /** The review of the same answer to the same question. */
    async reviewOf(
      trx: Transaction<Database>,
      { curated_key, answer_hash }: Pick<Row, "curated_key" | "answer_hash">,
      known: Known["reviews"],
    ): Promise<Reviewed | null> {
      if (curated_key === null) return null;
      const pair = `${curated_key} ${answer_hash}`;
      const before = known.get(pair);
      if (before !== undefined) return before;
      const [found = null] = await reviews(trx, { curated_key, answer_hash });
      known.set(pair, found);
      return found;
    },
    insertInteractions: prepareInsert((rows: readonly Selectable<Database["interactions"]>[]) =>
      db.insertInto("interactions").values(rows),
    ),
  };
}

/** Are all documents there, in these versions? They stay so until the transaction ends. */
export async function areCurrent(trx: Transaction<Database>, versions: ReadonlyMap<string, string>): Promise<boolean> {
  if (versions.size === 0) return true;
  const rows = await trx
    .selectFrom("documents")
    .select(["id", "version"])
    .where("id", "in", [...versions.keys()])
    .orderBy("id")
    .forShare()
    .execute();
  const current = new Map(rows.map(({ id, version }) => [id, version]));
  return [...versions].every(([id, version]) => current.get(id) === version);
}

export async function insertDocuments(trx: Transaction<Database>, id: string, versions: ReadonlyMap<string, string>): Promise<void> {
  await trx.deleteFrom("review_documents").where("interaction_id", "=", id).execute();
  const rows = [...versions].map(([document_id, version]) => ({ interaction_id: id, document_id, version }));
  if (rows.length > 0) await trx.insertInto("review_documents").values(rows).execute();
}

async function copyDocuments(trx: Transaction<Database>, from: string, to: string): Promise<void> {
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

/** Hashes what was answered; an answer that is served again and again, once for as long as it is among the last. */
function createAnsweredHasher(): (secret: string, answered: string) => string {
  const known = new Map<string, string>();
  return (secret, answered) => {
    const hash = known.get(answered) ?? keyedHash(secret, "answer", answered);
    known.delete(answered);
    known.set(answered, hash);
    if (known.size > HASHED_ANSWERS) known.delete(known.keys().next().value as string);
    return hash;
  };
}

type Row = Omit<Selectable<Database["interactions"]>, "review_status">;

function factsOf({ question, answer }: Interaction): InteractionFacts {
  return {
    asked: question,
    resolved: question,
    answered: answer,
    privacy: "redacted",
    curatedKey: null,
    cacheKey: null,
    reason: null,
    warnings: 0,
    conflicts: 0,
    tokens: null,
    costUsd: null,
    savedTokens: null,
    savedUsd: null,
    topics: [],
    latencyMs: null,
    approved: null,
  };
}

function toRow(
  { access, cacheMode, sessionId, userId, tenant, content, ...rest }: Interaction,
  facts: InteractionFacts,
  secret: string,
  { at, answered }: { readonly at: string; readonly answered: string },
): Row {
  const asked = questionHash(secret, rest.domain, facts.asked);
  return {
    ...rest,
    tenant: tenant ?? "",
    access: JSON.stringify(access),
    content: content?.hash ?? null,
    session_id: sessionId === null ? null : keyedHash(secret, "session", sessionId),
    user_id: userId === null || userId === undefined ? null : keyedHash(secret, "user", userId),
    privacy: facts.privacy,
    question_hash: facts.resolved === facts.asked ? asked : questionHash(secret, rest.domain, facts.resolved),
    asked_hash: asked,
    answer_hash: answered,
    curated_key: facts.curatedKey,
    cache_key: facts.cacheKey,
    reason: facts.reason,
    reviewed_by: null,
    reviewed_at: null,
    demoted_at: null,
    warnings: facts.warnings,
    conflicts: facts.conflicts,
    cache_mode: cacheMode,
    tokens: facts.tokens,
    cost_usd: facts.costUsd,
    saved_tokens: facts.savedTokens,
    saved_usd: facts.savedUsd,
    topics: JSON.stringify(facts.topics),
    latency_ms: facts.latencyMs,
    created_at: at,
  };
}

function fromRow(row: Selectable<Database["interactions"]>): StoredInteraction {
  const { id, domain, profile, question, answer, status, confidence, chance, privacy } = row;
  return {
    id,
    domain,
    profile,
    question,
    answer,
    status,
    confidence,
    chance,
    privacy,
    tenant: row.tenant === "" ? null : row.tenant,
    access: JSON.parse(row.access) as string[],
    sessionId: row.session_id,
    cacheMode: row.cache_mode,
    reviewStatus: row.review_status,
    createdAt: row.created_at,
  };
}
