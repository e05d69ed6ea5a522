import type { QuestionNodes, SourceNode } from "./graph.ts";

/** A document version that an answer names; it goes when any of them does. */
export interface NamedDocument {
  readonly id: string;
  readonly version: string;
}

/** A stored answer (as JSON text) with the document versions that it names. */
export interface CacheEntry {
  readonly key: string;
  readonly question: string | null;
  readonly answer: string;
  readonly documents: readonly NamedDocument[];
  readonly reviewStatus: ReviewStatus;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export type ReviewStatus = "unreviewed" | "approved" | "flagged";

/** A stored question that may be the one asked. */
export interface StoredQuestion {
  readonly key: string;
  readonly question: string;
  readonly slots: string | null;
  readonly retrieved: RetrievedFor;
  readonly reviewStatus: ReviewStatus;
  readonly createdAt: string;
  readonly vector: Float32Array;
}

/** What lets other questions find an entry; only where text may be stored. */
export interface SharedQuestion extends QuestionNodes {
  readonly slots: string | null;
  readonly vector: { readonly model: string; readonly values: Float32Array };
}

/** Everything but the question on which an answer depends, spelt out. */
export interface CachePlace {
  readonly domain: string;
  readonly tenant: string | null;
  readonly access: readonly string[];
  readonly profile: string;
  readonly language: string;
  readonly detail: string;
  readonly encoder: string;
  readonly configHash: string;
}

/** What retrieval found for a stored question, and what of it the answer cites. */
export interface RetrievedFor {
  /** Ids of documents and of chunks, best first. */
  readonly documents: readonly string[];
  readonly chunks: readonly string[];
  /** Ids of chunks. */
  readonly cited: readonly string[];
}

export interface CachePut {
  readonly key: string;
  /** Keyed hash of the place. */
  readonly scope: string;
  readonly place: CachePlace;
  readonly answer: string;
  /** Interaction whose review status holds for the answer; with it the entry goes. */
  readonly interactionId: string | null;
  /** Every document that the answer names. */
  readonly documents: readonly NamedDocument[];
  /** The documents that it cites. */
  readonly sources: readonly SourceNode[];
  /** Redacted; `null` where no text may be stored. */
  readonly question: string | null;
  /** `null`: only the same question finds it. */
  readonly shared: SharedQuestion | null;
  readonly retrieved: RetrievedFor;
  readonly hours: number;
  /** Entries kept in all; the least recently used go. */
  readonly capacity: number;
}

export interface VectorRow {
  readonly seq: number;
  readonly key: string;
  readonly scope: string;
  readonly model: string;
  readonly vector: Float32Array;
}

export interface CacheStats {
  readonly entries: number;
  /** Entries that other questions may find. */
  readonly shared: number;
  readonly expired: number;
  readonly oldest: string | null;
  readonly newest: string | null;
  readonly byProfile: Readonly<Record<string, number>>;
  readonly topics: number;
  readonly entities: number;
  readonly sources: number;
  readonly edges: number;
}
