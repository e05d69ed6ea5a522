import type { Authority, Block, PlacedUnit, Reading, SourceMapData, SourceText, TextRange } from "./document.ts";

/** A retrieved chunk with its scores, and the data of its document that later stages need. */
export interface Passage {
  /** `S1`, `S2`, … in rank order. */
  readonly sid: string;
  readonly chunkId: string;
  readonly document: PassageDocument;
  readonly headingPath: readonly string[];
  /** Range of the chunk in the document. */
  readonly range: TextRange;
  /** The part of the document that filters or a selection allow; the context of units stays inside. Absent without them. */
  readonly bounds?: TextRange;
  /** The window with the best score. */
  readonly window: TextRange;
  readonly text: string;
  readonly units: readonly PlacedUnit[];
  /** Raw scores; `null` where the scorer did not run. */
  readonly scores: {
    readonly dense: number | null;
    readonly bm25: number | null;
    readonly fused: number;
    /** Score of a cross-encoder, 0–1. */
    readonly cross: number | null;
  };
  /** Near-duplicates merged into this passage, as further sources. Absent if there are none. */
  readonly twins?: readonly NearDuplicate[];
}

/** A near-duplicate that was merged into another passage. */
export interface NearDuplicate {
  readonly chunkId: string;
  readonly documentId: string;
  readonly documentVersion: string;
  readonly title: string;
  readonly url: string | null;
  readonly asOf: string | null;
  readonly headingPath: readonly string[];
  readonly range: TextRange;
}

/** The data of a document that answers need. */
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

/** The result of the web check of one uncertain passage. It is never cited as a source and never given to a model that writes. */
export interface WebEvidence {
  /** Id of the passage. */
  readonly sid: string;
  readonly verdict: WebVerdict;
  /** One line for users. */
  readonly reason: string;
  /** The search query. */
  readonly query: string;
  /** Pages about the same subject, with their verdicts. */
  readonly pages: readonly WebPageEvidence[];
}

export interface WebPageEvidence {
  readonly url: string;
  readonly title: string;
  /** ISO 8601. */
  readonly retrievedAt: string;
  readonly verdict: Exclude<WebVerdict, "silent">;
  /** The compared sentence of the passage. */
  readonly claim: string;
  /** The sentence of the page: untrusted plain text. */
  readonly quote: string;
}

export type Verdict = "verified" | "uncertain" | "rejected";

/** A passage with its verdict. */
export interface Evidence {
  readonly passage: Passage;
  readonly verdict: Verdict;
  /** 0–1, or `null` if it could not be scored; never 0 for unknown. */
  readonly relevance: number | null;
  readonly consistency: number | null;
  readonly agreement: number | null;
  /** Combined score behind the verdict, 0–1. */
  readonly score: number;
  /** One line for users. */
  readonly reason: string;
}

/** An exact substring of evidence: `text === document.text.slice(start, end)`. */
export interface Quote extends TextRange {
  readonly passage: Passage;
  readonly text: string;
  /** Header of the table, for a quoted row. */
  readonly header?: SourceText;
}

export type ConflictKind = "value" | "date" | "polarity" | "condition";

/** Two passages that differ; shown side by side. */
export interface Conflict {
  /** Words that both sides share, as written. */
  readonly about: string;
  readonly kind: ConflictKind;
  /** How likely both sides concern the same subject, 0–1. It ranks conflicts and is not a probability. */
  readonly certainty: number;
  readonly sides: readonly [ConflictSide, ConflictSide];
  /** The declared rule that decides, with the `sid` of the valid side; `null`: undecided. */
  readonly resolvedBy: ConflictResolution | null;
}

export interface ConflictResolution {
  readonly rule: "newer" | Authority;
  readonly holds: string;
}

/** One side of a conflict: the sentence and its range in the document. */
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
