import { z } from "zod";
import { readLines } from "./read-lines.ts";

export const answerableSchema = z.object({
  id: z.string(),
  question: z.string(),
  gold_pages: z.array(z.string()).min(1),
  gold_quotes: z.array(z.string()).default([]),
  answer: z.string().default(""),
  key_values: z.array(z.string()).default([]),
  topic: z.string().default(""),
  difficulty: z.enum(["easy", "medium", "hard"]),
});
export type Answerable = z.infer<typeof answerableSchema>;

/** In the order in which reports name them. */
export const UNANSWERABLE_KINDS = ["near_miss", "false_premise", "out_of_scope", "injection", "nonsense"] as const;

export const unanswerableSchema = z.object({
  id: z.string(),
  question: z.string(),
  kind: z.enum(UNANSWERABLE_KINDS),
  why: z.string().default(""),
});
export type Unanswerable = z.infer<typeof unanswerableSchema>;

/**
 * Every line of the files `PREFIX*.jsonl` of a folder, whatever their suffix, in the order of their names.
 * @throws RequestError `golden_missing` when there is no such file, `golden_invalid` naming file and line
 */
export function readGolden<T>(folder: string, prefix: string, schema: z.ZodType<T>): T[] {
  return readLines(folder, prefix, schema, GOLDEN_ERRORS);
}

const GOLDEN_ERRORS = {
  missing: { code: "golden_missing", hint: "Give the folder of a golden set with --golden DIR." },
  invalid: "golden_invalid",
} as const;
