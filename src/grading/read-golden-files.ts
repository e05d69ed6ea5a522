import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { messageOf, RequestError } from "../shared/errors.ts";
import { composeYaml } from "../text/compose-yaml.ts";
import { didYouMean, editDistance } from "../text/spelling.ts";
import { describeIssues, keysAt } from "../text/validate.ts";
import { answerableSchema, type GoldenAnswerable, type GoldenUnanswerable, parseLines, readLinesOf, unanswerableSchema } from "./golden.ts";

/** Keys that every row may have: `notes` for comments, and `kind`, which marks unanswerable questions in mixed files. */
const ANYWHERE = ["notes", "kind"];
/**
 * An unknown key counts as misspelt if it differs from a known key by at most this many edits. Shorter keys may differ
 * by fewer edits: one for every three letters.
 */
const SLIPS = 2;

/** Unknown keys that were ignored. Each has the ids of its rows, and a hint such as ` Did you mean "answer"?`. */
type UnreadKeys = Map<string, { readonly hint: string; readonly ids: string[] }>;

/**
 * Wraps the schema of a row with a check of its keys. A misspelt key is an error, because its value would be lost. Other
 * unknown keys with a value are added to `unread`.
 */
function withKeys<T>(schema: z.ZodType<T>, unread: UnreadKeys): z.ZodType<T> {
  const known = keysAt(schema, []);
  const looked = z.unknown().superRefine((row, context) => {
    if (typeof row !== "object" || row === null || Array.isArray(row)) return;
    for (const [key, value] of Object.entries(row)) {
      if (known.includes(key) || ANYWHERE.includes(key)) continue;
      const meant = known.find((name) => isSlip(key, name));
      if (meant !== undefined) {
        const message = `unknown key "${key}". Did you mean "${meant}"? Use "notes" for comments`;
        context.addIssue({ code: "custom", message });
      } else if (!isEmpty(value)) {
        const { hint, ids } = unread.get(key) ?? { hint: didYouMean(key, known), ids: [] };
        unread.set(key, { hint, ids: [...ids, "id" in row ? String(row.id) : "?"] });
      }
    }
  });
  return looked.pipe(schema) as unknown as z.ZodType<T>;
}

function unreadNotices(path: string, unread: UnreadKeys): string[] {
  if (unread.size === 0) return [];
  const keys = [...unread].map(
    ([key, { hint, ids }]) => `"${key}" of ${ids[0]}${ids.length === 1 ? "" : ` and ${ids.length - 1} more`}.${hint}`,
  );
  return [`${path}: ignored unknown keys: ${keys.join(" ")} Use "notes" for comments.`];
}

function isSlip(key: string, name: string): boolean {
  const [one, other] = [key, name].map((text) => text.toLowerCase().replaceAll(/[\s_-]/g, "")) as [string, string];
  const most = Math.min(SLIPS, Math.floor(Math.min(one.length, other.length) / 3));
  return editDistance(one, other, most) <= most;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** Schema of an answerable question that has at least one label by which an answer can be judged. */
const markedSchema = answerableSchema.refine(
  (one) => one.answer !== "" || [one.gold_pages, one.gold_quotes, one.key_values, one.keyphrases].some((marks) => marks.length > 0),
  "states no right answer. Add gold_pages with gold_quotes, key_values, keyphrases or answer, or a kind if it must be refused",
);

/** Questions of a file or folder. */
export interface GoldenFile {
  readonly answerable: readonly GoldenAnswerable[];
  readonly unanswerable: readonly GoldenUnanswerable[];
  /** Messages about the file, such as ignored keys. */
  readonly notices: readonly string[];
}

/** @param i index of the row, from 0 @throws RequestError `golden_invalid` */
function parseRow<T>(path: string, i: number, row: unknown, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(row);
  if (parsed.success) return parsed.data;
  const faults = describeIssues(parsed.error, schema).slice(0, 3).join("; ");
  throw new RequestError("golden_invalid", `${path}: question ${i + 1} is not valid: ${faults}`, { path, row: i + 1 });
}

const GIVE =
  "Give a folder with [prefix-]answerable*.jsonl or [prefix-]unanswerable*.jsonl, or a file of questions (.jsonl, .json, .yaml) with --golden.";
const ANSWERABLE_FILE = /^(?:.*-)?answerable.*\.jsonl$/;
const UNANSWERABLE_FILE = /^(?:.*-)?unanswerable.*\.jsonl$/;
/** Maximum size of a question file in bytes. The whole file is read into memory. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Returns whether `readGoldenFolder` reads a file of this name. */
export function isQuestionFile(name: string): boolean {
  return ANSWERABLE_FILE.test(name) || UNANSWERABLE_FILE.test(name);
}

/** @throws RequestError `golden_missing`, `golden_invalid` naming file and line */
export function readGoldenFolder(folder: string): GoldenFile {
  const files = readdirSync(folder).sort();
  const unread: UnreadKeys = new Map();
  const rowsOf = <T>(pattern: RegExp, schema: z.ZodType<T>) =>
    files
      .filter((file) => pattern.test(file))
      .flatMap((file) => readLinesOf(join(folder, file), withKeys(schema, unread), "golden_invalid"));
  const answerable = rowsOf(ANSWERABLE_FILE, markedSchema);
  const unanswerable = rowsOf(UNANSWERABLE_FILE, unanswerableSchema);
  return asked(folder, { answerable, unanswerable, notices: unreadNotices(folder, unread) });
}

/** Loads a file of questions. @throws RequestError `golden_missing`, `golden_invalid` naming the file and the row */
export function readGoldenFile(path: string): GoldenFile {
  if (!existsSync(path)) throw new RequestError("golden_missing", `The file or folder ${path} does not exist. ${GIVE}`, { path });
  const { size } = statSync(path);
  if (size > MAX_FILE_BYTES)
    throw new RequestError("golden_invalid", `${path} has ${size} bytes; the limit is ${MAX_FILE_BYTES}. Split it.`, { path });
  return parseGoldenFile(path, readFileSync(path, "utf8"));
}

/**
 * Parses questions in YAML, JSON or JSON Lines: a list, or an object with a list under `questions`.
 * @param name file name; its extension selects the format, and error messages contain it
 * @throws RequestError `golden_missing`; `golden_invalid` naming the file and the row
 */
export function parseGoldenFile(name: string, text: string): GoldenFile {
  const value = /\.(?:jsonl|ndjson)$/i.test(name) ? parseLines(name, text, z.unknown(), "golden_invalid") : parseText(name, text);
  const rows = rowsOf(value);
  if (rows === null)
    throw new RequestError("golden_invalid", `${name} contains no list of questions. Write a list, or \`questions:\` with a list.`, {
      path: name,
    });
  return asked(name, readOwn(name, rows));
}

function parseText(name: string, text: string): unknown {
  try {
    if (/\.json$/i.test(name)) return JSON.parse(text);
    const [first] = composeYaml(text).documents;
    if (first === undefined) return null;
    const [fault] = first.errors;
    if (fault !== undefined) throw fault;
    // Limit YAML aliases, because nested aliases can grow exponentially.
    return first.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    throw new RequestError("golden_invalid", `${name} could not be read: ${messageOf(cause)}`, { path: name }, { cause });
  }
}

function rowsOf(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value;
  const listed = z.object({ questions: z.array(z.unknown()) }).safeParse(value);
  return listed.success ? listed.data.questions : null;
}

/** Parses the rows of a file. A row with a `kind` other than `answerable` is unanswerable. Row 3 without an id gets the id `q3`. */
function readOwn(path: string, rows: readonly unknown[]): GoldenFile {
  const answerable: GoldenAnswerable[] = [];
  const unanswerable: GoldenUnanswerable[] = [];
  const unread: UnreadKeys = new Map();
  const [toAnswer, toRefuse] = [withKeys(markedSchema, unread), withKeys(unanswerableSchema, unread)];
  rows.forEach((row, i) => {
    const numbered = typeof row === "object" && row !== null && !("id" in row) ? { id: `q${i + 1}`, ...row } : row;
    const isRefused = typeof row === "object" && row !== null && "kind" in row && row.kind !== "answerable";
    if (isRefused) unanswerable.push(parseRow(path, i, numbered, toRefuse));
    else answerable.push(parseRow(path, i, numbered, toAnswer));
  });
  return { answerable, unanswerable, notices: unreadNotices(path, unread) };
}

/** Returns the file if it has questions and all ids differ. @throws RequestError `golden_missing`; `golden_invalid` for a duplicate id */
function asked(path: string, file: GoldenFile): GoldenFile {
  const ids = [...file.answerable, ...file.unanswerable].map(({ id }) => id);
  const seen = new Set<string>();
  if (ids.length === 0) throw new RequestError("golden_missing", `${path} contains no questions. ${GIVE}`, { path });
  const twice = ids.find((id) => seen.size === seen.add(id).size);
  if (twice === undefined) return file;
  throw new RequestError("golden_invalid", `${path} has two questions with the id ${twice}. Give each question its own id.`);
}
