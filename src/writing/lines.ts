import type { NamedCell } from "../shared/types.ts";
import { readCells } from "../text/units.ts";

/** What of a citation is displayed; in process and over HTTP the same. */
export interface LineSource {
  readonly n: number;
  readonly documentId: string;
  readonly title: string;
  readonly quote: string;
  /** The passage around the quote, and where the quote begins in it. */
  readonly context: string;
  readonly quoteStart: number;
  readonly headingPath: readonly string[];
  /** Cells of a table row, the sentence above its table, and where the header stands. */
  readonly row?: { readonly cells: readonly NamedCell[]; readonly caption?: string | undefined; readonly headerStart: number } | undefined;
}

export interface LineSentence {
  readonly text: string;
  readonly citations: readonly number[];
}

/** A sentence as every surface displays it. */
export interface Line<Source extends LineSource = LineSource> extends LineSentence {
  /** Heading or caption that the text belongs to, displayed apart from it; `null`: none, or it is that of the line above. */
  readonly label: string | null;
  /** The citation whose quote is the text; `null`: a model wrote it, or several are cited. */
  readonly source: Source | null;
  /** Index of the cell that answers, in the cells of its row; `null`: no row, or not known exactly. */
  readonly askedCell: number | null;
}

/** Returns the citation whose quote is the sentence; `null` for a sentence written by a model or with several citations. */
export function quotedBy<Cited extends Pick<LineSource, "n" | "quote">>(
  { text, citations: [n, ...others] }: LineSentence,
  citations: readonly Cited[],
): Cited | null {
  const cited = others.length > 0 ? undefined : citations.find((one) => one.n === n);
  return cited?.quote === text ? cited : null;
}

/** Formats a line: `Label – Text`, a row as `Row label: value (Column); Column: value`. */
export function lineText({ label, text, source, askedCell }: Line): string {
  const said = source?.row === undefined ? text : rowText(source.row.cells, askedCell);
  if (label === null) return said;
  return `${label}${/[.:?!]$/.test(label) ? " " : " – "}${said}`;
}

function rowText(cells: readonly NamedCell[], asked: number | null): string {
  const { first, rest } = splitRow(cells, asked);
  return first === null
    ? readCells(rest)
    : [`${first.label}: ${first.value} (${first.column})`, readCells(rest)].filter(Boolean).join("; ");
}

/** Separates the cell that answers from the rest of its row. `first` is `null` if no cell is known to answer. */
export function splitRow(cells: readonly NamedCell[], asked: number | null) {
  const cell = asked === null ? undefined : cells[asked];
  if (cell === undefined) return { first: null, rest: cells };
  const first = { label: cells[0]?.text ?? "", value: cell.text, column: cell.name };
  return { first, rest: cells.filter((_, i) => i !== 0 && i !== asked) };
}

/** Detects list items: normalised text separates list items and table rows by one line break, all other blocks by two. */
export function isListItem({ context, quote, quoteStart: start }: Pick<LineSource, "context" | "quote" | "quoteStart">): boolean {
  if (context.slice(start, start + quote.length) !== quote) return false;
  const single = (at: number, next: number) => context[at] === "\n" && context[next] !== "\n";
  return quote.includes("\n") || single(start - 1, start - 2) || single(start + quote.length, start + quote.length + 1);
}
