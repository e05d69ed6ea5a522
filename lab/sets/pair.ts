import { z } from "zod";

/** Two questions, and whether one answer serves both: a row of `pairs*.jsonl` of a golden set. `kind`: how they differ. */
export const pairSchema = z.object({ id: z.string(), a: z.string(), b: z.string(), same_answer: z.boolean(), kind: z.string() });
export type Pair = z.infer<typeof pairSchema>;
