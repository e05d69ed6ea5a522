import { BULLET, linesOf, type PdfLine, stripsOf } from "./lines.ts";

/** A part of a page that is read at one go: lines of one column, or a table. */
export type Region = { readonly type: "column"; readonly lines: readonly PdfLine[] } | TableRegion;

export interface TableRegion {
  readonly type: "table";
  /** Rows of cells; every cell is lines from top to bottom. */
  readonly rows: readonly (readonly (readonly PdfLine[])[])[];
}

/** White space between columns, at least, in points: less than the narrowest that is usual (10). */
const GUTTER = 5;
/** Columns that are read down go on for lines; a table goes on across after every cell. Share of steps that go across. */
const ACROSS_SHARE = 0.12;
/** Lines further apart than this, in heights of a line, are not one row. */
const ROW_GAP = 0.9;

interface Interval {
  readonly from: number;
  readonly to: number;
}

/**
 * Parts of a page in reading order: where lines leave the same white space free, they stand in columns (read down, one after the other) or in a table
 * (read across). Which of both is told by the order in which the file writes them.
 */
export function regionsOf(fragments: readonly PdfLine[], depth = 0): Region[] {
  if (fragments.length === 0) return [];
  if (depth > 6) return [{ type: "column", lines: linesOf(fragments) }];
  const order = new Map(fragments.map((fragment, i) => [fragment, i]));
  return bandsOf(stripsOf(fragments)).flatMap((strips): Region[] => {
    const gutters = guttersOf(strips.flat());
    const inOrder = fileOrder(strips.flat(), order);
    if (gutters.length === 0 || strips.length < 2) return [{ type: "column", lines: linesOf(inOrder) }];
    const columnOf = columnBy(gutters);
    if (isList(inOrder.filter((fragment) => columnOf(fragment) === 0))) return [{ type: "column", lines: linesOf(inOrder) }];
    const parting = gutters.filter((gutter) => isCrossedOnce(inOrder, gutter));
    const partOf = columnBy(parting);
    if (parting.length > 0 && areColumns(strips, inOrder, partOf)) return readDown(inOrder, parting.length + 1, partOf, depth);
    if (pairedBy(strips, columnOf) >= 2 && isReadAcross(inOrder.map(columnOf))) {
      const [above, core, below] = withoutLooseEnds(strips);
      const isLoose = guttersOf(core.flat()).length > gutters.length;
      if (isLoose) return [above, core, below].flatMap((part) => regionsOf(fileOrder(part.flat(), order), depth + 1));
      return tableOf(strips, gutters.length + 1, columnOf);
    }
    if (!areColumns(strips, inOrder, columnOf)) return [{ type: "column", lines: linesOf(inOrder) }];
    return readDown(inOrder, gutters.length + 1, columnOf, depth);
  });
}

type ColumnOf = (fragment: PdfLine) => number;

function columnBy(gutters: readonly Interval[]): ColumnOf {
  return ({ x }) => gutters.filter(({ from }) => x >= from).length;
}

function fileOrder(fragments: readonly PdfLine[], order: ReadonlyMap<PdfLine, number>): PdfLine[] {
  return [...fragments].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
}

/** One column after the other. */
function readDown(fragments: readonly PdfLine[], columns: number, columnOf: ColumnOf, depth: number): Region[] {
  return Array.from({ length: columns }, (_, column) =>
    regionsOf(
      fragments.filter((fragment) => columnOf(fragment) === column),
      depth + 1,
    ),
  ).flat();
}

/** Whoever writes columns crosses the white space between them once; whoever writes a table comes back for every row. */
function isCrossedOnce(inOrder: readonly PdfLine[], { from }: Interval): boolean {
  return inOrder.filter(({ x }, i) => i > 0 && x >= from !== (inOrder[i - 1] as PdfLine).x >= from).length === 1;
}

/** Strips with text in more than one column. */
function pairedBy(strips: readonly (readonly PdfLine[])[], columnOf: ColumnOf): number {
  return strips.filter((strip) => new Set(strip.map(columnOf)).size > 1).length;
}

/** Strips of one fragment above and below the others: a heading or the end of a text that leaves some white space of a table free. */
function withoutLooseEnds(strips: readonly PdfLine[][]): [PdfLine[][], PdfLine[][], PdfLine[][]] {
  const first = strips.findIndex((strip) => strip.length > 1);
  const last = strips.findLastIndex((strip) => strip.length > 1);
  return [strips.slice(0, first), strips.slice(first, last + 1), strips.slice(last + 1)];
}

/** Runs of strips that leave the same white space free. */
function bandsOf(strips: readonly (readonly PdfLine[])[]): PdfLine[][][] {
  const bands: PdfLine[][][] = [];
  let band: PdfLine[][] = [];
  /** Where the band stands, and whether it leaves white space free. */
  let standing: readonly Span[] = [];
  let hasGutter = false;
  // Places of damaged fonts are no numbers, and have no order: their covers cannot be joined one by one.
  const isOrdered = strips.every((strip) => strip.every(({ x, right }) => x <= right));
  for (const strip of strips) {
    const together = [...standing, ...strip];
    const [joined, alone] = [coverOf(together), coverOf(strip)];
    const isParted = band.length > 0 && joined.length < 2 && (hasGutter || alone.length > 1);
    if (isParted) {
      bands.push(band);
      band = [];
    }
    band.push([...strip]);
    const cover: readonly Span[] = isParted ? alone : joined;
    hasGutter = cover.length > 1;
    standing = isOrdered ? cover : isParted ? strip : together;
  }
  if (band.length > 0) bands.push(band);
  return bands;
}

/** White space that no fragment stands in, with text on both sides. */
function guttersOf(fragments: readonly PdfLine[]): Interval[] {
  const cover = coverOf(fragments);
  return cover.slice(1).map(({ x }, i) => ({ from: (cover[i] as Span).right, to: x }));
}

/** From where to where something stands. */
interface Span {
  readonly x: number;
  readonly right: number;
}

/** Where fragments stand, from left to right: parts that white space as wide as a gutter's keeps apart. */
function coverOf(parts: readonly Span[]): Span[] {
  const cover: { x: number; right: number }[] = [];
  let last: { x: number; right: number } | undefined;
  for (const { x, right } of parts.length > 1 ? parts.toSorted((a, b) => a.x - b.x) : parts) {
    if (last !== undefined && !(x - last.right >= GUTTER)) last.right = Math.max(last.right, right);
    else {
      last = { x, right };
      cover.push(last);
    }
  }
  return cover;
}

/** Signs and numbers that stand apart from the text of their items are no column. */
function isList(first: readonly PdfLine[]): boolean {
  return first.every(({ words }) => words.length === 1 && BULLET.test(words[0]?.text ?? ""));
}

/** A centred title above a heading leaves white space too: columns stand beside each other, or have some lines each. */
function areColumns(strips: readonly (readonly PdfLine[])[], fragments: readonly PdfLine[], columnOf: ColumnOf): boolean {
  const lines = new Map<number, number>();
  for (const column of fragments.map(columnOf)) lines.set(column, (lines.get(column) ?? 0) + 1);
  return pairedBy(strips, columnOf) >= 2 || [...lines.values()].filter((count) => count >= 3).length >= 2;
}

function isReadAcross(columns: readonly number[]): boolean {
  const across = columns.filter((column, i) => i > 0 && column !== columns[i - 1]).length;
  return across >= 3 && across / (columns.length - 1) >= ACROSS_SHARE;
}

/** Rows begin where the first column is filled; lines above that fill one cell only are a caption. */
function tableOf(strips: readonly (readonly PdfLine[])[], columns: number, columnOf: (fragment: PdfLine) => number): Region[] {
  const rows: PdfLine[][][] = [];
  let bottom = Number.NEGATIVE_INFINITY;
  for (const strip of strips) {
    const top = Math.min(...strip.map(({ y }) => y));
    const height = Math.max(...strip.map((fragment) => fragment.bottom - fragment.y));
    const hasFirst = strip.some((fragment) => columnOf(fragment) === 0);
    const isNear = top - bottom < height * ROW_GAP;
    const last = rows.at(-1);
    const isContinued = last !== undefined && isNear && !hasFirst;
    const row = isContinued ? last : Array.from({ length: columns }, (): PdfLine[] => []);
    if (!isContinued) rows.push(row);
    for (const fragment of strip) row[columnOf(fragment)]?.push(fragment);
    bottom = Math.max(...strip.map((fragment) => fragment.bottom));
  }
  const isCaption = (row: readonly (readonly PdfLine[])[]) => row.filter((cell) => cell.length > 0).length < 2;
  const first = rows.findIndex((row) => !isCaption(row));
  const last = rows.findLastIndex((row) => !isCaption(row));
  const loose = (part: readonly (readonly (readonly PdfLine[])[])[]): Region[] =>
    part.length === 0 ? [] : [{ type: "column", lines: linesOf(part.flat(2)) }];
  const table = rows.slice(first, last + 1).map((row) => row.map((cell) => linesOf(cell)));
  return [...loose(rows.slice(0, first)), { type: "table", rows: table }, ...loose(rows.slice(last + 1))];
}
