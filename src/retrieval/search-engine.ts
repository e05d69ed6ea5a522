import type { Encoder } from "../models/encoder.ts";
import type { Area, Chunk, Scope, TextRange } from "../shared/types.ts";
import type { DocumentHead, IndexedDocument } from "../store/document-rows.ts";
import type { TimePart, WeightedTerm } from "./top-k.ts";

/**
 * The search engine of one domain. It holds documents of all tenants and labels; filters apply before ranking. The database stays the source of
 * truth: an engine that lags behind may miss a document, and what it finds is checked against the database before it is shown.
 * Contract: `describeSearchEngineContract` in `sourcebound/testing/contracts`.
 */
export interface SearchEngine {
  /** Revision of the domain that the engine has reached; −1 before `reconcile`. */
  revision(): Promise<number>;
  /**
   * Compares what an earlier process left with the documents of the database: what is not there in this version, tenant and label is removed.
   * @param encoder id of the encoder that serves; `null`: words alone
   * @returns ids of the documents that the engine lacks
   */
  reconcile(documents: ReadonlyMap<string, DocumentHead>, encoder: string | null): Promise<string[]>;
  /** Adds documents, each in place of its former version, and vectors of windows; vectors of unknown windows are ignored. */
  index(changes: IndexChanges): Promise<void>;
  remove(documentIds: readonly string[]): Promise<void>;
  /** Vectors of this encoder serve from now on; those of others are dropped. */
  serve(encoder: string | null): Promise<void>;
  coverage(encoder: string | null): Promise<Coverage>;
  /** Windows that have no vector of the encoder, in batches; a window whose vector is added meanwhile may be left out. */
  windowsWithout(encoder: string, batch: number): AsyncIterable<readonly WindowText[]>;
  /**
   * The best chunks by words and the best by vector, each with both scores, ordered by path, document, chunk and window: what ties keeps that order.
   * A vector of an encoder that the engine has no vectors of finds nothing.
   */
  search(request: EngineRequest, options?: EngineOptions): Promise<Hit[]>;
  /** How many of the windows that the scope may see hold each term. */
  statistics(terms: readonly string[], scope: Scope, options?: Pick<EngineOptions, "signal">): Promise<TermStatistics>;
  /** Words (lower case, as written) that a few edits lead to, with the number of visible documents that hold them. */
  similarWords(word: string, scope: Scope, options?: Pick<EngineOptions, "signal">): Promise<ReadonlyMap<string, number>>;
  /** Resolves when nothing is under way and what changed is kept. */
  idle(): Promise<void>;
}

/** A window wherever it is indexed; ids of chunks name the version of their document. */
export interface WindowId {
  readonly documentId: string;
  readonly chunkId: string;
  readonly start: number;
}

/** A window with what an encoder sees of it. */
export interface WindowText extends WindowId {
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly text: string;
}

export interface IndexChanges {
  /** Revision of the domain that the engine equals with these changes; absent: unchanged. */
  readonly revision?: number;
  readonly documents?: readonly IndexedDocument[];
  readonly vectors?: {
    /** Id of the encoder. */
    readonly encoder: string;
    readonly windows: readonly (WindowId & { readonly vector: Float32Array })[];
  };
}

export interface Coverage {
  /** Windows indexed. */
  readonly windows: number;
  /** Windows with a vector of the encoder. */
  readonly vectors: number;
  /** Length of those vectors; `null`: there is none. */
  readonly dimensions: number | null;
  /** Bytes of memory in this process. */
  readonly bytes: { readonly words: number; readonly vectors: number };
}

/** A question's vector, with the encoder that made it: vectors of two encoders cannot be compared. */
export interface QuestionVector {
  readonly encoder: Encoder;
  readonly values: Float32Array;
}

export interface SearchFilters {
  readonly scope: Scope;
  /** Keeps to windows that lie wholly inside one range of an area (`window`), or only in part (`cut`). @default everywhere */
  readonly area?: { readonly parts: Area; readonly fit: "window" | "cut" } | null;
  /** Keeps to windows that hold one of these terms. @default any window */
  readonly holding?: readonly string[];
}

export interface EngineRequest {
  /** Ranks by words; empty: not at all. A term without a weight counts 1. */
  readonly terms: readonly (string | WeightedTerm)[];
  /** Ranks by vector; `null`: not at all. */
  readonly vector: QuestionVector | null;
  readonly filters: SearchFilters;
  /** Chunks asked of each ranking. */
  readonly k: number;
}

export interface EngineOptions {
  readonly signal?: AbortSignal | undefined;
  /** @default untimed */
  readonly time?: TimePart | undefined;
}

/** A chunk that was found, by its best window: the nearest by vector, else the best by words. */
export interface Hit {
  readonly documentId: string;
  readonly version: string;
  readonly chunk: Chunk;
  readonly window: TextRange;
  readonly title: string;
  /** The window's text. */
  readonly text: string;
  /** Score of the chunk's best window; `null`: not among the `k` best by words. */
  readonly bm25: number | null;
  /** Cosine of the chunk's best window; `null`: not among the `k` best by vector. */
  readonly dense: number | null;
  /** The same of every chunk that has a vector. */
  readonly cosine: number | null;
}

export interface TermStatistics {
  /** Windows that the scope may see. */
  readonly windows: number;
  /** Mean length of all windows, in tokens by the weights of their fields. */
  readonly averageLength: number;
  /** Windows that the scope may see and that hold the term; terms that none holds are 0 or absent. */
  readonly frequencies: ReadonlyMap<string, number>;
}
