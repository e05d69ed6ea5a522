import { EXCEPTION, NEGATOR } from "../language/content-words.ts";
import { type Candidate, quoteOf, textOf } from "../ranking/candidates.ts";
import type { AskedBits, CandidateView, Choice, QuoteWords } from "../ranking/features.ts";
import type { AnswerSentence, Citation, CitedRow, DraftSentence, FurtherSource, Passage, Quote, SourceText } from "../shared/types.ts";
import { onceEach } from "../text/numbers.ts";
import { originalPlaceOf } from "../text/original-place.ts";
import { nameCells, readCells, unitAt } from "../text/units.ts";

export type { QuoteWords } from "../ranking/features.ts";

/** A quote with the quotes that must be shown with it. */
export interface CompleteQuote {
  readonly quote: Quote;
  /** Quotes before the quote that make it understandable: a list's lead-in, a table's header, the antecedent of "this". */
  readonly context: readonly Quote[];
  /** Conditions and exceptions right after the quote; absent if there are none. */
  readonly conditions?: readonly Quote[];
  /** The next candidate with its own context and conditions, if both together answer better than the quote alone. */
  readonly following?: readonly Quote[];
}

/** A quote that may answer the question. */
export interface QuoteCandidate extends CompleteQuote {
  /** Probability that the quote answers the question, 0–1. */
  readonly score: number;
  /** What the quote or its headings contain of the question: its words, and kinds of value such as a date (prefix `VALUE`). */
  readonly covers: ReadonlySet<string>;
  /**
   * True if the quote must be shown whatever the limits. It answers a question of the message that the first quote does
   * not answer, or it is a table row that matches as well as the first.
   */
  readonly isRequired?: true;
}

/** Prefix of value kinds in `covers`. It distinguishes them from words, which contain no colon. */
const VALUE = "value:";

/** Returns the quote and its neighbours in display order. A table's header and caption are left out, because a row displays them. */
export function withNeighbours({ context, quote, conditions = [], following = [] }: CompleteQuote): Quote[] {
  const withRow = [quote.header, captionOf(quote)].map((one) => one?.start);
  return [...context.filter(({ start }) => !withRow.includes(start)), quote, ...conditions, ...following];
}

/** Formats a quote for a prompt: a table row with its caption and column names, other text unchanged. */
export function readQuote(quote: Quote): string {
  const cells = quote.header === undefined ? null : nameCells(quote.header.text, quote.text);
  if (cells === null) return quote.text;
  const caption = captionOf(quote);
  return caption === null ? readCells(cells) : `${caption.text} ${readCells(cells)}`;
}

function captionOf({ header, passage, start }: Quote): SourceText | null {
  return header === undefined ? null : (unitAt(passage, start)?.caption ?? null);
}

/** Selects at most `limit` quotes from ranked candidates, without overlaps or repetitions. */
export function chooseQuotes(choice: Choice, words: Pick<QuoteWords, "tokens">, limit: number): QuoteCandidate[] {
  const { candidates, asked } = choice;
  const isSiblingRow = siblingRows(choice);
  const chosen: { view: CandidateView; quote: Quote; said: ComparedQuote; candidate: QuoteCandidate }[] = [];
  for (const { view, probability, followedBy, isRequired } of candidates) {
    if (chosen.length === limit) break;
    const { candidate, evidence } = view;
    const quotes = quotesOf(evidence.passage, candidate);
    const { quote } = quotes;
    if (chosen.some((other) => overlap(other.quote, quote))) continue;
    if (chosen.some((other) => isSame(other.quote.header, quote))) continue;
    const said = readForComparison(quote.text, words);
    if (chosen.some((other) => (isRequired === true ? other.said.text === said.text : saysTheSame(other.said, said)))) continue;
    if (isRequired !== true && chosen.some((other) => isSiblingRow(view, other.view) || announcesTableOf(view, other.view))) continue;
    // If a chosen quote is the header of this row, remove it: the row displays its header.
    const names = chosen.findIndex((other) => isSame(quote.header, other.quote));
    if (names >= 0) chosen.splice(names, 1);
    const views = followedBy === undefined ? [view] : [view, followedBy];
    const covers = new Set(views.flatMap((one) => [...asked.tokensIn(one.holds), ...[...one.values].map((kinds) => `${VALUE}${kinds}`)]));
    const following = followedBy === undefined ? {} : { following: quotesBehind(evidence.passage, candidate, followedBy.candidate) };
    chosen.push({
      view,
      quote,
      said,
      candidate: { ...quotes, ...following, ...(isRequired && { isRequired }), score: probability, covers },
    });
  }
  return chosen.map(({ candidate }) => candidate);
}

/**
 * Returns whether a sentence is the caption of the row's table, or of a table with the same header in the same document.
 * Such a sentence is not quoted separately, because a row displays its caption.
 */
function announcesTableOf({ candidate, evidence: { passage } }: CandidateView, row: CandidateView): boolean {
  const next = passage.units.find(({ start }) => start >= candidate.range.end);
  return (
    row.candidate.header !== null &&
    passage.document.id === row.evidence.passage.document.id &&
    next?.type === "table-row" &&
    next.caption?.start === candidate.range.start &&
    textOf(passage, next) === row.candidate.header.text
  );
}

/** Minimum Jaccard index of the words of two quotes that count as repetitions. Their numbers and negations must be equal too. */
const SAME_WORDS = 0.8;
const TURN = new RegExp(`${NEGATOR}|${EXCEPTION}`, "giu");

/**
 * Returns a candidate with its context and conditions as quotes. Headings are left out, because a displayed line has its
 * heading as a label.
 */
export function quotesOf(passage: Passage, candidate: Candidate): CompleteQuote {
  const conditions = toQuotes(passage, candidate.conditions);
  return {
    quote: withHeader(quoteOf(passage, candidate.range), candidate),
    context: toQuotes(passage, candidate.context),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

function toQuotes(passage: Passage, ranges: Candidate["context"]): Quote[] {
  return ranges.filter(({ start }) => unitAt(passage, start)?.type !== "heading").map((range) => quoteOf(passage, range));
}

/** Returns the candidate that follows the first one as quotes: its context after the end of the first one, itself, and its conditions. */
function quotesBehind(passage: Passage, { range: { end } }: Candidate, { context, range, conditions }: Candidate): Quote[] {
  return toQuotes(passage, [...context.filter(({ start }) => start >= end), range, ...conditions]);
}

/** Adds the header to a table row, if it has a column for every cell of the row. */
export function withHeader(quote: Quote, { header }: Pick<Candidate, "header">): Quote {
  return header === null || nameCells(header.text, quote.text) === null ? quote : { ...quote, header };
}

type ComparedQuote = ReturnType<typeof readForComparison>;

function readForComparison(text: string, words: Pick<QuoteWords, "tokens">) {
  const tokens = new Set(words.tokens(text));
  const numbers = [...tokens].filter((token) => /\d/.test(token)).sort();
  return { text, tokens, numbers: numbers.join(" "), negations: text.match(TURN)?.length ?? 0 };
}

function saysTheSame(a: ComparedQuote, b: ComparedQuote): boolean {
  if (a.text === b.text) return true;
  if (a.numbers !== b.numbers || a.negations !== b.negations || a.tokens.size === 0) return false;
  const shared = [...a.tokens].filter((token) => b.tokens.has(token)).length;
  return shared / (a.tokens.size + b.tokens.size - shared) >= SAME_WORDS;
}

function isSame(header: SourceText | undefined, quote: Quote): boolean {
  return header !== undefined && header.start === quote.start && header.end === quote.end;
}

export function overlap(a: Quote, b: Quote): boolean {
  return a.passage.document.id === b.passage.document.id && a.start < b.end && b.start < a.end;
}

type IsSiblingRow = (row: CandidateView, asked: CandidateView) => boolean;

/**
 * Returns a function that tells whether `row` is an irrelevant neighbour of the requested row `other` in the same table,
 * such as Wednesday's row if the question asks for Thursday. A row is irrelevant if it contains fewer question words
 * than `other`, and only words that every row has ("20 kg"). A row with a word that only some rows have ("Sunday") is
 * relevant, unless it lacks a number of the question. Tables of one document with equal headers count as one table.
 */
function siblingRows({ candidates, asked }: Pick<Choice, "candidates" | "asked">): IsSiblingRow {
  const inEvery = new Map<string, AskedBits>();
  for (const { view } of candidates) {
    const table = tableOf(view);
    if (table !== null) inEvery.set(table, asked.bitsIn(view.text) & (inEvery.get(table) ?? ~0));
  }
  return (row, other) => {
    const table = tableOf(row);
    if (table === null || table !== tableOf(other)) return false;
    const [keys, wanted] = [asked.bitsIn(row.text), asked.bitsIn(other.text)];
    // A number in the first cell, the row's label, identifies the row. Compare it separately: numbers in other cells, such
    // as "up to 4 times a day", may occur in every row.
    const labelBits = ({ text }: CandidateView) => asked.bitsIn(text.split("|")[0] ?? "") & asked.numbers;
    const [label, wantedLabel] = [labelBits(row), labelBits(other)];
    if ((keys & ~wanted) !== 0 || (label & ~wantedLabel) !== 0) return false;
    if ((wanted & asked.numbers & ~keys) !== 0 || (wantedLabel & ~label) !== 0) return true;
    return keys !== wanted && (keys & ~(inEvery.get(table) ?? 0)) === 0;
  };
}

/** Returns a key for the table of a row, from document and header; `null` if the candidate is not a row with a header. */
function tableOf({ candidate, evidence }: CandidateView): string | null {
  return candidate.header === null ? null : `${evidence.passage.document.id} ${candidate.header.text}`;
}

/** Target length in words: half a minute of reading, or two minutes with more detail. */
export const ANSWER_WORDS = { normal: 100, more: 300 } as const;

/** Minimum score, relative to the best one, of a candidate that covers no further word or value kind of the question. */
const NEAR_BEST = 0.6;
/** Minimum relative score of a candidate that covers a further word or value kind. Below it, often only a common word matches. */
const LEAST_SHARE = 0.5;
/**
 * Minimum relative score of the first candidate with a requested kind of value. It is low, because sentences with
 * figures seldom repeat the question's words.
 */
const VALUE_SHARE = 0.25;

/**
 * Builds an answer from exact quotes. The best quote comes first, with its context, conditions and continuation. The
 * others follow in the order of their documents.
 * @param limits maximum number of `quotes`, not counting their context, and target length in `words`. The first quote is
 * shown at any length
 */
export function writeExtractive(
  candidates: readonly QuoteCandidate[],
  { quotes, words }: Readonly<Record<"quotes" | "words", number>>,
): DraftSentence[] {
  const chosen: QuoteCandidate[] = [];
  const covered = new Set<string>();
  const shown: Quote[] = [];
  let spent = 0;
  const { order, reserved } = withReserved(candidates);
  for (const candidate of order) {
    const adds = [...candidate.covers].some((one) => !covered.has(one));
    const share = candidate.score / (candidates[0]?.score ?? 1);
    const isPart = candidate.isRequired === true;
    if (chosen.length >= quotes && !isPart) continue;
    if (!isPart && share < (reserved.has(candidate) ? VALUE_SHARE : adds ? LEAST_SHARE : NEAR_BEST)) continue;
    const fresh = withNeighbours(candidate).filter((quote) => !shown.some((other) => isWithin(quote, other)));
    // The quotes chosen so far contain this candidate.
    if (fresh.length === 0) continue;
    const cost = fresh.reduce((sum, { text }) => sum + (text.match(/\S+/g)?.length ?? 0), 0);
    if (chosen.length > 0 && !isPart && spent + cost > words) continue;
    chosen.push(candidate);
    shown.push(...fresh);
    spent += cost;
    for (const one of candidate.covers) covered.add(one);
  }
  return inOrder(chosen).map((quote) => ({ text: quote.text, quotes: [quote], missing: [] }));
}

/**
 * Orders candidates: first the best one, then required ones (`isRequired`). Then, for each requested kind of value that
 * none of these has, the best candidate with that kind (`reserved`). All others follow.
 */
function withReserved(candidates: readonly QuoteCandidate[]) {
  const first = new Set(candidates.filter(({ isRequired }, i) => i === 0 || isRequired === true));
  const held = new Set([...first].flatMap(({ covers }) => [...covers]));
  const reserved = new Set<QuoteCandidate>();
  for (const candidate of candidates) {
    if (first.has(candidate)) continue;
    const kinds = [...candidate.covers].filter((one) => one.startsWith(VALUE) && !held.has(one));
    if (kinds.length > 0) reserved.add(candidate);
    for (const kind of kinds) held.add(kind);
  }
  return { order: new Set([...first, ...reserved, ...candidates]), reserved };
}

/**
 * Orders quotes: the best one with its neighbours first, then all others document by document, in text order. The best
 * one's document is first.
 */
function inOrder(chosen: readonly QuoteCandidate[]): Quote[] {
  const [best, ...others] = chosen;
  if (best === undefined) return [];
  const ranks = new Map<string, number>();
  for (const { quote } of chosen) if (!ranks.has(quote.passage.document.id)) ranks.set(quote.passage.document.id, ranks.size);
  const rankOf = ({ passage }: Quote) => ranks.get(passage.document.id) ?? 0;
  const rest = others.flatMap(withNeighbours).sort((a, b) => rankOf(a) - rankOf(b) || a.start - b.start || b.end - a.end);
  const ordered: Quote[] = [];
  for (const quote of [...withNeighbours(best), ...rest]) if (!ordered.some((other) => isWithin(quote, other))) ordered.push(quote);
  return ordered;
}

function isWithin(quote: Quote, other: Quote): boolean {
  return other.passage.document.id === quote.passage.document.id && other.start <= quote.start && other.end >= quote.end;
}

/** An answer under construction. Text and citation numbers never change once they are added. */
export type AnswerBuilder = ReturnType<typeof createAnswerBuilder>;

/** Creates an empty answer. Citations are numbered by first use. A quote that is cited again has the same number. */
export function createAnswerBuilder() {
  const sentences: AnswerSentence[] = [];
  const citations: Citation[] = [];
  const numberOf = (quote: Quote) => citations.findIndex((citation) => sameQuote(citation, quote)) + 1;
  return {
    sentences,
    citations,
    /** Adds a checked sentence. Returns the sentence with its citations. */
    add(text: string, quotes: readonly Quote[]) {
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
    /** Returns whether the exact range of the quote is already cited. */
    cites: (quote: Quote) => numberOf(quote) > 0,
  };
}

function sameQuote(citation: Citation, { passage, start, end }: Quote): boolean {
  return citation.documentId === passage.document.id && citation.start === start && citation.end === end;
}

function toCitation(quote: Quote, n: number): Citation {
  const { passage, start, end, text } = quote;
  const { document, range, chunkId } = passage;
  const { id: documentId, version: documentVersion, url, title, asOf } = document;
  const unit = unitAt(passage, start);
  const row = toRow(quote, unit?.caption ?? null);
  return {
    ...{ n, documentId, documentVersion, chunkId, url, title, asOf },
    ...{ quote: text, start, end, context: passage.text, quoteStart: start - range.start },
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

/** Returns the documents of a passage's near-duplicates, each once, except the passage's own document. */
function furtherSources({ document, twins = [] }: Passage): FurtherSource[] {
  const others = onceEach(twins, ({ documentId }) => documentId).filter(({ documentId }) => documentId !== document.id);
  return others.map(({ documentId, documentVersion, title, url, asOf }) => ({ documentId, documentVersion, title, url, asOf }));
}
