import type { Kysely, Transaction } from "kysely";
import { areCurrent, jsonRows, takeTurn, transact } from "./dialect.ts";
import { bytesToVector, vectorToBytes } from "./embeddings.ts";
import { linkQuestion, type QuestionNodes, type SourceNode } from "./graph.ts";
import { type Given, prepare } from "./prepared.ts";
import type { Database } from "./schema.ts";

/** A document version that an answer names; it goes when any of them does. */
export interface NamedDocument {
  readonly id: string;
  readonly version: string;
}

/** A stored answer (as JSON text) with the document versions that it names. */
export interface CacheEntry {
  readonly key: string;
  readonly question: string | null;
  readonly answer: string;
  readonly documents: readonly NamedDocument[];
  readonly reviewStatus: ReviewStatus;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export type ReviewStatus = "unreviewed" | "approved" | "flagged";

/** A stored question that may be the one asked. */
export interface StoredQuestion {
  readonly key: string;
  readonly question: string;
  readonly slots: string | null;
  readonly retrieved: RetrievedFor;
  readonly reviewStatus: ReviewStatus;
  readonly createdAt: string;
  readonly vector: Float32Array;
}

/** What lets other questions find an entry; only where text may be stored. */
export interface SharedQuestion extends QuestionNodes {
  readonly slots: string | null;
  readonly vector: { readonly model: string; readonly values: Float32Array };
}

/** Everything but the question on which an answer depends, spelt out. */
export interface CachePlace {
  readonly domain: string;
  readonly tenant: string | null;
  readonly access: readonly string[];
  readonly profile: string;
  readonly language: string;
  readonly detail: string;
  readonly encoder: string;
  readonly configHash: string;
}

/** What retrieval found for a stored question, and what of it the answer cites. */
export interface RetrievedFor {
  /** Ids of documents and of chunks, best first. */
  readonly documents: readonly string[];
  readonly chunks: readonly string[];
  /** Ids of chunks. */
  readonly cited: readonly string[];
}

export interface CachePut {
  readonly key: string;
  /** Keyed hash of the place. */
  readonly scope: string;
  readonly place: CachePlace;
  readonly answer: string;
  /** Interaction whose review status holds for the answer; with it the entry goes. */
  readonly interactionId: string | null;
  /** Every document that the answer names. */
  readonly documents: readonly NamedDocument[];
  /** The documents that it cites. */
  readonly sources: readonly SourceNode[];
  /** Redacted; `null` where no text may be stored. */
  readonly question: string | null;
  /** `null`: only the same question finds it. */
  readonly shared: SharedQuestion | null;
  readonly retrieved: RetrievedFor;
  readonly hours: number;
  /** Entries kept in all; the least recently used go. */
  readonly capacity: number;
}

export interface VectorRow {
  readonly seq: number;
  readonly key: string;
  readonly scope: string;
  readonly model: string;
  readonly vector: Float32Array;
}

export interface CacheStats {
  readonly entries: number;
  /** Entries that other questions may find. */
  readonly shared: number;
  readonly expired: number;
  readonly oldest: string | null;
  readonly newest: string | null;
  readonly byProfile: Readonly<Record<string, number>>;
  readonly topics: number;
  readonly entities: number;
  readonly sources: number;
  readonly edges: number;
}

export interface CacheStore {
  /** The entry, if it has not expired. Marks it as used. */
  get(key: string): Promise<CacheEntry | null>;
  /** Marks an entry that was read before as used; `false`: it has expired since. */
  use(entry: Pick<CacheEntry, "key" | "expiresAt">): Promise<boolean>;
  /**
   * Stores an answer, unless a document that it names has changed since (then it returns false): a concurrent ingest cannot be outrun.
   */
  put(entry: CachePut): Promise<boolean>;
  delete(key: string): Promise<void>;
  clear(domain: string | null): Promise<number>;
  count(): Promise<number>;
  stats(domain: string | null): Promise<CacheStats>;
  /** Number of the newest entry that ever was; 0: none. Raised by every new entry of every process. */
  newest(): Promise<number>;
  /** Vectors of stored questions after a number, in order. */
  vectorsAfter(seq: number): Promise<VectorRow[]>;
  /** Stored questions of one scope by key, without those that have expired. `gone`: keys without an entry. */
  questions(keys: readonly string[], scope: string): Promise<{ found: StoredQuestion[]; gone: string[] }>;
}

/** Of a question that only the same question finds: candidates share a topic and an entity, so that its documents alone make it none. */
const NO_NODES: QuestionNodes = { topics: [], entities: [] };
/** Uses kept in memory before they are written: an answer must not wait for the disk because it was read. */
const PENDING_USES = 1_000;
/** Characters of answers that are kept as they were read: some 1,000 answers. */
const KEPT_CHARACTERS = 16_000_000;

export function createCacheStore(db: Kysely<Database>, now: () => Date): CacheStore {
  let used = new Map<string, string>();
  const readEntry = createEntryReader(db);
  const writeUses = async (trx: Transaction<Database>) => {
    const uses = used;
    used = new Map();
    for (const [key, usedAt] of uses)
      await trx.updateTable("cache_entries").set({ usedAt }).where("key", "=", key).where("usedAt", "<", usedAt).execute();
  };
  const use = async (key: string, at: string) => {
    used.set(key, at);
    if (used.size >= PENDING_USES) await transact(db, writeUses);
  };
  return {
    async get(key) {
      const at = now().toISOString();
      const entry = await readEntry(key, at);
      if (entry !== null) await use(key, at);
      return entry;
    },
    async use({ key, expiresAt }) {
      const at = now().toISOString();
      if (expiresAt <= at) return false;
      await use(key, at);
      return true;
    },
    put: (entry) =>
      transact(db, async (trx) => {
        await writeUses(trx);
        if (!(await areCurrent(trx, versionsOf(entry.documents)))) return false;
        if (entry.interactionId !== null && !(await isRemembered(trx, entry.interactionId))) return false;
        await trx.deleteFrom("cache_entries").where("key", "=", entry.key).execute();
        await takeTurn(trx, "cache");
        await trx.insertInto("cache_entries").values(rowOf(entry, now())).execute();
        await nameDocuments(trx, entry.key, entry.documents);
        await linkQuestion(trx, entry.key, entry.place.domain, entry.shared ?? NO_NODES, entry.sources);
        await evict(trx, entry.capacity);
        return true;
      }),
    async delete(key) {
      used.delete(key);
      await db.deleteFrom("cache_entries").where("key", "=", key).execute();
    },
    async clear(domain) {
      const query = db.deleteFrom("cache_entries");
      const { numDeletedRows } = await (domain === null ? query : query.where("domain", "=", domain)).executeTakeFirst();
      return Number(numDeletedRows);
    },
    async count() {
      const { n } = await db
        .selectFrom("cache_entries")
        .select((eb) => eb.fn.countAll<number>().as("n"))
        .executeTakeFirstOrThrow();
      return Number(n);
    },
    stats: (domain) => statsOf(db, domain, now().toISOString()),
    async newest() {
      const row = await db
        .selectFrom("cache_entries")
        .select((eb) => eb.fn.max("seq").as("seq"))
        .executeTakeFirst();
      return Number(row?.seq ?? 0);
    },
    async vectorsAfter(seq) {
      const rows = await db
        .selectFrom("cache_entries")
        .select(["seq", "key", "scope", "vectorModel", "vector"])
        .where("seq", ">", seq)
        .where("vector", "is not", null)
        .orderBy("seq")
        .execute();
      return rows.map((row) => ({
        seq: row.seq,
        key: row.key,
        scope: row.scope,
        model: row.vectorModel ?? "",
        vector: bytesToVector(row.vector),
      }));
    },
    async questions(keys, scope) {
      if (keys.length === 0) return { found: [], gone: [] };
      const rows = await db
        .selectFrom("cache_entries as e")
        .leftJoin("interactions as i", "i.id", "e.interactionId")
        .select(["e.key", "e.scope", "e.question", "e.slots", "e.retrieved", "e.createdAt", "e.expiresAt", "e.vector"])
        .select("i.reviewStatus")
        .where("e.key", "in", keys)
        .execute();
      const at = now().toISOString();
      const known = new Set(rows.map(({ key }) => key));
      const found = rows.flatMap((row): StoredQuestion[] =>
        row.scope !== scope || row.question === null || row.vector === null || row.expiresAt <= at
          ? []
          : [
              {
                key: row.key,
                question: row.question,
                slots: row.slots,
                retrieved: JSON.parse(row.retrieved) as RetrievedFor,
                reviewStatus: row.reviewStatus ?? "unreviewed",
                createdAt: row.createdAt,
                vector: bytesToVector(row.vector),
              },
            ],
      );
      return { found, gone: keys.filter((key) => !known.has(key)) };
    },
  };
}

/**
 * Reads entries by their key. The text of an answer is some 15 kB: that of an entry that was read before is not read again for as long as it has the same number
 * and names the same versions, one of which changes whenever the text does.
 */
function createEntryReader(db: Kysely<Database>): (key: string, at: string) => Promise<CacheEntry | null> {
  const texts = new Map<string, { readonly stamp: string; readonly answer: string }>();
  let characters = 0;
  const facts = (given: Given<{ key: string; at: string }>) =>
    db
      .selectFrom("cache_entries as e")
      .leftJoin("interactions as i", "i.id", "e.interactionId")
      .select(["e.seq", "e.question", "e.createdAt", "e.expiresAt", "i.reviewStatus"])
      .select((eb) =>
        eb
          .selectFrom("cache_documents as d")
          .select(jsonRows(db, ["d.documentId", "d.version"]).as("rows"))
          .whereRef("d.key", "=", "e.key")
          .as("documents"),
      )
      .where("e.key", "=", given("key"))
      .where("e.expiresAt", ">", given("at"));
  const readFacts = prepare(facts);
  const readWhole = prepare((given: Given<{ key: string; at: string }>) => facts(given).select("e.answer"));
  const forget = (key: string) => {
    characters -= texts.get(key)?.answer.length ?? 0;
    texts.delete(key);
  };
  const keep = (key: string, one: { readonly stamp: string; readonly answer: string }) => {
    forget(key);
    texts.set(key, one);
    characters += one.answer.length;
    for (const oldest of texts.keys()) {
      if (characters <= KEPT_CHARACTERS) break;
      forget(oldest);
    }
    return one.answer;
  };
  const stampOf = ({ seq, documents }: { seq: number; documents: string | null }) => `${seq} ${documents}`;
  return async (key, at) => {
    let [row] = await readFacts(db, { key, at });
    if (row === undefined) return null;
    const known = texts.get(key);
    let answer = known?.stamp === stampOf(row) ? known.answer : null;
    if (answer === null) {
      const [whole] = await readWhole(db, { key, at });
      if (whole === undefined) return null;
      row = whole;
      answer = keep(key, { stamp: stampOf(whole), answer: whole.answer });
    }
    const named = JSON.parse(row.documents ?? "[]") as [string, string][];
    return {
      ...{ key, answer, question: row.question, createdAt: row.createdAt, expiresAt: row.expiresAt },
      documents: named.map(([id, version]) => ({ id, version })),
      reviewStatus: row.reviewStatus ?? "unreviewed",
    };
  };
}

function versionsOf(documents: readonly NamedDocument[]): Map<string, string> {
  return new Map(documents.map(({ id, version }) => [id, version]));
}

async function isRemembered(trx: Transaction<Database>, id: string): Promise<boolean> {
  return (await trx.selectFrom("interactions").select("id").where("id", "=", id).forKeyShare().executeTakeFirst()) !== undefined;
}

function rowOf({ key, scope, place, answer, interactionId, question, shared, retrieved, hours }: CachePut, at: Date) {
  const { tenant, access, configHash, ...rest } = place;
  return {
    ...rest,
    key,
    scope,
    tenant: tenant ?? "",
    access: JSON.stringify([...new Set(access)].sort()),
    configHash,
    interactionId,
    question,
    slots: shared?.slots ?? null,
    vectorModel: shared?.vector.model ?? null,
    vector: shared === null ? null : vectorToBytes(shared.vector.values),
    retrieved: JSON.stringify(retrieved),
    answer,
    createdAt: at.toISOString(),
    usedAt: at.toISOString(),
    expiresAt: new Date(at.getTime() + hours * 3_600_000).toISOString(),
  };
}

async function nameDocuments(trx: Transaction<Database>, key: string, documents: readonly NamedDocument[]): Promise<void> {
  const rows = documents.map(({ id, version }) => ({ key, documentId: id, version }));
  if (rows.length > 0) await trx.insertInto("cache_documents").values(rows).execute();
}

async function evict(trx: Transaction<Database>, capacity: number): Promise<void> {
  const { n } = await trx
    .selectFrom("cache_entries")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  if (Number(n) <= capacity) return;
  await trx
    .deleteFrom("cache_entries")
    .where("key", "in", (eb) =>
      eb.selectFrom("cache_entries").select("key").orderBy("usedAt", "desc").orderBy("key").limit(1_000_000_000).offset(capacity),
    )
    .execute();
}

async function statsOf(db: Kysely<Database>, domain: string | null, at: string): Promise<CacheStats> {
  let query = db
    .selectFrom("cache_entries")
    .select("profile")
    .select((eb) => [
      eb.fn.countAll<number>().as("n"),
      eb.fn.count<number>("vectorModel").as("shared"),
      eb.fn.sum<number>(eb.case().when("expiresAt", "<=", at).then(1).else(0).end()).as("expired"),
      eb.fn.min("createdAt").as("oldest"),
      eb.fn.max("createdAt").as("newest"),
    ])
    .groupBy("profile");
  if (domain !== null) query = query.where("domain", "=", domain);
  const rows = await query.execute();
  const sum = (values: readonly unknown[]) => values.reduce<number>((total, value) => total + Number(value ?? 0), 0);
  const oldest = rows.map((row) => row.oldest).sort();
  const newest = rows.map((row) => row.newest).sort();
  const nodes = async (table: "question_topics" | "question_entities" | "question_sources", node: "topicId" | "entityId" | "sourceId") => {
    let edges = db
      .selectFrom(table)
      .innerJoin("cache_entries", "cache_entries.key", `${table}.questionKey` as "question_topics.questionKey")
      .select((eb) => [
        eb.fn.countAll<number>().as("edges"),
        eb.fn
          .count<number>(node as "topicId")
          .distinct()
          .as("nodes"),
      ]);
    if (domain !== null) edges = edges.where("cache_entries.domain", "=", domain);
    const row = await edges.executeTakeFirstOrThrow();
    return { edges: Number(row.edges), nodes: Number(row.nodes) };
  };
  const topics = await nodes("question_topics", "topicId");
  const entities = await nodes("question_entities", "entityId");
  const sources = await nodes("question_sources", "sourceId");
  return {
    entries: sum(rows.map(({ n }) => n)),
    shared: sum(rows.map(({ shared }) => shared)),
    expired: sum(rows.map(({ expired }) => expired)),
    oldest: oldest[0] ?? null,
    newest: newest.at(-1) ?? null,
    byProfile: Object.fromEntries(rows.map(({ profile, n }) => [profile, Number(n)])),
    topics: topics.nodes,
    entities: entities.nodes,
    sources: sources.nodes,
    edges: topics.edges + entities.edges + sources.edges,
  };
}
