import type { Generated } from "kysely";

/**
 * The one schema, for SQLite and later PostgreSQL. No tenant is `""` (a NULL would escape unique keys); times are ISO strings in UTC;
 * structured columns are JSON text. Only files in `store/` know these names.
 */
export interface Database {
  /** Facts of the installation, such as the key of the cache's HMAC. */
  meta: { key: string; value: string };
  /** Counter per domain, raised by every change of its documents. */
  revisions: { domain: string; revision: number };
  /** Every file that was looked at, readable or not. */
  files: {
    domain: string;
    tenant: string;
    source: string;
    path: string;
    /** Access label with which it was ingested: who lacks it does not learn of the file. */
    access: string;
    original_hash: string;
    settings: string;
    status: "ok" | "failed";
    reason: string | null;
    updated_at: string;
  };
  documents: {
    id: string;
    domain: string;
    tenant: string;
    access: string;
    source: string;
    /** The file that it came from; differs from `path` for JSON entries. */
    file: string;
    path: string;
    title: string;
    description: string | null;
    url: string | null;
    as_of: string | null;
    authority: string | null;
    topic: string | null;
    subtopic: string | null;
    type: string | null;
    original_hash: string;
    version: string;
    normaliser: string;
    text: string;
    blocks: string;
    units: string;
    source_map: string;
    /** Headings as `[start, level, text]`: what filters look names up in without reading texts. */
    outline: string;
    /** Starts of pages; `null`: the document has none. */
    pages: string | null;
    updated_at: string;
  };
  chunks: {
    id: string;
    document_id: string;
    ordinal: number;
    start: number;
    end: number;
    tokens: number;
    heading_path: string;
    windows: string;
  };
  /** Embedding cache keyed by (model, text hash); little-endian float32. */
  embeddings: { model: string; text_hash: string; vector: Uint8Array };
  interactions: {
    id: string;
    domain: string;
    tenant: string;
    access: string;
    profile: string;
    session_id: string | null;
    question: string;
    answer: string;
    status: string;
    review_status: "unreviewed" | "approved" | "flagged";
    confidence: number | null;
    chance: number | null;
    cache_mode: string;
    created_at: string;
  };
  /** Diagnostic reports; deleted with their interaction. */
  reports: {
    id: string;
    interaction_id: string;
    domain: string;
    tenant: string;
    /** Labels with which the question was asked, sorted: who lacks one does not see the report. */
    access: string;
    profile: string;
    /** Slug of the main topic; `""`: none. */
    topic: string;
    confidence: number | null;
    report: string;
    created_at: string;
  };
  /** Answers that may be served again; `parked` ones only after they were anchored anew in a changed document. */
  cache_entries: {
    /** Rises with every entry and is never used twice: who has seen the last one has seen all. */
    seq: Generated<number>;
    key: string;
    /** Keyed hash of everything but the question on which an answer depends: entries share answers inside one scope only. */
    scope: string;
    domain: string;
    tenant: string;
    access: string;
    profile: string;
    language: string;
    detail: string;
    encoder: string;
    config_hash: string;
    state: "served" | "parked";
    interaction_id: string | null;
    /** Redacted; `null` where no text may be stored, and then there are neither vector nor slots nor edges. */
    question: string | null;
    slots: string | null;
    vector_model: string | null;
    vector: Uint8Array | null;
    /** Documents that retrieval found for the question and chunks that the answer cites, as JSON. */
    retrieved: string;
    answer: string;
    created_at: string;
    expires_at: string;
    used_at: string;
  };
  /** Which document versions a cached answer names, with hashes of the passages of each that it rests on. */
  cache_documents: { key: string; document_id: string; version: string; passages: string };
  topics: { id: Generated<number>; domain: string; slug: string; name: string; keywords: string };
  entities: { id: Generated<number>; domain: string; type: string; value: string };
  /** Documents that cached answers cite; each goes with its document. */
  sources: { id: Generated<number>; document_id: string; version: string; url: string | null; title: string | null };
  question_topics: { question_key: string; topic_id: number };
  question_entities: { question_key: string; entity_id: number };
  question_sources: { question_key: string; source_id: number };
  /** How each source was last ingested, so that it can be read again. */
  origins: {
    domain: string;
    tenant: string;
    source: string;
    folder: string;
    root: string;
    access: string;
    base_url: string | null;
    updated_at: string;
  };
  sessions: {
    id: string;
    domain: string;
    tenant: string;
    access: string;
    user_id: string | null;
    created_at: string;
    updated_at: string;
    expires_at: string;
  };
  session_turns: {
    id: Generated<number>;
    session_id: string;
    question: string;
    answer: string;
    citations: string;
    created_at: string;
  };
}
