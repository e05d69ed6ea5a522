import { isAlias, isMap, isScalar, isSeq, type Node, type ParsedNode } from "yaml";
import { z } from "zod";
import { IngestError, messageOf } from "../../shared/errors.ts";
import type { SourceMapData, TextRange } from "../../shared/types.ts";
import { composeYaml, MAX_DEPTH } from "../../text/compose-yaml.ts";
import { composeMaps } from "../../text/source-map.ts";
import { linesOf } from "../visible.ts";
import { textFormat } from "./format.ts";
import { parseMarkdownText } from "./markdown.ts";
import { type FormatResult, plainMetadata, titleOf } from "./parsed.ts";
import { documentsOfValue, fieldOf, type ListValue, type RecordValue, type ScalarValue, type SourceValue } from "./records.ts";

/** Matches the tokens of JSON: string literals with their escapes, structural characters, and other literals. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;
type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] };

/** Parses the valid JSON in `range` into values with offsets. Works iteratively, so that deep nesting cannot overflow the stack. */
function readJsonValue(source: string, range: TextRange): SourceValue {
  const open: (Mutable<ListValue> | Mutable<RecordValue>)[] = [];
  let key: ScalarValue | null = null;
  const keys: (ScalarValue | null)[] = [];
  let root: SourceValue = { type: "list", items: [], ...range };
  const put = (value: SourceValue) => {
    const top = open.at(-1);
    if (top === undefined) root = value;
    else if (top.type === "list") top.items.push(value);
    else if (key !== null) top.fields.push([key, value]);
    key = null;
  };
  TOKEN.lastIndex = range.start;
  for (let match = TOKEN.exec(source); match !== null && match.index < range.end; match = TOKEN.exec(source)) {
    const token = match[0];
    const mark = token[0];
    if (mark === "{" || mark === "[") {
      const start = match.index;
      assertDepth(open.length + 1, start);
      keys.push(key);
      key = null;
      open.push(mark === "{" ? { type: "record", fields: [], start, end: start } : { type: "list", items: [], start, end: start });
    } else if (mark === "}" || mark === "]") {
      const value = open.pop();
      key = keys.pop() ?? null;
      if (value !== undefined) put({ ...value, end: match.index + 1 });
    } else if (mark !== "," && mark !== ":") {
      const scalar = toScalar(source, match.index, token);
      if (open.at(-1)?.type === "record" && key === null) key = scalar;
      else put(scalar);
    }
  }
  return root;
}

/** @throws IngestError `too_deep` */
function assertDepth(depth: number, at: number): void {
  const message = `values are nested more than ${MAX_DEPTH} levels deep at character ${at}. Use a flatter structure`;
  if (depth > MAX_DEPTH) throw new IngestError("too_deep", message, { at });
}

function toScalar(source: string, start: number, token: string): ScalarValue {
  const end = start + token.length;
  if (!token.startsWith('"')) return { ...asWritten(source, start, token === "null" ? start : end), isText: false, end };
  return { type: "scalar", text: JSON.parse(token) as string, isText: true, start, end, map: literalMap(source, { start, end }) };
}

/** Maps a decoded JSON string to its literal in the source. Unescaped characters map one to one, each escape as a unit. */
function literalMap(source: string, literal: TextRange): SourceMapData {
  const map: number[] = [];
  const piece = /[^"\\]+|\\u[0-9a-fA-F]{4}|\\./gy;
  piece.lastIndex = literal.start + 1;
  let out = 0;
  for (let match = piece.exec(source); match !== null && match.index < literal.end - 1; match = piece.exec(source)) {
    const length = match[0].startsWith("\\") ? 1 : match[0].length;
    map.push(out, out + length, match.index, match.index + match[0].length);
    out += length;
  }
  return map;
}

const optionalText = z
  .string()
  .nullish()
  .transform((value) => value?.trim() || null);

/** Schema of a curated entry, which has the keys `entry_id` and `content`. Unknown keys are ignored. */
const entrySchema = z.looseObject({
  entry_id: z.string().trim().min(1),
  ...{ topic: optionalText, subtopic: optionalText },
  content: z.string(),
  url: optionalText,
  type: z.enum(["policy", "definition", "rating_table"]),
  ...{ title: optionalText, description: optionalText },
  as_of: z.iso.date().nullish(),
  authority: z.enum(["regulation", "agency", "summary"]).nullish(),
  ...{ access: optionalText, tenant: optionalText },
});

/** Parses JSON of any shape. Each curated entry (`isCurated`) becomes a separate document, with a source map to the file. */
export function parseJson(source: string, name: string): FormatResult[] {
  const bom = source.startsWith("\ufeff") ? 1 : 0;
  checkSyntax(source.slice(bom), 1);
  const root = readJsonValue(source, { start: bom, end: source.length });
  const values = root.type === "list" ? root.items : [root];
  return values.some(isCurated) ? readEntries(source, values) : documentsOfValue(source, root, name);
}

/** Parses JSON Lines: one value per line. */
export function parseJsonLines(source: string, name: string): FormatResult[] {
  const items: SourceValue[] = [];
  for (const [i, { start, end, text }] of [...linesOf(source, 0, source.length)].entries()) {
    const skipped = text.startsWith("\ufeff") ? 1 : 0;
    if (text.slice(skipped).trim() === "") continue;
    checkSyntax(text.slice(skipped), i + 1);
    items.push(readJsonValue(source, { start: start + skipped, end }));
  }
  if (items.some(isCurated)) return readEntries(source, items);
  return documentsOfValue(source, { type: "list", items, start: 0, end: source.length }, name);
}

/** Checks whether an entry is curated: it has the keys `entry_id` and `content`. If one entry of a file is curated, all must be valid. */
function isCurated(value: SourceValue): boolean {
  return value.type === "record" && fieldOf(value, "entry_id") !== undefined && fieldOf(value, "content") !== undefined;
}

function readEntries(source: string, values: readonly SourceValue[]): FormatResult[] {
  const seen = new Map<string, number>();
  return values.map((value, index) => {
    const parsed = entrySchema.safeParse(JSON.parse(source.slice(value.start, value.end)));
    if (!parsed.success) throw wrongShape(index, parsed.error);
    const { data } = parsed;
    const first = seen.get(data.entry_id);
    if (first !== undefined) {
      const message = `entries ${first} and ${index} have the same entry_id "${data.entry_id}": give each its own`;
      throw new IngestError("duplicate_entry", message, { first, index, entry_id: data.entry_id });
    }
    seen.set(data.entry_id, index);
    const written = parseMarkdownText(data.content, 0);
    const literal = value.type === "record" ? fieldOf(value, "content") : undefined;
    return {
      ...written,
      sourceMap: composeMaps(written.sourceMap, literal?.type === "scalar" ? literal.map : []),
      entryId: data.entry_id,
      metadata: plainMetadata(data.title ?? titleOf(written) ?? data.subtopic ?? data.topic ?? data.entry_id, {
        ...{ description: data.description, url: data.url, topic: data.topic, subtopic: data.subtopic, type: data.type },
        ...{ asOf: data.as_of ?? null, authority: data.authority ?? null },
      }),
      access: data.access,
      tenant: data.tenant,
    };
  });
}

function checkSyntax(text: string, firstLine: number): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const at = Number(/position (\d+)/.exec(messageOf(error))?.[1] ?? Number.NaN);
    const line = Number.isNaN(at) ? firstLine : firstLine + (text.slice(0, at).match(/\n/g)?.length ?? 0);
    throw new IngestError("bad_json", `line ${line}: not valid JSON (${messageOf(error)}): correct it there`, { line }, { cause: error });
  }
}

function wrongShape(index: number, error: z.ZodError): IngestError {
  const issue = error.issues[0];
  const field = issue?.path.join(".") || "(entry)";
  const message = `entry ${index}, field ${field}: ${issue?.message ?? "wrong value"}: entries look like {entry_id, topic, subtopic, content, url, type}`;
  return new IngestError("bad_entry", message, { index, field }, { cause: error });
}

/** Reads YAML. Aliases (`*name`) stay as written; they are not replaced by their targets. */
export const yamlFormat = textFormat("yaml", [".yaml", ".yml"], 6, parseYaml);

function parseYaml(source: string, name: string): FormatResult[] {
  const { documents, lines } = composeYaml(source, { uniqueKeys: false });
  for (const { errors } of documents) {
    const [error] = errors;
    if (error === undefined) continue;
    const { line } = lines.linePos(error.pos[0]);
    const message = `line ${line}: not valid YAML (${error.message.split("\n")[0]}): correct it there`;
    throw new IngestError("bad_yaml", message, { line }, { cause: error });
  }
  const items = documents.flatMap(({ contents }) => (contents === null ? [] : [toValue(source, contents, 0)]));
  const [only] = items;
  const isSingle = only !== undefined && items.length === 1;
  return documentsOfValue(source, isSingle ? only : { type: "list", items, start: 0, end: source.length }, name);
}

function toValue(source: string, node: ParsedNode | Node, depth: number): SourceValue {
  const [start, end] = node.range ?? [0, 0, 0];
  assertDepth(depth, start);
  const inner = (one: unknown) => toValue(source, one as ParsedNode, depth + 1);
  if (isSeq(node)) return { type: "list", start, end, items: node.items.map(inner) };
  if (isMap(node)) {
    const fields = node.items.map(({ key, value }) => {
      const name = inner(key);
      const scalar: ScalarValue = name.type === "scalar" ? name : asWritten(source, name.start, name.end);
      return [scalar, value === null ? asWritten(source, scalar.end, scalar.end) : inner(value)] as const;
    });
    return { type: "record", start, end, fields };
  }
  if (isAlias(node) || !isScalar(node)) return asWritten(source, start, end);
  const isText = typeof node.value === "string";
  const text = node.value === null ? "" : isText ? String(node.value) : source.slice(start, end).trim();
  return { type: "scalar", text, isText, start, end, map: mapOfLines(source, text, start, end) };
}

function asWritten(source: string, start: number, end: number): ScalarValue {
  const text = source.slice(start, end);
  return { type: "scalar", text, isText: true, start, end, map: text === "" ? [] : [0, text.length, start, end] };
}

/** Maps a decoded text to the source line by line. If a line is not found in the source, maps the text as one range. */
function mapOfLines(source: string, text: string, start: number, end: number): SourceMapData {
  const map: number[] = [];
  let from = start;
  let out = 0;
  for (const line of text.split("\n")) {
    const at = line === "" ? from : source.indexOf(line, from);
    if (at < 0 || at + line.length > end) return text === "" ? [] : [0, text.length, start, end];
    if (out > 0) map.push(out - 1, out, Math.min(from, at), Math.max(from + 1, at));
    if (line !== "") map.push(out, out + line.length, at, at + line.length);
    out += line.length + 1;
    from = at + line.length;
  }
  return map;
}
