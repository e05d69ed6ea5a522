import { type Kysely, type RawBuilder, sql } from "kysely";
import { messageOf, StoreError } from "../shared/errors.ts";
import { sha256Hex } from "../text/hash.ts";
import { inParts, transact } from "./dialect.ts";
import type { Database } from "./schema.ts";

/** Maximum dimensions that pgvector's HNSW indexes as `vector` and as `halfvec` (its README, "HNSW"). */
const VECTOR_DIMENSIONS = 2_000;
const HALFVEC_DIMENSIONS = 4_000;
/** HNSW parameters: pgvector's defaults, which the published `seven-layer` design (docs/profiles.md) also has. */
const HNSW = { m: 16, efConstruction: 64 } as const;
const ROWS_PER_INSERT = 500;

/** Identifies a window among the current documents. */
export interface VectorWindow {
  readonly documentId: string;
  /** Character offset of the window in its document. */
  readonly start: number;
}

/** A window's vector with the columns that filters use. */
export interface StoredVector extends VectorWindow {
  readonly version: string;
  readonly tenant: string;
  readonly access: string;
  readonly vector: Float32Array;
}

export interface FoundVector extends VectorWindow {
  /** Cosine similarity with the question, -1 to 1. */
  readonly score: number;
}

export interface VectorQuery {
  readonly vector: Float32Array;
  readonly k: number;
  readonly tenants: readonly string[];
  readonly access: readonly string[];
  /** Restricts the search to these windows. `null`: all windows of these tenants and labels */
  readonly windows: readonly VectorWindow[] | null;
  /** Compares every vector that passes the filters, instead of searching the HNSW index. */
  readonly isExact: boolean;
}

export interface VectorsOf {
  readonly domain: string;
  /** Id of the encoder. */
  readonly model: string;
  readonly dimensions: number;
}

/** Opens the table that has vectors of this domain and encoder; `null` if none has. */
export async function findPostgresVectors(
  store: Kysely<Database>,
  of: Pick<VectorsOf, "domain" | "model">,
): Promise<PostgresVectors | null> {
  const db = store.withoutPlugins();
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema() and tablename ~ '^vectors_[0-9]+$'`.execute(db);
  for (const { name } of rows) {
    const found = await sql`select 1 from ${sql.table(name)} where model = ${of.model} and domain = ${of.domain} limit 1`.execute(db);
    if (found.rows.length > 0) return openPostgresVectors(store, { ...of, dimensions: Number(name.slice("vectors_".length)) });
  }
  return null;
}

/**
 * Opens the vector table, creating it if needed; vectors are deleted with their documents.
 * @throws StoreError `vectors_unavailable` where pgvector is missing, `vectors_too_wide`
 */
export async function openPostgresVectors(store: Kysely<Database>, { domain, model, dimensions }: VectorsOf) {
  // The statements are raw SQL with the database's own column names.
  const db = store.withoutPlugins();
  const type = typeOf(dimensions);
  const name = `vectors_${dimensions}`;
  const table = sql.table(name);
  const indexName = `${name}_${sha256Hex(JSON.stringify([domain, model])).slice(0, 16)}`;
  const index = sql.id(indexName);
  await createTable(db, table, type, dimensions);
  const own = sql`model = ${sql.lit(model)} and domain = ${sql.lit(domain)}`;
  return {
    dimensions,
    /** Stores vectors of documents that still exist in the given version. Does not replace the existing vector of a window. */
    async put(rows: readonly StoredVector[]): Promise<void> {
      for (let at = 0; at < rows.length; at += ROWS_PER_INSERT)
        await insertRows(db, { table, type, model, domain }, rows.slice(at, at + ROWS_PER_INSERT));
    },
    /** Returns the offsets of windows that have vectors, by document. */
    async places(documentIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
      const found = new Map<string, Set<number>>();
      for (const part of inParts(documentIds)) {
        const { rows } = await sql<{ document_id: string; starts: string }>`
          select document_id, json_agg(start)::text as starts from ${table}
          where ${own} and document_id = any(${part}::text[]) group by document_id`.execute(db);
        for (const { document_id, starts } of rows) found.set(document_id, new Set(JSON.parse(starts) as number[]));
      }
      return found;
    },
    /** Returns the nearest vectors by cosine similarity, best first; ties by document and offset. */
    async search({ vector, k, tenants, access, windows, isExact }: VectorQuery): Promise<FoundVector[]> {
      const distance = sql`embedding <=> ${toText(vector)}::${sql.raw(type)}`;
      const column = <T>(pick: (window: VectorWindow) => T) => windows?.map(pick) ?? [];
      const wanted =
        windows === null
          ? sql``
          : sql`join unnest(${column((one) => one.documentId)}::text[], ${column((one) => one.start)}::bigint[])
              as wanted (document_id, start) using (document_id, start)`;
      // No index serves an order by a sum, so this forces an exact scan of the filtered rows.
      const order = isExact ? sql`(${distance}) + 0` : distance;
      const { rows } = await sql<{ document_id: string; start: number; distance: number }>`
        with found as materialized (
          select document_id, start, ${distance} as distance from ${table} ${wanted}
          where ${own} and tenant = any(${tenants}::text[]) and access = any(${access}::text[])
          order by ${order} limit ${sql.lit(k)})
        select * from found order by distance, document_id, start`.execute(db);
      return rows.map((row) => ({ documentId: row.document_id, start: row.start, score: rounded(1 - row.distance) }));
    },
    /** Builds the HNSW index unless it exists. */
    async buildIndex({ m, efConstruction }: { readonly m: number; readonly efConstruction: number } = HNSW): Promise<void> {
      const ops = sql.raw(`${type}_cosine_ops`);
      await db.connection().execute(async (one) => {
        await sql`set statement_timeout = 0`.execute(one);
        try {
          await sql`create index if not exists ${index} on ${table} using hnsw (embedding ${ops})
            with (m = ${sql.lit(m)}, ef_construction = ${sql.lit(efConstruction)}) where ${own}`.execute(one);
        } finally {
          await sql`reset statement_timeout`.execute(one);
        }
      });
    },
    async dropIndex(): Promise<void> {
      await sql`drop index if exists ${index}`.execute(db);
    },
    /** Returns the sizes in bytes of the table and of the HNSW index of this domain and encoder. */
    async bytes(): Promise<{ readonly table: number; readonly index: number }> {
      const query = sql<{ whole: number; part: number | null }>`
        select pg_table_size(${sql.lit(name)}::regclass) as whole, pg_relation_size(to_regclass(${sql.lit(indexName)})) as part`;
      const [row] = (await query.execute(db)).rows;
      return { table: Number(row?.whole ?? 0), index: Number(row?.part ?? 0) };
    },
  };
}

/** The vectors of one encoder for one domain in pgvector. */
export type PostgresVectors = Awaited<ReturnType<typeof openPostgresVectors>>;

/** The operations that a search needs. */
export type VectorTable = Pick<PostgresVectors, "dimensions" | "put" | "places" | "search" | "buildIndex">;

/** @throws StoreError `vectors_unavailable` where pgvector is missing */
export async function assertPostgresVectors(db: Kysely<Database>): Promise<void> {
  try {
    await sql`create extension if not exists vector`.execute(db);
  } catch (cause) {
    throw unavailable(cause);
  }
}

function unavailable(cause: unknown): StoreError {
  // `store_denied` here means a missing extension or missing rights to create it: report `vectors_unavailable`.
  if (cause instanceof StoreError && cause.code !== "store_denied") return cause;
  const message = `Vectors cannot be stored in PostgreSQL (${messageOf(cause)}). Install pgvector 0.8 and let an administrator run \`create extension vector\`, or set \`database.vectors\` to process.`;
  return new StoreError("vectors_unavailable", message, {}, { cause });
}

type VectorType = "vector" | "halfvec";

/** @throws StoreError `vectors_too_wide` */
function typeOf(dimensions: number): VectorType {
  if (dimensions <= VECTOR_DIMENSIONS) return "vector";
  if (dimensions <= HALFVEC_DIMENSIONS) return "halfvec";
  const message = `pgvector can index at most ${HALFVEC_DIMENSIONS} dimensions, but the encoder has ${dimensions}. Use an encoder with fewer.`;
  throw new StoreError("vectors_too_wide", message, { dimensions });
}

/** Creates the table under an advisory lock: concurrent `if not exists` statements may collide. */
async function createTable(db: Kysely<Database>, table: RawBuilder<unknown>, type: VectorType, dimensions: number): Promise<void> {
  try {
    await transact(db, async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtext('sourcebound vectors'))`.execute(trx);
      await sql`create extension if not exists vector`.execute(trx);
      await sql`create table if not exists ${table} (
        model text collate "C" not null,
        domain text collate "C" not null,
        document_id text collate "C" not null references documents (id) on delete cascade,
        start bigint not null,
        tenant text collate "C" not null,
        access text collate "C" not null,
        embedding ${sql.raw(`${type}(${dimensions})`)} not null,
        primary key (document_id, start, model))`.execute(trx);
      const owner = sql.id(`vectors_${dimensions}_owner`);
      await sql`create index if not exists ${owner} on ${table} (model, domain, tenant, access)`.execute(trx);
    });
  } catch (cause) {
    throw unavailable(cause);
  }
}

interface Place {
  readonly table: RawBuilder<unknown>;
  readonly type: VectorType;
  readonly model: string;
  readonly domain: string;
}

/**
 * Inserts vectors of documents that still exist in the given version. The key-share lock delays concurrent deletes, so that vectors are
 * deleted with their document.
 */
async function insertRows(db: Kysely<Database>, { table, type, model, domain }: Place, rows: readonly StoredVector[]): Promise<void> {
  const column = <T>(pick: (row: StoredVector) => T) => rows.map(pick);
  await sql`
    insert into ${table} (model, domain, document_id, start, tenant, access, embedding)
    select ${model}, ${domain}, given.document_id, given.start, given.tenant, given.access, given.embedding::${sql.raw(type)}
    from unnest(${column((row) => row.documentId)}::text[], ${column((row) => row.version)}::text[], ${column((row) => row.start)}::bigint[],
      ${column((row) => row.tenant)}::text[], ${column((row) => row.access)}::text[], ${column((row) => toText(row.vector))}::text[])
      as given (document_id, version, start, tenant, access, embedding)
    where exists (select 1 from documents where documents.id = given.document_id and documents.version = given.version for key share)
    on conflict do nothing`.execute(db);
}

/** Rounds a cosine to six decimals. pgvector sums in 32 bits, so further decimals are noise that would order equal scores. */
function rounded(score: number): number {
  return Math.round(score * 1e6) / 1e6;
}

function toText(vector: Float32Array): string {
  return `[${vector.join(",")}]`;
}
