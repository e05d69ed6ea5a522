import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RequestError } from "../shared/errors.ts";
import type { Citation, TextRange } from "../shared/types.ts";
import { memoised } from "../text/memo.ts";
import { fileOfDocument } from "../text/paths.ts";
import type { GoldenSet } from "./golden-set.ts";

/** Ranges by page (path of a document), in UTF-16 code units of the decoded file. */
export type Places = ReadonlyMap<string, readonly TextRange[]>;

/** Places at which the labelled quotes of a golden set occur in its files. */
export type GoldenPlaces = ReturnType<typeof locatePlaces>;

/**
 * Locates the quotes of a golden set in the files of its documents.
 * @param paths path of every document, relative to the corpus
 * @throws RequestError `golden_pages_missing` or `golden_quote_missing` if none of a question's gold pages or none of its
 * gold quotes exists, so that no answer could be right
 */
export function locatePlaces({ corpus, answerable, unanswerable }: GoldenSet, paths: readonly string[]) {
  const textOf = memoised((page: string) => readFileSync(join(corpus, fileOfDocument(page)), "utf8"));
  const documents = new Set(paths);
  const quotes = new Map<string, readonly Places[]>();
  const keep = (id: string, marked: readonly string[], pages: readonly string[]) => {
    const each = marked.map((quote) => placesOf([quote], pages, textOf)).filter(({ size }) => size > 0);
    quotes.set(id, each);
    return each.length;
  };
  for (const { id, gold_pages, gold_quotes } of answerable) {
    if (gold_pages.length === 0) {
      // Without a labelled page, search all documents. Quotes that are not found are no error here.
      keep(id, gold_quotes, paths);
      continue;
    }
    const pages = gold_pages.filter((page) => documents.has(page));
    if (pages.length === 0) {
      const message = `None of the pages of ${id} (${gold_pages.join(", ")}) is among the ${paths.length} documents. Give the corpus for which the questions were written, with the same paths.`;
      throw new RequestError("golden_pages_missing", message, { id });
    }
    if (keep(id, gold_quotes, pages) === 0 && gold_quotes.length > 0)
      throw new RequestError("golden_quote_missing", `No gold quote of ${id} occurs verbatim in ${pages.join(", ")}. Correct the quote.`, {
        id,
      });
  }
  const contradicting = new Map(
    unanswerable.map(({ id, contradicting_quotes: quotes }) => [id, quotes.length === 0 ? new Map() : placesOf(quotes, paths, textOf)]),
  );
  return {
    /** Returns the places of all gold quotes of a question. */
    gold: (id: string): Places => together(quotes.get(id) ?? []),
    /** Returns the places of each gold quote of a question, without quotes that were not found. */
    quotes: (id: string): readonly Places[] => quotes.get(id) ?? [],
    /** Returns the places of the quotes that contradict the false premise of a question. */
    contradicting: (id: string): Places => contradicting.get(id) ?? new Map(),
  };
}

function together(all: readonly Places[]): Places {
  const places = new Map<string, TextRange[]>();
  for (const one of all) for (const [page, ranges] of one) places.set(page, [...(places.get(page) ?? []), ...ranges]);
  return places;
}

function placesOf(quotes: readonly string[], pages: readonly string[], textOf: (page: string) => string): Places {
  const places = new Map<string, TextRange[]>();
  for (const page of new Set(pages)) {
    const text = textOf(page);
    const ranges = quotes.flatMap((quote) => occurrencesOf(quote, text));
    if (ranges.length > 0) places.set(page, ranges);
  }
  return places;
}

function occurrencesOf(quote: string, text: string): TextRange[] {
  const found: TextRange[] = [];
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) found.push({ start: at, end: at + quote.length });
  return found;
}

/** Returns whether a citation overlaps one of the places. */
export function standsAt(
  { original }: { readonly original: Pick<Citation["original"], "path" | "start" | "end"> },
  places: Places,
): boolean {
  return (places.get(original.path) ?? []).some(({ start, end }) => original.start < end && start < original.end);
}
