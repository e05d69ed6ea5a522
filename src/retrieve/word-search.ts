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
  add(fields: readonly WeightedField[]): number;
  delete(slot: number): void;
  idf(token: string): number;
  has(token: string): boolean;
  /** The best entries that are accepted and hold a term at all. */
  search(terms: readonly (string | WeightedTerm)[], k: number, accept?: (slot: number) => boolean): Scored[];
  /** Score of fields as if they were an entry. */
  score(terms: readonly (string | WeightedTerm)[], fields: readonly WeightedField[]): number;
}
