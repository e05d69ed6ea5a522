import { createHash } from "node:crypto";
import { z } from "zod";

/** A pair of questions without a difference in exact facts: a row of `pairs.ts`. */
export const pairRowSchema = z.object({
  set: z.string(),
  kind: z.string(),
  /** Whether both ask the same. */
  same: z.boolean(),
  stored: z.string(),
  asked: z.string(),
  /** Probability of the cross-encoder that both ask the same. */
  chance: z.number(),
});
export type PairRow = z.infer<typeof pairRowSchema>;

/** Inverse of the share of collections held out by the recipe of the cross-encoder and its adapters (`lab/train/reader/pack.py`, `HELD_OF`). */
const HELD_OF = 5n;

/** Tests whether a collection was held out from the cross-encoder, which is overconfident on its training data. */
export function isHeldOut(collection: string): boolean {
  return BigInt(`0x${createHash("sha1").update(`reader-6${collection}`).digest("hex")}`) % HELD_OF === 0n;
}
