import type { NamedCell } from "../shared/types.ts";
import { readCells } from "../text/units.ts";

/** The fields of a citation that are displayed. In process and over HTTP they have the same form. */
export interface LineSource {
  readonly n: number;
  readonly documentId: string;
  readonly title: string;
  readonly quote: string;
  /** The passage around the quote, and the offset of the quote in it. */
  readonly context: string;
  readonly quoteStart: number;
  readonly headingPath: readonly string[];
  /** Only for a table row: its cells, the caption of its table, and the offset of the header. */
  readonly row?: { readonly cells: readonly NamedCell[]; readonly caption?: string | undefined; readonly headerStart: number } | undefined;
}

export interface LineSentence {
  readonly text: string;
  readonly citations: readonly number[];
}

/** A sentence as every client displays it. */
export interface Line<Source extends LineSource = LineSource> extends LineSentence {
  /** Heading or caption, displayed before the text; `null` if there is none or the line above makes it superfluous. */
  readonly label: string | null;
  /** The citation whose quote is the text; `null` if a model wrote the text or it has several citations. */
  readonly source: Source | null;
  /** For a table row, the index of the cell that answers the question; `null`: unknown, or not a row. */
  readonly askedCell: number | null;
}

export function quotedBy<Cited extends Pick<LineSource, "n" | "quote">>(
  { text, citations: [n, ...others] }: LineSentence,
  citations: readonly Cited[],
): Cited | null {
  const cited = others.length > 0 ? undefined : citations.find((one) => one.n === n);
  return cited?.quote === text ? cited : null;
}

/** Formats a line: `Label – Text`. A table row becomes `Row label: value (Column); Column: value`. */
export function lineText({ label, text, source, askedCell }: Line): string {
  const displayed = source?.row === undefined ? text : rowText(source.row.cells, askedCell);
  if (label === null) return displayed;
  return `${label}${/[.:?!]$/.test(label) ? " " : " – "}${displayed}`;
}

function rowText(cells: readonly NamedCell[], asked: number | null): string {
  const { first, rest } = splitRow(cells, asked);
  return first === null
    ? readCells(rest)
    : [`${first.label}: ${first.value} (${first.column})`, readCells(rest)].filter(Boolean).join("; ");
}

/**
 * Splits a row into the cell that answers, with the row's label, and its other cells.
 * @param asked index of the cell that answers; `null`: unknown, so `first` is `null` and `rest` is the whole row
 */
export function splitRow(cells: readonly NamedCell[], asked: number | null) {
  const cell = asked === null ? undefined : cells[asked];
  if (cell === undefined) return { first: null, rest: cells };
  const first = { label: cells[0]?.text ?? "", value: cell.text, column: cell.name };
  return { first, rest: cells.filter((_, i) => i !== 0 && i !== asked) };
}

/**
 * Detects list items by a single line break before or after them. In normalised text, list items and table rows are
 * separated by one line break, all other blocks by two.
 */
export function isListItem({ context, quote, quoteStart: start }: Pick<LineSource, "context" | "quote" | "quoteStart">): boolean {
  if (context.slice(start, start + quote.length) !== quote) return false;
  const single = (at: number, next: number) => context[at] === "\n" && context[next] !== "\n";
  return quote.includes("\n") || single(start - 1, start - 2) || single(start + quote.length, start + quote.length + 1);
}
