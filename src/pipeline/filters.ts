import { RequestError } from "../shared/errors.ts";
import type { FilterRequest, Filters, PageRange } from "../shared/types.ts";

/** Maximum length of a document, chapter or section name in characters. */
export const FILTER_CHARACTERS = 300;
/** Maximum number of documents that one question names. */
export const FILTER_DOCUMENTS = 100;

const PAGES = /^(\d{1,15})(?:\s*[-–—]\s*(\d{1,15}))?$/;
/** Matches control characters other than white space, and characters that hide or reorder text. */
const FORBIDDEN = /(?!\s)[\p{Cc}\u200B\u202A-\u202E\u2060-\u2069]/u;

/**
 * Parses the filters of a request; `null`: none given.
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
    throw invalid("document", `has ${names.length} names: name 1 to ${FILTER_DOCUMENTS}`);
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
  if (range.last < range.first) throw invalid("page", `cannot use ${shown(value)}: write ${range.last}-${range.first}`);
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
