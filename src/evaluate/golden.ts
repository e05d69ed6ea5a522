import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { messageOf, RequestError } from "../errors.ts";

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

export const UNANSWERABLE_KINDS = ["near_miss", "out_of_scope", "injection", "nonsense"] as const;

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
  const files = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.startsWith(prefix) && name.endsWith(".jsonl"))
        .sort()
    : [];
  if (files.length === 0)
    throw new RequestError(
      "golden_missing",
      `${folder} holds no file ${prefix}*.jsonl. Give the folder of a golden set with --golden DIR.`,
    );
  return files.flatMap((name) => parseLines(join(folder, name), schema));
}

function parseLines<T>(path: string, schema: z.ZodType<T>): T[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line, i) => {
      if (line.trim() === "") return [];
      try {
        return [schema.parse(JSON.parse(line))];
      } catch (cause) {
        throw new RequestError("golden_invalid", `${path}:${i + 1} is not valid: ${messageOf(cause)}`, { path, line: i + 1 }, { cause });
      }
    });
}
