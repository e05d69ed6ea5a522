import type { AnswerSentence, Citation, CitedRow, FurtherSource, Passage, Quote, SourceText } from "../shared/types.ts";
import { originalPlaceOf } from "../text/original-place.ts";
import { nameCells, unitAt } from "../text/units.ts";

/** An answer under construction. Added text and citation numbers never change. */
export interface AnswerBuilder {
  readonly sentences: readonly AnswerSentence[];
  readonly citations: readonly Citation[];
  /** Adds a checked sentence; returns it with its citations. */
  add(text: string, quotes: readonly Quote[]): { index: number; sentence: AnswerSentence; citations: Citation[] };
  /** Returns whether this range of this document is already cited. */
  cites(quote: Quote): boolean;
}

/** Creates an empty answer. Citations are numbered in order of first use; the same quote keeps its number. */
export function createAnswerBuilder(): AnswerBuilder {
  const sentences: AnswerSentence[] = [];
  const citations: Citation[] = [];
  const numberOf = (quote: Quote) => citations.findIndex((citation) => sameQuote(citation, quote)) + 1;
  return {
    sentences,
    citations,
    add(text, quotes) {
      const numbers = quotes.map((quote) => {
        const known = numberOf(quote);
        if (known > 0) return known;
        citations.push(toCitation(quote, citations.length + 1));
        return citations.length;
      });
      const sentence = { text, citations: [...new Set(numbers)] };
      sentences.push(sentence);
      const named = sentence.citations.map((n) => citations[n - 1] as Citation);
      return { index: sentences.length - 1, sentence, citations: named };
    },
    cites: (quote) => numberOf(quote) > 0,
  };
}

function sameQuote(citation: Citation, { passage, start, end }: Quote): boolean {
  return citation.documentId === passage.document.id && citation.start === start && citation.end === end;
}

function toCitation(quote: Quote, n: number): Citation {
  const { passage, start, end, text } = quote;
  const { document, range } = passage;
  const unit = unitAt(passage, start);
  const row = toRow(quote, unit?.caption ?? null);
  return {
    n,
    documentId: document.id,
    documentVersion: document.version,
    chunkId: passage.chunkId,
    url: document.url,
    title: document.title,
    asOf: document.asOf,
    quote: text,
    start,
    end,
    context: passage.text,
    quoteStart: start - range.start,
    headingPath: unit?.headingPath ?? passage.headingPath,
    page: unit?.page ?? null,
    original: originalPlaceOf(document, { start, end }),
    ...(passage.twins === undefined ? {} : { alsoIn: furtherSources(passage) }),
    ...(row === null ? {} : { row }),
  };
}

function toRow({ text, header }: Quote, caption: SourceText | null): CitedRow | null {
  const cells = header === undefined ? null : nameCells(header.text, text);
  if (header === undefined || cells === null) return null;
  return { cells, header: { start: header.start, end: header.end, text: header.text }, ...(caption === null ? {} : { caption }) };
}

/** Returns the documents of near-duplicate passages, each once, without the passage's own. */
function furtherSources({ document, twins = [] }: Passage): FurtherSource[] {
  const others = twins.filter(
    ({ documentId }, i) => documentId !== document.id && twins.findIndex((one) => one.documentId === documentId) === i,
  );
  return others.map(({ documentId, documentVersion, title, url, asOf }) => ({ documentId, documentVersion, title, url, asOf }));
}
