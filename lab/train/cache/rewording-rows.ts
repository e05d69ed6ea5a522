import { createHash } from "node:crypto";
import { z } from "zod";

/** A pair of questions that the rules leave open, and what is read of it: a row of `rewordings.ts`. */
export const rewordingRowSchema = z.object({
  set: z.string(),
  kind: z.string(),
  /** Do both ask for the same? */
  same: z.boolean(),
  stored: z.string(),
  asked: z.string(),
  /** A soft rule speaks against it; else no rule does. */
  soft: z.boolean(),
  cosine: z.number(),
  sameOdds: z.number(),
  answerOdds: z.number(),
});
export type RewordingRow = z.infer<typeof rewordingRowSchema>;

/** The reader's own recipe leaves one collection of so many out (`lab/train/reader/pack.py`, `HELD_OF`). */
const HELD_OF = 5n;

/** Is it a collection from which `reader-6` did not learn? What it learned from it reads too surely. */
export function isUnread(collection: string): boolean {
  return BigInt(`0x${createHash("sha1").update(`reader-6${collection}`).digest("hex")}`) % HELD_OF === 0n;
}
