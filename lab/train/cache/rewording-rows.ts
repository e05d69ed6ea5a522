import { createHash } from "node:crypto";
import { z } from "zod";

/** A pair of questions that the rules leave undecided, with its scores: a row of `rewordings.ts`. */
export const rewordingRowSchema = z.object({
  set: z.string(),
  kind: z.string(),
  /** Whether both ask the same. */
  same: z.boolean(),
  stored: z.string(),
  asked: z.string(),
  /** Whether a soft rule objects; otherwise no rule does. */
  soft: z.boolean(),
  cosine: z.number(),
  sameOdds: z.number(),
  answerOdds: z.number(),
});
export type RewordingRow = z.infer<typeof rewordingRowSchema>;

/** Inverse of the share of collections held out by the cross-encoder's recipe (`lab/train/reader/pack.py`, `HELD_OF`). */
const HELD_OF = 5n;

/** Tests whether a collection was held out from `reader-6`, which is overconfident on its training data. */
export function isUnread(collection: string): boolean {
  return BigInt(`0x${createHash("sha1").update(`reader-6${collection}`).digest("hex")}`) % HELD_OF === 0n;
}
