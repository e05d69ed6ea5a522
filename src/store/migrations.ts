import { randomBytes } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { messageOf, StoreError } from "../shared/errors.ts";
import type { Block, BlockType } from "../shared/types.ts";
import { keyedHash, questionHash } from "../text/hash.ts";
import { outlineOf } from "../text/headings.ts";
import { isPostgres } from "./dialect.ts";
import type { Database } from "./schema.ts";

/** Migrations run forward on start, in the order of their names; a name that has been released never changes. SQL as SQLite takes it. */
export const migrations: Readonly<Record<string, Migration>> = {
  "001_first_light": statements(
    `
    create table meta (key text primary key, value text not null);
    create table revisions (domain text primary key, revision integer not null);
    create table files (
      domain text not null, tenant text not null, source text not null, path text not null, access text not null,
      original_hash text not null, settings text not null, status text not null, reason text,
      updated_at text not null, constraint files_key primary key (domain, tenant, source, path));
    create table documents (
      id text primary key, domain text not null, tenant text not null, access text not null, source text not null,
      file text not null, path text not null, title text not null, description text, url text, as_of text,
      authority text, topic text, subtopic text, type text, original_hash text not null, version text not null,
      normaliser text not null, "text" text not null, blocks text not null, units text not null,
      source_map text not null, updated_at text not null,
      constraint documents_place unique (domain, tenant, source, path));
    create index documents_file on documents (domain, tenant, source, file);
    create table chunks (
      id text primary key, document_id text not null references documents (id) on delete cascade,
      ordinal integer not null, start integer not null, "end" integer not null, tokens integer not null,
      heading_path text not null, windows text not null);
    create index chunks_document on chunks (document_id);
    create table embeddings (
      model text not null, text_hash text not null, vector blob not null,
      constraint embeddings_key primary key (model, text_hash));
    create table interactions (
      id text primary key, domain text not null, tenant text not null, access text not null, profile text not null,
      session_id text, question text not null, answer text not null, status text not null,
      review_status text not null, confidence real, cache_mode text not null, created_at text not null);
    create index interactions_time on interactions (domain, created_at);
    create table cache_entries (
      key text primary key, domain text not null, tenant text not null, answer text not null,
      created_at text not null, expires_at text not null, used_at text not null);
    create index cache_entries_used on cache_entries (used_at);
    create table cache_documents (
      key text not null references cache_entries (key) on delete cascade, document_id text not null,
      version text not null, constraint cache_documents_key primary key (key, document_id));
    create index cache_documents_document on cache_documents (document_id);
    create table sessions (
      id text primary key, domain text not null, tenant text not null, access text not null, user_id text,
      created_at text not null, updated_at text not null, expires_at text not null);
    create index sessions_expiry on sessions (expires_at);
    create table session_turns (
      id integer primary key autoincrement, session_id text not null references sessions (id) on delete cascade,
      question text not null, answer text not null, citations text not null, created_at text not null);
    create index session_turns_session on session_turns (session_id, id)`,
  ),
  "002_outline_and_pages": statements(
    `
    alter table documents add column outline text default '[]' not null;
    alter table documents add column pages text`,
    addOutlines,
  ),
  "003_chance": statements("alter table interactions add column chance real"),
  "003_reports": statements(
    `
    create table reports (
      id text primary key, interaction_id text not null references interactions (id) on delete cascade,
      domain text not null, tenant text not null, access text not null, profile text not null, topic text not null,
      confidence real, report text not null, created_at text not null);
    create index reports_interaction on reports (interaction_id);
    create index reports_owner on reports (domain, tenant, created_at, id);
    create index reports_time on reports (created_at)`,
  ),
  /** The first tables of the cache are made anew: their rows lack the columns by which they could be found, and can be answered again. Graph: `seven-layer` source, listing 8. */
  "004_memory": statements(
    `
    drop table cache_documents;
    drop table cache_entries;
    create table cache_entries (
      seq integer primary key autoincrement, key text not null unique, scope text not null, domain text not null,
      tenant text not null, access text not null, profile text not null, language text not null, detail text not null,
      encoder text not null, config_hash text not null, state text not null,
      interaction_id text references interactions (id) on delete cascade, question text, slots text,
      vector_model text, vector blob, retrieved text not null, answer text not null, created_at text not null,
      expires_at text not null, used_at text not null);
    create index cache_entries_used on cache_entries (used_at);
    create index cache_entries_interaction on cache_entries (interaction_id);
    create table cache_documents (
      key text not null references cache_entries (key) on delete cascade, document_id text not null,
      version text not null, passages text not null, constraint cache_documents_key primary key (key, document_id));
    create index cache_documents_document on cache_documents (document_id);
    create table topics (
      id integer primary key autoincrement, domain text not null, slug text not null, name text not null,
      keywords text not null, constraint topics_slug unique (domain, slug));
    create table entities (
      id integer primary key autoincrement, domain text not null, type text not null, value text not null,
      constraint entities_value unique (domain, type, value));
    create table sources (
      id integer primary key autoincrement,
      document_id text not null unique references documents (id) on delete cascade, version text not null, url text,
      title text);
    create table question_topics (
      question_key text not null references cache_entries (key) on delete cascade,
      topic_id integer not null references topics (id) on delete cascade,
      constraint question_topics_key primary key (question_key, topic_id));
    create index question_topics_node on question_topics (topic_id);
    create table question_entities (
      question_key text not null references cache_entries (key) on delete cascade,
      entity_id integer not null references entities (id) on delete cascade,
      constraint question_entities_key primary key (question_key, entity_id));
    create index question_entities_node on question_entities (entity_id);
    create table question_sources (
      question_key text not null references cache_entries (key) on delete cascade,
      source_id integer not null references sources (id) on delete cascade,
      constraint question_sources_key primary key (question_key, source_id));
    create index question_sources_node on question_sources (source_id);
    create table origins (
      domain text not null, tenant text not null, source text not null, folder text not null, root text not null,
      access text not null, base_url text, updated_at text not null,
      constraint origins_key primary key (domain, tenant, source))`,
  ),
  /** Review, audit and what is counted. Sessions cannot be reached under their new keys, and cached answers have no interaction that leads to them: both go. */
  "005_review": statements(
    `
    alter table interactions add column user_id text;
    alter table interactions add column curated_key text;
    alter table interactions add column cache_key text;
    alter table interactions add column reason text;
    alter table interactions add column reviewed_by text;
    alter table interactions add column reviewed_at text;
    alter table interactions add column demoted_at text;
    alter table interactions add column tokens integer;
    alter table interactions add column saved_tokens integer;
    alter table interactions add column cost_usd real;
    alter table interactions add column saved_usd real;
    alter table interactions add column latency_ms real;
    alter table interactions add column privacy text default 'redacted' not null;
    alter table interactions add column question_hash text default '' not null;
    alter table interactions add column asked_hash text default '' not null;
    alter table interactions add column answer_hash text default '' not null;
    alter table interactions add column topics text default '[]' not null;
    alter table interactions add column warnings integer default 0 not null;
    alter table interactions add column conflicts integer default 0 not null;
    create index interactions_question on interactions (domain, question_hash);
    create index interactions_answer on interactions (curated_key, answer_hash);
    create index interactions_session on interactions (session_id);
    create table review_documents (
      interaction_id text not null references interactions (id) on delete cascade, document_id text not null,
      version text not null, constraint review_documents_key primary key (interaction_id, document_id));
    create index review_documents_document on review_documents (document_id);
    create table curated (
      key text primary key, id text not null, interaction_id text not null, domain text not null,
      question text not null, question_hash text not null, answer text not null, status text not null,
      created_by text not null, created_at text not null, demoted_at text);
    create index curated_interaction on curated (interaction_id);
    create table curated_documents (
      key text not null references curated (key) on delete cascade, document_id text not null, version text not null,
      constraint curated_documents_key primary key (key, document_id));
    create index curated_documents_document on curated_documents (document_id);
    create table feedback (
      interaction_id text primary key references interactions (id) on delete cascade, verdict text not null,
      reason text, changes integer not null, created_at text not null, updated_at text not null);
    create table audit_log (
      seq integer primary key, at text not null, actor text not null, action text not null, subject text not null,
      details text not null, previous text not null, hash text not null);
    create index audit_log_subject on audit_log (subject);
    alter table session_turns add column shown text default '' not null;
    alter table sessions add column name_hash text default '' not null;
    create index sessions_name on sessions (name_hash);
    delete from sessions;
    delete from cache_entries`,
    hashStored,
  ),
  /** How files became text is not known of documents that were ingested before: they are read anew with the new version of the normaliser. */
  "006_reading": statements("alter table documents add column reading text"),
  "007_keys": statements(
    `
    create table api_keys (
      id text primary key, hash text not null unique, name text not null, roles text not null, domains text not null,
      tenants text not null, access text not null, requests_per_hour integer, created_at text not null,
      expires_at text, revoked_at text)`,
  ),
  /** What answers were made from, and which documents each revision held. The log of an older database begins with what it holds now. */
  "008_records": statements(
    `
    create table corpus_log (
      seq integer primary key autoincrement, domain text not null, tenant text not null, revision integer not null,
      document_id text not null, version text not null, original_hash text not null);
    create index corpus_log_domain on corpus_log (domain, revision);
    create index corpus_log_document on corpus_log (document_id, seq);
    create table document_versions (
      document_id text not null, version text not null, domain text not null, file text not null, body blob not null,
      constraint document_versions_key primary key (document_id, version));
    create table record_settings (hash text primary key, body blob not null);
    create table records (
      interaction_id text primary key references interactions (id) on delete cascade, domain text not null,
      revision integer not null, settings text not null references record_settings (hash), body blob not null);
    create index records_domain on records (domain, revision);
    create index records_settings on records (settings);
      insert into corpus_log (domain, tenant, revision, document_id, version, original_hash) select documents.domain,
      documents.tenant, coalesce(revisions.revision, 0), documents.id, documents.version, documents.original_hash
      from documents left join revisions on revisions.domain = documents.domain order by documents.id`,
  ),
  /** Budgets of keys and what was spent of them, responses that are kept for a second try, and which variant of an experiment answered what. */
  "009_service": statements(
    `
    alter table api_keys add column tokens_per_day integer;
    alter table api_keys add column usd_per_day real;
    create table usage (
      caller text not null, day text not null, answers integer not null, tokens integer not null,
      cost_usd real not null, constraint usage_key primary key (caller, day));
    create table idempotency (
      key text primary key, fingerprint text not null, response text, created_at text not null,
      expires_at text not null);
    create index idempotency_expiry on idempotency (expires_at);
    create table exposures (
      answer_id text primary key, experiment text not null, variant text not null, session text not null,
      answered integer not null, warned integer not null, cached integer not null, latency_ms real not null,
      tokens integer not null, cost_usd real not null, created_at text not null);
    create index exposures_experiment on exposures (experiment, created_at)`,
  ),
  /** What several processes share: rows that are held by whoever writes what only one may write, jobs of ingestion, and uploaded files. */
  "010_shared": statements(
    `
    create table turns (name text primary key);
    insert into turns (name) values ('audit'), ('cache');
    create table jobs (
      seq integer primary key autoincrement, id text not null unique, domain text not null, work text not null,
      state text not null, reason text, worker text, alive_at text, created_at text not null, updated_at text not null);
    create index jobs_state on jobs (state, seq);
    create table originals (
      domain text not null, tenant text not null, label text not null, path text not null, bytes blob not null,
      updated_at text not null, constraint originals_key primary key (domain, tenant, label, path))`,
  ),
  /**
   * Indexes for what every answer asks of the store, and what processes count together (`rate_limits` in the order in which `rate-limiter-flexible` fills it).
   * Versions and access are read from an index: rows of documents hold whole texts. Reviews are few among the interactions of one question; the condition of
   * `interactions_reviewed` must stand in the query as it stands here.
   */
  "011_load": statements(
    `
    create index interactions_reviewed on interactions (curated_key, answer_hash) where review_status != 'unreviewed';
    create index interactions_age on interactions (created_at, id, review_status);
    create index documents_visible on documents (id, version, domain, tenant, access);
    create table usage_reservations (
      id text primary key, caller text not null, day text not null, tokens integer not null, cost_usd real not null,
      expires_at text not null);
    create index usage_reservations_caller on usage_reservations (caller, day);
    create table rate_limits (key text primary key, points integer not null, expire integer)`,
  ),
  /** What answers that are served again have in common with the stored one is kept once. Answers stored before keep their own. */
  "012_contents": statements(
    `
    create table answer_contents (hash text primary key, body text not null);
    alter table interactions add column content text references answer_contents (hash);
    create index interactions_content on interactions (content) where content is not null`,
  ),
  "013_planning": { up: keepNoStatistics },
  /** An answer goes when a document that it names changes: none waits for its new place in the changed document any more. */
  "014_cache": statements(
    `
    delete from cache_entries where state = 'parked';
    alter table cache_entries drop column state;
    alter table cache_documents drop column passages`,
  ),
};

/**
 * The types of SQLite in PostgreSQL's words. Text compares by bytes, as SQLite compares it: paths and ids have the same order on both, whatever the
 * database's language is. SQLite's integers and reals have eight bytes.
 */
const POSTGRES_TYPES: readonly (readonly [RegExp, string])[] = [
  [/\binteger primary key autoincrement\b/g, "bigint generated by default as identity primary key"],
  [/(?<!")\btext\b/g, 'text collate "C"'],
  [/\bblob\b/g, "bytea"],
  [/\breal\b/g, "double precision"],
  [/\binteger\b/g, "bigint"],
];

/** A migration of statements, separated by semicolons, and of what follows them. */
function statements(text: string, then?: (db: Kysely<unknown>) => Promise<void>): Migration {
  return {
    async up(db: Kysely<unknown>) {
      const types = isPostgres(db as Kysely<Database>) ? POSTGRES_TYPES : [];
      const own = types.reduce((before, [type, name]) => before.replaceAll(type, name), text);
      for (const statement of own.split(";")) await sql.raw(statement).execute(db);
      await then?.(db);
    },
  };
}

/** Pages of documents ingested before are not known until they are read anew, which the new version of the normaliser brings about. */
async function addOutlines(db: Kysely<unknown>): Promise<void> {
  const documents = db as Kysely<{ documents: { id: string; text: string; blocks: string; outline: string } }>;
  for (const { id } of await documents.selectFrom("documents").select("id").execute()) {
    const row = await documents.selectFrom("documents").select(["text", "blocks"]).where("id", "=", id).executeTakeFirstOrThrow();
    const blocks = (JSON.parse(row.blocks) as [number, number, BlockType, number, number][]).map(
      ([start, end, type, level, header]): Block => ({ start, end, type, level, header }),
    );
    const outline = JSON.stringify(outlineOf(row.text, blocks).map(({ start, level, text }) => [start, level, text]));
    await documents.updateTable("documents").set({ outline }).where("id", "=", id).execute();
  }
}

interface Before {
  meta: { key: string; value: string };
  interactions: { id: string; domain: string; session_id: string | null; question: string; question_hash: string; asked_hash: string };
}

/** Names of sessions become keyed hashes, so that interactions can be counted, reviewed and forgotten. */
async function hashStored(given: Kysely<unknown>): Promise<void> {
  const db = given as Kysely<Before>;
  const rows = await db.selectFrom("interactions").select(["id", "domain", "session_id", "question"]).execute();
  if (rows.length === 0) return;
  await db
    .insertInto("meta")
    .values({ key: "secret", value: randomBytes(32).toString("hex") })
    .onConflict((c) => c.doNothing())
    .execute();
  const { value: secret } = await db.selectFrom("meta").select("value").where("key", "=", "secret").executeTakeFirstOrThrow();
  for (const { id, domain, session_id, question } of rows) {
    const hash = questionHash(secret, domain, question);
    await db
      .updateTable("interactions")
      .set({
        question_hash: hash,
        asked_hash: hash,
        session_id: session_id === null ? null : keyedHash(secret, "session", session_id),
      })
      .where("id", "=", id)
      .execute();
  }
}

/** What people wrote and what was made of it, by table. No query is planned by these columns. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  documents: ["title", "description", "url", "text", "blocks", "units", "source_map", "outline", "pages"],
  chunks: ["heading_path", "windows"],
  document_versions: ["body"],
  answer_contents: ["body"],
  interactions: ["question", "answer", "reason", "reviewed_by", "topics"],
  curated: ["question", "answer", "created_by"],
  feedback: ["reason"],
  audit_log: ["actor", "details"],
  reports: ["report"],
  cache_entries: ["question", "slots", "vector", "retrieved", "answer"],
  cache_documents: ["passages"],
  entities: ["value"],
  sources: ["url", "title"],
  records: ["body"],
  record_settings: ["body"],
  idempotency: ["response"],
  session_turns: ["question", "answer", "citations", "shown"],
  embeddings: ["vector"],
  jobs: ["work", "reason"],
  originals: ["bytes"],
};

/**
 * PostgreSQL copies frequent values of every column into its statistics, where they outlive their rows: those of a table that was emptied are never made anew. Of what
 * people wrote it keeps none; giving a column the type that it has drops what was kept before.
 */
async function keepNoStatistics(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db as Kysely<Database>)) return;
  for (const [table, columns] of Object.entries(WRITTEN)) {
    const { rows } = await sql<{ name: string; isText: boolean }>`
      select attname as name, atttypid = 'text'::regtype as "isText" from pg_attribute
      where attrelid = ${table}::regclass and attname in (${sql.join(columns)})`.execute(db);
    const changes = rows.flatMap(({ name, isText }) => [
      sql`alter column ${sql.ref(name)} type ${sql.raw(isText ? 'text collate "C"' : "bytea")}`,
      sql`alter column ${sql.ref(name)} set statistics 0`,
    ]);
    await sql`alter table ${sql.table(table)} ${sql.join(changes)}`.execute(db);
  }
}

/**
 * Brings a database to this version; one process at a time, as a whole or not at all.
 * @param name what messages call it: a path, never an address with a password
 * @param last the migration to stop at; all of them when absent
 * @throws StoreError `store_newer`
 */
export async function migrateStore(db: Kysely<Database>, name: string, last: string | undefined): Promise<void> {
  const migrator = new Migrator({ db: db.withoutPlugins(), provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = last === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(last);
  if (error === undefined) return;
  if (/previously executed migration .* is missing/.test(messageOf(error))) {
    throw new StoreError(
      "store_newer",
      `${name} was written by a newer version of Sourcebound. Update the program, or set SOURCEBOUND_DATA_DIR or DATABASE_URL to another place.`,
      { path: name },
      { cause: error },
    );
  }
  throw error;
}
