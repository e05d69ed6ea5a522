import { basename } from "node:path/posix";
import { RequestError } from "../shared/errors.ts";
import type { AppliedFilters, Area, FilterRequest, Filters, Heading, PageRange, TextRange } from "../shared/types.ts";
import type { DocumentOutline } from "../store/document-rows.ts";
import { nearestName, nearestNames } from "../text/spelling.ts";
import { intersectRanges, mergeRanges, OPEN_END } from "./search-area.ts";

/** Maximum length of a document, chapter or section name in characters. */
export const FILTER_CHARACTERS = 300;
/** Maximum number of document names in one filter. */
export const FILTER_DOCUMENTS = 100;

const PAGES = /^(\d{1,15})(?:\s*[-–—]\s*(\d{1,15}))?$/;
/** Matches control characters other than white space, and characters that hide or reorder text. */
const FORBIDDEN = /(?!\s)[\p{Cc}\u200B\u202A-\u202E\u2060-\u2069]/u;

/**
 * Parses the filters of a request. Returns `null` if it has none.
 * @throws RequestError `filter_invalid` with the name of the filter and the allowed values
 */
export function readFilters(request: FilterRequest | null | undefined): Filters | null {
  if (request === null || request === undefined) return null;
  const filters = {
    document: Array.isArray(request.document) ? readNames(request.document) : readName("document", request.document),
    chapter: readName("chapter", request.chapter),
    section: readName("section", request.section),
    pages: readPages(request.page),
  };
  return Object.values(filters).every((one) => one === null) ? null : filters;
}

function readNames(names: readonly unknown[]): string[] {
  if (names.length < 1 || names.length > FILTER_DOCUMENTS)
    throw invalid("document", `has ${names.length} names: give 1 to ${FILTER_DOCUMENTS}`);
  return names.flatMap((name) => readName("document", name ?? "") ?? []);
}

function readName(filter: "document" | "chapter" | "section", value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value !== "string") throw invalid(filter, "must be a string: put the name or number in quotes");
  const name = value.replaceAll(/\s+/g, " ").trim();
  if (name === "") throw invalid(filter, "is empty: omit it, or name what to search");
  if (name.length > FILTER_CHARACTERS) throw invalid(filter, `has ${name.length} characters; the limit is ${FILTER_CHARACTERS}`);
  if (FORBIDDEN.test(name) || !name.isWellFormed()) throw invalid(filter, "contains a control or invisible character: remove it");
  return name;
}

function readPages(value: unknown): PageRange | null {
  if (value === undefined) return null;
  const written = typeof value === "number" ? String(value) : value;
  const [, from, to = from] = (typeof written === "string" ? PAGES.exec(written.trim()) : null) ?? [];
  if (from === undefined) throw invalid("page", `cannot use ${shown(value)}: use a page number such as 12, or a range such as 12-15`);
  const range = { first: Number(from), last: Number(to) };
  if (range.first < 1) throw invalid("page", `cannot use ${shown(value)}: page numbers start at 1`);
  if (range.last < range.first)
    throw invalid("page", `cannot use ${shown(value)}: the lower page comes first, so write ${range.last}-${range.first}`);
  return range;
}

function shown(value: unknown): string {
  // Some objects cannot be converted to a string.
  const written = typeof value === "object" && value !== null ? "an object" : String(value);
  return `"${written.replaceAll(/\s+/g, " ").slice(0, 40)}"`;
}

function invalid(filter: string, reason: string): RequestError {
  return new RequestError("filter_invalid", `The filter "${filter}" ${reason}.`, { filter });
}

/** Matches a name that begins with a number, with or without a word such as "chapter" or "§" before it. */
const NUMBERED =
  /^(?:(chapter|part|book|section|appendix|article|subpart|title|§+)\s*)?(\d+(?:\.\d+)*[a-z]?|[ivxlc]+)(?![\p{L}\p{N}])[.):\-–—]*\s*(.*)$/u;
const ROMAN = /^(?=.)c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/;
const ROMAN_VALUES: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

/** Normalises a name for comparison: NFKC, lower case, single spaces, no final punctuation. */
function normaliseName(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/(?<=.)[.:;,]+$/, "")
    .trimEnd();
}

/**
 * Parses a name with a number: "chapter xxxii. cetology" is chapter 32 with the rest "cetology". A Roman numeral counts
 * only after a word such as "chapter". Returns `null` if the name does not begin with a number.
 */
function readNumber(name: string) {
  const [, division, number, rest = ""] = NUMBERED.exec(name) ?? [];
  if (number === undefined) return null;
  const called = division?.startsWith("§") ? "section" : (division ?? null);
  if (/^\d/.test(number)) return { division: called, number, rest };
  return called !== null && ROMAN.test(number) ? { division: called, number: String(romanValue(number)), rest } : null;
}

function romanValue(numeral: string): number {
  const values = [...numeral].map((letter) => ROMAN_VALUES[letter] as number);
  return values.reduce((sum, value, i) => sum + (value < (values[i + 1] ?? 0) ? -value : value), 0);
}

/**
 * Returns a function that checks whether a heading fits a name. "Cetology", "32", "Chapter 32" and the full text fit
 * the heading "Chapter 32. Cetology".
 */
function headingMatcher(name: string): (heading: Heading) => boolean {
  const asked = normaliseName(name);
  const number = readNumber(asked);
  const bare = number !== null && number.rest === "" ? number : null;
  return ({ text }) => {
    const heading = normaliseName(text);
    if (heading === asked) return true;
    const read = readNumber(heading);
    if (read === null) return false;
    if (read.rest === asked) return true;
    return bare !== null && read.number === bare.number && (bare.division === null || read.division === bare.division);
  };
}

/** Maximum number of suggestions in the error for an unknown name. */
const NAMES_SHOWN = 5;
/** Maximum number of names compared to find suggestions, enough for any book. */
const NAMES_COMPARED = 5_000;
/** Maximum number of document titles in the description of an area. If there are more documents, only their number is given. */
const TITLES_SHOWN = 3;

interface Narrowing {
  readonly kind: "document" | "chapter" | "section" | "page";
  readonly asked: string;
}

/** A document with the ranges of its text that the filters applied so far select. */
interface Part {
  readonly document: DocumentOutline;
  readonly ranges: readonly TextRange[];
  /** Headings that matched the chapter or section filter. */
  readonly found: readonly Heading[];
}

/**
 * Applies filters to documents. Without documents, the area is empty.
 * - Chapters are the headings of a document's top level, except a single title heading, and any heading "Chapter …". If
 * no chapter matches, the title counts as a chapter, as in a book with one file per chapter.
 * - Sections are headings of any level.
 * - The text of a heading ends at the next heading of its level or above.
 * @throws RequestError `unknown_document`, `unknown_chapter`, `unknown_section`, `unknown_page` with the nearest names
 * that exist
 */
export function resolveFilters(filters: Filters, documents: readonly DocumentOutline[]): { area: Area; applied: AppliedFilters } {
  const whole = [{ start: 0, end: OPEN_END }];
  let parts: readonly Part[] = documents.map((document) => ({ document, ranges: whole, found: [] }));
  const narrowedBy: Narrowing[] = [];
  const narrow = (kind: Narrowing["kind"], asked: string, next: readonly Part[], known: () => string[]) => {
    if (next.length === 0 && documents.length > 0) throw unknown(kind, asked, known(), wordsFor(narrowedBy, parts));
    parts = next;
    narrowedBy.unshift({ kind, asked });
  };
  const { document, chapter, section, pages } = filters;
  const names = document === null ? [] : [document].flat();
  const missing = names.find((name) => named(parts, name).length === 0);
  if (names.length > 0) {
    const chosen = missing === undefined ? parts.filter((part) => names.some((name) => named([part], name).length > 0)) : [];
    narrow("document", missing ?? "", chosen, () => parts.flatMap(({ document: { title, path } }) => [title, basename(path)]));
  }
  const headingsOf = ({ headings }: DocumentOutline) => headings;
  if (chapter !== null) narrow("chapter", chapter, under(parts, chapter, chaptersFitting), () => namesIn(parts, chaptersOf));
  const sectionsFitting = (document: DocumentOutline, name: string) => document.headings.filter(headingMatcher(name));
  if (section !== null) narrow("section", section, under(parts, section, sectionsFitting), () => namesIn(parts, headingsOf));
  if (pages !== null) narrow("page", pageWords(pages), onPages(parts, pages), () => pagesIn(parts));
  const area = new Map(parts.map(({ document: { id, version }, ranges }) => [id, { version, ranges }]));
  return { area, applied: { ...filters, searchedIn: wordsFor(narrowedBy, parts) } };
}

function named(parts: readonly Part[], name: string): Part[] {
  const asked = normaliseName(name);
  return parts.filter(({ document: { id, path, title } }) => {
    const file = basename(path);
    return [id, path, title, file, file.replace(/\.[^.]*$/, "")].some((one) => normaliseName(one) === asked);
  });
}

function under(parts: readonly Part[], name: string, fitting: (document: DocumentOutline, name: string) => Heading[]): Part[] {
  return parts.flatMap(({ document, ranges, found }) => {
    const headings = fitting(document, name);
    const left = intersectRanges(ranges, mergeRanges(headings.map((heading) => rangeOf(heading, document.headings))));
    return left.length === 0 ? [] : [{ document, ranges: left, found: [...found, ...headings] }];
  });
}

function chaptersFitting(document: DocumentOutline, name: string): Heading[] {
  const fits = headingMatcher(name);
  const chapters = chaptersOf(document).filter(fits);
  const title = titleHeading(document);
  return chapters.length > 0 || title === null ? chapters : [title].filter(fits);
}

/** Returns the headings of the top level below the title, and every heading "Chapter …". */
function chaptersOf(document: DocumentOutline): Heading[] {
  const title = titleHeading(document);
  const below = document.headings.filter((heading) => heading !== title);
  const top = below.reduce((least, { level }) => Math.min(least, level), Number.POSITIVE_INFINITY);
  return document.headings.filter((heading) => (heading !== title && heading.level === top) || /^chapter\b/i.test(heading.text));
}

/** Returns the first heading if all others have deeper levels; otherwise `null`. */
function titleHeading({ headings }: DocumentOutline): Heading | null {
  const [first, ...rest] = headings;
  if (first === undefined || rest.some(({ level }) => level <= first.level)) return null;
  return first;
}

function rangeOf(heading: Heading, headings: readonly Heading[]): TextRange {
  const next = headings.find(({ start, level }) => start > heading.start && level <= heading.level);
  return { start: heading.start, end: next?.start ?? OPEN_END };
}

function onPages(parts: readonly Part[], { first, last }: PageRange): Part[] {
  return parts.flatMap((part) => {
    const { pages } = part.document;
    const start = pages?.[first - 1];
    if (pages === null || start === undefined) return [];
    const ranges = intersectRanges(part.ranges, [{ start, end: pages[last] ?? OPEN_END }]);
    return ranges.length === 0 ? [] : [{ ...part, ranges }];
  });
}

function namesIn(parts: readonly Part[], headingsOf: (document: DocumentOutline) => readonly Heading[]): string[] {
  return parts.flatMap(({ document, ranges }) =>
    headingsOf(document)
      .filter(({ start }) => ranges.some((range) => start >= range.start && start < range.end))
      .map(({ text }) => text),
  );
}

/** Returns the pages that the remaining ranges cover: `1–12 of "Title"`. */
function pagesIn(parts: readonly Part[]): string[] {
  return parts.flatMap(({ document: { pages, title }, ranges }) => {
    const held = (pages ?? []).flatMap((start, i) => {
      const page = { start, end: pages?.[i + 1] ?? OPEN_END };
      return intersectRanges([page], ranges).length > 0 ? [i + 1] : [];
    });
    const [first] = held;
    return first === undefined ? [] : [`${pageNumbers({ first, last: held.at(-1) as number })} of "${title}"`];
  });
}

function unknown(kind: "document" | "chapter" | "section" | "page", asked: string, known: readonly string[], where: string): RequestError {
  const names = [...new Set(known)].slice(0, NAMES_COMPARED);
  const nearest = kind === "page" ? names.slice(0, NAMES_SHOWN) : nearestNames(asked, names, NAMES_SHOWN);
  const near = nearest.filter((name) => nearestName(asked, [name]) !== null);
  const shown = near.length > 0 ? near : nearest;
  const place = where === "" ? "" : ` in ${where}`;
  const list = shown.map((name) => (kind === "page" ? name : `"${name}"`)).join(", ");
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : "";
  const none = kind === "page" ? "None of these documents has page breaks." : `There are no ${kind}s.`;
  const advice = shown.length === 0 ? none : kind === "page" ? `Available pages: ${list}${more}.` : `Most similar: ${list}${more}.`;
  const notFound = kind === "page" ? `nothing on ${asked}` : `no ${kind} "${asked}"`;
  return new RequestError(`unknown_${kind}`, `There is ${notFound}${place}. ${advice}`, { [kind]: asked, nearest: shown });
}

function wordFor({ kind, asked }: Narrowing, parts: readonly Part[]): string {
  const fits = headingMatcher(asked);
  const [name, ...others] = new Set(parts.flatMap(({ found }) => found.filter(fits).map(({ text }) => text)));
  return kind === "page" ? asked : `${kind} "${others.length === 0 ? (name ?? asked) : asked}"`;
}

/** Describes the area that the filters select, e.g. `chapter "Fees" of "Handbook"`; empty before the first filter. */
function wordsFor(narrowedBy: readonly Narrowing[], parts: readonly Part[]): string {
  if (narrowedBy.length === 0) return "";
  const narrowed = narrowedBy.flatMap((one) => (one.kind === "document" ? [] : wordFor(one, parts))).join(", ");
  const titles = [...new Set(parts.map(({ document: { title } }) => `"${title}"`))];
  const listed = titles.length <= TITLES_SHOWN ? titles.join(", ") : `${parts.length} documents`;
  return narrowed === "" ? listed : `${narrowed} of ${listed}`;
}

function pageWords(range: PageRange): string {
  return `${range.first === range.last ? "page" : "pages"} ${pageNumbers(range)}`;
}

function pageNumbers({ first, last }: PageRange): string {
  return first === last ? String(first) : `${first}–${last}`;
}
