import { BULLET, fragmentsOf, isFull, linesOf, type PdfLine, stripsOf } from "./lines.ts";
import { greatest, least, type PdfBox, type PdfWord } from "./words.ts";

/** A table with drawn lines, and the words in it. */
export type Grid = ReturnType<typeof gridsOf>[number];

/** Maximum distance of rules (drawn lines) that count as one, in points. A rule may be drawn twice, or as a thin box. */
const SAME = 2.5;
/** Minimum length of a cell's edge, in points. */
const SHORTEST = 6;
/** Maximum number of rules (drawn lines) on a page. More belong to a chart. */
const MAX_RULES = 5_000;
/** Minimum share of cells with text in a drawn table. */
const FILLED_SHARE = 0.3;

/** Returns the tables drawn with lines: horizontal and vertical lines that touch and form at least two by two cells. */
export function gridsOf(words: readonly PdfWord[], rules: readonly PdfBox[]) {
  if (rules.length > MAX_RULES) return [];
  const flat = rules.filter((rule) => isFlat(rule) && rule.right - rule.x > SHORTEST);
  const upright = rules.filter((rule) => isUpright(rule) && rule.bottom - rule.y > SHORTEST);
  if (flat.length < 3 || upright.length < 3) return [];
  return componentsOf([...flat, ...upright]).flatMap((part) => gridOf(words, part) ?? []);
}

const isFlat = ({ y, bottom }: PdfBox): boolean => bottom - y < SAME;
const isUpright = ({ x, right }: PdfBox): boolean => right - x < SAME;

/** Groups rules (drawn lines) that touch each other, directly or through other rules. */
function componentsOf(rules: readonly PdfBox[]): PdfBox[][] {
  const parent = rules.map((_, i) => i);
  const find = (i: number): number => {
    let root = i;
    while (parent[root] !== root) root = parent[root] as number;
    parent[i] = root;
    return root;
  };
  const sorted = rules.map((rule, i) => ({ ...rule, i })).sort((a, b) => a.x - b.x);
  for (const [at, rule] of sorted.entries()) {
    for (let j = at + 1; j < sorted.length; j++) {
      const other = sorted[j] as typeof rule;
      if (other.x > rule.right + SAME) break;
      if (other.y <= rule.bottom + SAME && other.bottom >= rule.y - SAME) parent[find(rule.i)] = find(other.i);
    }
  }
  return [...Map.groupBy(rules, (_, i) => find(i)).values()];
}

function gridOf(words: readonly PdfWord[], rules: readonly PdfBox[]) {
  const xs = distinct(rules.filter(isUpright).map(({ x }) => x));
  const ys = distinct(rules.filter(isFlat).map(({ y }) => y));
  if (xs.length < 3 || ys.length < 3) return null;
  const [x, right, y, bottom] = [xs[0] ?? 0, xs.at(-1) ?? 0, ys[0] ?? 0, ys.at(-1) ?? 0];
  const columns = xs.length - 1;
  const cells = Array.from({ length: ys.length - 1 }, () => Array.from({ length: columns }, (): PdfWord[] => []));
  const inside = new Set<PdfWord>();
  for (const word of words) {
    const column = slotOf(xs, (word.x + word.right) / 2);
    const row = slotOf(ys, (word.y + word.bottom) / 2);
    if (column === null || row === null) continue;
    cells[row]?.[column]?.push(word);
    inside.add(word);
  }
  const filled = cells.flat().filter((cell) => cell.length > 0).length;
  if (filled < cells.length * columns * FILLED_SHARE || filled < 3) return null;
  const kept = cells.filter((row) => row.some((cell) => cell.length > 0));
  const used = Array.from({ length: columns }, (_, c) => kept.some((row) => (row[c]?.length ?? 0) > 0));
  const rows = kept.map((row) => row.filter((_, c) => used[c]).map((cell) => linesOf(fragmentsOf(cell))));
  if (used.filter(Boolean).length < 2) return null;
  const region: TableRegion = { type: "table", rows };
  return { region, words: inside, x, y, right, bottom };
}

/** Returns the sorted values. Of several values that are nearly equal, only the first is kept. */
function distinct(values: readonly number[]): number[] {
  const kept: number[] = [];
  for (const value of [...values].sort((a, b) => a - b)) if (value - (kept.at(-1) ?? Number.NEGATIVE_INFINITY) > SAME) kept.push(value);
  return kept;
}

function slotOf(edges: readonly number[], value: number): number | null {
  const at = edges.findLastIndex((edge) => edge <= value);
  return at < 0 || at >= edges.length - 1 ? null : at;
}

/** A region of a page in the reading order: a column or a table. */
export type Region = { readonly type: "column"; readonly lines: readonly PdfLine[] } | TableRegion;

export interface TableRegion {
  readonly type: "table";
  /** Rows of cells. A cell consists of its lines from top to bottom. */
  readonly rows: readonly (readonly (readonly PdfLine[])[])[];
}

/** Minimum gap between columns, in points. The narrowest usual gap is 10 points. */
const GUTTER = 5;
/**
 * Columns count as a table if at least this share of the steps from one fragment to the next, in file order, leads to
 * another column. Files contain tables row by row, but columns of text one after the other.
 */
const ACROSS_SHARE = 0.12;
/** Maximum distance of lines in one row, as a multiple of the line height. */
const ROW_GAP = 0.9;
/** Minimum vertical overlap of fragments that count as side by side, as a multiple of the letter size. */
const BESIDE = 0.2;
/** Minimum by which gaps between rows exceed gaps between lines within a cell, as a multiple of the line height. */
const WIDER_GAP = 0.2;
/**
 * Minimum share of full lines that shows that gaps separate rows. The last line of a cell is not counted. A line is
 * full if the first word of the next line would not have fitted on it.
 */
const WRAPPED_SHARE = 0.8;
/** Matches the usual beginning of a cell. At most `OPENING_SHARE` of the lines below the first line of a cell may match. */
const OPENING = /^[\p{Lu}\p{N}\p{Sc}]/u;
const OPENING_SHARE = 0.7;

/**
 * Splits a page into regions in reading order. Consecutive lines with gaps at the same place are either columns or a table. Columns are
 * read one after the other, a table row by row. The order of the fragments in the file decides which of the two it is.
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

/** @param gutters where the gaps between the columns begin, in points */
function columnBy(gutters: readonly number[]): ColumnOf {
  return ({ x }) => gutters.filter((from) => x >= from).length;
}

function fileOrder(fragments: readonly PdfLine[], order: ReadonlyMap<PdfLine, number>): PdfLine[] {
  return [...fragments].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
}

/** Returns the regions of all columns, one column after the other. */
function readDown(fragments: readonly PdfLine[], columns: number, columnOf: ColumnOf, depth: number): Region[] {
  const parts = Array.from({ length: columns }, (_, column) => fragments.filter((fragment) => columnOf(fragment) === column));
  return parts.flatMap((part) => regionsOf(part, depth + 1));
}

/** Checks whether the file order crosses a gap only once, as it does between columns. In a table, it crosses the gap in every row. */
function isCrossedOnce(inOrder: readonly PdfLine[], from: number): boolean {
  return inOrder.filter(({ x }, i) => i > 0 && x >= from !== (inOrder[i - 1] as PdfLine).x >= from).length === 1;
}

/** Counts the strips (lines across the page) with text in more than one column. */
function pairedBy(strips: readonly (readonly PdfLine[])[], columnOf: ColumnOf): number {
  return strips.filter((strip) => new Set(strip.map(columnOf)).size > 1).length;
}

/** Splits off the strips with a single fragment, e.g. a heading, at the top and bottom. They may cover gaps between columns. */
function withoutLooseEnds(strips: readonly PdfLine[][]): [PdfLine[][], PdfLine[][], PdfLine[][]] {
  const first = strips.findIndex((strip) => strip.length > 1);
  const last = strips.findLastIndex((strip) => strip.length > 1);
  return [strips.slice(0, first), strips.slice(first, last + 1), strips.slice(last + 1)];
}

/** Groups consecutive strips (lines across the page) that have a gap at the same place. */
function bandsOf(strips: readonly (readonly PdfLine[])[]): PdfLine[][][] {
  const bands: PdfLine[][][] = [];
  let band: PdfLine[][] = [];
  /** Horizontal extents that the strips of the current band cover. `hasGutter` is true if there is a gap between them. */
  let standing: readonly Span[] = [];
  let hasGutter = false;
  // Damaged fonts can yield NaN positions, which cannot be sorted. If there are any, compute the extents for each
  // strip from all fragments of the band.
  const isOrdered = strips.every((strip) => strip.every(({ x, right }) => x <= right));
  for (const strip of strips) {
    const together = [...standing, ...strip];
    const [joined, alone] = [coverOf(together), coverOf(strip)];
    const isParted = band.length > 0 && joined.length < 2 && (hasGutter || alone.length > 1);
    let cover: readonly Span[] = joined;
    if (isParted) {
      const beside = standsBeside(band.at(-1), strip) ? band.slice(-1) : [];
      if (band.length > beside.length) bands.push(band.slice(0, band.length - beside.length));
      band = beside;
      cover = coverOf([...beside.flat(), ...strip]);
    }
    band.push([...strip]);
    hasGutter = cover.length > 1;
    standing = isOrdered ? cover : isParted ? band.flat() : together;
  }
  if (band.length > 0) bands.push(band);
  return bands;
}

/** Checks whether `above` is one fragment that begins a cell in the row of `strip`: it overlaps vertically with a fragment beside it. */
function standsBeside(above: readonly PdfLine[] | undefined, strip: readonly PdfLine[]): boolean {
  const [one, ...others] = above ?? [];
  if (one === undefined || others.length > 0) return false;
  return strip.some(({ y, x, right, size }) => one.bottom - y > size * BESIDE && (x > one.right || right < one.x));
}

/** Returns where the horizontal gaps begin that no fragment covers, with text on both sides. */
function guttersOf(fragments: readonly PdfLine[]): number[] {
  return coverOf(fragments)
    .slice(0, -1)
    .map(({ right }) => right);
}

/** A horizontal extent, in points. */
type Span = Pick<PdfBox, "x" | "right">;

/** Returns the horizontal extents that fragments cover. Fragments less than `GUTTER` apart are merged. */
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

/** Checks whether the first column contains only the marks of list items. Such marks are no column. */
function isList(first: readonly PdfLine[]): boolean {
  return first.every(({ words }) => words.length === 1 && BULLET.test(words[0]?.text ?? ""));
}

/**
 * Checks whether fragments form columns: they are side by side in at least two strips, or two columns have at least
 * three lines each. Otherwise the gap may be chance, as with a centred title above a heading.
 */
function areColumns(strips: readonly (readonly PdfLine[])[], fragments: readonly PdfLine[], columnOf: ColumnOf): boolean {
  const columns = [...Map.groupBy(fragments, columnOf).values()];
  return pairedBy(strips, columnOf) >= 2 || columns.filter(({ length }) => length >= 3).length >= 2;
}

function isReadAcross(columns: readonly number[]): boolean {
  const across = columns.filter((column, i) => i > 0 && column !== columns[i - 1]).length;
  return across >= 3 && across / (columns.length - 1) >= ACROSS_SHARE;
}

/** Builds the table. Rows above or below it with a single filled cell become text. */
function tableOf(strips: readonly (readonly PdfLine[])[], columns: number, columnOf: ColumnOf): Region[] {
  const rows = rowsByGaps(strips, columns, columnOf) ?? rowsByFirstColumn(strips, columns, columnOf);
  const hasCells = (row: Row) => row.filter((cell) => cell.length > 0).length > 1;
  const [first, last] = [rows.findIndex(hasCells), rows.findLastIndex(hasCells)];
  const loose = (part: readonly Row[]): Region[] => (part.length === 0 ? [] : [{ type: "column", lines: linesOf(part.flat(2)) }]);
  const table = rows.slice(first, last + 1).map((row) => row.map((cell) => linesOf(cell)));
  return [...loose(rows.slice(0, first)), { type: "table", rows: table }, ...loose(rows.slice(last + 1))];
}

type Row = readonly (readonly PdfLine[])[];

function emptyRow(columns: number): PdfLine[][] {
  return Array.from({ length: columns }, (): PdfLine[] => []);
}

/** Groups consecutive strips into rows. A row begins at a strip with text in the first column, or after a gap. */
function rowsByFirstColumn(strips: readonly (readonly PdfLine[])[], columns: number, columnOf: ColumnOf): Row[] {
  const rows: PdfLine[][][] = [];
  let bottom = Number.NEGATIVE_INFINITY;
  for (const strip of strips) {
    const top = least(strip.map(({ y }) => y));
    const height = greatest(strip.map((fragment) => fragment.bottom - fragment.y));
    const hasFirst = strip.some((fragment) => columnOf(fragment) === 0);
    const isNear = top - bottom < height * ROW_GAP;
    const last = rows.at(-1);
    const isContinued = last !== undefined && isNear && !hasFirst;
    const row = isContinued ? last : emptyRow(columns);
    if (!isContinued) rows.push(row);
    for (const fragment of strip) row[columnOf(fragment)]?.push(fragment);
    bottom = greatest(strip.map((fragment) => fragment.bottom));
  }
  return rows;
}

/**
 * Splits fragments into rows at gaps that are larger than those between the lines of a cell. Returns `null` if gaps do not separate rows.
 * They do if most lines within cells are full and continuation lines seldom begin like a cell (`OPENING`).
 */
function rowsByGaps(strips: readonly (readonly PdfLine[])[], columns: number, columnOf: ColumnOf): Row[] | null {
  const cells = Array.from({ length: columns }, (_, column) => strips.flat().filter((fragment) => columnOf(fragment) === column));
  const steps = cells.flatMap((cell) => cell.slice(1).map((fragment, i) => fragment.y - (cell[i] as PdfLine).bottom));
  const height = greatest(strips.flat().map((fragment) => fragment.bottom - fragment.y));
  const nearest = least(steps.filter((step) => step > -height / 2));
  const rows: PdfLine[][][] = [];
  let bottom = Number.NEGATIVE_INFINITY;
  for (const fragment of strips.flat().sort((a, b) => a.y - b.y)) {
    if (fragment.y - bottom > nearest + height * WIDER_GAP) rows.push(emptyRow(columns));
    rows.at(-1)?.[columnOf(fragment)]?.push(fragment);
    bottom = Math.max(bottom, fragment.bottom);
  }
  const rights = cells.map((cell) => greatest(cell.map(({ right }) => right)));
  const pairs = rows.flatMap((row) => row.flatMap((cell, column) => pairsOf(linesOf(cell), rights[column] ?? 0)));
  const full = pairs.filter(({ last, line, right }) => isFull(last, line, right)).length;
  const opening = pairs.filter(({ line }) => OPENING.test(line.words[0]?.text ?? "")).length;
  const areCells = pairs.length > 0 && full >= pairs.length * WRAPPED_SHARE && opening <= pairs.length * OPENING_SHARE;
  return rows.length > 1 && areCells ? rows : null;
}

function pairsOf(lines: readonly PdfLine[], right: number): { readonly last: PdfLine; readonly line: PdfLine; readonly right: number }[] {
  return lines.slice(1).map((line, i) => ({ last: lines[i] as PdfLine, line, right }));
}
