import { quoteOf } from "../ranking/candidates.ts";
import type { Passage, PlacedUnit, Quote, TextRange } from "../shared/types.ts";
import { type QuoteWords, readQuote, withHeader } from "./quotes.ts";

/** The quotes of a source that a sentence rests on: those with its words. */
export type BindSentence = (text: string, source: OfferedSource) => readonly Quote[];

/** Quotes of one source behind one sentence at most. */
const MAX_QUOTES = 4;
/** A further quote must bring this share of the sentence's weight that those before it lack, or one of its numbers. */
const LEAST_GAIN = 0.1;

/**
 * Binds sentences to quotes: of a source the quote that holds most of the sentence's words, by weight, then those that bring what it lacks. In the order of the
 * source; a sentence that shares no word with it is bound to its beginning, for the checks to judge. Texts of a source are read once.
 */
export function createBinder(words: Pick<QuoteWords, "tokens" | "idf">): BindSentence {
  const read = new WeakMap<Quote, ReadonlySet<string>>();
  const tokensOf = (quote: Quote) => {
    const known = read.get(quote);
    if (known !== undefined) return known;
    const tokens = new Set(words.tokens(`${quote.header?.text ?? ""} ${quote.text}`));
    read.set(quote, tokens);
    return tokens;
  };
  const weigh = (token: string) => Math.max(0, words.idf(token));
  return (text, { citable }) => {
    if (citable.length <= 1) return citable;
    const open = new Set(words.tokens(text));
    const total = [...open].reduce((sum, token) => sum + weigh(token), 0);
    const bound = new Set<Quote>();
    while (bound.size < MAX_QUOTES) {
      const best = bestOf(citable, open, tokensOf, weigh);
      if (best === null) break;
      const isEnough = bound.size > 0 && best.gain < LEAST_GAIN * total && !best.brings.some((token) => /\d/.test(token));
      if (isEnough) break;
      bound.add(best.quote);
      for (const token of best.brings) open.delete(token);
    }
    return bound.size === 0 ? citable.slice(0, 1) : citable.filter((quote) => bound.has(quote));
  };
}

/** The quote that brings most of what is open, the first of equals; `null` when none brings anything. */
function bestOf(
  citable: readonly Quote[],
  open: ReadonlySet<string>,
  tokensOf: (quote: Quote) => ReadonlySet<string>,
  weigh: (token: string) => number,
): { quote: Quote; gain: number; brings: readonly string[] } | null {
  let best: { quote: Quote; gain: number; brings: readonly string[] } | null = null;
  for (const quote of citable) {
    const held = tokensOf(quote);
    const brings = [...open].filter((token) => held.has(token));
    const gain = brings.reduce((sum, token) => sum + weigh(token), 0);
    if (gain > (best?.gain ?? 0)) best = { quote, gain, brings };
  }
  return best;
}

/** What a model is given under one number: stretches of a passage, byte for byte. */
export interface OfferedSource {
  readonly passage: Passage;
  /** In order; what lies between two of them is not given. */
  readonly stretches: readonly Quote[];
  /** What a sentence that cites the number may be bound to, in order: a picked quote as a whole, of a passage its sentences, items and rows. */
  readonly citable: readonly Quote[];
}

/** A quote that was picked: it is cited as it is. */
export function quoteSource(quote: Quote): OfferedSource {
  return { passage: quote.passage, stretches: [quote], citable: [quote] };
}

/** The whole of a passage. */
export function passageSource(passage: Passage): OfferedSource {
  return partSource(passage, [passage.range]);
}

/** Parts of a passage, in order and apart from each other. */
export function partSource(passage: Passage, parts: readonly TextRange[]): OfferedSource {
  const isGiven = ({ start, end }: TextRange) => parts.some((part) => part.start <= start && part.end >= end);
  const units = passage.units.filter((unit) => unit.type !== "heading" && isGiven(unit));
  const stretches = parts.map((part) => {
    const unit = passage.units.find(({ start, end }) => start === part.start && end === part.end);
    return unit === undefined ? quoteOf(passage, part) : withHeader(quoteOf(passage, part), unit);
  });
  return { passage, stretches, citable: units.length === 0 ? stretches : units.map((unit) => withHeader(quoteOf(passage, unit), unit)) };
}

/** Stands where something of a passage is left out. */
const GAP = "…";
/** Begins every further line of a source: none can pass for the next source or for the question. */
const INDENT = "  ";

/** A source under its number, with the title, the headings and the page by which it is understood. Its lines are the passage's own, spaces between words made one. */
export function listSource(source: OfferedSource, number: number): string {
  const lines = source.stretches.flatMap((stretch, i) => [...(i === 0 ? [] : [GAP]), ...linesOf(stretch)]);
  return `[${number}] (${headOf(source)}) ${lines.join(`\n${INDENT}`)}`;
}

function headOf({ passage, stretches }: OfferedSource): string {
  const { title } = passage.document;
  const given = unitsWithin(passage, stretches);
  const [first] = given;
  const headings = (first?.type === "heading" ? first.headingPath.slice(0, -1) : first?.headingPath) ?? passage.headingPath;
  const names = [title, ...headings.filter((heading) => heading !== title)].map(oneLine);
  const pages = given.flatMap(({ page }) => (page === null ? [] : [page]));
  const from = Math.min(...pages);
  const to = Math.max(...pages);
  const page = pages.length === 0 ? "" : from === to ? `, page ${from}` : `, pages ${from} to ${to}`;
  return `${names.join(" – ")}${page}`;
}

function unitsWithin({ units }: Passage, stretches: readonly TextRange[]): PlacedUnit[] {
  return units.filter(({ start, end }) => stretches.some((stretch) => start < stretch.end && end > stretch.start));
}

/** A line for each block; a heading is marked as one, and rows whose header stands elsewhere bring it. */
function linesOf(stretch: Quote): string[] {
  const { passage } = stretch;
  const units = unitsWithin(passage, [stretch]);
  if (units.length <= 1 && units[0]?.type !== "heading") return [oneLine(readQuote(stretch))];
  const lines: string[] = [];
  for (let i = 0; i < units.length; ) {
    const first = units[i] as PlacedUnit;
    const { header } = first;
    const isHeaderGiven = header === null || (header.start >= stretch.start && header.start < first.end);
    if (!isHeaderGiven && header.start !== units[i - 1]?.header?.start) lines.push(oneLine(header.text));
    let last = first;
    while (units[i]?.block === first.block) last = units[i++] as PlacedUnit;
    const { text } = quoteOf(passage, { start: Math.max(first.start, stretch.start), end: Math.min(last.end, stretch.end) });
    lines.push(`${first.type === "heading" ? "# " : ""}${oneLine(text)}`);
  }
  return lines;
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
