import type { Encoder } from "../models/encoder.ts";
import type { Area, Scope } from "../shared/types.ts";
import type { DocumentHead, IndexedDocument } from "../store/document-rows.ts";
import type { Hit, TimePart, WeightedTerm } from "./top-k.ts";

/**
 * The search engine of one domain. It indexes documents of all tenants and labels, and applies filters before ranking.
 * The database is the source of truth: an engine that lags behind may miss a document, and its hits are verified
 * against the database before they are shown. Contract: `describeSearchEngineContract` in
 * `sourcebound/testing/contracts`.
 */
export interface SearchEngine {
  /** Returns the revision of the domain up to which the engine has indexed; −1 before `reconcile`. */
  revision(): Promise<number>;
  /**
   * Compares the index of an earlier process with the documents of the database. Removes documents from the index whose
   * version, tenant or label differs.
   * @param encoder id of the active encoder; `null`: no vectors
   * @returns ids of the documents that the index lacks
   */
  reconcile(documents: ReadonlyMap<string, DocumentHead>, encoder: string | null): Promise<string[]>;
  /** Adds documents and vectors of windows. Replaces earlier versions of the documents. Ignores vectors of unknown windows. */
  index(changes: IndexChanges): Promise<void>;
  remove(documentIds: readonly string[]): Promise<void>;
  /** Activates the vectors of an encoder and deletes those of other encoders. */
  serve(encoder: string | null): Promise<void>;
  coverage(encoder: string | null): Promise<Coverage>;
  /** Yields windows without a vector of the encoder, in batches. May leave out a window whose vector is added meanwhile. */
  windowsWithout(encoder: string, batch: number): AsyncIterable<readonly WindowText[]>;
  /**
   * Returns the best chunks by words and the best by vector, each with both scores. They are ordered by path, document,
   * chunk and window, so that ties have a fixed order. Without vectors of the question's encoder, chunks are found by
   * words only.
   */
  search(request: EngineRequest, options?: EngineOptions): Promise<Hit[]>;
  /** Counts, for each term, the windows that contain it and that the scope may see. */
  statistics(terms: readonly string[], scope: Scope, options?: Pick<EngineOptions, "signal">): Promise<TermStatistics>;
  /** Returns words a few edits away from `word`, in lower case and not stemmed, with the number of visible documents that contain them. */
  similarWords(word: string, scope: Scope, options?: Pick<EngineOptions, "signal">): Promise<ReadonlyMap<string, number>>;
  /** Resolves when no work is pending and all changes are stored. */
  idle(): Promise<void>;
}

/** Identifies a window in any engine. A chunk's id includes the version of its document. */
export interface WindowId {
  readonly documentId: string;
  readonly chunkId: string;
  readonly start: number;
}

/** A window with the text that an encoder sees. */
export interface WindowText extends WindowId {
  readonly title: string;
  readonly headingPath: readonly string[];
  readonly text: string;
}

export interface IndexChanges {
  /** Revision of the domain after these changes; absent: it does not change. */
  readonly revision?: number | undefined;
  readonly documents?: readonly IndexedDocument[];
  readonly vectors?: { readonly encoder: string; readonly windows: readonly (WindowId & { readonly vector: Float32Array })[] } | undefined;
}

export interface Coverage {
  /** Number of indexed windows. */
  readonly windows: number;
  /** Number of windows with a vector of the encoder. */
  readonly vectors: number;
  /** Dimensions of the encoder's vectors; `null`: there are none. */
  readonly dimensions: number | null;
  /** Memory in this process, in bytes. */
  readonly bytes: { readonly words: number; readonly vectors: number };
}

/** A question's vector with its encoder. Vectors of two encoders cannot be compared. */
export interface QuestionVector {
  readonly encoder: Encoder;
  readonly values: Float32Array;
}

export interface SearchFilters {
  readonly scope: Scope;
  /**
   * Restricts the search to windows that are completely inside one range of an area (`window`), or only partly (`cut`).
   * @default everywhere
   */
  readonly area?: { readonly parts: Area; readonly fit: "window" | "cut" } | null;
  /** Restricts the search to windows with at least one of these terms. @default any window */
  readonly holding?: readonly string[];
}

export interface EngineRequest {
  /** Terms to rank by; empty: no ranking by words. A term without a weight counts 1. */
  readonly terms: readonly (string | WeightedTerm)[];
  /** Vector to rank by; `null`: no ranking by vector. */
  readonly vector: QuestionVector | null;
  readonly filters: SearchFilters;
  /** Maximum number of chunks from each of the two rankings. */
  readonly k: number;
}

export interface EngineOptions {
  readonly signal?: AbortSignal | undefined;
  /** @default untimed */
  readonly time?: TimePart | undefined;
}

export interface TermStatistics {
  /** Number of windows that the scope may see. */
  readonly windows: number;
  /** Mean length of all windows, also of invisible ones, in tokens weighted by field. */
  readonly averageLength: number;
  /** Number of visible windows with each term. A term that no window contains has 0 or is absent. */
  readonly frequencies: ReadonlyMap<string, number>;
}
