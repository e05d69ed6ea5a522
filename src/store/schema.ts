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
  cache_entries: {
    key: string;
    domain: string;
    tenant: string;
    answer: string;
    created_at: string;
    expires_at: string;
    used_at: string;
  };
  /** Which document versions a cached answer cites. */
  cache_documents: { key: string; document_id: string; version: string };
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
