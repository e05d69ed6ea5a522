import { IngestError } from "../../shared/errors.ts";
import type { SourceMapData, TextRange } from "../../shared/types.ts";
import { composeMaps } from "../../text/source-map.ts";
import { BlockWriter, type WrittenBlocks } from "../block-writer.ts";
import { MAX_SHEET_CELLS } from "../limits.ts";
import { parseMarkdownText } from "./markdown.ts";
import { type FormatResult, joinWritten, plainMetadata, titleOf } from "./parsed.ts";

/** Field names for titles and texts in catalogues and FAQs, the most likely first. */
const TITLE_FIELDS = ["title", "name", "question", "heading", "headline", "subject", "label", "term", "summary"];
const TEXT_FIELDS = ["content", "text", "body", "answer", "description", "definition", "details", "value"];
const QUESTION_FIELD = "question";
const ID_FIELDS = ["id", "entry_id", "key", "slug", "sku", "code", "uuid"];
/** Maximum length of a value in a table cell or list item, in characters. A longer value is written as separate text. */
const SHORT_VALUE = 200;
/** A field contains labels, not texts, if its values have at most this many characters on average. */
const SHORT_TEXT = 50;
const MAX_HEADING = 6;

/**
 * Converts JSON or YAML values to documents: one document per entry, or one document that is a table or has headings.
 */
export function documentsOfValue(source: string, root: SourceValue, name: string): FormatResult[] {
  if (root.type === "list" && root.items.length === 0) return [];
  const entries = entriesOf(root);
  if (entries === null) return [oneDocument(source, root, name)];
  if (entries.length > 1 && entries.every(({ record }) => isFlat(record)) && !areTexts(entries))
    return [tableDocument(source, entries, name)];
  return entryDocuments(source, entries, name);
}

interface Entry {
  readonly record: RecordValue;
  /** Key of the entry in the record that contains it; `null` in a list. */
  readonly key: ScalarValue | null;
}

/**
 * Returns the entries of a file, or `null`. Three shapes have entries: a list of records; a record with such a list and
 * otherwise scalars; a record that contains only records with similar fields.
 */
function entriesOf(root: SourceValue): Entry[] | null {
  if (root.type === "list") {
    const areRecords = root.items.length > 0 && root.items.every((item) => item.type === "record");
    return areRecords ? root.items.map((record) => ({ record, key: null })) : null;
  }
  if (root.type !== "record") return null;
  const [only, ...others] = root.fields.flatMap(([, value]) => (value.type === "scalar" ? [] : [value]));
  const listed = only?.type === "list" && others.length === 0 ? entriesOf(only) : null;
  if (listed !== null) return listed;
  const kept = root.fields.flatMap(([key, value]) => (value.type === "record" ? [{ record: value, key }] : []));
  const isCatalogue = kept.length > 1 && kept.length === root.fields.length && haveSameFields(kept.map(({ record }) => record));
  return isCatalogue ? kept : null;
}

function isFlat({ fields }: RecordValue): boolean {
  return fields.every(([, value]) => value.type === "scalar" && value.text.length <= SHORT_VALUE && !value.text.includes("\n"));
}

/** Checks whether entries are texts, as in a FAQ, and not rows of a table. Texts have a title field and a text field with long values. */
function areTexts(entries: readonly Entry[]): boolean {
  const records = entries.map(({ record }) => record);
  const text = chooseField(records, TEXT_FIELDS);
  if (text === null || chooseField(records, TITLE_FIELDS) === null) return false;
  const characters = records.reduce((sum, record) => sum + (textOfField(record, text)?.length ?? 0), 0);
  return characters / records.length > SHORT_TEXT;
}

/** Checks whether every record shares at least half of its fields with the first record. */
function haveSameFields([first, ...rest]: readonly RecordValue[]): boolean {
  const names = new Set(first?.fields.map(([key]) => key.text));
  return rest.every(({ fields }) => fields.filter(([key]) => names.has(key.text)).length >= fields.length / 2);
}

function tableDocument(source: string, entries: readonly Entry[], name: string): FormatResult {
  const columns = new Map<string, ScalarValue>();
  for (const { record } of entries) for (const [key] of record.fields) if (!columns.has(key.text)) columns.set(key.text, key);
  assertSize(entries.length, columns.size);
  const writer = new BlockWriter(source);
  const table = writer.beginTable();
  const cells: number[][] = [];
  const isKeyed = entries.some(({ key }) => key !== null);
  const write = (value: ScalarValue | null, row: number, column: number) => {
    writer.beginCell();
    if (value === null || value.text === "") return;
    writeScalar(writer, value);
    cells.push([value.start, value.end, row, column]);
  };
  writer.beginRow(table, true);
  if (isKeyed) write(null, 1, 1);
  for (const [i, key] of [...columns.values()].entries()) write(key, 1, i + 1 + Number(isKeyed));
  writer.end();
  for (const [r, { record, key }] of entries.entries()) {
    writer.beginRow(table, false);
    if (isKeyed) write(key, r + 2, 1);
    for (const [i, column] of [...columns.keys()].entries()) {
      const value = fieldOf(record, column);
      write(value?.type === "scalar" ? value : null, r + 2, i + 1 + Number(isKeyed));
    }
    writer.end();
  }
  const message = `the file was read as a table with ${entries.length} rows, one per entry, and the columns ${[...columns.keys()].join(", ")}`;
  const places = { type: "cells" as const, cells: cells.sort(([a = 0], [b = 0]) => a - b).flat(), sheets: [] };
  return { ...writer.finish(), metadata: plainMetadata(name), places, notices: [{ code: "fields_guessed", message }] };
}

/** Rejects entries that share so few fields that they would form a huge and mostly empty table. */
function assertSize(rows: number, columns: number): void {
  if (rows * columns <= MAX_SHEET_CELLS) return;
  const message = `the file has ${rows} entries with ${columns} different fields, which makes a table of ${rows * columns} cells; the limit is ${MAX_SHEET_CELLS}. Split the file, or give all entries the same fields`;
  throw new IngestError("file_too_large", message, { rows, columns });
}

function entryDocuments(source: string, entries: readonly Entry[], name: string): FormatResult[] {
  const records = entries.map(({ record }) => record);
  const roles = rolesOf(records);
  const { title, question, text } = roles;
  const id = chooseField(records, ID_FIELDS);
  const fieldRoles = [
    `title from ${title === null ? "the file" : `"${title}"`}`,
    ...(question === null ? [] : [`question from "${question}"`]),
    `text from ${text === null ? "all fields" : `"${text}"`}`,
  ];
  const message = `read as ${entries.length} documents, one per entry, with the ${fieldRoles.join(", the ")}`;
  const seen = new Map<string, number>();
  return entries.map(({ record, key }, index) => {
    const wanted = key?.text ?? (id === null ? null : textOfField(record, id)) ?? String(index + 1);
    const times = seen.get(wanted) ?? 0;
    seen.set(wanted, times + 1);
    const written = joinAll(writeEntry(source, withoutHandle(record, id), roles, 1));
    const called = (title === null ? null : textOfField(record, title)) ?? key?.text ?? titleOf(written) ?? `${name} ${index + 1}`;
    const url = textOfField(record, "url");
    return {
      ...written,
      entryId: times === 0 ? wanted : `${wanted}~${times + 1}`,
      metadata: plainMetadata(called, { url: url !== null && /^https?:\/\//.test(url) ? url : null }),
      notices: [{ code: "fields_guessed", message }],
    };
  });
}

/** Matches a machine-readable id such as `store-pickup`. Ids for people contain capitals or spaces, or only digits. */
const HANDLE = /^(?=.*[a-z])[a-z\d]+(?:[-_.][a-z\d]+)*$/;

/** Removes a machine-readable id from the fields that are written as text. It becomes the entry id of the document. */
function withoutHandle(record: RecordValue, id: string | null): RecordValue {
  if (id === null || !HANDLE.test(textOfField(record, id) ?? "")) return record;
  return { ...record, fields: record.fields.filter(([key]) => key.text !== id) };
}

type Roles = ReturnType<typeof rolesOf>;

/** Returns the names of the fields that contain the title, the question and the text; `null` for a missing field. */
function rolesOf(records: readonly RecordValue[]) {
  const named = chooseField(records, TITLE_FIELDS);
  const known = chooseField(records, TEXT_FIELDS);
  const asking = askingField(records, [named, known]);
  const [title, question] = named === null ? [asking, null] : [named, asking];
  return { title, question, text: known ?? longestField(records, [title, question]) };
}

/**
 * Returns the field that contains a question in most records: it is named "question", or its text usually ends in a
 * question mark. At least half of the records must have the field.
 */
function askingField(records: readonly RecordValue[], others: readonly (string | null)[]): string | null {
  const counts = new Map<string, { filled: number; asks: number }>();
  for (const [{ text: name }, value] of records.flatMap(({ fields }) => fields)) {
    const text = value.type === "scalar" ? value.text.trim() : "";
    if (text === "" || others.includes(name)) continue;
    const count = counts.get(name) ?? { filled: 0, asks: 0 };
    counts.set(name, count);
    count.filled++;
    if (name.toLowerCase() === QUESTION_FIELD || /[?\uff1f]$/.test(text)) count.asks++;
  }
  return [...counts].find(([, { filled, asks }]) => filled >= records.length / 2 && asks > filled / 2)?.[0] ?? null;
}

/** Returns the first of the given field names that has text in at least half of the records. Ignores case. */
function chooseField(records: readonly RecordValue[], names: readonly string[]): string | null {
  const known = records.slice(0, 100).flatMap(({ fields }) => fields.map(([key]) => key.text));
  const spelled = new Map(known.reverse().map((field) => [field.toLowerCase(), field]));
  const fields = names.flatMap((name) => spelled.get(name) ?? []);
  const isFilled = (field: string) => records.filter((record) => textOfField(record, field) !== null).length >= records.length / 2;
  return fields.find(isFilled) ?? null;
}

/** Returns the field with the most text; `null` if its values are as short as labels on average (`SHORT_TEXT`). */
function longestField(records: readonly RecordValue[], others: readonly (string | null)[]): string | null {
  const lengths = new Map<string, number>();
  for (const [key, value] of records.flatMap(({ fields }) => fields)) {
    if (value.type === "scalar" && value.isText && !others.includes(key.text))
      lengths.set(key.text, (lengths.get(key.text) ?? 0) + value.text.length);
  }
  const [name, length] = [...lengths].sort((a, b) => b[1] - a[1])[0] ?? [null, 0];
  return length / records.length > SHORT_TEXT ? name : null;
}

/** Writes an entry: title and question as headings, then the text, then all other fields. */
function writeEntry(source: string, record: RecordValue, { title, question, text }: Roles, level: number): WrittenBlocks[] {
  const parts: WrittenBlocks[] = [];
  const of = (name: string | null) => (name === null ? undefined : fieldOf(record, name));
  const headings = [of(title), of(question)].flatMap((value) => (value?.type === "scalar" && value.text.trim() !== "" ? [value] : []));
  for (const [i, heading] of headings.entries()) parts.push(asHeading(source, heading, level + i));
  const body = of(text);
  if (body?.type === "scalar") parts.push(asMarkdown(body));
  const rest = record.fields.filter(([, value]) => value !== body && !headings.some((heading) => heading === value));
  parts.push(...writeFields(source, rest, level + 1));
  return parts;
}

function oneDocument(source: string, root: SourceValue, name: string): FormatResult {
  const title = root.type === "record" ? TITLE_FIELDS.map((field) => textOfField(root, field)).find((found) => found !== null) : null;
  return { ...joinAll(writeValue(source, root, 1)), metadata: plainMetadata(title ?? name) };
}

function writeValue(source: string, value: SourceValue, level: number): WrittenBlocks[] {
  if (value.type === "record") {
    const roles = rolesOf([value]);
    const asks = roles.question !== null || roles.title?.toLowerCase() === QUESTION_FIELD;
    return asks && roles.text !== null ? writeEntry(source, value, roles, level) : writeFields(source, value.fields, level);
  }
  if (value.type === "scalar") {
    if (isLong(value)) return [asMarkdown(value)];
    const writer = new BlockWriter(source);
    writeScalar(writer, value);
    return [writer.finish()];
  }
  const entries = entriesOf(value) ?? [];
  if (entries.length > 1 && entries.every(({ record }) => isFlat(record))) return [tableDocument(source, entries, "")];
  const fields = value.items.map((item): Field => [null, item]);
  return writeFields(source, fields, level);
}

/** A value with its key; the key is `null` in a list. */
type Field<Value = SourceValue> = readonly [key: ScalarValue | null, value: Value];

/** Writes short values as list items (`key: value`); longer values and nested structures, below a heading with the key. */
function writeFields(source: string, fields: readonly Field[], level: number): WrittenBlocks[] {
  const parts: WrittenBlocks[] = [];
  let items: Field<ScalarValue>[] = [];
  const flush = () => {
    if (items.length > 0) parts.push(asList(source, items));
    items = [];
  };
  for (const [key, value] of fields) {
    if (value.type === "scalar" && !isLong(value)) {
      if (value.text.trim() !== "") items.push([key, value]);
      continue;
    }
    flush();
    if (key !== null) parts.push(asHeading(source, key, level));
    parts.push(...writeValue(source, value, key === null ? level : level + 1));
  }
  flush();
  return parts;
}

function asList(source: string, items: readonly Field<ScalarValue>[]): WrittenBlocks {
  const writer = new BlockWriter(source);
  writer.beginList();
  for (const [key, value] of items) {
    writer.beginItem();
    if (key !== null) {
      writeScalar(writer, key);
      writer.opaque(": ", key.end, Math.max(key.end + 1, value.start));
    }
    writeScalar(writer, value);
    writer.end();
  }
  return writer.finish();
}

function asHeading(source: string, value: ScalarValue, level: number): WrittenBlocks {
  const writer = new BlockWriter(source);
  writer.beginHeading(Math.min(level, MAX_HEADING));
  writeScalar(writer, value);
  return writer.finish();
}

/** Writes a scalar segment by segment of its map, so that each character maps to its own offset in the source. */
function writeScalar(writer: BlockWriter, { text, map }: ScalarValue): void {
  for (let i = 0; i < map.length; i += 4) {
    const [outStart = 0, outEnd = 0, start = 0, end = 0] = map.slice(i, i + 4);
    if (outEnd - outStart === end - start) writer.text(start, end);
    else writer.opaque(text.slice(outStart, outEnd), start, end);
  }
}

function asMarkdown(value: ScalarValue): WrittenBlocks {
  const { text, blocks, sourceMap } = parseMarkdownText(value.text, 0);
  return { text, blocks, sourceMap: composeMaps(sourceMap, value.map) };
}

function isLong({ text, isText }: ScalarValue): boolean {
  return isText && (text.length > SHORT_VALUE || text.includes("\n"));
}

function joinAll(parts: readonly WrittenBlocks[]): WrittenBlocks {
  return joinWritten(parts.map((written) => ({ written })));
}

/** A JSON or YAML value with its source range. */
export type SourceValue = ScalarValue | ListValue | RecordValue;

export interface ScalarValue extends TextRange {
  readonly type: "scalar";
  /** Text of the value. Strings are decoded; numbers and constants are as written. */
  readonly text: string;
  readonly isText: boolean;
  /** Maps `text` to the source. */
  readonly map: SourceMapData;
}

export interface ListValue extends TextRange {
  readonly type: "list";
  readonly items: readonly SourceValue[];
}

export interface RecordValue extends TextRange {
  readonly type: "record";
  /** Fields in order. If two fields have the same key, the last one is used. */
  readonly fields: readonly (readonly [ScalarValue, SourceValue])[];
}

export function fieldOf(record: RecordValue, name: string): SourceValue | undefined {
  return record.fields.findLast(([key]) => key.text === name)?.[1];
}

/** Returns the trimmed text of a non-empty scalar field, else `null`. */
function textOfField(record: RecordValue, name: string): string | null {
  const value = fieldOf(record, name);
  return value?.type === "scalar" && value.text.trim() !== "" ? value.text.trim() : null;
}
