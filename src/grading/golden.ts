import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { messageOf, RequestError } from "../shared/errors.ts";
import { describeIssues } from "../text/validate.ts";

/** Error codes for a missing file and an invalid line. */
interface LineErrors {
  readonly missing: { readonly code: string; readonly hint: string };
  readonly invalid: string;
}

const DATA_ERRORS: LineErrors = { missing: { code: "data_invalid", hint: "" }, invalid: "data_invalid" };

/**
 * Parses the rows of every file `PREFIX*.jsonl` in a folder, sorted by name.
 * @throws RequestError when there is no such file, or naming file and line of an invalid row; default code `data_invalid`
 */
export function readLines<T>(folder: string, prefix: string, schema: z.ZodType<T>, { missing, invalid }: LineErrors = DATA_ERRORS): T[] {
  const names = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.startsWith(prefix) && name.endsWith(".jsonl")).sort();
  if (names.length === 0) throw new RequestError(missing.code, `${folder} contains no file ${prefix}*.jsonl. ${missing.hint}`.trim());
  return names.flatMap((name) => readLinesOf(join(folder, name), schema, invalid));
}

/**
 * Parses one JSON Lines file, skipping empty lines.
 * @throws RequestError with the given code, naming file and line of an invalid row
 */
export function readLinesOf<T>(path: string, schema: z.ZodType<T>, invalid: string): T[] {
  return parseLines(path, readFileSync(path, "utf8"), schema, invalid);
}

/** Parses JSON Lines text. @param name of its file, for errors */
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

/** An answerable question, labelled by pages and quotes, key values, a reference answer, or all of these. */
export const answerableSchema = z.object({
  id: z.string().min(1),
  question: z.string().min(1),
  gold_pages: phrases,
  gold_quotes: phrases,
  /** Reference answer. */
  answer: z.string().default(""),
  key_values: phrases,
  must_not: phrases,
  /** Phrases of a complete answer; they measure completeness and make no answer wrong. @default `key_values` */
  keyphrases: phrases,
  topic: z.string().default(""),
  difficulty: z.string().default(""),
  needs: z.string().default(""),
  /** Asking tenant; `null`: none. */
  tenant: z.string().min(1).nullable().default(null),
});
export type GoldenAnswerable = z.infer<typeof answerableSchema>;

/** In report order. */
export const UNANSWERABLE_KINDS = ["near_miss", "false_premise", "out_of_scope", "injection", "nonsense"] as const;

export const unanswerableSchema = z.object({
  id: z.string().min(1),
  question: z.string().min(1),
  kind: z.enum(UNANSWERABLE_KINDS),
  why: z.string().default(""),
  /** Quotes that contradict a false premise, exact substrings of a page. */
  contradicting_quotes: phrases,
  tenant: z.string().min(1).nullable().default(null),
});
export type GoldenUnanswerable = z.infer<typeof unanswerableSchema>;

/**
 * Parses every file `PREFIX*.jsonl` of a golden set's folder, sorted by name.
 * @throws RequestError `golden_missing` when there is no such file, `golden_invalid` naming file and line
 */
export function readGolden<T>(folder: string, prefix: string, schema: z.ZodType<T>): T[] {
  return readLines(folder, prefix, schema, GOLDEN_ERRORS);
}

const GOLDEN_ERRORS = {
  missing: { code: "golden_missing", hint: "Give the folder of a golden set with --golden DIR." },
  invalid: "golden_invalid",
} as const;
