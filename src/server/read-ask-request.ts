import { z } from "zod";
import { messageOf, RequestError } from "../errors.ts";
import { nearestName } from "../text/nearest.ts";
import { askRequestSchema, type RefreshRequest, refreshRequestSchema } from "../wire/index.ts";
import type { ParsedAskRequest } from "./ask-engine.ts";

type Issue = z.core.$ZodIssue;

/** `application/json` with any parameters; bodies are UTF-8 whatever `charset` says (RFC 8259). */
export function isJsonContentType(contentType: string | undefined): boolean {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

/** Parses the bytes of `POST /v1/ask`. Throws `RequestError` with the place and the reason of the first fault. */
export function readAskRequest(bytes: Uint8Array): ParsedAskRequest {
  return readRequest(bytes, askRequestSchema);
}

/** Parses the bytes of a request. Throws `RequestError` with the place and the reason of the first fault. */
export function readRequest<T>(bytes: Uint8Array, schema: z.ZodType<T>): T {
  return parse(parseJson(decodeUtf8(bytes)), schema);
}

/** The parameters behind `?`. Throws `RequestError` with the place and the reason of the first fault. */
export function readQuery<T>(query: Readonly<Record<string, string>>, schema: z.ZodType<T>): T {
  return parse({ ...query }, schema);
}

function parse<T>(value: unknown, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => describeIssue(issue, schema));
  const [first] = issues;
  throw new RequestError("invalid_request", first?.reason ?? "The request does not fit its schema: see GET /v1/schema.", { issues });
}

/** Parses the bytes of `POST /v1/admin/refresh`; no body asks for the server's own domain. */
export function readRefreshRequest(bytes: Uint8Array): RefreshRequest {
  if (bytes.length === 0) return {};
  const parsed = refreshRequestSchema.safeParse(parseJson(decodeUtf8(bytes)));
  if (parsed.success) return parsed.data;
  throw new RequestError("invalid_request", 'The request body is not acceptable: send {"domain": "NAME"}, or nothing.');
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new RequestError("invalid_utf8", "The request body is not valid UTF-8: encode the JSON as UTF-8.", {}, { cause });
  }
}

function parseJson(text: string): unknown {
  if (text.trim() === "") {
    throw new RequestError("invalid_json", 'The request body is empty: send JSON such as {"question": "…"}.');
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    const position = positionOf(messageOf(cause), text);
    const where = position === null ? "" : ` at line ${position.line}, column ${position.column}`;
    throw new RequestError("invalid_json", `The request body is not valid JSON${where}: correct it there.`, { ...position }, { cause });
  }
}

/** Where parsing failed, when the runtime's message tells. Lines and columns count from 1, `position` from 0. */
function positionOf(message: string, text: string): { position: number; line: number; column: number } | null {
  const found = /at position (\d+)/.exec(message);
  const position = found !== null ? Number(found[1]) : message.includes("end of JSON input") ? text.length : null;
  if (position === null) return null;
  const before = text.slice(0, position).split("\n");
  return { position, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function describeIssue(issue: Issue, schema: z.ZodType): { path: string; reason: string } {
  const path = issue.path.map(String).join(".");
  const name = path === "" ? "the request" : `"${path}"`;
  if (issue.code === "unrecognized_keys") {
    return {
      path: [...issue.path.map(String), issue.keys[0] ?? ""].join("."),
      reason: describeUnknownKey(issue.keys[0] ?? "", issue.path, name, schema),
    };
  }
  return { path, reason: `${name} is not acceptable: ${issue.message.replace(/^Invalid input: /, "")}. See GET /v1/schema.` };
}

function describeUnknownKey(key: string, path: readonly PropertyKey[], name: string, whole: z.ZodType): string {
  const known = knownKeys(path, whole);
  const nearest = nearestName(key, known);
  const advice = nearest !== null ? `Did you mean "${nearest}"?` : `Known are ${known.map((other) => `"${other}"`).join(", ")}.`;
  return `"${key}" is unknown in ${path.length === 0 ? "the request" : name}. ${advice}`;
}

/** The keys that the schema has at `path`. */
function knownKeys(path: readonly PropertyKey[], whole: z.ZodType): string[] {
  let schema: unknown = whole;
  for (const step of path) {
    schema = schema instanceof z.ZodObject ? schema.shape[String(step)] : undefined;
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) schema = schema.unwrap();
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}
