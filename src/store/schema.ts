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
  /** `blocks` to `sourceMap`, `outline`, `pages` and `reading` are JSON. `file` differs from `path` for entries of a JSON file. */
  documents: Omit<StoredDocument, "tenant" | "authority" | "type" | "blocks" | "units" | "sourceMap" | "pages" | "reading" | "chunks"> &
    Row<"tenant" | "file" | "blocks" | "units" | "sourceMap" | "updatedAt", "authority" | "type"> & {
      /** Headings as `[start, level, text]`, so that filters need not load the text of the document. */
      outline: string;
      /** Offsets of page starts; `null`: no pages. */
      pages: string | null;
      /** Format, encoding and notices of parsing; `null`: stored by an older version. */
      reading: string | null;
    };
  chunks: Row<"id" | "documentId" | "headingPath" | "windows", never, "ordinal" | "start" | "end" | "tokens">;
  /** Cached embeddings by model and text hash; float32, little-endian. */
  embeddings: { model: string; textHash: string; vector: Uint8Array };
  interactions: Row<
    "id" | "domain" | "tenant" | "access" | "profile" | "status" | "cacheMode" | "createdAt",
    "reviewedBy" | "reviewedAt"
  > & {
    /** Keyed hash of the session's name. */
    sessionId: string | null;
    /** Keyed hash of the user's id. */
    userId: string | null;
    /** Redacted; empty if `privacy` is `ephemeral`. */
    question: string;
    /** JSON without the members in `content`; empty if `privacy` is `ephemeral`. */
    answer: string;
    /** Key in `answer_contents` of further members of the answer, which many answers share; `null`: none. */
    content: string | null;
    privacy: "redacted" | "ephemeral";
    /** Keyed hash of the normalised, resolved question. Questions are counted by it. */
    questionHash: string;
    /** Keyed hash of the normalised question as asked. */
    askedHash: string;
    /** Keyed hash of the answer and its document versions. */
    answerHash: string;
    /** Key under which a correction of this answer is stored; `null`: the answer cannot be corrected. */
    curatedKey: string | null;
    /** Key of the answer in the cache; `null`: not cached. */
    cacheKey: string | null;
    /** Reason of a refusal. */
    reason: string | null;
    reviewStatus: "unreviewed" | "approved" | "flagged";
    /** Time at which a review or correction of the answer was withdrawn. */
    demotedAt: string | null;
    confidence: number | null;
    warnings: number;
    conflicts: number;
    /** Confidence from which the profile's learned gate decided; `null`: another gate decided, or the answer came from the cache. */
    chance: number | null;
    /** Tokens that models used; `null`: an endpoint did not count them. */
    tokens: number | null;
    costUsd: number | null;
    /** Tokens, and US dollars, that an answer from the cache cost originally. */
    savedTokens: number | null;
    savedUsd: number | null;
    /** Topics of the cited documents, JSON. */
    topics: string;
    latencyMs: number | null;
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
  /** Diagnostic reports. Each is deleted with its interaction. */
  reports: Row<"id" | "interactionId" | "domain" | "tenant" | "profile" | "report" | "createdAt"> & {
    /** Access labels of the asker, sorted. Only scopes with all of them see the report. */
    access: string;
    /** Slug of the main topic; `""`: none. */
    topic: string;
    confidence: number | null;
  };
  cache_entries: Row<
    "key" | "domain" | "tenant" | "access" | "profile" | "language" | "detail" | "encoder" | "configHash" | "answer",
    "interactionId" | "vectorModel"
  > & {
    /** Rises with every entry and is never reused. So a process that remembers the highest number can later read just the newer entries. */
    seq: Generated<number>;
    /** Keyed hash of everything that determines an answer, except question and documents. A lookup finds only equal hashes. */
    scope: string;
    /** Redacted; `null` where no text may be stored. Then there is no vector and no link to topics and entities either. */
    question: string | null;
    vector: Uint8Array | null;
    /** Retrieved documents and cited chunks, as JSON. */
    retrieved: string;
  } & Row<"createdAt" | "expiresAt" | "usedAt">;
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
  api_keys: Row<"id" | "name" | "createdAt", "expiresAt" | "revokedAt"> & {
    /** Keyed hash of the key. The key itself is not stored. */
    hash: string;
    /** `roles`, `domains`, `tenants` and `access` are JSON lists. `null`: all domains, all tenants, the configured access labels. */
    roles: string;
    domains: string;
    tenants: string;
    access: string;
  } & Record<"requestsPerHour" | "tokensPerDay" | "usdPerDay", number | null>;
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
  jobs: Row<"domain" | "createdAt" | "updatedAt", "reason" | "worker"> & {
    /** Order in which jobs were requested. */
    seq: Generated<number>;
    /** Key of the work. Each is in the queue at most once. */
    id: string;
    /** What to ingest, as JSON. */
    work: string;
    /** `queued` with a worker: the job runs and was requested again meanwhile. */
    state: "queued" | "running" | "failed";
    /** Time of the worker's last heartbeat. */
    aliveAt: string | null;
  };
  /** Uploaded files, for processes that share a database but not a folder. */
  originals: { domain: string; tenant: string; label: string; path: string; bytes: Uint8Array; updatedAt: string };
  sessions: Row<"domain" | "tenant" | "access" | "createdAt" | "updatedAt" | "expiresAt"> & {
    /** Keyed hash of the session's name, scope and user. */
    id: string;
    /** Keyed hash of the session's name alone. */
    nameHash: string;
    /** Keyed hash of the user's id. */
    userId: string | null;
  };
  session_turns: Row<"sessionId" | "question" | "answer" | "citations" | "createdAt"> & {
    id: Generated<number>;
    /** Displayed sentences and sources as JSON; empty if there are none, as in turns of older versions. */
    shown: string;
  };
}
