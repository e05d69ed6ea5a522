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
    for (const [key, usedAt] of uses)
      await trx.updateTable("cache_entries").set({ usedAt }).where("key", "=", key).where("usedAt", "<", usedAt).execute();
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
        if (entry.interactionId !== null && !(await isRemembered(trx, entry.interactionId))) return false;
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
      const row = await db
        .selectFrom("cache_entries")
        .select((eb) => eb.fn.max("seq").as("seq"))
        .executeTakeFirst();
      return Number(row?.seq ?? 0);
    },
    /** Returns vectors of stored questions whose sequence number is above `seq`, in ascending order. */
    async vectorsAfter(seq: number) {
      const rows = await db
        .selectFrom("cache_entries")
        .select(["seq", "key", "scope", "vectorModel", "vector"])
        .where("seq", ">", seq)
        .where("vector", "is not", null)
        .$narrowType<{ vector: NotNull }>()
        .orderBy("seq")
        .execute();
      return rows.map(({ vectorModel, vector, ...row }) => ({ ...row, model: vectorModel ?? "", vector: bytesToVector(vector) }));
    },
    /** Returns unexpired stored questions of one scope by key. `gone` lists the keys without an entry. */
    async questions(keys: readonly string[], scope: string): Promise<{ found: StoredQuestion[]; gone: string[] }> {
      if (keys.length === 0) return { found: [], gone: [] };
      const rows = await db
        .selectFrom("cache_entries as e")
        .leftJoin("interactions as i", "i.id", "e.interactionId")
        .select(["e.key", "e.scope", "e.question", "e.retrieved", "e.createdAt", "e.expiresAt", "e.vector"])
        .select("i.reviewStatus")
        .where("e.key", "in", keys)
        .execute();
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

/** Creates a lookup of unexpired entries by key. */
function createEntryReader(db: Kysely<Database>): (key: string, at: string) => Promise<CacheEntry | null> {
  const read = prepare((given: Given<{ key: string; at: string }>) =>
    db
      .selectFrom("cache_entries as e")
      .leftJoin("interactions as i", "i.id", "e.interactionId")
      .select(["e.key", "e.question", "e.answer", "e.createdAt", "e.expiresAt", "i.reviewStatus"])
      .select((eb) =>
        eb
          .selectFrom("cache_documents as d")
          .select(jsonRows(db, ["d.documentId", "d.version"]).as("rows"))
          .whereRef("d.key", "=", "e.key")
          .as("documents"),
      )
      .where("e.key", "=", given("key"))
      .where("e.expiresAt", ">", given("at")),
  );
  return async (key, at) => {
    const [row] = await read(db, { key, at });
    if (row === undefined) return null;
    const { documents, reviewStatus, ...entry } = row;
    const named = JSON.parse(documents ?? "[]") as [string, string][];
    return { ...entry, reviewStatus: reviewStatus ?? "unreviewed", documents: named.map(([id, version]) => ({ id, version })) };
  };
}

async function isRemembered(trx: Transaction<Database>, id: string): Promise<boolean> {
  return (await trx.selectFrom("interactions").select("id").where("id", "=", id).forKeyShare().executeTakeFirst()) !== undefined;
}

function rowOf({ key, scope, place, answer, interactionId, question, shared, retrieved, hours }: CachePut, at: Date) {
  const { tenant, access } = place;
  return {
    ...place,
    ...{ key, scope, interactionId, question, answer, createdAt: at.toISOString(), usedAt: at.toISOString() },
    ...{ tenant: tenant ?? "", access: JSON.stringify([...new Set(access)].sort()), retrieved: JSON.stringify(retrieved) },
    ...{ vectorModel: shared?.vector.model ?? null },
    vector: shared === null ? null : vectorToBytes(shared.vector.values),
    expiresAt: new Date(at.getTime() + hours * 3_600_000).toISOString(),
  };
}

async function evict(trx: Transaction<Database>, capacity: number): Promise<void> {
  if ((await countAll(trx, "cache_entries")) <= capacity) return;
  await trx
    .deleteFrom("cache_entries")
    .where("key", "in", (eb) =>
      eb.selectFrom("cache_entries").select("key").orderBy("usedAt", "desc").orderBy("key").limit(ALL_ROWS).offset(capacity),
    )
    .execute();
}

async function statsOf(db: Kysely<Database>, domain: string | null, at: string) {
  const rows = await db
    .selectFrom("cache_entries")
    .select("profile")
    .select((eb) => [
      eb.fn.countAll<number>().as("n"),
      eb.fn.count<number>("vectorModel").as("shared"),
      eb.fn.sum<number>(eb.case().when("expiresAt", "<=", at).then(1).else(0).end()).as("expired"),
      eb.fn.min("createdAt").as("oldest"),
      eb.fn.max("createdAt").as("newest"),
    ])
    .groupBy("profile")
    .$if(domain !== null, (query) => query.where("domain", "=", domain as string))
    .execute();
  const sum = (values: readonly unknown[]) => values.reduce<number>((total, value) => total + Number(value ?? 0), 0);
  const nodes = async (table: "question_topics" | "question_entities" | "question_sources", node: "topicId" | "entityId" | "sourceId") => {
    const row = await db
      .selectFrom(table as "question_topics")
      .innerJoin("cache_entries", "cache_entries.key", "questionKey")
      .select((eb) => [eb.fn.countAll().as("edges"), sql`count(distinct ${sql.ref(node)})`.as("nodes")])
      .$if(domain !== null, (query) => query.where("cache_entries.domain", "=", domain as string))
      .executeTakeFirstOrThrow();
    return { edges: Number(row.edges), nodes: Number(row.nodes) };
  };
  const topics = await nodes("question_topics", "topicId");
  const entities = await nodes("question_entities", "entityId");
  const sources = await nodes("question_sources", "sourceId");
  return {
    entries: sum(rows.map(({ n }) => n)),
    /** Number of entries that other questions may find. */
    shared: sum(rows.map(({ shared }) => shared)),
    expired: sum(rows.map(({ expired }) => expired)),
    oldest: rows.map((row) => row.oldest).sort()[0] ?? null,
    newest: rows.map((row) => row.newest).sort((a, b) => (a < b ? 1 : -1))[0] ?? null,
    byProfile: Object.fromEntries(rows.map(({ profile, n }) => [profile, Number(n)])),
    topics: topics.nodes,
    entities: entities.nodes,
    sources: sources.nodes,
    edges: topics.edges + entities.edges + sources.edges,
  };
}
