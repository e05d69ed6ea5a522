import { EXCEPTION, NEGATOR } from "../language/negation.ts";
import { type Candidate, quoteOf, textOf } from "../ranking/candidates.ts";
import type { AskedBits, CandidateView, Choice, QuoteWords } from "../ranking/features.ts";
import type { Passage, Quote, SourceText, TextRange } from "../shared/types.ts";
import { nameCells, readCells, unitAt } from "../text/units.ts";

export type { QuoteWords } from "../ranking/features.ts";

/** A quote with the quotes that it cannot be understood without, those that limit it, and those that go on with the answer. */
export interface CompleteQuote {
  readonly quote: Quote;
  /** Stands before it: a list's lead-in, a table's header, the sentence that "this" means. */
  readonly context: readonly Quote[];
  /** Conditions and exceptions that stand right behind it; absent when there are none. */
  readonly conditions?: readonly Quote[];
  /** What stands behind it and likely answers too, with what belongs to that; absent when there is nothing. */
  readonly following?: readonly Quote[];
}

/** A quote that answers some of the question. */
export interface QuoteCandidate extends CompleteQuote {
  /** Chance that it answers, 0 to 1. */
  readonly score: number;
  /** Words and values asked for that it, or the heading above it, holds. */
  readonly covers: ReadonlySet<string>;
  /** It answers one of several things asked, which the first does not. */
  readonly answersPart?: true;
}

/** Begins the name of a kind of value in `covers`; no token holds a colon. */
const VALUE = "value:";

/** Is this, out of what a candidate covers, a kind of value that is asked for? */
export function isValue(covered: string): boolean {
  return covered.startsWith(VALUE);
}

/** A quote as it is shown, and as a model is given it. The header by which a table's row is read goes with the row, as its caption does, not as a quote of its own. */
export function withNeighbours({ context, quote, conditions = [], following = [] }: CompleteQuote): Quote[] {
  const withRow = [quote.header, captionOf(quote)].map((one) => one?.start);
  return [...context.filter(({ start }) => !withRow.includes(start)), quote, ...conditions, ...following];
}

/** A quote in one text for a model: a table's row by its caption and header, anything else as it stands. */
export function readQuote(quote: Quote): string {
  const cells = quote.header === undefined ? null : nameCells(quote.header.text, quote.text);
  if (cells === null) return quote.text;
  const caption = captionOf(quote);
  return caption === null ? readCells(cells) : `${caption.text} ${readCells(cells)}`;
}

/** The sentence above the table of a row that carries its header. */
function captionOf({ header, passage, start }: Quote): SourceText | null {
  return header === undefined ? null : (unitAt(passage, start)?.caption ?? null);
}

/** Verbatim quotes out of candidates that are sorted best first; none overlaps another or says the same again. */
export function chooseQuotes(choice: Choice, words: Pick<QuoteWords, "tokens">, limit: number): QuoteCandidate[] {
  const { candidates, asked } = choice;
  const standsBeside = rowsBeside(choice);
  const chosen: { view: CandidateView; quote: Quote; said: Said; candidate: QuoteCandidate }[] = [];
  for (const { view, chance, followedBy, answersPart } of candidates) {
    if (chosen.length === limit) break;
    const { candidate, evidence } = view;
    const quotes = quotesOf(evidence.passage, answersPart === true ? candidate : withOtherHeading(view, chosen[0]?.view, words));
    const { quote } = quotes;
    if (chosen.some((other) => overlap(other.quote, quote))) continue;
    if (chosen.some((other) => isSame(other.quote.header, quote))) continue;
    const said = readSaid(quote.text, words);
    if (chosen.some((other) => saysTheSame(other.said, said))) continue;
    if (answersPart !== true && chosen.some((other) => standsBeside(view, other.view) || announcesTableOf(view, other.view))) continue;
    // A row that may name the columns is read with the rows below it.
    const names = chosen.findIndex((other) => isSame(quote.header, other.quote));
    if (names >= 0) chosen.splice(names, 1);
    const views = followedBy === undefined ? [view] : [view, followedBy];
    const covers = new Set(views.flatMap((one) => [...asked.tokensIn(one.holds), ...[...one.values].map((kinds) => `${VALUE}${kinds}`)]));
    const following = followedBy === undefined ? {} : { following: quotesBehind(evidence.passage, candidate, followedBy.candidate) };
    chosen.push({ view, quote, said, candidate: { ...quotes, ...following, ...(answersPart && { answersPart }), score: chance, covers } });
  }
  return chosen.map(({ candidate }) => candidate);
}

/** A further sentence of another section than the first, of which it shares no word, is quoted below its heading: "Up to six may be kept" is of hens, and the first was of bees. */
function withOtherHeading(
  { candidate, evidence: { passage } }: CandidateView,
  first: CandidateView | undefined,
  words: Pick<QuoteWords, "tokens">,
): Candidate {
  if (first === undefined || candidate.type !== "sentence" || candidate.context.length > 0 || candidate.heading === first.candidate.heading)
    return candidate;
  const heading = passage.units.findLast(({ type, start }) => type === "heading" && start < candidate.range.start);
  if (heading === undefined || textOf(passage, heading).trim() !== candidate.heading.trim()) return candidate;
  const own = new Set(words.tokens(textOf(passage, candidate.range)));
  return words.tokens(candidate.heading).some((token) => own.has(token)) ? candidate : { ...candidate, context: [heading] };
}

/** Does a sentence announce the table of a row, or another of its document whose columns are called the same? The row is shown with its own. */
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

/** Two quotes say the same when they share this part of all their words, the same numbers and the same negations. */
const SAME_WORDS = 0.8;
const TURN = new RegExp(`${NEGATOR}|${EXCEPTION}`, "giu");

/** A candidate with what it cannot be understood without and what limits it, as quotes. */
export function quotesOf(passage: Passage, candidate: Candidate): CompleteQuote {
  const toQuotes = (ranges: Candidate["context"]) => ranges.map((range) => quoteOf(passage, range));
  const conditions = toQuotes(candidate.conditions);
  const heading = headingRightAbove(passage, candidate);
  const range = heading === null ? candidate.range : { start: heading.start, end: candidate.range.end };
  return {
    quote: withHeader(quoteOf(passage, range), candidate),
    context: toQuotes(candidate.context.filter((one) => one !== heading)),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

/** The heading in a list's context that stands right above it: both are one quote, so that the answer begins with what answers. */
function headingRightAbove({ units }: Passage, { type, context, range }: Candidate): TextRange | null {
  const last = type === "list" || type === "item" ? context.at(-1) : undefined;
  const at = units.findIndex(({ start }) => start === range.start);
  const above = units[at - 1];
  return last !== undefined && above?.type === "heading" && above.start === last.start && above.end === last.end ? last : null;
}

/** What follows a candidate as quotes: what announces it, itself, and what limits it. */
function quotesBehind(passage: Passage, { range: { end } }: Candidate, { context, range, conditions }: Candidate): Quote[] {
  return [...context.filter(({ start }) => start >= end), range, ...conditions].map((one) => quoteOf(passage, one));
}

/** A table's row carries its header, if it can be read by it. */
export function withHeader(quote: Quote, { header }: Pick<Candidate, "header">): Quote {
  return header === null || nameCells(header.text, quote.text) === null ? quote : { ...quote, header };
}

interface Said {
  readonly text: string;
  readonly tokens: ReadonlySet<string>;
  readonly numbers: string;
  readonly negations: number;
}

function readSaid(text: string, words: Pick<QuoteWords, "tokens">): Said {
  const tokens = new Set(words.tokens(text));
  const numbers = [...tokens].filter((token) => /\d/.test(token)).sort();
  return { text, tokens, numbers: numbers.join(" "), negations: text.match(TURN)?.length ?? 0 };
}

function saysTheSame(a: Said, b: Said): boolean {
  if (a.text === b.text) return true;
  if (a.numbers !== b.numbers || a.negations !== b.negations || a.tokens.size === 0) return false;
  let shared = 0;
  for (const token of a.tokens) if (b.tokens.has(token)) shared++;
  return shared / (a.tokens.size + b.tokens.size - shared) >= SAME_WORDS;
}

/** Is a row's header what is quoted? */
function isSame(header: SourceText | undefined, quote: Quote): boolean {
  return header !== undefined && header.start === quote.start && header.end === quote.end;
}

export function overlap(a: Quote, b: Quote): boolean {
  return a.passage.document.id === b.passage.document.id && a.start < b.end && b.start < a.end;
}

/** Does a row stand beside one that was asked for, in the same table, and say nothing of what was asked? */
type StandsBeside = (row: CandidateView, asked: CandidateView) => boolean;

/**
 * Wednesday's row where Thursday was asked for: it holds some of the words of the question that the asked row holds, none of its own, and those are in every row of
 * the table ("20 kg", "5 kg"). A word that some rows share ("Sunday") says that each of them is meant, unless the question gives a number that it lacks: "6 to 7 years"
 * is not for who is 4. Tables of one document whose columns are called the same are one.
 */
function rowsBeside({ candidates, asked }: Pick<Choice, "candidates" | "asked">): StandsBeside {
  const inEvery = new Map<string, AskedBits>();
  for (const { view } of candidates) {
    const table = tableOf(view);
    if (table !== null) inEvery.set(table, asked.bitsIn(view.text) & (inEvery.get(table) ?? ~0));
  }
  return (row, other) => {
    const table = tableOf(row);
    if (table === null || table !== tableOf(other)) return false;
    const [keys, wanted] = [asked.bitsIn(row.text), asked.bitsIn(other.text)];
    // "up to 4 times a day" may stand in every row: its first cell says what a row is of.
    const [label, wantedLabel] = [row, other].map(({ text }) => asked.bitsIn(text.split("|")[0] ?? "") & asked.numbers) as [
      AskedBits,
      AskedBits,
    ];
    if ((keys & ~wanted) !== 0 || (label & ~wantedLabel) !== 0) return false;
    if ((wanted & asked.numbers & ~keys) !== 0 || (wantedLabel & ~label) !== 0) return true;
    return keys !== wanted && (keys & ~(inEvery.get(table) ?? 0)) === 0;
  };
}

/** Names the tables of a row by its document and what their columns are called; `null`: it is no row, or has no header by which its table is known. */
function tableOf({ candidate, evidence }: CandidateView): string | null {
  return candidate.header === null ? null : `${evidence.passage.document.id} ${candidate.header.text}`;
}
