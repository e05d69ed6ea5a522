import type { Context } from "hono";
import type { z } from "zod";
import { messageOf, RequestError } from "../shared/errors.ts";
import { didYouMean } from "../text/spelling.ts";
import { keysAt } from "../text/validate.ts";
import type { JsonBody } from "./endpoint.ts";

/** Maximum characters of a name or id in a path. */
const PART_CHARACTERS = 100;

/** Returns the first path parameter, such as the id. @throws RequestError `invalid_request` when it is too long */
export function partOf({ req }: Context): string {
  const [part = ""] = Object.values(req.param());
  if (part.length <= PART_CHARACTERS) return part;
  throw new RequestError("invalid_request", `An id has at most ${PART_CHARACTERS} characters, but this one has ${part.length}.`);
}

/** Media types of JSON Lines; none is registered, and all are in use. */
export const JSON_LINES_TYPES = ["application/x-ndjson", "application/jsonl", "application/x-jsonlines", "application/json-lines"] as const;

/** Parses the query parameters. @throws RequestError with path and reason of the first fault */
export function readQuery<Schema extends z.ZodType>({ req }: Context, schema: Schema): z.output<Schema> {
  return parse(req.query(), schema);
}

/** Parses the JSON body. @throws RequestError with path and reason of the first fault */
export async function readBody<Schema extends z.ZodType>(
  { req }: Context,
  { schema, optional }: JsonBody<Schema>,
): Promise<z.output<Schema>> {
  const bytes = new Uint8Array(await req.arrayBuffer());
  if (optional === true && bytes.length === 0) return schema.parse({});
  return parse(parseJson(decodeUtf8(bytes)), schema, optional === true ? OPTIONAL_BODY : undefined);
}

/** Decodes the escapes in JSON text, e.g. `\u00e9` → `é`. The JSON may be invalid or incomplete. */
export function withoutEscapes(json: string): string {
  return json
    .replaceAll(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/\\[bfnrt]/g, " ")
    .replaceAll(/\\(["\\/])/g, "$1");
}

/** Error message for an invalid body of an endpoint whose body may be absent. */
const OPTIONAL_BODY = 'The request body is invalid. Send {"domain": "NAME"}, or nothing.';

/** @param reason error message that replaces the description of the first fault */
function parse<Schema extends z.ZodType>(value: unknown, schema: Schema, reason?: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  if (reason !== undefined) throw new RequestError("invalid_request", reason);
  const issues = parsed.error.issues.map((issue) => describeIssue(issue, schema));
  const [first] = issues;
  throw new RequestError("invalid_request", first?.reason ?? "The request does not match its schema. See GET /v1/schema.", { issues });
}

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new RequestError("invalid_utf8", "The request body is not valid UTF-8. Encode the JSON as UTF-8.", {}, { cause });
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === "") {
    throw new RequestError("invalid_json", 'The request body is empty. Send JSON such as {"question": "…"}.');
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    const position = positionOf(messageOf(cause), text);
    const place = position === null ? "" : ` at line ${position.line}, column ${position.column}`;
    throw new RequestError("invalid_json", `The request body is not valid JSON${place}. Correct the syntax.`, { ...position }, { cause });
  }
}

/** Returns the position of a JSON error, if the message has it. Lines and columns count from 1, `position` from 0. */
function positionOf(message: string, text: string): { position: number; line: number; column: number } | null {
  const found = /at position (\d+)/.exec(message);
  const position = found !== null ? Number(found[1]) : message.includes("end of JSON input") ? text.length : null;
  if (position === null) return null;
  const before = text.slice(0, position).split("\n");
  return { position, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function describeIssue(issue: z.core.$ZodIssue, schema: z.ZodType): { path: string; reason: string } {
  const path = issue.path.map(String).join(".");
  const name = path === "" ? "the request" : `"${path}"`;
  if (issue.code !== "unrecognized_keys")
    return { path, reason: `${name} is invalid: ${issue.message.replace(/^Invalid input: /, "")}. See GET /v1/schema.` };
  const [key = ""] = issue.keys;
  const known = keysAt(schema, issue.path);
  const advice = didYouMean(key, known) || ` Known keys: ${known.map((other) => `"${other}"`).join(", ")}.`;
  return { path: [...issue.path.map(String), key].join("."), reason: `Unknown key "${key}" in ${name}.${advice}` };
}

/**
 * First letter of a cursor. `o`: an offset follows. `b`: the number of the entry before the page follows, in a list with
 * the newest entry first, so that new entries do not shift the page.
 */
type CursorMark = "o" | "b";

/** Returns the number in a cursor; `undefined`: start at the beginning. @throws RequestError `cursor_invalid` */
export function readCursor(mark: CursorMark, cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  if (text.startsWith(mark) && /^.\d{1,9}$/.test(text)) return Number(text.slice(1));
  throw new RequestError("cursor_invalid", "Invalid cursor. Use one from a response, or omit it to start at the beginning.");
}

/** Returns the cursor of the next page; `null` if there is none. */
export function writeCursor(mark: CursorMark, at: number | null): string | null {
  return at === null ? null : Buffer.from(`${mark}${at}`).toString("base64url");
}

interface AskedPage {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Returns a page of a list in memory, with the next cursor. */
export function paginate<T, Item>(all: readonly T[], { limit, cursor }: AskedPage, toItem: (one: T) => Item) {
  const begin = readCursor("o", cursor) ?? 0;
  const end = begin + limit;
  return { items: all.slice(begin, end).map((one) => toItem(one)), next_cursor: writeCursor("o", end < all.length ? end : null) };
}
