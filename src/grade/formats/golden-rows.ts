import { z } from "zod";
import { RequestError } from "../../errors.ts";
import { describeIssues } from "../../text/validate.ts";
import { UNANSWERABLE_KINDS } from "../golden.ts";

const phrases = z.array(z.string().min(1)).default([]);

/** A question with its right answer, as a line of JSON or a row of YAML. Marked by its pages and quotes, by words that the answer holds, by a reference answer, or by all. */
export const answerableSchema = z.object({
  id: z.string().min(1),
  question: z.string().min(1),
  gold_pages: phrases,
  gold_quotes: phrases,
  /** The right answer in somebody's words. */
  answer: z.string().default(""),
  key_values: phrases,
  must_not: phrases,
  /** Words that a full answer holds; those of `key_values` when absent. They say how full an answer is and make none wrong. */
  keyphrases: phrases,
  topic: z.string().default(""),
  difficulty: z.string().default(""),
  needs: z.string().default(""),
  /** Who asks; `null`: nobody's customer. */
  tenant: z.string().min(1).nullable().default(null),
});

/** A question without any mark of its right answer is a slip. */
export const markedSchema = answerableSchema.refine(
  (one) => one.answer !== "" || [one.gold_pages, one.gold_quotes, one.key_values, one.keyphrases].some((marks) => marks.length > 0),
  "says nothing of the right answer: give gold_pages with gold_quotes, key_values, keyphrases or answer, or a kind where it is to be refused",
);

export const unanswerableSchema = z.object({
  id: z.string().min(1),
  question: z.string().min(1),
  kind: z.enum(UNANSWERABLE_KINDS),
  why: z.string().default(""),
  /** Of a false premise: what the documents say instead, exact substrings of a page. */
  contradicting_quotes: phrases,
  tenant: z.string().min(1).nullable().default(null),
});

export type GoldenAnswerable = z.infer<typeof answerableSchema>;
export type GoldenUnanswerable = z.infer<typeof unanswerableSchema>;

/** Questions of a file, with what of it could not be used. */
export interface GoldenFile {
  readonly answerable: readonly GoldenAnswerable[];
  readonly unanswerable: readonly GoldenUnanswerable[];
  /** Such as keys that are not read. */
  readonly notices: readonly string[];
}

/** @param i place in the list, from 0 @throws RequestError `golden_invalid` */
export function parseRow<T>(path: string, i: number, row: unknown, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(row);
  if (parsed.success) return parsed.data;
  const faults = describeIssues(parsed.error, schema).slice(0, 3).join("; ");
  throw new RequestError("golden_invalid", `${path}: question ${i + 1} is not valid: ${faults}`, { path, row: i + 1 });
}
