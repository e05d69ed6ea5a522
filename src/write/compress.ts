import type { Reranker } from "../models/reranker.ts";
import { nameCells } from "../text/table-row.ts";
import type { Evidence, Passage, Quote } from "../types.ts";
import { type AskedQuestion, type PieceView, type QuoteWords, readAsked, viewPassage } from "./piece-view.ts";
import { type Piece, piecesOf, quoteOf } from "./pieces.ts";

export type { QuoteWords } from "./piece-view.ts";

/** A quote with the quotes that it cannot be understood without and those that limit it. */
export interface CompleteQuote {
  readonly quote: Quote;
  /** Stands before it: a list's lead-in, a table's header, the sentence that "this" means. */
  readonly context: readonly Quote[];
  /** Conditions and exceptions that stand right behind it; absent when there are none. */
  readonly conditions?: readonly Quote[];
}

/** A quote that answers some of the question. */
export interface QuoteCandidate extends CompleteQuote {
  readonly score: number;
  /** Words and values asked for that it, or the heading above it, holds. */
  readonly covers: ReadonlySet<string>;
}

/** Begins the name of a kind of value in `covers`; no token holds a colon. */
const VALUE = "value:";

/** Is this, out of what a candidate covers, a kind of value that is asked for? */
export function isValue(covered: string): boolean {
  return covered.startsWith(VALUE);
}

export interface CompressOptions {
  /** Candidates returned at most. */
  readonly limit: number;
  /** Characters of one quote at most; longer units are not taken, never cut. */
  readonly maxCharacters: number;
  /** Reads sentences with vectors of words: finds what the question says in other words. Absent: its own words decide. */
  readonly reranker?: Reranker | null;
  readonly signal?: AbortSignal;
  /** @default QUOTE_WEIGHTS */
  readonly weights?: QuoteWeights;
}

/** Passages looked at; the ranking's tail adds noise, not answers. */
const PASSAGES = 5;
/** Units of one passage looked at, those of its best window first: hostile documents are one long list. */
const MAX_PIECES = 120;
/** Pieces that the reranker reads, best by words first: it takes 10 to 20 µs for each. */
const RERANKED = 24;

/** What adds to a piece's score beside its share of the question's words. Chosen by coordinate search (`lab/train/extract`). */
export const QUOTE_WEIGHTS = {
  /** What a heading's and a title's words count beside those of the sentence under them. */
  heading: 0.8,
  title: 0.4,
  /** What the words count more when a kind of value that is asked for stands beside them, and what the value counts by itself. */
  valueBeside: 0.5,
  value: 0.1,
  /** The reranker's chance that the piece answers. */
  relevance: 0.3,
  /** The piece lies in the window that was found. */
  window: 0.1,
  /** A table's row says much in few words. */
  row: 0.1,
  /** A list when a list or steps are asked for. */
  list: 0.15,
  /** The last passage's pieces keep this share of their score. */
  lastPassage: 0.7,
  /** How much a passage counts less that the reranker finds worse than the best. */
  passageDoubt: 0.3,
};
export type QuoteWeights = Readonly<typeof QUOTE_WEIGHTS>;

/** A heading that holds this share of the question's words asks the same: what stands under it may answer without repeating a word. */
const SAME_QUESTION = 0.6;
/** A piece that shares no word with the question needs this chance from the reranker. */
const LEAST_RELEVANCE = 0.5;
/** Or a value of the kind that is asked for, where heading and title hold this share of the question's words: "Up to $200,000." under "Life insurance". */
const NAMED_ABOVE = 0.3;

/** Verbatim quotes from the evidence, best first, not overlapping, none said twice. */
export async function chooseQuotes(
  question: string,
  evidence: readonly Evidence[],
  words: QuoteWords,
  options: CompressOptions,
): Promise<QuoteCandidate[]> {
  const asked = readAsked(question, words);
  const looked = evidence.slice(0, PASSAGES);
  const views = looked.flatMap((one, rank) => viewPassage(piecesOf(one.passage, piecesOptions(asked, options)), one, rank, asked));
  const best = Math.max(...looked.map(({ passage }) => passage.scores.rerank ?? 0));
  const weights = options.weights ?? QUOTE_WEIGHTS;
  const score = (view: PieceView, relevance: number | null) => scoreOf(view, relevance, best, asked, weights);
  const byWords = views.map((view) => ({ view, score: score(view, null) })).sort((a, b) => b.score - a.score);
  const first = byWords.slice(0, RERANKED).map(({ view }) => view);
  const relevances = await relevanceOf(question, first, words, options);
  const scored = first.flatMap((view, i) => {
    const relevance = relevances[i] ?? null;
    return speaks(view, relevance) ? [{ view, score: score(view, relevance) }] : [];
  });
  const chosen = scored.length > 0 ? scored : inFoundWindow(views);
  return pickDistinct(chosen, asked, words, options.limit);
}

/** Has the piece anything to do with the question? */
function speaks({ own, fromHeading, fromTitle, values }: PieceView, relevance: number | null): boolean {
  if (own > 0 || fromHeading >= SAME_QUESTION || (relevance ?? 0) >= LEAST_RELEVANCE) return true;
  return values.size > 0 && fromHeading + fromTitle >= NAMED_ABOVE;
}

function piecesOptions({ type }: AskedQuestion, { maxCharacters }: CompressOptions) {
  return { maxCharacters, maxPieces: MAX_PIECES, wholeLists: type === "list" || type === "how-do-i" };
}

async function relevanceOf(
  question: string,
  views: readonly PieceView[],
  words: QuoteWords,
  { reranker, signal }: CompressOptions,
): Promise<(number | null)[]> {
  if (reranker === undefined || reranker === null || views.length === 0) return [];
  const passages = views.map(({ evidence, piece, text }) => ({ title: evidence.passage.document.title, section: piece.heading, text }));
  return reranker.rerank(question, passages, { ...(signal === undefined ? {} : { signal }), idf: (token) => words.idf(token) });
}

function scoreOf(view: PieceView, relevance: number | null, best: number, asked: AskedQuestion, weights: QuoteWeights): number {
  const { own, fromHeading, fromTitle, rank, piece, evidence } = view;
  const { passage } = evidence;
  const holdsValue = view.values.size > 0;
  const inWindow = piece.range.start < passage.window.end && piece.range.end > passage.window.start;
  const isAskedList = piece.type === "list" && (asked.type === "list" || asked.type === "how-do-i");
  const rankShare = 1 - (rank / PASSAGES) * (1 - weights.lastPassage);
  const doubt = passage.scores.rerank === null ? 1 : 1 - weights.passageDoubt * (1 - relativeChance(passage.scores.rerank, best));
  return (
    rankShare *
    doubt *
    (own * (holdsValue ? 1 + weights.valueBeside : 1) +
      weights.heading * fromHeading +
      weights.title * fromTitle +
      weights.relevance * (relevance ?? 0) +
      (holdsValue ? weights.value : 0) +
      (inWindow ? weights.window : 0) +
      (piece.type === "row" ? weights.row : 0) +
      (isAskedList ? weights.list : 0))
  );
}

/** 1 for the best passage, towards 0 as the odds that a passage answers fall behind the best one's. */
function relativeChance(chance: number, best: number): number {
  const ratio = oddsOf(chance) / oddsOf(best);
  return (2 * ratio) / (1 + ratio);
}

function oddsOf(chance: number): number {
  const kept = Math.min(1 - 1e-6, Math.max(1e-6, chance));
  return kept / (1 - kept);
}

/**
 * A vector can find a passage that shares no word with the question: then the window that it found is what there is to quote.
 * What words alone found is not quoted without a word of the question.
 */
function inFoundWindow(views: readonly PieceView[]): { view: PieceView; score: number }[] {
  return views.flatMap((view) => {
    const { window, scores } = view.evidence.passage;
    const { start, end } = view.piece.range;
    return scores.dense !== null && start < window.end && end > window.start ? [{ view, score: scores.dense }] : [];
  });
}

/** Two quotes say the same when they share this part of all their words, the same numbers and the same negations. */
const SAME_WORDS = 0.8;
const NEGATION = /\b(?:no|not|never|none|cannot|without|except|unless)\b|n['’]t\b/gi;

/** Greedy by score; what overlaps a chosen quote or says the same again is left out. */
function pickDistinct(
  scored: readonly { readonly view: PieceView; readonly score: number }[],
  asked: AskedQuestion,
  words: QuoteWords,
  limit: number,
): QuoteCandidate[] {
  const chosen: { quote: Quote; said: Said; candidate: QuoteCandidate }[] = [];
  for (const { view, score } of [...scored].sort((a, b) => b.score - a.score)) {
    if (chosen.length === limit) break;
    const { piece, evidence } = view;
    const quotes = quotesOf(evidence.passage, piece);
    const { quote } = quotes;
    if (chosen.some((other) => overlap(other.quote, quote))) continue;
    const said = readSaid(quote.text, words);
    if (chosen.some((other) => saysTheSame(other.said, said))) continue;
    const candidate = {
      ...quotes,
      score,
      covers: new Set([...asked.tokensIn(view.holds), ...[...view.values].map((kinds) => `${VALUE}${kinds}`)]),
    };
    chosen.push({ quote, said, candidate });
  }
  return chosen.map(({ candidate }) => candidate);
}

/** A piece with what it cannot be understood without and what limits it, as quotes. */
export function quotesOf(passage: Passage, piece: Piece): CompleteQuote {
  const toQuotes = (ranges: Piece["context"]) => ranges.map((range) => quoteOf(passage, range));
  const conditions = toQuotes(piece.conditions);
  return {
    quote: withHeader(quoteOf(passage, piece.range), piece),
    context: toQuotes(piece.context),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** A table's row carries its header, if it can be read by it. */
function withHeader(quote: Quote, { header }: Piece): Quote {
  return header === null || nameCells(header.text, quote.text) === null ? quote : { ...quote, header };
}

interface Said {
  readonly text: string;
  readonly tokens: ReadonlySet<string>;
  readonly numbers: string;
  readonly negations: number;
}

function readSaid(text: string, words: QuoteWords): Said {
  const tokens = new Set(words.tokens(text));
  const numbers = [...tokens].filter((token) => /\d/.test(token)).sort();
  return { text, tokens, numbers: numbers.join(" "), negations: text.match(NEGATION)?.length ?? 0 };
}

function saysTheSame(a: Said, b: Said): boolean {
  if (a.text === b.text) return true;
  if (a.numbers !== b.numbers || a.negations !== b.negations || a.tokens.size === 0) return false;
  let shared = 0;
  for (const token of a.tokens) if (b.tokens.has(token)) shared++;
  return shared / (a.tokens.size + b.tokens.size - shared) >= SAME_WORDS;
}

function overlap(a: Quote, b: Quote): boolean {
  return a.passage.document.id === b.passage.document.id && a.start < b.end && b.start < a.end;
}
