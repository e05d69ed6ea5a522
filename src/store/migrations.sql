-- The schema in the order of its migrations, in SQLite's types. A section begins with the name of a migration; a released one never changes.

-- 001_first_light
-- Graph tables: `seven-layer` source, listing 8.
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
  source_map text not null, updated_at text not null, outline text default '[]' not null, pages text, reading text,
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
  review_status text not null, confidence real, cache_mode text not null, created_at text not null, chance real,
  user_id text, curated_key text, cache_key text, reason text, reviewed_by text, reviewed_at text, demoted_at text,
  tokens integer, saved_tokens integer, cost_usd real, saved_usd real, latency_ms real,
  privacy text default 'redacted' not null, question_hash text default '' not null,
  asked_hash text default '' not null, answer_hash text default '' not null, topics text default '[]' not null,
  warnings integer default 0 not null, conflicts integer default 0 not null);
create index interactions_time on interactions (domain, created_at);
create index interactions_question on interactions (domain, question_hash);
create index interactions_answer on interactions (curated_key, answer_hash);
create index interactions_session on interactions (session_id);
create table sessions (
  id text primary key, domain text not null, tenant text not null, access text not null, user_id text,
  created_at text not null, updated_at text not null, expires_at text not null,
  name_hash text default '' not null);
create index sessions_expiry on sessions (expires_at);
create index sessions_name on sessions (name_hash);
create table session_turns (
  id integer primary key autoincrement, session_id text not null references sessions (id) on delete cascade,
  question text not null, answer text not null, citations text not null, created_at text not null,
  shown text default '' not null);
create index session_turns_session on session_turns (session_id, id);
create table reports (
  id text primary key, interaction_id text not null references interactions (id) on delete cascade,
  domain text not null, tenant text not null, access text not null, profile text not null, topic text not null,
  confidence real, report text not null, created_at text not null);
create index reports_interaction on reports (interaction_id);
create index reports_owner on reports (domain, tenant, created_at, id);
create index reports_time on reports (created_at);
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
  constraint origins_key primary key (domain, tenant, source));
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
create table api_keys (
  id text primary key, hash text not null unique, name text not null, roles text not null, domains text not null,
  tenants text not null, access text not null, requests_per_hour integer, created_at text not null,
  expires_at text, revoked_at text);
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

-- 009_service
-- Budgets and usage of keys, responses kept for repeated requests, and variants of experiments by answer.
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
create index exposures_experiment on exposures (experiment, created_at);

-- 010_shared
-- Resources shared by several processes: lock rows, ingestion jobs and uploaded files.
create table turns (name text primary key);
insert into turns (name) values ('audit'), ('cache');
create table jobs (
  seq integer primary key autoincrement, id text not null unique, domain text not null, work text not null,
  state text not null, reason text, worker text, alive_at text, created_at text not null, updated_at text not null);
create index jobs_state on jobs (state, seq);
create table originals (
  domain text not null, tenant text not null, label text not null, path text not null, bytes blob not null,
  updated_at text not null, constraint originals_key primary key (domain, tenant, label, path));

-- 011_load
-- Indexes for the queries of every answer, and shared counters (`rate_limits` in the column order of `rate-limiter-flexible`).
-- `documents_visible` covers version and access, since rows of documents hold whole texts. A query uses
-- `interactions_reviewed` only if it repeats the index's condition literally.
create index interactions_reviewed on interactions (curated_key, answer_hash) where review_status != 'unreviewed';
create index interactions_age on interactions (created_at, id, review_status);
create index documents_visible on documents (id, version, domain, tenant, access);
create table usage_reservations (
  id text primary key, caller text not null, day text not null, tokens integer not null, cost_usd real not null,
  expires_at text not null);
create index usage_reservations_caller on usage_reservations (caller, day);
create table rate_limits (key text primary key, points integer not null, expire integer);

-- 012_contents
-- Stores content that answers share once. Answers stored before keep their own copy.
create table answer_contents (hash text primary key, body text not null);
alter table interactions add column content text references answer_contents (hash);
create index interactions_content on interactions (content) where content is not null;

-- 014_cache
-- Cached answers are deleted when a document that they name changes, so the "parked" state is removed.
delete from cache_entries where state = 'parked';
alter table cache_entries drop column state;
alter table cache_documents drop column passages;

-- 015_questions
-- Questions are compared by their text alone. A later release drops `slots`, so that a replica of the release before can still write it.
