import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { messageOf, RequestError } from "../../errors.ts";
import { composeYaml } from "../../text/compose-yaml.ts";
import { parseLines, readLinesOf } from "../read-lines.ts";
import {
  type GoldenAnswerable,
  type GoldenFile,
  type GoldenUnanswerable,
  markedSchema,
  parseRow,
  unanswerableSchema,
} from "./golden-rows.ts";
import { type UnreadKeys, unreadNotices, withKeys } from "./row-keys.ts";

export const ANSWERABLE_FILE = /^(?:.*-)?answerable.*\.jsonl$/;
const UNANSWERABLE_FILE = /^(?:.*-)?unanswerable.*\.jsonl$/;
/** A file of questions is read whole; a larger one is something else. In bytes. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

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

/** The questions of a file. @throws RequestError `golden_missing`, `golden_invalid` naming the file and the row */
export function readGoldenFile(path: string): GoldenFile {
  if (!existsSync(path)) {
    const message = `There is no file or folder ${path}: give a folder with [prefix-]answerable*.jsonl or [prefix-]unanswerable*.jsonl, or a file of questions (.jsonl, .json, .yaml) with --golden.`;
    throw new RequestError("golden_missing", message, { path });
  }
  const { size } = statSync(path);
  if (size > MAX_FILE_BYTES)
    throw new RequestError("golden_invalid", `${path} has ${size} bytes; at most ${MAX_FILE_BYTES} are read: split it.`, { path });
  return parseGoldenFile(path, readFileSync(path, "utf8"));
}

/**
 * Questions in YAML, JSON or JSON lines: a list, or `questions:` with a list.
 * @param name of the file: its ending says how it is read, and errors name it
 * @throws RequestError `golden_missing`, `golden_invalid` naming the file and the row
 */
export function parseGoldenFile(name: string, text: string): GoldenFile {
  const value = /\.(?:jsonl|ndjson)$/i.test(name) ? parseLines(name, text, z.unknown(), "golden_invalid") : parseText(name, text);
  const rows = rowsOf(value);
  if (rows === null)
    throw new RequestError("golden_invalid", `${name} holds no list of questions: give a list, or \`questions:\` with a list.`, {
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
    // A file of aliases that refer to aliases grows without end: the parser's own limit holds.
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

/** Rows of our own: one with a `kind` is to be refused, any other is to be answered. An id may be left out. */
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

function asked(path: string, file: GoldenFile): GoldenFile {
  if (file.answerable.length + file.unanswerable.length > 0) return file;
  const message = `${path} holds no question: give a folder with [prefix-]answerable*.jsonl or [prefix-]unanswerable*.jsonl, or a file of questions (.jsonl, .json, .yaml) with --golden.`;
  throw new RequestError("golden_missing", message, { path });
}
