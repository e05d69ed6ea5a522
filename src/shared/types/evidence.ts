import type { Authority, Block, PlacedUnit, Reading, SourceMapData, SourceText, TextRange } from "./document.ts";

/** A retrieved chunk with its scores; everything later stages need of its document travels along. */
export interface Passage {
  /** `S1`, `S2`, … in rank order. */
  readonly sid: string;
  readonly chunkId: string;
  readonly document: PassageDocument;
  readonly headingPath: readonly string[];
  /** The chunk's range in the document. */
  readonly range: TextRange;
  /** What filters or a selection left around it: nothing outside is named by its units. Absent without them. */
  readonly bounds?: TextRange;
  /** The window that scored best. */
  readonly window: TextRange;
  readonly text: string;
  readonly units: readonly PlacedUnit[];
  /** Raw scores; `null` where the scorer did not run. */
  readonly scores: {
    readonly dense: number | null;
    readonly bm25: number | null;
    readonly fused: number;
    /** Of a cross-encoder, 0–1. */
    readonly cross: number | null;
  };
  /** Passages merged into this one: further sources of what it says. Absent when there are none. */
  readonly twins?: readonly Twin[];
}

/** A passage elsewhere that says the same as the one that was kept. */
export interface Twin {
  readonly chunkId: string;
  readonly documentId: string;
  readonly documentVersion: string;
  readonly title: string;
  readonly url: string | null;
  readonly asOf: string | null;
  readonly headingPath: readonly string[];
  readonly range: TextRange;
}

/** A document's face in answers. */
export interface PassageDocument {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly url: string | null;
  readonly asOf: string | null;
  readonly authority: Authority | null;
  readonly version: string;
  readonly originalHash: string;
  readonly normaliser: string;
  readonly blocks: readonly Block[];
  readonly sourceMap: SourceMapData;
  readonly pages?: readonly number[] | null;
  readonly reading?: Reading;
}

export type WebVerdict = "confirmed" | "contradicted" | "silent";

/** What the web said about one uncertain passage: evidence of its own kind. It is never cited as a source and never given to a writer. */
export interface WebEvidence {
  /** The passage. */
  readonly sid: string;
  readonly verdict: WebVerdict;
  /** One line for people. */
  readonly reason: string;
  /** What was searched for. */
  readonly query: string;
  /** Pages that speak of the same, and what each says. */
  readonly pages: readonly WebPageEvidence[];
}

export interface WebPageEvidence {
  readonly url: string;
  readonly title: string;
  /** ISO 8601. */
  readonly retrievedAt: string;
  readonly verdict: Exclude<WebVerdict, "silent">;
  /** The sentence of the passage that was compared. */
  readonly claim: string;
  /** The sentence of the page: plain text that strangers wrote. */
  readonly quote: string;
}

export type Verdict = "verified" | "uncertain" | "rejected";

/** A passage with a verdict. */
export interface Evidence {
  readonly passage: Passage;
  readonly verdict: Verdict;
  /** 0–1, or `null` when it could not be scored; never 0 for "unknown". */
  readonly relevance: number | null;
  readonly consistency: number | null;
  readonly agreement: number | null;
  /** The combination on which the verdict rests, 0–1. */
  readonly score: number;
  /** One line for people. */
  readonly reason: string;
}

/** An exact substring of evidence. `text === document.text.slice(start, end)`. */
export interface Quote extends TextRange {
  readonly passage: Passage;
  readonly text: string;
  /** Of a table's row that can be read by it: the header of its table. */
  readonly header?: SourceText;
}

export type ConflictKind = "value" | "date" | "polarity" | "condition";

/** Two sources that differ; shown side by side. */
export interface Conflict {
  /** Words that both sides share, as written. */
  readonly about: string;
  readonly kind: ConflictKind;
  /** How surely both speak of the same thing, 0–1: an order, no probability. */
  readonly certainty: number;
  readonly sides: readonly [ConflictSide, ConflictSide];
  /** The declared rule that decides, and the `sid` of the side that holds; `null`: the sources disagree. */
  readonly resolvedBy: ConflictResolution | null;
}

export interface ConflictResolution {
  readonly rule: "newer" | Authority;
  readonly holds: string;
}

/** One side of a conflict: what it says, and the sentence that says it, in the document's text. */
export interface ConflictSide extends TextRange {
  readonly sid: string;
  /** The words that differ. */
  readonly value: string;
  readonly quote: string;
  readonly documentId: string;
  readonly documentVersion: string;
  readonly title: string;
  readonly url: string | null;
  readonly asOf: string | null;
}
