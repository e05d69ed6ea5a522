import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readLinesOf } from "../../src/grading/golden.ts";
import { PACKAGE_ROOT } from "../../src/package.ts";
import { RequestError } from "../../src/shared/errors.ts";

/** Where the collections are stored: one file of JSON lines each, without the text of the pages. */
export const COLLECTIONS = join(PACKAGE_ROOT, "lab", "sets", "collections");

export const PARTS = ["train", "validation", "test"] as const;
export type Part = (typeof PARTS)[number];

export const QUESTION_KINDS = [
  "lookup",
  "table",
  "list",
  "condition",
  "yes_no",
  "why",
  "definition",
  "procedure",
  "broad",
  "comparison",
] as const;
export const UNANSWERABLE = ["near_miss", "false_premise", "out_of_scope"] as const;
/** What is false in a draft; `none`: every sentence is supported. */
export const DRAFT_FAULTS = [
  "none",
  "qualifier",
  "opposite",
  "negation",
  "subject",
  "number",
  "other_row",
  "name",
  "modality",
  "unsupported",
] as const;

/** A quote as a writer gives it: verbatim text of a page. `part`: of a question in two parts, the part that it answers. */
const writtenQuote = z.strictObject({ page: z.string(), text: z.string().min(1), part: z.int().optional() });
/** The same as it is stored: offsets in UTF-16 code units of the page, and the first 16 hexadecimal digits of the SHA-256 of the quoted text. */
const storedQuote = z.strictObject({ page: z.string(), start: z.int(), end: z.int(), sha256: z.string(), part: z.int().optional() });
export type WrittenQuote = z.infer<typeof writtenQuote>;
export type StoredQuote = z.infer<typeof storedQuote>;

/** The rows of a collection, with quotes as they are written or as they are stored. */
function rowSchemas<Q extends z.ZodType>(quote: Q) {
  const style = z.enum(["terse", "plain", "careful", "story", "typo"]);
  const answer = { answer: z.string().min(1), key_values: z.array(z.string()), must_not: z.array(z.string()).default([]) };
  const question = z.strictObject({
    type: z.literal("question"),
    id: z.string(),
    style,
    kind: z.enum(QUESTION_KINDS),
    /** Questions that it asks at once. */
    parts: z.int().min(1).max(2).default(1),
    question: z.string().min(1),
    ...answer,
    /** What a right answer must hold, in words. */
    needs: z.string(),
    /** Every place that answers. */
    quotes: z.array(quote).min(1),
  });
  const unanswerable = z.strictObject({
    type: z.literal("unanswerable"),
    id: z.string(),
    style,
    kind: z.enum(UNANSWERABLE),
    question: z.string().min(1),
    why: z.string(),
    /** What a careless system would quote. */
    tempting: z.array(quote).default([]),
    /** What contradicts a false premise: quoting it is right too. */
    contradicting: z.array(quote).default([]),
  });
  const sibling = z.strictObject({
    type: z.literal("sibling"),
    id: z.string(),
    question: z.string().min(1),
    /** The subject, row, person, edition or case that is asked for, and the one that the tempting quote is about. */
    asked: z.string(),
    other: z.string(),
    tempting: z.array(quote).min(1),
    /** `null`: the pages do not answer it for the subject asked. */
    answer: z.string().nullable(),
    key_values: z.array(z.string()).default([]),
    quotes: z.array(quote).default([]),
  });
  const draft = z.strictObject({
    type: z.literal("draft"),
    id: z.string(),
    question: z.string(),
    /** Pages that [1], [2] … of the draft cite. */
    pages: z.array(z.string()).min(1),
    draft: z.string().min(1),
    fault: z.enum(DRAFT_FAULTS),
    /** The words that make it false, verbatim from the draft. */
    false_words: z.string().nullable(),
    /** The same sentence as it would be faithful. */
    faithful: z.string().nullable(),
    note: z.string().default(""),
    /** For each sentence the quotes that support it or, of the false one, that contradict it or come nearest. */
    support: z.array(z.array(quote)),
  });
  return z.discriminatedUnion("type", [question, unanswerable, sibling, draft]);
}

export const writtenRow = rowSchemas(writtenQuote);
const storedRow = rowSchemas(storedQuote);
export type WrittenRow = z.infer<typeof writtenRow>;
type StoredRow = z.infer<typeof storedRow>;

const counts = z.strictObject({ written: z.int(), agreed: z.int(), fixed: z.int(), dropped: z.int() });
/** How the two readings of a collection agreed, and how long both took. */
export const readings = z.strictObject({ questions: counts, siblings: counts, drafts: counts, minutes: z.number() });

const collectionRow = z.strictObject({
  type: z.literal("collection"),
  name: z.string(),
  part: z.enum(PARTS),
  repository: z.array(z.string()),
  commit: z.array(z.string()),
  licence: z.string(),
  readings,
});
const pageRow = z.strictObject({ type: z.literal("page"), path: z.string(), sha256: z.string() });
const fileRow = z.union([collectionRow, pageRow, storedRow]);

/** A collection with the text of its quotes. */
export interface Collection extends z.infer<typeof collectionRow> {
  /** Folder that holds `pages/`. */
  readonly folder: string;
  readonly rows: readonly WrittenRow[];
}

export function collectionNames(): string[] {
  return readdirSync(COLLECTIONS).flatMap((name) => (name.endsWith(".jsonl") ? [name.slice(0, -6)] : []));
}

const splitSchema = z.object({ seed: z.int(), train: z.array(z.string()), validation: z.array(z.string()), test: z.array(z.string()) });

/** Which collections are in which part: made once by `./run lab collections split`. */
export const SPLIT = join(COLLECTIONS, "split.json");

/** @throws RequestError `data_invalid` when the split names it nowhere */
export function partOf(name: string): Part {
  const split = splitSchema.parse(JSON.parse(readFileSync(SPLIT, "utf8")));
  const part = PARTS.find((one) => split[one].includes(name));
  if (part === undefined) throw new RequestError("data_invalid", `${SPLIT} names the collection ${name} in no part.`);
  return part;
}

/**
 * Stored collections of a part, or those that are named.
 * @param names comma-separated
 * @throws RequestError `config_invalid` for a part or collection that is not there
 */
export function chooseCollections(part: string | undefined, names?: string): string[] {
  if (part !== undefined && !PARTS.some((one) => one === part))
    throw new RequestError("config_invalid", `--part ${part} is no part: give ${PARTS.join(", ")}.`);
  const stored = collectionNames();
  const unknown = names?.split(",").filter((name) => !stored.includes(name)) ?? [];
  if (unknown.length > 0)
    throw new RequestError("config_invalid", `There is no collection ${unknown.join(", ")}. Known: ${stored.join(", ")}.`);
  return (names?.split(",") ?? stored).filter((name) => part === undefined || partOf(name) === part);
}

/**
 * Reads a collection and takes the text of its quotes from the pages.
 * @param pages folder that holds `NAME/pages/`
 * @throws RequestError `page_missing` or `page_differs`: names the page, and the repository and commit that it comes from
 */
export function readCollection(name: string, pages: string): Collection {
  const all = readLinesOf(join(COLLECTIONS, `${name}.jsonl`), fileRow, "data_invalid");
  const head = all.find((row) => row.type === "collection");
  if (head === undefined) throw new RequestError("data_invalid", `${name}.jsonl has no line of type "collection".`);
  const folder = join(pages, name);
  const from = `${head.repository.join(", ")} at ${head.commit.join(", ")}`;
  const texts = new Map<string, string>();
  for (const row of all) {
    if (row.type !== "page") continue;
    const path = join(folder, row.path);
    if (!existsSync(path)) throw new RequestError("page_missing", `${path} is missing: collection ${name} needs it, from ${from}.`);
    const text = readFileSync(path, "utf8");
    if (hashOf(text) !== row.sha256)
      throw new RequestError("page_differs", `${path} differs from the page of ${from}: its hash is another.`);
    texts.set(row.path, text);
  }
  const textOf = ({ page, start, end, sha256, ...rest }: StoredQuote): WrittenQuote => {
    const text = texts.get(page)?.slice(start, end) ?? "";
    if (hashOf(text) !== sha256)
      throw new RequestError("page_differs", `${name}: characters ${start} to ${end} of ${page} are another text.`);
    return { page, text, ...rest };
  };
  return {
    ...head,
    folder,
    rows: all.flatMap((row) => (row.type === "page" || row.type === "collection" ? [] : [withQuotes(row, textOf)])),
  };
}

/**
 * Stores a collection that was written: quotes become offsets and hashes, every page is entered with its hash.
 * @throws RequestError `quote_missing` with all quotes that no page holds
 */
export function storeCollection(head: z.infer<typeof collectionRow>, rows: readonly WrittenRow[], pages: string): void {
  const folder = join(pages, head.name);
  const texts = new Map(pagesOf(folder).map((path) => [path, readFileSync(join(folder, path), "utf8")]));
  const missing: string[] = [];
  const place = ({ page, text, ...rest }: WrittenQuote): StoredQuote => {
    const start = texts.get(page)?.indexOf(text) ?? -1;
    if (start < 0) missing.push(`${page}: ${text}`);
    return { page, start, end: start + text.length, sha256: hashOf(text), ...rest };
  };
  const stored = rows.map((row) => withQuotes(row, place));
  if (missing.length > 0) throw new RequestError("quote_missing", `${head.name}: no page holds these quotes:\n${missing.join("\n")}`);
  const manifest = [...texts].map(([path, text]) => ({ type: "page", path, sha256: hashOf(text) }));
  const lines = [head, ...manifest, ...stored].map((row) => JSON.stringify(row));
  writeFileSync(join(COLLECTIONS, `${head.name}.jsonl`), `${lines.join("\n")}\n`);
}

/** The row with each of its quotes changed. */
function withQuotes(row: WrittenRow, change: (quote: WrittenQuote) => StoredQuote): StoredRow;
function withQuotes(row: StoredRow, change: (quote: StoredQuote) => WrittenQuote): WrittenRow;
function withQuotes(row: WrittenRow | StoredRow, change: (quote: never) => unknown): unknown {
  const each = (quotes: readonly unknown[]) => quotes.map((quote) => change(quote as never));
  if (row.type === "draft") return { ...row, support: row.support.map(each) };
  if (row.type === "question") return { ...row, quotes: each(row.quotes) };
  if (row.type === "sibling") return { ...row, tempting: each(row.tempting), quotes: each(row.quotes) };
  return { ...row, tempting: each(row.tempting), contradicting: each(row.contradicting) };
}

/** Paths of a collection's pages, in order. */
export function pagesOf(folder: string): string[] {
  return readdirSync(join(folder, "pages"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => `pages/${path.replaceAll("\\", "/")}`)
    .sort();
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/**
 * Writes collections as golden sets, so that `eval golden --data OUT` and the recipes read them: `OUT/golden/NAME` with a copy of the pages,
 * `answerable-dev.jsonl`, `unanswerable-dev.jsonl`, and all rows with the text of their quotes in `rows.jsonl`. Sibling pairs count among the questions.
 */
export function unpackCollections(names: readonly string[], pages: string, out: string): void {
  for (const name of names) {
    const { folder, rows } = readCollection(name, pages);
    const to = join(out, "golden", name);
    mkdirSync(to, { recursive: true });
    cpSync(join(folder, "pages"), join(to, "pages"), { recursive: true });
    const answerable = rows.flatMap((row) => {
      if (row.type !== "question" && (row.type !== "sibling" || row.answer === null)) return [];
      const { id, question, answer, key_values, quotes } = row;
      const gold = { gold_pages: [...new Set(quotes.map(({ page }) => page))], gold_quotes: quotes.map(({ text }) => text) };
      const more = row.type === "question" ? { must_not: row.must_not, needs: row.kind } : { must_not: [], needs: "sibling" };
      return [{ id, question, ...gold, answer, key_values, ...more }];
    });
    const unanswerable = rows.flatMap((row) => {
      if (row.type === "sibling" && row.answer === null)
        return [{ id: row.id, question: row.question, kind: "near_miss", why: `asked of ${row.asked}, stands with ${row.other}` }];
      if (row.type !== "unanswerable") return [];
      const { id, question, kind, why, contradicting } = row;
      return [{ id, question, kind, why, contradicting_quotes: contradicting.map(({ text }) => text) }];
    });
    const write = (file: string, lines: readonly unknown[]) =>
      writeFileSync(join(to, file), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    write("answerable-dev.jsonl", answerable);
    write("unanswerable-dev.jsonl", unanswerable);
    write("rows.jsonl", rows);
  }
}
