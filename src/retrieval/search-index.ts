import type { EmbedOptions, Encoder } from "../models/encoder.ts";
import type { Area, Chunk, Scope, Selection, TextRange } from "../shared/types.ts";
import type { FaceMemo } from "./deduplicate.ts";
import type { Scored, TimePart, WeightedTerm } from "./top-k.ts";
import type { QuestionReader } from "./understand.ts";
import type { QuestionVector } from "./vector-index.ts";

/**
 * The index of one domain as retrieval asks it: what ranks words and vectors may lie in this process or in a database. The embedded one is `Corpus`.
 */
export interface SearchIndex extends QuestionReader {
  /** Windows indexed. */
  readonly windows: number;
  /** The encoder whose vectors serve; `null`: words alone. */
  readonly encoder: Encoder | null;
  readonly switching: SwitchState | null;
  /** What twins were compared by, until the index changes. */
  readonly faces: FaceMemo;
  /** Chooses the encoder that serves. */
  ready(): Promise<void>;
  /** Takes in what was committed since. Where nothing changed, it costs two small reads and waits for nobody. */
  sync(options?: SyncOptions): Promise<void>;
  /** The windows that lie nearest to a request's vector, where another place than this process is asked for them; `null`: none is, and `search` compares them. */
  nearest(request: SearchRequest): Promise<readonly Scored[] | null>;
  /** Chunks ranked by fused score, best first, those with a code of the question before all others; filters apply before ranking. */
  search(request: SearchRequest): Candidate[] | Promise<Candidate[]>;
  /** Words' score of a text as if it were a window of its document, under its headings. */
  scoreText(piece: Pick<Candidate, "documentId" | "chunk" | "text">, request: Pick<SearchRequest, "terms" | "scope">): number;
  /** The vector of a question in the index that serves now; `null` without an encoder. Throws what the encoder throws. */
  embedQuestion(text: string, options?: EmbedOptions): Promise<QuestionVector | null>;
  /** Vectors of texts by the encoder of a question's vector. */
  embed(texts: readonly string[], vector: QuestionVector, signal: AbortSignal): Promise<Float32Array[]>;
}

/** Which encoder serves a domain, and which one takes its place once its index is complete. */
export interface EncoderChoice {
  readonly serve: Encoder | null;
  readonly prepare: Encoder | null;
  /** Writes down that `prepare` serves from now on. */
  readonly activate: (encoder: Encoder) => Promise<void>;
}

/** How far the vectors of the next encoder are. */
export interface SwitchState {
  readonly from: string | null;
  readonly to: string;
  readonly done: number;
  readonly total: number;
  /** Why it stopped; it goes on by itself. */
  readonly failure: string | null;
}

export interface SearchRequest {
  /** What is searched for; a token without a weight counts 1. */
  readonly terms: readonly (string | WeightedTerm)[];
  /** Codes of the question: passages that hold one come first. */
  readonly codes: readonly string[];
  /** The question's vector with its index, from `embedQuestion`; `null` ranks by words alone. */
  readonly vector: QuestionVector | null;
  readonly scope: Scope;
  /** Keeps to chunks that lie wholly inside; chunks that only overlap are ranked by `searchSelection`. */
  readonly selection: Selection | null;
  /** Keeps to an area: to windows that lie wholly inside one of its ranges, or to those that lie in it in part. Absent: everywhere. */
  readonly area?: { readonly parts: Area; readonly fit: "window" | "cut" } | null;
  readonly bm25: boolean;
  /** Chunks asked of each ranking. */
  readonly candidates: number;
  readonly alpha: number;
  readonly beta: number;
  readonly fusion: "min-max" | "rrf";
  /** What `nearest` gave, best first. @default null */
  readonly near?: readonly Scored[] | null;
  /** @default untimed */
  readonly time?: TimePart;
}

/** A chunk that was found, by its best window. */
export interface Candidate {
  readonly documentId: string;
  readonly version: string;
  readonly chunk: Chunk;
  readonly window: TextRange;
  readonly title: string;
  /** The window's text. */
  readonly text: string;
  /** Holds a code of the question: stands before all that do not, however they are reranked. */
  readonly coded?: boolean;
  readonly dense: number | null;
  readonly bm25: number | null;
  readonly fused: number;
}

export interface SyncOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEmbed?: (done: number, total: number) => void;
  readonly onUsage?: EmbedOptions["onUsage"];
  /** Wait for vectors that another caller is making? A question does not: until they are there, words alone find those windows. @default true */
  readonly mayWaitForVectors?: boolean;
  /** May a switch begin in the background? @default true */
  readonly mayPrepare?: boolean;
}
