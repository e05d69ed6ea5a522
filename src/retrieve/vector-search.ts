import type { SlotSet } from "./slot-set.ts";
import type { Scored } from "./top-k.ts";

/** Ranks entries by their vectors. Slots are handed out in rising order; equal scores rank the lower slot first. */
export interface VectorSearch {
  /** Entries alive. */
  readonly size: number;
  add(vector: Float32Array): number;
  delete(slot: number): void;
  /** The best entries that are accepted, by dot product. */
  search(query: Float32Array, k: number, accept?: SlotSet): Scored[];
  /** Highest score of some entries that are alive; `null` of none. */
  best(query: Float32Array, slots: readonly number[]): number | null;
}
