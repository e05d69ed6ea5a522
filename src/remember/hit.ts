import type { Answer } from "../types.ts";

export type CacheLevel = "exact" | "semantic" | "graph";

/** A stored answer that is served, and where it comes from. */
export interface Hit {
  /** `curated`: a reviewer wrote it. */
  readonly level: CacheLevel | "curated";
  readonly answer: Answer;
  /** The stored question; `null` where no text is kept. */
  readonly question: string | null;
  readonly storedAt: string;
}

/** What became of one stored question at one level, and by which rule. */
export interface Judgement {
  readonly level: CacheLevel;
  readonly question: string | null;
  readonly storedAt: string | null;
  readonly cosine: number | null;
  readonly entities: number | null;
  readonly documents: number | null;
  readonly score: number | null;
  readonly served: boolean;
  readonly rule: string;
  readonly reason: string;
}
