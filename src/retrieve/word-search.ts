import type { TermCounts } from "./term-counts.ts";
import type { Scored } from "./top-k.ts";

/** Tokens of one field and its weight. */
export interface WeightedField {
  readonly tokens: readonly string[];
  readonly weight: number;
}

/** A token of a query and what it counts beside 1 of a plain token; not negative. */
export interface WeightedTerm {
  readonly token: string;
  readonly weight: number;
}

/** Ranks entries by their words. Slots are handed out in rising order; equal scores rank the lower slot first. */
export interface WordSearch {
  /** Entries alive. */
  readonly size: number;
  add(fields: readonly WeightedField[], counts?: TermCounts): number;
  delete(slot: number): void;
  /** @param counts those of some entries. @default all */
  idf(token: string, counts?: TermCounts): number;
  has(token: string, counts?: TermCounts): boolean;
  /** The best entries that are accepted and hold a term at all. */
  search(terms: readonly (string | WeightedTerm)[], k: number, accept?: (slot: number) => boolean, counts?: TermCounts): Scored[];
  /** Score of fields as if they were an entry. */
  score(terms: readonly (string | WeightedTerm)[], fields: readonly WeightedField[], counts?: TermCounts): number;
}
