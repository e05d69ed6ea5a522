import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { messageOf, RequestError } from "../shared/errors.ts";
import { describeIssues } from "../text/validate.ts";

/**
 * Parses every file `PREFIX*.jsonl` of a folder, sorted by name.
 * @throws RequestError `golden_missing` if there is no such file; `golden_invalid`, which names file and line
 */
export function readGolden<T>(folder: string, prefix: string, schema: z.ZodType<T>): T[] {
  const names = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.startsWith(prefix) && name.endsWith(".jsonl")).sort();
  if (names.length > 0) return names.flatMap((name) => readLinesOf(join(folder, name), schema, "golden_invalid"));
  const message = `${folder} contains no file ${prefix}*.jsonl. Give the folder of a golden set with --golden DIR.`;
  throw new RequestError("golden_missing", message);
}

/**
 * Parses one JSON Lines file. Skips empty lines.
 * @throws RequestError with the code `invalid`, which names file and line of the invalid row
 */
export function readLinesOf<T>(path: string, schema: z.ZodType<T>, invalid: string): T[] {
  return parseLines(path, readFileSync(path, "utf8"), schema, invalid);
}

/** Parses JSON Lines text. @param name file name for error messages */
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

const text = z.string().min(1);
const phrases = z.array(text).default([]);

/**
 * Schema of an answerable question. Gold pages and quotes state its answer. A right answer has all `key_values` and no value of `must_not`.
 */
export const answerableSchema = z.object({
  ...{ id: text, question: text },
  gold_pages: phrases,
  gold_quotes: phrases,
  /** Reference answer. */
  answer: z.string().default(""),
  key_values: phrases,
  must_not: phrases,
  /** Phrases that a complete answer contains. An answer without some of them is incomplete, not wrong. @default `key_values` */
  keyphrases: phrases,
  ...{ topic: z.string().default(""), difficulty: z.string().default(""), needs: z.string().default("") },
  /** Tenant that asks; `null`: none. */
  tenant: text.nullable().default(null),
});
export type GoldenAnswerable = z.infer<typeof answerableSchema>;

/** Kinds of unanswerable questions, in report order. */
export const UNANSWERABLE_KINDS = ["near_miss", "false_premise", "out_of_scope", "injection", "nonsense"] as const;

export const unanswerableSchema = z.object({
  ...{ id: text, question: text },
  kind: z.enum(UNANSWERABLE_KINDS),
  why: z.string().default(""),
  /** Exact texts of documents that contradict a false premise. */
  contradicting_quotes: phrases,
  tenant: text.nullable().default(null),
});
export type GoldenUnanswerable = z.infer<typeof unanswerableSchema>;
