import type { Passage, PlacedUnit, Quote, TextRange } from "../types.ts";
import { readQuote, withHeader } from "./compress.ts";
import { quoteOf } from "./pieces.ts";

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

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
