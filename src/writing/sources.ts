import { quoteOf } from "../ranking/candidates.ts";
import type { Passage, PlacedUnit, Quote, TextRange } from "../shared/types.ts";
import { memoised } from "../text/memo.ts";
import { type QuoteWords, readQuote, withHeader } from "./quotes.ts";

/** Returns the quotes of a source that match a sentence. */
export type BindSentence = (text: string, source: OfferedSource) => readonly Quote[];

/** Maximum number of quotes of one source for one sentence. */
const MAX_QUOTES = 4;
/** Minimum share of the sentence's IDF sum that a further quote must add, unless it adds a number. */
const LEAST_GAIN = 0.1;

/**
 * Creates a function that binds sentences to quotes. It first selects the quote whose words shared with the sentence have
 * the greatest IDF sum, then quotes that add missing words. It returns them in source order. If no quote shares a word, it
 * returns the first quote, which the checks then compare with the sentence.
 */
export function createBinder(words: Pick<QuoteWords, "tokens" | "idf">): BindSentence {
  const tokensOf = memoised(({ header, text }: Quote) => new Set(words.tokens(`${header?.text ?? ""} ${text}`)));
  const weigh = (token: string) => Math.max(0, words.idf(token));
  return (text, { citable }) => {
    if (citable.length <= 1) return citable;
    const open = new Set(words.tokens(text));
    const total = [...open].reduce((sum, token) => sum + weigh(token), 0);
    const bound = new Set<Quote>();
    while (bound.size < MAX_QUOTES) {
      const gains = citable.map((quote) => {
        const brings = [...open].filter((token) => tokensOf(quote).has(token));
        return { quote, brings, gain: brings.reduce((sum, token) => sum + weigh(token), 0) };
      });
      // On a tie, the first quote.
      const [best] = gains.filter(({ gain }) => gain > 0).sort((a, b) => b.gain - a.gain);
      if (best === undefined) break;
      const isEnough = bound.size > 0 && best.gain < LEAST_GAIN * total && !best.brings.some((token) => /\d/.test(token));
      if (isEnough) break;
      bound.add(best.quote);
      for (const token of best.brings) open.delete(token);
    }
    return bound.size === 0 ? citable.slice(0, 1) : citable.filter((quote) => bound.has(quote));
  };
}

/** A numbered source in a prompt: verbatim parts of a passage. */
export interface OfferedSource {
  readonly passage: Passage;
  /** Ranges of the passage in the prompt, in order. Text between them is left out. */
  readonly stretches: readonly Quote[];
  /**
   * Quotes that a citation can mean, in order: either one selected quote, or the sentences, list items and rows of a
   * passage.
   */
  readonly citable: readonly Quote[];
}

/** Returns a source that consists of one selected quote. */
export function quoteSource(quote: Quote): OfferedSource {
  return { passage: quote.passage, stretches: [quote], citable: [quote] };
}

export function passageSource(passage: Passage): OfferedSource {
  return partSource(passage, [passage.range]);
}

/** Returns a source that consists of ranges of a passage. @param parts in order, without overlaps */
export function partSource(passage: Passage, parts: readonly TextRange[]): OfferedSource {
  const isGiven = ({ start, end }: TextRange) => parts.some((part) => part.start <= start && part.end >= end);
  const units = passage.units.filter((unit) => unit.type !== "heading" && isGiven(unit));
  const stretches = parts.map((part) => {
    const unit = passage.units.find(({ start, end }) => start === part.start && end === part.end);
    return unit === undefined ? quoteOf(passage, part) : withHeader(quoteOf(passage, part), unit);
  });
  return { passage, stretches, citable: units.length === 0 ? stretches : units.map((unit) => withHeader(quoteOf(passage, unit), unit)) };
}

/** Marks an omitted part of a passage. */
const GAP = "…";
/** Indentation of all lines of a source but the first, so that document text cannot imitate a new source or the question. */
const INDENT = "  ";

/** Formats a source as `[number] (title, headings, page) text`. White space is collapsed. */
export function listSource(source: OfferedSource, number: number): string {
  const lines = source.stretches.flatMap((stretch, i) => [...(i === 0 ? [] : [GAP]), ...linesOf(stretch)]);
  return `[${number}] (${headOf(source)}) ${lines.join(`\n${INDENT}`)}`;
}

export function headOf({ passage, stretches }: OfferedSource): string {
  const { title } = passage.document;
  const given = unitsWithin(passage, stretches);
  const [first] = given;
  const headings = (first?.type === "heading" ? first.headingPath.slice(0, -1) : first?.headingPath) ?? passage.headingPath;
  const names = [title, ...headings.filter((heading) => heading !== title)].map(oneLine);
  const pages = given.flatMap(({ page }) => page ?? []);
  const [from, to] = [Math.min(...pages), Math.max(...pages)];
  const page = pages.length === 0 ? "" : from === to ? `, page ${from}` : `, pages ${from} to ${to}`;
  return `${names.join(" – ")}${page}`;
}

function unitsWithin({ units }: Passage, stretches: readonly TextRange[]): PlacedUnit[] {
  return units.filter(({ start, end }) => stretches.some((stretch) => start < stretch.end && end > stretch.start));
}

/** Formats a quote, one line per block. Headings start with `#`. A row gets its table's header if the quote lacks it. */
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
