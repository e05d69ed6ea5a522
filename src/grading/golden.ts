import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { messageOf, RequestError } from "../shared/errors.ts";
import { describeIssues } from "../text/validate.ts";

/** What to say when a folder holds no such file, and when a line is not valid. */
interface LineErrors {
  readonly missing: { readonly code: string; readonly hint: string };
  readonly invalid: string;
}

const DATA_ERRORS: LineErrors = { missing: { code: "data_invalid", hint: "" }, invalid: "data_invalid" };

/**
 * Rows of every file `PREFIX*.jsonl` of a folder, whatever their suffix, in the order of their names.
 * @throws RequestError when there is no such file, or naming file and line of what is not valid; `data_invalid` unless told otherwise
 */
export function readLines<T>(folder: string, prefix: string, schema: z.ZodType<T>, { missing, invalid }: LineErrors = DATA_ERRORS): T[] {
  const names = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.startsWith(prefix) && name.endsWith(".jsonl")).sort();
  if (names.length === 0) throw new RequestError(missing.code, `${folder} holds no file ${prefix}*.jsonl. ${missing.hint}`.trim());
  return names.flatMap((name) => readLinesOf(join(folder, name), schema, invalid));
}

/**
 * Rows of one file of JSON lines; empty lines are nothing.
 * @throws RequestError with the code given, naming file and line of what is not valid
 */
export function readLinesOf<T>(path: string, schema: z.ZodType<T>, invalid: string): T[] {
  return parseLines(path, readFileSync(path, "utf8"), schema, invalid);
}

/** The same of a text. @param name of its file, for errors */
export function parseLines<T>(name: string, text: string, schema: z.ZodType<T>, invalid: string): T[] {
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    try {
      return [schema.parse(JSON.parse(line))];
    } catch (cause) {
      throw new RequestError(
        invalid,
        `${name}:${i + 1} is not valid: ${cause instanceof z.ZodError ? describeIssues(cause, schema).join("; ") : messageOf(cause)}`,
        { path: name, line: i + 1 },
        { cause },
      );
    }
  });
}

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
export type GoldenAnswerable = z.infer<typeof answerableSchema>;

/** In the order in which reports name them. */
export const UNANSWERABLE_KINDS = ["near_miss", "false_premise", "out_of_scope", "injection", "nonsense"] as const;

export const unanswerableSchema = z.object({
  id: z.string().min(1),
  question: z.string().min(1),
  kind: z.enum(UNANSWERABLE_KINDS),
  why: z.string().default(""),
  /** Of a false premise: what the documents say instead, exact substrings of a page. */
  contradicting_quotes: phrases,
  tenant: z.string().min(1).nullable().default(null),
});
export type GoldenUnanswerable = z.infer<typeof unanswerableSchema>;

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
