import type {
  Block,
  NamedCell,
  Passage,
  PassageDocument,
  PlacedUnit,
  SourceText,
  StoredDocument,
  TextRange,
  Unit,
} from "../shared/types.ts";
import { firstAfter, firstIndex } from "./numbers.ts";
import { tokenize } from "./tokens.ts";

/** The fields of a document from which `unitsIn` finds its units. A unit is a heading, sentence, list item or table row. */
type UnitSource = Pick<StoredDocument, "text" | "blocks" | "units" | "pages">;

/** Maximum length of a table's caption, in characters. */
const MAX_CAPTION = 400;
/** Matches the end of a sentence that does not introduce the text after it. */
const IS_CLOSED = /[.!;,…。][)\]"'”’]*$/;
/** Matches a reference to a table below: "the following table", "this table", "the table below shows". */
const NAMES_TABLE = /\b(?:this|following|next) tables?\b|\btables? (?:below|that follows|shows?|lists?|gives?)\b/i;
/** Matches the start of a numbered caption: "Table 3. Fees in dollars." */
const NUMBERS_TABLE = /^(?:table|tab\.)\s{1,2}[A-Z\d]/i;
/** Maximum number of blocks to look back for the start of a list or table. A hostile document may be one long table. */
const MAX_LOOK_BACK = 2_000;

/**
 * Returns the units of `range` in order, each with its headings, its page and the context that a list item or row needs.
 * Units do not overlap, and together they contain every word of the range. A unit that extends beyond the range is cut.
 * Context, except headings, comes only from inside `bounds`. Time is linear in the length of the range.
 *
 * @example unitsIn(document, passage.range)[0]?.headingPath // ["Decision reviews", "Time limits"]
 */
export function unitsIn(source: UnitSource, range: TextRange = wholeOf(source), bounds: TextRange = wholeOf(source)): PlacedUnit[] {
  const { text, blocks, units, pages = null } = source;
  const placed: PlacedUnit[] = [];
  const first = firstAfter(units, range.start);
  const surroundings = createSurroundings(source, bounds);
  const seed = (block: number) => {
    const above = headingsAbove(blocks, block);
    // A section that began before the range may end inside it. After that end, the headings above the section apply again.
    const ends = above.flatMap(({ start, sectionEnd }) => (start <= range.start && sectionEnd !== undefined ? [sectionEnd] : []));
    return { walk: walkHeadings(above), path: above as readonly Block[], until: Math.min(...ends) };
  };
  let { walk, path, until } = seed(units[first]?.block ?? -1);
  let named = path;
  let headingPath = namesOf(path, text);
  for (let i = first; i < units.length; i++) {
    const unit = units[i] as Unit;
    if (unit.start >= range.end) break;
    const block = blocks[unit.block];
    if (unit.start >= until) ({ walk, path, until } = seed(unit.block));
    const isEntered = unit.type === "heading" && block !== undefined && path.at(-1) !== block;
    const next = isEntered ? walk.enter(block) : walk.at(unit.start);
    if (next !== named) headingPath = namesOf(next, text);
    [path, named] = [next, next];
    const start = Math.max(unit.start, range.start);
    const around = surroundings(unit.block);
    const leadIn = around.leadIn ?? runInBefore(source, unit, bounds);
    placed.push({ ...unit, start, end: Math.min(unit.end, range.end), headingPath, page: pageAt(pages, start), ...around, leadIn });
  }
  return placed;
}

/** Returns the texts above a unit that give its topic, outermost first: headings, caption of a table, lead-in of a list, table header. */
export function aboveUnit({ headingPath, caption, leadIn, header }: PlacedUnit): string[] {
  const around = [caption, leadIn, header].flatMap((one) => (one === null ? [] : [one.text]));
  return [...headingPath, ...around];
}

/** Returns the unit of a passage at an offset of the document, or `undefined`. */
export function unitAt({ units }: { readonly units: readonly PlacedUnit[] }, offset: number): PlacedUnit | undefined {
  const unit = units[firstAfter(units, offset)];
  return unit !== undefined && unit.start <= offset ? unit : undefined;
}

/** Returns the run-in heading that begins the unit's paragraph. Returns `null` without one, and for the sentence that includes it. */
function runInBefore({ text, blocks }: UnitSource, unit: Unit, bounds: TextRange): SourceText | null {
  const { start, runIn } = blocks[unit.block] as Block;
  const isBelow = runIn !== undefined && unit.start >= runIn && start >= bounds.start;
  return isBelow ? toSourceText(text, { start, end: runIn }) : null;
}

type Surroundings = Pick<PlacedUnit, "leadIn" | "header" | "caption">;
const NONE: Surroundings = { leadIn: null, header: null, caption: null };

/** Returns a function that finds the context of a block in a list or table. Call it with ascending indexes; repeats are allowed. */
function createSurroundings(source: UnitSource, bounds: TextRange): (block: number) => Surroundings {
  const { blocks } = source;
  const within = (one: SourceText | null) => (one !== null && one.start >= bounds.start && one.end <= bounds.end ? one : null);
  let known = -1;
  let found = NONE;
  let group: Group | null = null;
  return (index) => {
    if (index === known) return found;
    const type = blocks[index]?.type;
    if (type !== "list-item" && type !== "table-row") group = null;
    else if (group === null || group.type !== type || group.last !== index - 1 || !isTight(blocks, index)) {
      group = openGroup(source, index, type);
    } else group.read(index);
    known = index;
    found = group === null ? NONE : group.at(index);
    if (group !== null) found = { leadIn: within(found.leadIn), header: within(found.header), caption: within(found.caption) };
    return found;
  };
}

/** State of a walk through the blocks of a list or table. `last` is the index of the last block read. */
interface Group {
  readonly type: "list-item" | "table-row";
  last: number;
  read(index: number): void;
  at(index: number): Surroundings;
}

function openGroup(source: UnitSource, index: number, type: Group["type"]): Group {
  const { blocks } = source;
  let from = index;
  while (from > 0 && index - from < MAX_LOOK_BACK && blocks[from - 1]?.type === type && isTight(blocks, from)) from--;
  const group = type === "list-item" ? openList(source, from) : openTable(source, from);
  for (let i = from; i <= index; i++) group.read(i);
  return group;
}

function openList(source: UnitSource, first: number): Group {
  const { blocks } = source;
  const lead = leadBefore(source, first);
  /** Indexes of the last item read and of the items that enclose it, outermost first. */
  let open: number[] = [];
  const levelOf = (index: number) => blocks[index]?.level ?? 0;
  return {
    type: "list-item",
    last: first - 1,
    read(index) {
      open = [...open.filter((item) => levelOf(item) < levelOf(index)), index];
      this.last = index;
    },
    at() {
      const parent = open.at(-2);
      return { ...NONE, leadIn: parent === undefined ? lead : lastUnitOf(source, parent) };
    },
  };
}

function openTable(source: UnitSource, first: number): Group {
  const { text, blocks } = source;
  const caption = captionBefore(source, first);
  const textOf = (index: number) => text.slice(blocks[index]?.start ?? 0, blocks[index]?.end ?? 0);
  const isNamed = blocks[first]?.header === first;
  const isSingle = (index: number) => blocks[index]?.type === "table-row" && !textOf(index).includes("|");
  /** True if the first row below the header has one cell, unlike other rows. Then each row of one cell labels the rows below it. */
  const hasLabels = isSingle(isNamed ? first + 1 : first) && !isSingle(isNamed ? first : first + 1);
  let label = -1;
  let isLabel = false;
  return {
    type: "table-row",
    last: first - 1,
    read(index) {
      isLabel = isSingle(index) && (hasLabels || textOf(index).endsWith(":"));
      if (isLabel) label = index;
      this.last = index;
    },
    at(index) {
      const header = blocks[index]?.header ?? -1;
      const above = header < 0 || header === index ? null : toSourceText(text, blocks[header]);
      return { caption, header: above, leadIn: isLabel || label < 0 ? null : toSourceText(text, blocks[label]) };
    },
  };
}

/** Returns the last sentence before a list, or `null` if it ends with a full stop or a similar sign. Then it introduces nothing. */
function leadBefore(source: UnitSource, first: number): SourceText | null {
  const before = source.blocks[first - 1];
  if (before === undefined || (before.type !== "paragraph" && before.type !== "quote")) return null;
  const last = lastUnitOf(source, first - 1);
  return last === null || IS_CLOSED.test(last.text) ? null : last;
}

/**
 * Returns the last sentence before a table if it introduces the table. That is so if it does not end with a full stop or
 * a similar sign, refers to the table, is a numbered caption, or shares a word with the header of the table.
 */
function captionBefore(source: UnitSource, first: number): SourceText | null {
  const { text, blocks } = source;
  const before = blocks[first - 1];
  if (before?.type !== "paragraph") return null;
  const last = lastUnitOf(source, first - 1);
  if (last === null || last.text.length > MAX_CAPTION) return null;
  if (!IS_CLOSED.test(last.text) || NAMES_TABLE.test(last.text)) return last;
  if (NUMBERS_TABLE.test(text.slice(before.start, before.start + 20))) return last;
  const header = blocks[blocks[first]?.header ?? -1];
  const columns = new Set(header === undefined ? [] : tokenize(text.slice(header.start, header.end)));
  return tokenize(last.text).some((word) => columns.has(word)) ? last : null;
}

function lastUnitOf({ text, blocks, units }: UnitSource, index: number): SourceText | null {
  const block = blocks[index];
  if (block === undefined) return null;
  const unit = units[firstAfter(units, block.end - 1)];
  return unit === undefined || unit.block !== index ? null : toSourceText(text, unit);
}

function toSourceText(text: string, range: TextRange | undefined): SourceText | null {
  return range === undefined ? null : { start: range.start, end: range.end, text: text.slice(range.start, range.end) };
}

/** Checks that a block follows the previous one after a single line break, as items of one list and rows of one table do. */
function isTight(blocks: readonly Block[], index: number): boolean {
  const before = blocks[index - 1];
  const block = blocks[index];
  return before !== undefined && block !== undefined && block.start - before.end === 1;
}

/** Returns the texts of headings, as far as a heading path contains them. */
export function namesOf(path: readonly TextRange[], text: string): string[] {
  return path.map(({ start, end }) => text.slice(start, Math.min(end, start + MAX_HEADING)));
}

/** Returns the page that contains an offset, from 1; `null` for a document without pages. */
export function pageAt(pages: readonly number[] | null, offset: number): number | null {
  if (pages === null) return null;
  const page = firstIndex(pages.length, (i) => (pages[i] as number) > offset);
  return Math.max(1, page);
}

function wholeOf({ text }: UnitSource): TextRange {
  return { start: 0, end: text.length };
}

/**
 * Pairs the cells of a row with the cells of the table's header. Both are in normalised text (`a | b | c`); empty cells
 * are omitted. Returns `null` if the row has no cells or more than the header.
 *
 * @example nameCells("Form | Deadline", "10182 | 1 year") // [{ name: "Form", text: "10182" }, { name: "Deadline",
 * text: "1 year" }]
 */
export function nameCells(header: string, row: string): NamedCell[] | null {
  const names = cellsOf(header);
  const texts = cellsOf(row);
  if (texts.length < 2 || texts.length > names.length) return null;
  const cells = texts.flatMap((text, i) => (text === "" ? [] : [{ name: names[i] ?? "", text }]));
  return cells.length === 0 ? null : cells;
}

/** Formats the cells of a row for display: `Form: 10182; Deadline: 1 year`. */
export function readCells(cells: readonly NamedCell[]): string {
  return cells.map(({ name, text }) => (name === "" || name === text ? text : `${name}: ${text}`)).join("; ");
}

/** Splits a row or header in normalised text into its cells, including empty ones. */
export function cellsOf(row: string): string[] {
  return row.split("|").map((cell) => cell.trim());
}

/** Returns the headings of a document, in order. */
export function outlineOf(text: string, blocks: readonly Block[]) {
  return blocks
    .filter(({ type }) => type === "heading")
    .map(({ start, end, level }) => ({ start, level, text: text.slice(start, Math.min(end, start + MAX_HEADING)) }));
}

/** Returns the headings above an offset, outermost first, including one that begins there. */
export function headingPathAt({ text, blocks }: Pick<StoredDocument, "text" | "blocks">, offset: number): string[] {
  const walk = walkHeadings<Block>();
  for (const block of blocks) {
    if (block.start > offset) break;
    if (block.type === "heading") walk.enter(block);
  }
  return namesOf(walk.at(offset), text);
}

/** Maximum length of a heading in a path, in characters. Nobody names a longer heading in a question. */
const MAX_HEADING = 300;

type Levelled = Pick<Block, "level" | "start" | "sectionEnd">;

/** Walks through a document and returns the heading path at each heading and offset. Offsets must be passed in ascending order. */
interface HeadingWalk<T> {
  enter(heading: T): readonly T[];
  /** Returns the same array as the last call if the path is the same. */
  at(offset: number): readonly T[];
}

/** @param path headings above the start of the walk, outermost first */
export function walkHeadings<T extends Levelled>(path: readonly T[] = []): HeadingWalk<T> {
  /** For each open section with a known end, outermost first: the end, and the heading path that applies again from there on. */
  const outer: { readonly end: number; readonly path: readonly T[] }[] = [];
  let current: readonly T[] = [];
  const at = (offset: number): readonly T[] => {
    for (let last = outer.at(-1); last !== undefined && last.end <= offset; last = outer.at(-1)) {
      current = last.path;
      outer.pop();
    }
    return current;
  };
  const enter = (heading: T): readonly T[] => {
    at(heading.start);
    const { sectionEnd } = heading;
    if (sectionEnd !== undefined && outer.at(-1)?.end !== sectionEnd) outer.push({ end: sectionEnd, path: current });
    // The heading ends every section of its own level or of a deeper level.
    const outermost = current.findIndex(({ level }) => level >= heading.level);
    current = [...(outermost < 0 ? current : current.slice(0, outermost)), heading];
    return current;
  };
  for (const heading of path) enter(heading);
  return { enter, at };
}

/** Returns the headings above a block, outermost first. Includes the block itself if it is a heading. */
function headingsAbove<T extends Levelled & { readonly type: string }>(blocks: readonly T[], index: number): T[] {
  const path: T[] = [];
  const at = blocks[index]?.start ?? 0;
  for (let i = index; i >= 0 && (path[0]?.level ?? Number.POSITIVE_INFINITY) > 1; i--) {
    const block = blocks[i] as T;
    const isOpen = block.type === "heading" && (block.sectionEnd ?? Number.POSITIVE_INFINITY) > at;
    if (isOpen && block.level < (path[0]?.level ?? Number.POSITIVE_INFINITY)) path.unshift(block);
  }
  return path;
}

/** The fields of a document that a passage needs. The document may come from the store, or be parsed again from its file. */
export type PassageSource = PassageDocument & Pick<StoredDocument, "text" | "units">;

/** Position and scores of a passage. */
export interface PassagePlace extends Pick<Passage, "sid" | "chunkId" | "window" | "scores"> {
  readonly range: TextRange;
  /** Range of the document from which context may be taken; `null`: the whole document. */
  readonly bounds: TextRange | null;
  /** Headings above the passage; if absent, they are read from the document. */
  readonly headingPath?: readonly string[] | undefined;
}

/** Creates a passage from a range of a document; `null` if the range holds no text. */
export function readPassage(document: PassageSource, { range, bounds, headingPath, ...place }: PassagePlace): Passage | null {
  const units = unitsIn(document, range, bounds ?? undefined);
  if (units.length === 0) return null;
  const end = Math.min(bounds?.end ?? Number.POSITIVE_INFINITY, document.text.length);
  return {
    ...place,
    ...(bounds === null ? {} : { bounds: { start: bounds.start, end } }),
    document: fingerprintOf(document),
    headingPath: headingPath ?? headingPathAt(document, range.start),
    range,
    text: document.text.slice(range.start, range.end),
    units,
  };
}

function fingerprintOf(document: PassageSource): PassageDocument {
  const { id, path, title, url, asOf, authority, version, originalHash, normaliser, blocks, sourceMap, pages = null, reading } = document;
  const known = { id, path, title, url, asOf, authority, version, originalHash, normaliser, blocks, sourceMap, pages };
  return reading === undefined ? known : { ...known, reading };
}

/** Returns the innermost heading above the passage's best window, or above its start; `null` without one. */
export function headingOf(passage: Passage): string | null {
  const unit = unitAt(passage, passage.window.start) ?? passage.units[0];
  return (unit?.headingPath ?? passage.headingPath).at(-1) ?? null;
}
