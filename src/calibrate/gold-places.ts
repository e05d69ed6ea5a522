import { RequestError } from "../errors.ts";
import type { DocumentStore } from "../store/documents.ts";
import type { Scope, TextRange } from "../types.ts";

/** What of a labelled question says where its answer stands. */
export interface Gold {
  readonly id: string;
  readonly gold_pages: readonly string[];
  readonly gold_quotes: readonly string[];
}

/** Ranges of documents by document id. */
export type GoldPlaces = ReadonlyMap<string, readonly TextRange[]>;

/**
 * Where the gold quotes of each question stand in the documents that were ingested, by question id. Quotes are those of the original files; markup, white space
 * and punctuation, which normalising changes, make no difference.
 * @throws RequestError `golden_pages_missing` when a question's pages are none of the documents: nothing could be right for it
 */
export async function locateGold(
  golden: readonly Gold[],
  scope: Scope,
  documents: Pick<DocumentStore, "outlines" | "load">,
): Promise<ReadonlyMap<string, GoldPlaces>> {
  const paths = (await documents.outlines(scope)).map(({ id, path }) => ({ id, path }));
  const pages = new Map([...new Set(golden.flatMap(({ gold_pages }) => gold_pages))].map((page) => [page, documentOf(page, paths)]));
  const lost = golden.filter(({ gold_pages }) => gold_pages.every((page) => pages.get(page) === null));
  if (lost.length > 0) {
    const example = lost[0] as Gold;
    throw new RequestError(
      "golden_pages_missing",
      `${lost.length} of ${golden.length} answerable questions cite pages that are not among the ${paths.length} documents (${example.id}: ${example.gold_pages[0]}). Ingest the documents that the questions were written for, with paths as the questions name them (--root).`,
      { questions: lost.map(({ id }) => id) },
    );
  }
  const ids = [...new Set([...pages.values()].flatMap((id) => id ?? []))];
  const texts = new Map([...(await documents.load(scope, ids))].map(([id, { text }]) => [id, lettersOf(text)]));
  return new Map(
    golden.map(({ id, gold_pages, gold_quotes }) => {
      const held = gold_pages.flatMap((page) => pages.get(page) ?? []);
      const places = new Map(held.map((one) => [one, gold_quotes.flatMap((quote) => findLetters(quote, texts.get(one) as Letters))]));
      return [id, places];
    }),
  );
}

/** The document of a page: the same path, else the only one whose path ends in it, or in which it ends. */
function documentOf(page: string, documents: readonly { readonly id: string; readonly path: string }[]): string | null {
  const exact = documents.find(({ path }) => path === page);
  if (exact !== undefined) return exact.id;
  const alike = documents.filter(({ path }) => path.endsWith(`/${page}`) || page.endsWith(`/${path}`));
  return alike.length === 1 ? (alike[0]?.id ?? null) : null;
}

/** Letters and digits of a text in lower case, and where each stands in it. */
interface Letters {
  readonly text: string;
  readonly at: readonly number[];
}

function lettersOf(text: string): Letters {
  const at: number[] = [];
  let letters = "";
  for (const match of text.matchAll(/[\p{L}\p{N}]/gu)) {
    const lower = match[0].toLowerCase();
    letters += lower;
    for (let i = 0; i < lower.length; i++) at.push(match.index);
  }
  return { text: letters, at };
}

function findLetters(quote: string, { text, at }: Letters): TextRange[] {
  // Addresses of links and tags are no text.
  const { text: wanted } = lettersOf(quote.replaceAll(/\]\([^)]*\)/g, "]").replaceAll(/<[^>]*>/g, ""));
  const start = wanted === "" ? -1 : text.indexOf(wanted);
  return start < 0 ? [] : [{ start: at[start] as number, end: (at[start + wanted.length - 1] as number) + 1 }];
}
