import { isStated } from "../language/compare-values.ts";
import { countNegators, type Reading } from "../language/content-words.ts";
import { clausesOf } from "../language/question.ts";
import type { Value } from "../language/values.ts";
import type { TextRange } from "../shared/types.ts";
import { once } from "../text/memo.ts";
import { cellsOf } from "../text/units.ts";
import { type CitedQuote, type Finding, finding } from "./finding.ts";
import {
  type Alignment,
  doubtOf,
  excepts,
  isBound,
  isWithin,
  type Misplaced,
  negatorsIn,
  type Part,
  type Reader,
  type Statement,
  wholeOf,
  wordsOf,
} from "./statements.ts";
import { bears } from "./values.ts";

/** The cited rows of one table. */
export type CitedTable = ReturnType<typeof tablesOf>[number];

/** Minimum number of rows or columns; with fewer, a cell cannot be confused with another. */
const FEWEST = 2;

/** Returns the tables with two or more cited rows. One row suffices if the table has at least two columns besides the row names. */
export function tablesOf(quotes: readonly CitedQuote[], reader: Reader) {
  const cited = quotes.filter(({ text, header }) => typeof header === "string" && cellsOf(text).length <= cellsOf(header).length);
  const tables = Map.groupBy(cited, ({ url, header, above = [] }) => [url, header, ...above].join("\u0000"));
  return [...tables.values()].flatMap((own) => {
    const [first] = own as [CitedQuote];
    const columns = cellsOf(first.header ?? "").map(reader.read);
    if (columns.length < FEWEST || own.length + columns.length < FEWEST + FEWEST) return [];
    const rows = own.map(({ text }) => {
      const cells = columns.map((_, i) => reader.read(cellsOf(text)[i] ?? ""));
      return { label: cells[0] as Reading, cells };
    });
    const isOwn = new Set(own);
    /** All cited sentences outside this table, analysed on first use. */
    const others = once(() => quotes.filter((quote) => !isOwn.has(quote)).flatMap((quote) => reader.statements(quote)));
    /** Title and headings above the rows. */
    const above = (first.above ?? []).filter((line) => line !== first.header).map(reader.read);
    return [{ columns, rows, labels: rows.map(({ label }) => label), others, above }];
  });
}

type TableRow = CitedTable["rows"][number];

/** A word root or a value. */
type Item = string | Value;

/**
 * Checks whether a claim gives a table cell to the wrong row or column. The claim counts as about the row whose first cell shares most
 * words with it, and about the column with the best matching header. Nothing is reported if the claim names two rows, also contains the
 * correct value, is negated or makes an exception, or if a cited sentence outside the table supports it.
 */
export function checkCells({ claim, given }: Pick<Alignment, "claim" | "given">, tables: readonly CitedTable[]): Finding | null {
  if (tables.length === 0) return null;
  const found = excepts(claim) ? [] : tables.flatMap((table) => partsOf(claim, table).flatMap((part) => misplacedIn(part, table, given)));
  return doubtOf("cells", found) ?? finding("cells", "pass", 1, "takes no cell from another row or column of a cited table");
}

/**
 * Splits a claim into clauses. Returns the whole sentence if a clause names a row without a cell or a cell without a
 * row, as in "A and B are x and y".
 */
function partsOf(claim: Reading, { rows, labels }: CitedTable): Part[] {
  const clauses = clausesOf(claim.text).map((range) => ({ claim, range }));
  if (clauses.length < 2) return [wholeOf(claim)];
  const says = clauses.map((part) => ({
    row: namedAmong(labels, part) !== null,
    cell: rows.some(({ cells }) => cells.slice(1).some((cell) => saysAll(part, cell))),
  }));
  return says.every(({ row, cell }) => row === cell) ? clauses : [wholeOf(claim)];
}

function misplacedIn(part: Part, table: CitedTable, given: Alignment["given"]): Misplaced[] {
  const named = namedAmong(table.labels, part);
  if (named === null) return [];
  const rows = named.map((i) => table.rows[i] as TableRow);
  const columns = columnsNamed(table, part);
  const names = [...rows.map(({ label }) => label), ...columns.map((i) => table.columns[i] as Reading)];
  if (negatorsIn(part) > Math.max(...names.map(({ text }) => countNegators(text)))) return [];
  return [...fromOtherRows(part, table, rows, given), ...fromOtherColumns(part, table, rows, columns)];
}

/** Finds cells of rows that the clause does not name, unless the clause also gives the cell of the named row in the same column. */
function fromOtherRows(part: Part, table: CitedTable, meant: readonly TableRow[], given: Alignment["given"]): Misplaced[] {
  const { label: name } = meant[0] as TableRow;
  return table.rows.flatMap((row) => {
    const own = row.label;
    // Skip a row that the question names, because the clause may be about it.
    const isAsked = itemsOf(own).some((item) => typeof item === "string" && given(item) && !holds(itemsOf(name), item));
    if (meant.includes(row) || isAsked) return [];
    return row.cells.flatMap((cell, i) => {
      const places = meant.map(({ cells }) => cells[i] as Reading);
      if (i === 0 || places.some((place) => itemsOf(place).length === 0)) return [];
      return misplaced(part, { cell, own, name, places, held: meant.flatMap(({ cells }) => cells) }, table);
    });
  });
}

/**
 * Finds cells of the named row in columns that the clause does not name. This cell and that in the named column must begin with a value of
 * the same kind. Text cells are not compared, because a header such as "type" fits many things.
 */
function fromOtherColumns(part: Part, table: CitedTable, meant: readonly TableRow[], columns: readonly number[]): Misplaced[] {
  if (columns.length === 0) return [];
  const name = table.columns[columns[0] as number] as Reading;
  return meant.flatMap(({ cells }) =>
    cells.flatMap((cell, i) => {
      const own = table.columns[i] as Reading;
      const places = columns.map((column) => cells[column] as Reading);
      const kind = cell.values[0]?.kind;
      if (i === 0 || columns.includes(i) || kind === undefined || places.some(({ values }) => values[0]?.kind !== kind)) return [];
      const held = meant.flatMap((row) => columns.map((column) => row.cells[column] as Reading));
      return misplaced(part, { cell, own, name, places, held }, table);
    }),
  );
}

/**
 * A cell that the claim may assign to the wrong row or column. `own` is the name of its row or column, `name` that of
 * the row or column that the claim names. `places` are the cells that the claim should give instead. `held` are the
 * cells that the claim may give: those of the named rows or, for a wrong column, only those in the named columns.
 */
type Placed = Readonly<Record<"cell" | "own" | "name", Reading> & Record<"places" | "held", readonly Reading[]>>;

/** Returns the cell if the claim assigns it to the wrong row or column; otherwise nothing. */
function misplaced(part: Part, { cell, own, name, places, held }: Placed, { columns, rows, above, others }: CitedTable): Misplaced[] {
  if (!saysAll(part, cell) || itemsOf(own).length === 0 || isNamedItself(part, own, name)) return [];
  const items = itemsOf(cell);
  const isHeldBy = (readings: readonly Reading[]) => {
    const all = readings.flatMap(itemsOf);
    return items.every((item) => holds(all, item));
  };
  const said = saidOf(part, name).filter((item) => !holds(items, item));
  const apart = said.filter((item) => !holds(itemsOf(own), item));
  const naming = apart.length > 0 ? apart : saysAll(part, name) && !saysAll(part, own) ? said : [];
  const isFree = places.every((place) => saidOf(part, place).every((item) => holds(items, item)));
  if (naming.length === 0 || !isFree || isHeldBy(held) || isHeldBy(columns) || above.some((line) => isHeldBy([line]))) return [];
  // A cited sentence outside the table may support the claim, if it contains the cell and either the name or a word not
  // in the table.
  const known = new Set([...columns, ...above, ...rows.flatMap(({ cells }) => cells)].flatMap(({ roots }) => [...roots]));
  const foreign = wordsOf(part).filter((root) => !known.has(root));
  const supports = (one: Statement) =>
    foreign.some((root) => one.roots.has(root)) ||
    naming.some((item) => holds(itemsOf(one), item) || (typeof item === "string" && one.above.has(item)));
  if (others().some((one) => isHeldBy([one]) && supports(one))) return [];
  const reason = `"${cell.text}" stands at "${own.text}" in the cited table; at "${name.text}" stands "${(places[0] as Reading).text}"`;
  return [{ reason, spans: items.flatMap((item) => placesOfItem(part, item, cell)) }];
}

/** Checks whether a clause contains the name `own` by itself, not only within the longer `name`: "member" in "non-member". */
function isNamedItself(part: Part, own: Reading, name: Reading): boolean {
  if (!saysAll(part, own)) return false;
  const text = part.claim.text.slice(part.range.start, part.range.end).toLowerCase();
  const [short, long] = [own.text.toLowerCase(), name.text.toLowerCase()];
  const isPart = long.includes(short) && text.includes(long);
  return !isPart || text.replaceAll(long, "").includes(short);
}

/**
 * Returns the indexes of the columns, except the first, whose headers share words with a clause. If the clause contains
 * all words of some headers, only these columns are returned: for "member", the column "member", but not "non-member".
 */
function columnsNamed({ columns }: CitedTable, part: Part): number[] {
  const headers = columns.slice(1);
  const named = namedAmong(headers, part) ?? [];
  const whole = named.filter((i) => saysAll(part, headers[i] as Reading));
  return (whole.length > 0 ? whole : named).map((i) => i + 1);
}

/**
 * Returns the indexes of the texts from which the clause repeats the most words and values. These are several if the
 * clause repeats the same words and values from each. Returns `null` if the clause repeats none, or if it repeats a
 * word or value of another text that the best text lacks.
 */
function namedAmong(readings: readonly Reading[], part: Part): number[] | null {
  const said = readings.map((reading) => saidOf(part, reading));
  const most = said.reduce((top, items) => (items.length > top.length ? items : top), []);
  if (most.length === 0 || said.some((items) => items.some((item) => !holds(most, item)))) return null;
  return said.flatMap((items, i) => (items.length === most.length ? [i] : []));
}

function itemsOf({ roots, values }: Reading): Item[] {
  return [...roots, ...values];
}

function holds(items: readonly Item[], item: Item): boolean {
  return items.some((one) =>
    typeof one === "string" || typeof item === "string" ? one === item : isStated(item, one) || isStated(one, item),
  );
}

function saidOf(part: Part, reading: Reading): Item[] {
  return itemsOf(reading).filter((item) => placesOfItem(part, item, reading).length > 0);
}

function saysAll(part: Part, reading: Reading): boolean {
  const items = itemsOf(reading);
  return items.length > 0 && items.every((item) => placesOfItem(part, item, reading).length > 0);
}

/** Returns where a clause contains a word or value. @param by cell or header from which the word or value comes */
function placesOfItem({ claim, range }: Part, item: Item, by: Reading): TextRange[] {
  return typeof item === "string"
    ? claim.words.filter((word) => isWithin(word, range) && word.root === item)
    : claim.values.filter((one) => isWithin(one, range) && isBound(one, item) && bears(item, one, claim, by));
}
