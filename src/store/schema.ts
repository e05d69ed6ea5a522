import type { Generated } from "kysely";
import type { StoredDocument } from "../shared/types.ts";

/** Tables with their primary keys. A table comes after those that it references, so rows can be inserted in this order. */
export const TABLES: Readonly<Record<keyof Database, readonly string[]>> = {
  meta: ["key"],
  turns: ["name"],
  revisions: ["domain"],
  files: ["domain", "tenant", "source", "path"],
  documents: ["id"],
  chunks: ["id"],
  embeddings: ["model", "text_hash"],
  answer_contents: ["hash"],
  interactions: ["id"],
  review_documents: ["interaction_id", "document_id"],
  curated: ["key"],
  curated_documents: ["key", "document_id"],
  feedback: ["interaction_id"],
  audit_log: ["seq"],
  reports: ["id"],
  cache_entries: ["seq"],
  cache_documents: ["key", "document_id"],
  topics: ["id"],
  entities: ["id"],
  sources: ["id"],
  question_topics: ["question_key", "topic_id"],
  question_entities: ["question_key", "entity_id"],
  question_sources: ["question_key", "source_id"],
  origins: ["domain", "tenant", "source"],
  corpus_log: ["seq"],
  document_versions: ["document_id", "version"],
  record_settings: ["hash"],
  records: ["interaction_id"],
  api_keys: ["id"],
  usage: ["caller", "day"],
  usage_reservations: ["id"],
  rate_limits: ["key"],
  idempotency: ["key"],
  exposures: ["answer_id"],
  jobs: ["seq"],
  originals: ["domain", "tenant", "label", "path"],
  sessions: ["id"],
  session_turns: ["id"],
};

/** A row of text columns, nullable text columns and number columns. */
type Row<Text extends string, Nullable extends string = never, Numbers extends string = never> = Record<Text, string> &
  Record<Nullable, string | null> &
  Record<Numbers, number>;

/**
 * The schema, for SQLite and PostgreSQL. A missing tenant is `""`, because a unique key permits several rows with NULL.
 * Times are ISO strings in UTC. Structured columns are JSON text. Column names are camel case here and snake case in
 * the database. Only files in `store/` use these names.
 */
export interface Database {
  /** Texts for the whole installation, e.g. the key of the HMAC of stored hashes. */
  meta: { key: string; value: string };
  /** One counter per domain. Every change of the domain's documents raises it. */
  revisions: { domain: string; revision: number };
  /** Every ingested file, also if parsing failed. Only callers with the label in `access` see a file. */
  files: Row<"domain" | "tenant" | "source" | "path" | "access" | "originalHash" | "settings" | "updatedAt", "reason"> & {
    status: "ok" | "failed";
  };
  /**
   * `blocks` to `sourceMap`, `outline`, `pages` and `reading` are JSON. `file` differs from `path` for entries of a JSON file.
   * - `outline`: headings as `[start, level, text]`, so that filters need not load the text of the document
   * - `pages`: offsets of page starts; `null`: no pages
   * - `reading`: format, encoding and notices of parsing; `null`: stored by an older version
   */
  documents: Omit<StoredDocument, "tenant" | "authority" | "type" | "blocks" | "units" | "sourceMap" | "pages" | "reading" | "chunks"> &
    Row<"tenant" | "file" | "blocks" | "units" | "sourceMap" | "outline" | "updatedAt", "authority" | "type" | "pages" | "reading">;
  chunks: Row<"id" | "documentId" | "headingPath" | "windows", never, "ordinal" | "start" | "end" | "tokens">;
  /** Cached embeddings by model and text hash; float32, little-endian. */
  embeddings: { model: string; textHash: string; vector: Uint8Array };
  /**
   * - `question`: redacted; empty if `privacy` is `ephemeral`
   * - `answer`: JSON without the members in `content`; empty if `privacy` is `ephemeral`
   * - `content`: key in `answer_contents` of further members of the answer, which many answers share; `null`: none
   * - `questionHash`: keyed hash of the normalised, resolved question; questions are counted by it
   * - `askedHash`: keyed hash of the normalised question as asked
   * - `answerHash`: keyed hash of the answer and its document versions
   * - `sessionId`, `userId`: keyed hashes of the session's name and of the user's id
   * - `curatedKey`: key under which a correction of this answer is stored; `null`: the answer cannot be corrected
   * - `cacheKey`: key of the answer in the cache; `null`: not cached
   * - `reason`: reason of a refusal
   * - `demotedAt`: time at which a review or correction of the answer was withdrawn
   * - `topics`: topics of the cited documents, JSON
   * - `chance`: confidence from which the profile's learned gate decided; `null`: another gate decided, or the answer came from the cache
   * - `tokens`: tokens that models used; `null`: an endpoint did not count them
   * - `savedTokens`, `savedUsd`: tokens, and US dollars, that an answer from the cache cost originally
   */
  interactions: Row<"id" | "domain" | "tenant" | "access" | "profile" | "status" | "cacheMode" | "createdAt", "reviewedBy" | "reviewedAt"> &
    Row<"question" | "answer" | "questionHash" | "askedHash" | "answerHash" | "topics", "content" | "sessionId" | "userId" | "reason"> &
    Row<never, "curatedKey" | "cacheKey" | "demotedAt", "warnings" | "conflicts"> &
    Record<"confidence" | "chance" | "tokens" | "costUsd" | "savedTokens" | "savedUsd" | "latencyMs", number | null> & {
      privacy: "redacted" | "ephemeral";
      reviewStatus: "unreviewed" | "approved" | "flagged";
    };
  /** JSON that many answers share, by its SHA-256. Deleted with the last answer that references it. */
  answer_contents: { hash: string; body: string };
  /** Document versions on which a reviewed answer is based. */
  review_documents: { interactionId: string; documentId: string; version: string };
  /** Answers that a reviewer wrote, one per key. */
  curated: Row<
    "key" | "id" | "interactionId" | "domain" | "question" | "questionHash" | "answer" | "createdBy" | "createdAt",
    "demotedAt"
  > & { status: "served" | "demoted" };
  curated_documents: { key: string; documentId: string; version: string };
  feedback: Row<"interactionId" | "createdAt" | "updatedAt", "reason", "changes"> & { verdict: "up" | "down" };
  /** Append-only. `hash` covers the row and `previous`, the hash of the row before. Contains no words of questions or answers. */
  audit_log: { seq: number; at: string; actor: string; action: string; subject: string; details: string; previous: string; hash: string };
  /**
   * Diagnostic reports. Each is deleted with its interaction. `access`: access labels of the asker, sorted; only scopes
   * with all of them see the report. `topic`: slug of the main topic; `""`: none.
   */
  reports: Row<"id" | "interactionId" | "domain" | "tenant" | "profile" | "report" | "access" | "topic" | "createdAt"> & {
    confidence: number | null;
  };
  /**
   * - `seq` rises with every entry and is never reused. So a process that remembers the highest number can later read just
   * the newer entries.
   * - `scope`: keyed hash of everything that determines an answer, except question and documents. A lookup finds only
   * equal hashes.
   * - `question`: redacted; `null` where no text may be stored. Then there is no vector and no link to topics and
   * entities either.
   * - `retrieved`: retrieved documents and cited chunks, as JSON
   */
  cache_entries: Row<"key" | "scope" | "domain" | "tenant" | "access" | "profile" | "language" | "detail" | "encoder" | "configHash"> &
    Row<"answer" | "retrieved" | "createdAt" | "expiresAt" | "usedAt", "question" | "interactionId" | "vectorModel"> & {
      seq: Generated<number>;
      vector: Uint8Array | null;
    };
  /** Document versions that cached answers cite or mention. */
  cache_documents: { key: string; documentId: string; version: string };
  topics: { id: Generated<number>; domain: string; slug: string; name: string; keywords: string };
  entities: { id: Generated<number>; domain: string; type: string; value: string };
  /** Documents that cached answers cite. Each row is deleted with its document. */
  sources: { id: Generated<number>; documentId: string; version: string; url: string | null; title: string | null };
  question_topics: { questionKey: string; topicId: number };
  question_entities: { questionKey: string; entityId: number };
  question_sources: { questionKey: string; sourceId: number };
  /** Parameters of each source's last ingest. */
  origins: Row<"domain" | "tenant" | "source" | "folder" | "root" | "access" | "updatedAt", "baseUrl">;
  /** Changes of each revision of a domain, in order. An empty version means that the document was deleted. */
  corpus_log: Row<"domain" | "tenant" | "documentId" | "version" | "originalHash", never, "revision"> & { seq: Generated<number> };
  /** Replaced documents that a recorded answer may need, as deflated JSON. Deleted with the document. */
  document_versions: { documentId: string; version: string; domain: string; file: string; body: Uint8Array };
  /** Inputs of an answer, as deflated JSON. Deleted with its interaction. */
  records: { interactionId: string; domain: string; revision: number; settings: string; body: Uint8Array };
  /** Everything that determines answers, except documents and question: deflated JSON by the SHA-256 of the JSON. */
  record_settings: { hash: string; body: Uint8Array };
  /**
   * - `hash`: keyed hash of the key; the key itself is not stored
   * - `roles`, `domains`, `tenants` and `access` are JSON lists. `null`: all domains, all tenants, the configured access labels
   */
  api_keys: Row<"id" | "name" | "hash" | "roles" | "domains" | "tenants" | "access" | "createdAt", "expiresAt" | "revokedAt"> &
    Record<"requestsPerHour" | "tokensPerDay" | "usdPerDay", number | null>;
  /** Usage per caller and day (UTC). `caller` is a keyed hash. */
  usage: { caller: string; day: string; answers: number; tokens: number; costUsd: number };
  /** Budgets that are reserved for answers in progress. */
  usage_reservations: { id: string; caller: string; day: string; tokens: number; costUsd: number; expiresAt: string };
  /** Counts of requests per hour and failed logins, by a keyed hash of the client. `expire`: milliseconds since 1970. */
  rate_limits: { key: string; points: number; expire: number | null };
  /** Requests with an idempotency key. `key` is a keyed hash of the idempotency key. */
  idempotency: Row<"key" | "fingerprint" | "createdAt" | "expiresAt"> & {
    /** Encrypted under the idempotency key; `null`: the request is still running. */
    response: string | null;
  };
  /** Variant and measurements of each answer in an experiment, without words. `session`: keyed hash of the session's name. */
  exposures: Row<
    "answerId" | "experiment" | "variant" | "session" | "createdAt",
    never,
    "answered" | "warned" | "cached" | "latencyMs" | "tokens" | "costUsd"
  >;
  /** Rows that transactions lock, one for each resource that only one of them at a time may write. */
  turns: { name: string };
  /** Ingestion jobs. Any process may claim one. */
  /**
   * - `id`: key of the work; each is in the queue at most once
   * - `work`: what to ingest, as JSON
   * - `aliveAt`: time of the worker's last heartbeat
   */
  jobs: Row<"id" | "domain" | "work" | "createdAt" | "updatedAt", "reason" | "worker" | "aliveAt"> & {
    /** Order in which jobs were requested. */
    seq: Generated<number>;
    /** `queued` with a worker: the job runs and was requested again meanwhile. */
    state: "queued" | "running" | "failed";
  };
  /** Uploaded files, for processes that share a database but not a folder. */
  originals: { domain: string; tenant: string; label: string; path: string; bytes: Uint8Array; updatedAt: string };
  /** `id`: keyed hash of the session's name, scope and user; `nameHash`: of the name alone; `userId`: keyed hash of the user's id. */
  sessions: Row<"id" | "nameHash" | "domain" | "tenant" | "access" | "createdAt" | "updatedAt" | "expiresAt", "userId">;
  /** `shown`: displayed sentences and sources as JSON; empty if there are none, as in turns of older versions. */
  session_turns: Row<"sessionId" | "question" | "answer" | "citations" | "shown" | "createdAt"> & { id: Generated<number> };
}
