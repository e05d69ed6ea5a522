import { z } from "zod";
import type { InProcess } from "../../text/validate.ts";
import { type PlacedUnit, type SourceText, type StoredDocument, sourceSchema, type TextRange } from "./document.ts";

/** Raw scores; `null` for a scorer that did not run. `cross` is the score of the cross-encoder, 0–1. */
export const scoresSchema = z.object({
  dense: z.number().nullable(),
  bm25: z.number().nullable(),
  fused: z.number(),
  cross: z.number().nullable(),
});

/** A retrieved chunk with its scores, and the data of its document that later stages need. */
export interface Passage {
  /** `S1`, `S2`, …, in rank order. */
  readonly sid: string;
  readonly chunkId: string;
  readonly document: PassageDocument;
  readonly headingPath: readonly string[];
  /** Range of the chunk in the document. */
  readonly range: TextRange;
  /**
   * Range of the document that filters or a selection allow; absent if neither applies. Units get context only from this
   * range.
   */
  readonly bounds?: TextRange;
  /** The window of the chunk with the best score. */
  readonly window: TextRange;
  readonly text: string;
  readonly units: readonly PlacedUnit[];
  readonly scores: InProcess<z.infer<typeof scoresSchema>>;
  /** Near-duplicates merged into this passage. They are shown as further sources. Absent if there are none. */
  readonly twins?: readonly NearDuplicate[];
}

/** A near-duplicate that was merged into another passage. */
export interface NearDuplicate extends InProcess<z.infer<typeof sourceSchema>>, Pick<Passage, "chunkId" | "headingPath" | "range"> {}

/** The data of a document that answers need. */
export type PassageDocument = Omit<
  StoredDocument,
  "text" | "units" | "chunks" | "domain" | "tenant" | "access" | "source" | "description" | "topic" | "subtopic" | "type"
>;

const webPageSchema = z.object({
  url: z.string(),
  title: z.string(),
  retrieved_at: z.string().describe("ISO 8601."),
  verdict: z.enum(["confirmed", "contradicted"]),
  claim: z.string().describe("Sentence of the passage that was compared."),
  quote: z.string().describe("Sentence of the web page, as plain text: escape it for display."),
});
export type WebPageEvidence = InProcess<z.infer<typeof webPageSchema>>;

/** The result of checking one uncertain passage on the web. It is never a cited source and never part of a writing model's prompt. */
export const webEvidenceSchema = z.object({
  sid: z.string().describe("Id of the uncertain passage that was checked."),
  verdict: z.enum(["confirmed", "contradicted", "silent"]),
  reason: z.string(),
  query: z.string().describe("Search query."),
  pages: z.array(webPageSchema),
});
export type WebEvidence = InProcess<z.infer<typeof webEvidenceSchema>>;
export type WebVerdict = WebEvidence["verdict"];

export type Verdict = "verified" | "uncertain" | "rejected";

/** A passage with its verdict. */
export interface Evidence {
  readonly passage: Passage;
  readonly verdict: Verdict;
  /** 0–1, like `consistency` and `agreement`; `null` if it could not be computed. */
  readonly relevance: number | null;
  readonly consistency: number | null;
  readonly agreement: number | null;
  /** Combined score that decides the verdict, 0–1. */
  readonly score: number;
  /** Reason for the verdict in one line, for users. */
  readonly reason: string;
}

/** An exact substring of evidence: `text === document.text.slice(start, end)`. */
export interface Quote extends TextRange {
  readonly passage: Passage;
  readonly text: string;
  /** Header of the table, if the quote is a table row. */
  readonly header?: SourceText;
}

const conflictSideSchema = z.object({
  sid: z.string(),
  value: z.string().describe("Words in which this side differs from the other."),
  quote: z.string().describe("Exact sentence with the value; `start` and `end` are its place in the document's text."),
  start: z.int(),
  end: z.int(),
  ...sourceSchema.shape,
});
export type ConflictSide = InProcess<z.infer<typeof conflictSideSchema>>;

const resolutionSchema = z.object({
  rule: z.enum(["newer", "regulation", "agency", "summary"]),
  holds: z.string().describe("`sid` of the side that takes precedence."),
});
export type ConflictResolution = InProcess<z.infer<typeof resolutionSchema>>;

export const conflictSchema = z.object({
  about: z.string().describe("Words that both sides share."),
  // "condition" occurs only in stored answers and proofs; new conflicts never have it.
  kind: z.enum(["value", "date", "polarity", "condition"]),
  certainty: z.number().describe("Certainty that both sides have the same subject, 0–1; for ordering, not a probability."),
  sides: z.array(conflictSideSchema),
  resolved_by: resolutionSchema.nullable().describe("Rule of the domain pack that decides; `null`: unresolved."),
});
/** Two passages that cannot both hold. They are shown side by side. */
export type Conflict = InProcess<z.infer<typeof conflictSchema>> & { readonly sides: readonly [ConflictSide, ConflictSide] };
export type ConflictKind = Conflict["kind"];
