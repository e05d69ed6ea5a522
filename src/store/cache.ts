import { type Kysely, type NotNull, type Selectable, sql, type Transaction } from "kysely";
import type { Scope } from "../shared/types.ts";
import { ALL_ROWS, areCurrent, countAll, deletedBy, type Given, jsonRows, prepare, takeTurn, transact } from "./dialect.ts";
import { bytesToVector, vectorToBytes } from "./embeddings.ts";
import { linkQuestion, type QuestionNodes, type SourceNode } from "./graph.ts";
import type { ReviewStatus } from "./interaction.ts";
import type { Database } from "./schema.ts";

/** A document version that a cached answer cites or mentions. When the document changes, the cached answer is deleted. */
export interface NamedDocument {
  readonly id: string;
  readonly version: string;
}

type EntryRow = Selectable<Database["cache_entries"]>;

/** A stored answer (JSON text) with the document versions that it cites or mentions. */
export interface CacheEntry extends Readonly<Pick<EntryRow, "key" | "question" | "answer" | "createdAt" | "expiresAt">> {
  readonly documents: readonly NamedDocument[];
  readonly reviewStatus: ReviewStatus;
}

/** A stored question that may ask the same as the current one. */
export interface StoredQuestion extends Readonly<Pick<EntryRow, "key" | "createdAt">> {
  readonly question: string;
  readonly retrieved: RetrievedFor;
  readonly reviewStatus: ReviewStatus;
  readonly vector: Float32Array;
}

/** Data by which other questions can find an entry: its nodes in the graph and its vector. */
export interface SharedQuestion extends QuestionNodes {
  readonly vector: { readonly model: string; readonly values: Float32Array };
}

/** Everything that determines an answer, except the question and the documents. */
export interface CachePlace
  extends Pick<Scope, "domain" | "tenant" | "access">,
    Readonly<Pick<EntryRow, "profile" | "language" | "detail" | "encoder" | "configHash">> {}

/** What was retrieved for a stored question, and the chunks that its answer cites. */
export interface RetrievedFor {
  /** Ids of documents and of chunks, best first. */
  readonly documents: readonly string[];
  readonly chunks: readonly string[];
  readonly cited: readonly string[];
}

export interface CachePut {
  readonly key: string;
  /** Keyed hash of `place`. An entry serves only questions with the same value. */
  readonly scope: string;
  readonly place: CachePlace;
  readonly answer: string;
  /** Interaction whose review status applies to the answer. Deleting the interaction deletes the entry. */
  readonly interactionId: string | null;
  /** Every document that the answer cites or mentions. */
  readonly documents: readonly NamedDocument[];
  /** The documents that the answer cites. */
  readonly sources: readonly SourceNode[];
  /** Redacted; `null` where no text may be stored. */
  readonly question: string | null;
  /** `null`: only the identical question finds the entry. */
  readonly shared: SharedQuestion | null;
  readonly retrieved: RetrievedFor;
  readonly hours: number;
  /** Maximum number of entries; the least recently used are evicted. */
  readonly capacity: number;
}

/** Nodes of an entry that only the identical question may find. Without topics and entities, no other question matches. */
const NO_NODES: QuestionNodes = { topics: [], entities: [] };
/** Maximum number of uses in memory before they are written to the database. So reading an answer does not wait for the disk. */
const PENDING_USES = 1_000;

export function createCacheStore(db: Kysely<Database>, now: () => Date) {
  let used = new Map<string, string>();
  const readEntry = createEntryReader(db);
  const writeUses = async (trx: Transaction<Database>) => {
    const uses = used;
    used = new Map();
    const update = trx.updateTable("cache_entries");
    for (const [key, usedAt] of uses) await update.set({ usedAt }).where("key", "=", key).where("usedAt", "<", usedAt).execute();
  };
  const use = async (key: string, at: string) => {
    used.set(key, at);
    if (used.size >= PENDING_USES) await transact(db, writeUses);
  };
  return {
    /** Returns the entry unless it has expired, and marks it as used. */
    async get(key: string): Promise<CacheEntry | null> {
      const at = now().toISOString();
      const entry = await readEntry(key, at);
      if (entry !== null) await use(key, at);
      return entry;
    },
    /** Marks an already loaded entry as used. Returns `false` if it has expired. */
    async use({ key, expiresAt }: Pick<CacheEntry, "key" | "expiresAt">): Promise<boolean> {
      const at = now().toISOString();
      if (expiresAt <= at) return false;
      await use(key, at);
      return true;
    },
    /** Stores an answer. Returns `false` if meanwhile a document that it names has changed or its interaction was deleted. */
    put: (entry: CachePut): Promise<boolean> =>
      transact(db, async (trx) => {
        await writeUses(trx);
        if (!(await areCurrent(trx, new Map(entry.documents.map(({ id, version }) => [id, version]))))) return false;
        const origin = trx
          .selectFrom("interactions")
          .select("id")
          .where("id", "=", entry.interactionId ?? "")
          .forKeyShare();
        if (entry.interactionId !== null && (await origin.executeTakeFirst()) === undefined) return false;
        await trx.deleteFrom("cache_entries").where("key", "=", entry.key).execute();
        await takeTurn(trx, "cache");
        await trx.insertInto("cache_entries").values(rowOf(entry, now())).execute();
        const named = entry.documents.map(({ id, version }) => ({ key: entry.key, documentId: id, version }));
        if (named.length > 0) await trx.insertInto("cache_documents").values(named).execute();
        await linkQuestion(trx, entry.key, entry.place.domain, entry.shared ?? NO_NODES, entry.sources);
        await evict(trx, entry.capacity);
        return true;
      }),
    async delete(key: string): Promise<void> {
      used.delete(key);
      await db.deleteFrom("cache_entries").where("key", "=", key).execute();
    },
    async clear(domain: string | null): Promise<number> {
      const query = db.deleteFrom("cache_entries");
      return deletedBy(domain === null ? query : query.where("domain", "=", domain));
    },
    count: (): Promise<number> => countAll(db, "cache_entries"),
    stats: (domain: string | null) => statsOf(db, domain, now().toISOString()),
    /** Returns the highest sequence number; 0: no entries. Every new entry of any process raises it. */
    async newest(): Promise<number> {
      const row = await db.selectFrom("cache_entries").select(db.fn.max("seq").as("seq")).executeTakeFirst();
      return Number(row?.seq ?? 0);
    },
    /** Returns vectors of stored questions whose sequence number is above `seq`, in ascending order. */
    async vectorsAfter(seq: number) {
      const newer = db.selectFrom("cache_entries").select(["seq", "key", "scope", "vectorModel", "vector"]).where("seq", ">", seq);
      const rows = await newer.where("vector", "is not", null).$narrowType<{ vector: NotNull }>().orderBy("seq").execute();
      return rows.map(({ vectorModel, vector, ...row }) => ({ ...row, model: vectorModel ?? "", vector: bytesToVector(vector) }));
    },
    /** Returns unexpired stored questions of one scope by key. `gone` lists the keys without an entry. */
    async questions(keys: readonly string[], scope: string): Promise<{ found: StoredQuestion[]; gone: string[] }> {
      if (keys.length === 0) return { found: [], gone: [] };
      const all = withReview(db).select(["e.key", "e.scope", "e.question", "e.retrieved", "e.createdAt", "e.expiresAt", "e.vector"]);
      const rows = await all.where("e.key", "in", keys).execute();
      const at = now().toISOString();
      const known = new Set(rows.map(({ key }) => key));
      const found = rows.flatMap(({ scope: of, expiresAt, question, vector, retrieved, reviewStatus, ...row }): StoredQuestion[] => {
        if (of !== scope || question === null || vector === null || expiresAt <= at) return [];
        const read = { retrieved: JSON.parse(retrieved) as RetrievedFor, vector: bytesToVector(vector) };
        return [{ ...row, ...read, question, reviewStatus: reviewStatus ?? "unreviewed" }];
      });
      return { found, gone: keys.filter((key) => !known.has(key)) };
    },
  };
}

export type CacheStore = ReturnType<typeof createCacheStore>;

/** Selects the review status of cached answers. */
function withReview(db: Kysely<Database>) {
  return db.selectFrom("cache_entries as e").leftJoin("interactions as i", "i.id", "e.interactionId").select("i.reviewStatus");
}

/** Creates a lookup of unexpired entries by key. */
function createEntryReader(db: Kysely<Database>): (key: string, at: string) => Promise<CacheEntry | null> {
  const read = prepare((given: Given<{ key: string; at: string }>) => {
    const rows = jsonRows(db, ["d.documentId", "d.version"]).as("rows");
    return withReview(db)
      .select(["e.key", "e.question", "e.answer", "e.createdAt", "e.expiresAt"])
      .select((eb) => eb.selectFrom("cache_documents as d").select(rows).whereRef("d.key", "=", "e.key").as("documents"))
      .where("e.key", "=", given("key"))
      .where("e.expiresAt", ">", given("at"));
  });
  return async (key, at) => {
    const [row] = await read(db, { key, at });
    if (row === undefined) return null;
    const { documents, reviewStatus, ...entry } = row;
    const named = JSON.parse(documents ?? "[]") as [string, string][];
    return { ...entry, reviewStatus: reviewStatus ?? "unreviewed", documents: named.map(([id, version]) => ({ id, version })) };
  };
}

function rowOf({ key, scope, place, answer, interactionId, question, shared, retrieved, hours }: CachePut, at: Date) {
  const access = JSON.stringify([...new Set(place.access)].sort());
  return {
    ...{ ...place, key, scope, interactionId, question, answer, createdAt: at.toISOString(), usedAt: at.toISOString() },
    ...{ tenant: place.tenant ?? "", access, retrieved: JSON.stringify(retrieved), vectorModel: shared?.vector.model ?? null },
    vector: shared === null ? null : vectorToBytes(shared.vector.values),
    expiresAt: new Date(at.getTime() + hours * 3_600_000).toISOString(),
  };
}

async function evict(trx: Transaction<Database>, capacity: number): Promise<void> {
  if ((await countAll(trx, "cache_entries")) <= capacity) return;
  const latest = trx.selectFrom("cache_entries").select("key").orderBy("usedAt", "desc").orderBy("key");
  await trx.deleteFrom("cache_entries").where("key", "in", latest.limit(ALL_ROWS).offset(capacity)).execute();
}

async function statsOf(db: Kysely<Database>, domain: string | null, at: string) {
  const ofDomain = domain === null ? sql<boolean>`1 = 1` : sql<boolean>`${sql.ref("cache_entries.domain")} = ${domain}`;
  const entries = db.selectFrom("cache_entries").where(ofDomain);
  const rows = await entries
    .select("profile")
    .select((eb) => [
      eb.fn.countAll<number>().as("n"),
      eb.fn.count<number>("vectorModel").as("shared"),
      eb.fn.sum<number>(eb.case().when("expiresAt", "<=", at).then(1).else(0).end()).as("expired"),
      eb.fn.min("createdAt").as("oldest"),
      eb.fn.max("createdAt").as("newest"),
    ])
    .groupBy("profile")
    .execute();
  const sum = (values: readonly unknown[]) => values.reduce<number>((total, value) => total + Number(value ?? 0), 0);
  let edges = 0;
  const nodes = async (table: "question_topics" | "question_entities" | "question_sources", node: "topicId" | "entityId" | "sourceId") => {
    const linked = entries.innerJoin(table as "question_topics", "questionKey", "cache_entries.key");
    const counts = [db.fn.countAll().as("edges"), sql`count(distinct ${sql.ref(node)})`.as("nodes")] as const;
    const row = await linked.select(counts).executeTakeFirstOrThrow();
    edges += Number(row.edges);
    return Number(row.nodes);
  };
  return {
    entries: sum(rows.map(({ n }) => n)),
    /** Number of entries that other questions may find. */
    shared: sum(rows.map(({ shared }) => shared)),
    expired: sum(rows.map(({ expired }) => expired)),
    oldest: rows.map((row) => row.oldest).sort()[0] ?? null,
    newest:
      rows
        .map((row) => row.newest)
        .sort()
        .at(-1) ?? null,
    byProfile: Object.fromEntries(rows.map(({ profile, n }) => [profile, Number(n)])),
    topics: await nodes("question_topics", "topicId"),
    entities: await nodes("question_entities", "entityId"),
    sources: await nodes("question_sources", "sourceId"),
    edges,
  };
}
