import type { Generated } from "kysely";
import type { StoredDocument } from "../shared/types.ts";

/** Every table by what tells its rows apart, those that others refer to first: the order in which rows can be put in. */
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

/** Columns that number themselves. */
export const NUMBERED: Readonly<Partial<Record<keyof Database, string>>> = {
  cache_entries: "seq",
  topics: "id",
  entities: "id",
  sources: "id",
  corpus_log: "seq",
  jobs: "seq",
  session_turns: "id",
};

/** Columns that need no words. */
type Row<Text extends string, Nullable extends string = never, Numbers extends string = never> = Record<Text, string> &
  Record<Nullable, string | null> &
  Record<Numbers, number>;

/**
 * The one schema, for SQLite and later PostgreSQL. No tenant is `""` (a NULL would escape unique keys); times are ISO strings in UTC;
 * structured columns are JSON text. Columns are written in camel case here, in snake case in the database. Only files in `store/` know these names.
 */
export interface Database {
  /** Facts of the installation, such as the key of the cache's HMAC. */
  meta: { key: string; value: string };
  /** Counter per domain, raised by every change of its documents. */
  revisions: { domain: string; revision: number };
  /** Every file that was looked at, readable or not. `access`: label with which it was ingested; who lacks it does not learn of the file. */
  files: Row<"domain" | "tenant" | "source" | "path" | "access" | "originalHash" | "settings" | "updatedAt", "reason"> & {
    status: "ok" | "failed";
  };
  /** `blocks`, `units`, `sourceMap`, `outline`, `pages` and `reading` are JSON; `file` differs from `path` for JSON entries. */
  documents: Omit<StoredDocument, "tenant" | "authority" | "type" | "blocks" | "units" | "sourceMap" | "pages" | "reading" | "chunks"> &
    Row<"tenant" | "file" | "blocks" | "units" | "sourceMap" | "updatedAt", "authority" | "type"> & {
      /** Headings as `[start, level, text]`: what filters look names up in without reading texts. */
      outline: string;
      /** Starts of pages; `null`: the document has none. */
      pages: string | null;
      /** How the file became text; `null`: stored before this was kept. */
      reading: string | null;
    };
  chunks: Row<"id" | "documentId" | "headingPath" | "windows", never, "ordinal" | "start" | "end" | "tokens">;
  /** Embedding cache keyed by (model, text hash); little-endian float32. */
  embeddings: { model: string; textHash: string; vector: Uint8Array };
  interactions: Row<
    "id" | "domain" | "tenant" | "access" | "profile" | "status" | "cacheMode" | "createdAt",
    "reviewedBy" | "reviewedAt"
  > & {
    /** Keyed hash of the session's name. */
    sessionId: string | null;
    /** Keyed hash of the user's id. */
    userId: string | null;
    /** Redacted; empty where privacy is ephemeral. */
    question: string;
    /** JSON; empty where privacy is ephemeral. Without what stands in `content`. */
    answer: string;
    /** Hash of what the answer has in common with others; `null`: it stands in `answer` as a whole. */
    content: string | null;
    privacy: "redacted" | "ephemeral";
    /** Keyed hash of the normalised, resolved question: what is counted. */
    questionHash: string;
    /** The same of the question as it was asked. */
    askedHash: string;
    /** Keyed hash of what was answered with which document versions. */
    answerHash: string;
    /** Where a correction of this answer is looked up; `null`: nowhere. */
    curatedKey: string | null;
    /** Where the exact cache keeps it; `null`: nowhere. */
    cacheKey: string | null;
    /** Of a refusal. */
    reason: string | null;
    reviewStatus: "unreviewed" | "approved" | "flagged";
    /** When a source of the approved answer changed. */
    demotedAt: string | null;
    confidence: number | null;
    warnings: number;
    conflicts: number;
    chance: number | null;
    /** Of models; `null`: an endpoint did not count. */
    tokens: number | null;
    costUsd: number | null;
    /** What the answer had cost when it was made, of a hit. */
    savedTokens: number | null;
    savedUsd: number | null;
    /** Topics of the cited documents, JSON. */
    topics: string;
    latencyMs: number | null;
  };
  /** What answers that were served again have in common, JSON by its SHA-256; goes with the last answer that names it. */
  answer_contents: { hash: string; body: string };
  /** Document versions on which a reviewed interaction rests. */
  review_documents: { interactionId: string; documentId: string; version: string };
  /** Answers that a reviewer wrote, one a key. */
  curated: Row<
    "key" | "id" | "interactionId" | "domain" | "question" | "questionHash" | "answer" | "createdBy" | "createdAt",
    "demotedAt"
  > & { status: "served" | "demoted" };
  curated_documents: { key: string; documentId: string; version: string };
  feedback: Row<"interactionId" | "createdAt" | "updatedAt", "reason", "changes"> & { verdict: "up" | "down" };
  /** Append-only; `hash` covers the row and `previous`, the hash of the row before. Holds no words of questions or answers. */
  audit_log: { seq: number; at: string; actor: string; action: string; subject: string; details: string; previous: string; hash: string };
  /** Diagnostic reports; deleted with their interaction. */
  reports: Row<"id" | "interactionId" | "domain" | "tenant" | "profile" | "report" | "createdAt"> & {
    /** Labels with which the question was asked, sorted: who lacks one does not see the report. */
    access: string;
    /** Slug of the main topic; `""`: none. */
    topic: string;
    confidence: number | null;
  };
  /** Answers that may be served again. */
  cache_entries: Row<
    "key" | "domain" | "tenant" | "access" | "profile" | "language" | "detail" | "encoder" | "configHash" | "answer",
    "interactionId" | "slots" | "vectorModel"
  > & {
    /** Rises with every entry and is never used twice: who has seen the last one has seen all. */
    seq: Generated<number>;
    /** Keyed hash of everything but the question on which an answer depends: entries share answers inside one scope only. */
    scope: string;
    /** Redacted; `null` where no text may be stored, and then there are neither vector nor slots nor edges. */
    question: string | null;
    vector: Uint8Array | null;
    /** Documents that retrieval found for the question and chunks that the answer cites, as JSON. */
    retrieved: string;
  } & Row<"createdAt" | "expiresAt" | "usedAt">;
  /** Which document versions a cached answer names. */
  cache_documents: { key: string; documentId: string; version: string };
  topics: { id: Generated<number>; domain: string; slug: string; name: string; keywords: string };
  entities: { id: Generated<number>; domain: string; type: string; value: string };
  /** Documents that cached answers cite; each goes with its document. */
  sources: { id: Generated<number>; documentId: string; version: string; url: string | null; title: string | null };
  question_topics: { questionKey: string; topicId: number };
  question_entities: { questionKey: string; entityId: number };
  question_sources: { questionKey: string; sourceId: number };
  /** How each source was last ingested, so that it can be read again. */
  origins: Row<"domain" | "tenant" | "source" | "folder" | "root" | "access" | "updatedAt", "baseUrl">;
  /** What each revision of a domain changed, in order; an empty version: the document went. */
  corpus_log: Row<"domain" | "tenant" | "documentId" | "version" | "originalHash", never, "revision"> & { seq: Generated<number> };
  /** Documents that were replaced and on which a recorded answer may rest: deflated JSON. A document that is deleted takes them with it. */
  document_versions: { documentId: string; version: string; domain: string; file: string; body: Uint8Array };
  /** What an answer was made from, deflated JSON; goes with its interaction. */
  records: { interactionId: string; domain: string; revision: number; settings: string; body: Uint8Array };
  /** Everything that shapes answers besides documents and question, by the SHA-256 of its JSON. */
  record_settings: { hash: string; body: Uint8Array };
  /** Keys of those who ask over HTTP. */
  api_keys: Row<"id" | "name" | "createdAt", "expiresAt" | "revokedAt"> & {
    /** Keyed hash of the key, which is stored nowhere. */
    hash: string;
    /** JSON lists; `null` in the next three: no bound. */
    roles: string;
    domains: string;
    tenants: string;
    access: string;
  } & Record<"requestsPerHour" | "tokensPerDay" | "usdPerDay", number | null>;
  /** What answers of a caller came to on a day (UTC); the caller as a keyed hash. */
  usage: { caller: string; day: string; answers: number; tokens: number; costUsd: number };
  /** What is set aside for answers that are on their way. */
  usage_reservations: { id: string; caller: string; day: string; tokens: number; costUsd: number; expiresAt: string };
  /** Requests within an hour, and wrong credentials, by a keyed hash of whose; milliseconds since 1970. */
  rate_limits: { key: string; points: number; expire: number | null };
  /** Requests that their senders named, by a keyed hash of the name. */
  idempotency: Row<"key" | "fingerprint" | "createdAt" | "expiresAt"> & {
    /** Sealed under the name; `null`: it is still being made. */
    response: string | null;
  };
  /** Which variant of which experiment answered what: counts, no words. `session`: keyed hash of its name. */
  exposures: Row<
    "answerId" | "experiment" | "variant" | "session" | "createdAt",
    never,
    "answered" | "warned" | "cached" | "latencyMs" | "tokens" | "costUsd"
  >;
  /** One row for each thing that one process at a time may write: who writes it holds the row. */
  turns: { name: string };
  /** Reading that is to be done, by whichever process comes first. */
  jobs: Row<"domain" | "createdAt" | "updatedAt", "reason" | "worker"> & {
    /** The order of asking. */
    seq: Generated<number>;
    /** What is to be read, so that it stands here once. */
    id: string;
    /** JSON. */
    work: string;
    /** `queued` while a worker has it: it was asked for again meanwhile. */
    state: "queued" | "running" | "failed";
    /** When its worker was last heard of. */
    aliveAt: string | null;
  };
  /** Files that were uploaded, where processes share a database: the folder of one of them is no place that the others see. */
  originals: { domain: string; tenant: string; label: string; path: string; bytes: Uint8Array; updatedAt: string };
  sessions: Row<"domain" | "tenant" | "access" | "createdAt" | "updatedAt" | "expiresAt"> & {
    /** Keyed hash of name, scope and user. */
    id: string;
    /** Keyed hash of the name alone. */
    nameHash: string;
    /** Keyed hash of the user's id. */
    userId: string | null;
  };
  session_turns: Row<"sessionId" | "question" | "answer" | "citations" | "createdAt"> & {
    id: Generated<number>;
    /** Sentences and sources as they were shown, JSON; empty for turns of an earlier version. */
    shown: string;
  };
}
