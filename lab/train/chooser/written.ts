import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findGoldenSets, type GoldenSet, readGoldenSet } from "../../../src/grade/golden-set.ts";
import { chunkDocument } from "../../../src/ingest/chunk.ts";
import { parseFile } from "../../../src/ingest/parse.ts";
import { toOriginal } from "../../../src/text/source-map.ts";
import type { StoredDocument, TextRange } from "../../../src/types.ts";

/** A collection of documents with questions, as the product reads its files. */
export interface WrittenSet {
  readonly name: string;
  readonly documents: readonly StoredDocument[];
  readonly questions: readonly WrittenQuestion[];
}

export interface WrittenQuestion {
  readonly question: string;
  /** "answerable", or why it is not. */
  readonly kind: string;
  /** Documents that answer. */
  readonly gold: ReadonlySet<string>;
  /** Does a range of a document's text share its half with a place that somebody marked? */
  answers(document: string, range: TextRange): boolean;
}

/** Every collection below a folder: `NAME/pages/*.md` with `NAME/answerable-dev.jsonl` and `NAME/unanswerable-dev.jsonl` (`lab/sets/written/README.md`). */
export function readWrittenSets(folder: string): WrittenSet[] {
  return findGoldenSets(folder).map((folders) => toWritten(readGoldenSet(folders)));
}

function toWritten({ name, corpus, answerable, unanswerable }: GoldenSet): WrittenSet {
  const files = readdirSync(join(corpus, "pages"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
  const pages = files.sort().map((file) => `pages/${file}`);
  const raw = new Map(pages.map((page) => [page, readFileSync(join(corpus, page))]));
  const documents = pages.flatMap((page) => toStored(page, raw.get(page) as Buffer));
  const ids = documents.map(({ id }) => id);
  const mark = (question: string, kind: string, quotes: readonly string[], named: readonly string[]): WrittenQuestion => {
    const places = new Map(
      named.map((page) => [page, quotes.flatMap((quote) => placesOf(quote, raw.get(page)?.toString("utf8") ?? ""))] as const),
    );
    const holds = (document: StoredDocument, range: TextRange) =>
      (places.get(document.id) ?? []).some((place) => overlaps(toOriginal(document.sourceMap, range), place));
    return {
      ...{ question, kind },
      gold: new Set(named.filter((page) => (places.get(page) ?? []).length > 0)),
      answers: (id, range) => documents.some((document) => document.id === id && holds(document, range)),
    };
  };
  const questions = [
    ...answerable.map((one) => mark(one.question, "answerable", one.gold_quotes, one.gold_pages)),
    // What contradicts a false premise is the right thing to quote.
    ...unanswerable.map((one) => mark(one.question, one.kind, one.contradicting_quotes, ids)),
  ];
  return { name, documents, questions };
}

function toStored(page: string, bytes: Buffer): StoredDocument[] {
  return parseFile({ path: page, bytes }).map(({ metadata, text, blocks, units, sourceMap, pages, originalHash }) => ({
    ...{ id: page, domain: "set", tenant: null, access: "public", source: "set", path: page },
    ...{ title: metadata.title ?? page, description: metadata.description ?? null, url: null },
    ...{ asOf: null, authority: null, topic: null, subtopic: null, type: null },
    ...{ originalHash, version: "1", normaliser: "1", sourceMap, pages, text, blocks, units },
    chunks: chunkDocument({ text, blocks, units }).map((chunk) => ({ ...chunk, id: `${page}-${chunk.ordinal}`, documentId: page })),
  }));
}

function placesOf(quote: string, text: string): TextRange[] {
  const found: TextRange[] = [];
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) found.push({ start: at, end: at + quote.length });
  return found;
}

/** Do two ranges share at least half of the shorter one? */
export function overlaps(piece: TextRange, answer: TextRange): boolean {
  const shared = Math.min(piece.end, answer.end) - Math.max(piece.start, answer.start);
  return shared > 0 && shared >= Math.min(answer.end - answer.start, piece.end - piece.start) / 2;
}
