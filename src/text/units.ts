import type {
  Block,
  Heading,
  NamedCell,
  Passage,
  PassageDocument,
  PlacedUnit,
  SourceText,
  StoredDocument,
  TextRange,
  Unit,
} from "../shared/types.ts";
import { firstIndex } from "./numbers.ts";
import { tokenize } from "./tokens.ts";

/** What of a document is needed to place its units; a stored document fits. */
interface UnitSource {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly units: readonly Unit[];
  /** Where each page begins; absent or `null`: there are none. */
  readonly pages?: readonly number[] | null;
}

/** Longer sentences are no caption of a table, in characters. */
const MAX_CAPTION = 400;
/** How a sentence ends that announces nothing. */
const IS_CLOSED = /[.!;,…。][)\]"'”’]*$/;
/** What a sentence calls the table that it stands above: "the following table", "this table", "the table below shows". */
const NAMES_TABLE = /\b(?:this|following|next) tables?\b|\btables? (?:below|that follows|shows?|lists?|gives?)\b/i;
/** How a paragraph begins that is the caption of a table: "Table 3. Fees in dollars." */
const NUMBERS_TABLE = /^(?:table|tab\.)\s{1,2}[A-Z\d]/i;
/** How far back a list or a table is followed to its beginning, in blocks: hostile documents are one long table. */
const MAX_LOOK_BACK = 2_000;

/**
 * The units of a part of a document, each with where it stands: its own headings, its page, what a list item or a row cannot be
 * understood without. In order, not overlapping; together they hold every word of the part. A unit that reaches beyond the part is cut to
 * it. What lies outside `bounds` is named by no unit, headings aside. Time is linear in the part.
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
    // What holds again behind a section that began before the part is not among them.
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

/** What stands above a unit and says what it is about, outermost first: headings, a table's caption and header, a list's lead-in. */
export function aboveUnit({ headingPath, caption, leadIn, header }: PlacedUnit): string[] {
  const around = [caption, leadIn, header].flatMap((one) => (one === null ? [] : [one.text]));
  return [...headingPath, ...around];
}

/** The unit of a passage in which an offset of the document stands; `undefined` where none does. */
export function unitAt({ units }: { readonly units: readonly PlacedUnit[] }, offset: number): PlacedUnit | undefined {
  const unit = units[firstAfter(units, offset)];
  return unit !== undefined && unit.start <= offset ? unit : undefined;
}

/** The run-in head of the paragraph in which a later sentence stands. */
function runInBefore({ text, blocks }: UnitSource, unit: Unit, bounds: TextRange): SourceText | null {
  const { start, runIn } = blocks[unit.block] as Block;
  const isBelow = runIn !== undefined && unit.start >= runIn && start >= bounds.start;
  return isBelow ? toSourceText(text, { start, end: runIn }) : null;
}

type Surroundings = Pick<PlacedUnit, "leadIn" | "header" | "caption">;
const NONE: Surroundings = { leadIn: null, header: null, caption: null };

/** Reads lists and tables as blocks are asked for in order; units of one block share what is found. */
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

/** A list or a table as far as it has been read. */
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
  /** The items in which the last one read stands, itself last. */
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
  /** A table that begins with a row of one cell has such a row above each group of rows. */
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

/** The last sentence before a list, unless it is closed by a full stop: then it announces nothing. */
function leadBefore(source: UnitSource, first: number): SourceText | null {
  const before = source.blocks[first - 1];
  if (before === undefined || (before.type !== "paragraph" && before.type !== "quote")) return null;
  const last = lastUnitOf(source, first - 1);
  return last === null || IS_CLOSED.test(last.text) ? null : last;
}

/** The last sentence before a table, where it introduces it: it is not closed by a full stop, or names the table or what stands in one of its columns. */
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

/** Items of one list and rows of one table are a single line break apart. */
function isTight(blocks: readonly Block[], index: number): boolean {
  const before = blocks[index - 1];
  const block = blocks[index];
  return before !== undefined && block !== undefined && block.start - before.end === 1;
}

function namesOf(path: readonly Block[], text: string): string[] {
  return path.map(({ start, end }) => text.slice(start, Math.min(end, start + MAX_HEADING)));
}

/** The page on which an offset stands, from 1; `null` without pages. */
function pageAt(pages: readonly number[] | null, offset: number): number | null {
  return pages === null
    ? null
    : Math.max(
        1,
        firstIndex(pages.length, (i) => (pages[i] as number) > offset),
      );
}

/** Index of the first unit that ends after an offset. */
function firstAfter(units: readonly Unit[], offset: number): number {
  return firstIndex(units.length, (i) => (units[i] as Unit).end > offset);
}

function wholeOf({ text }: UnitSource): TextRange {
  return { start: 0, end: text.length };
}

/**
 * Cells of a row under the header of its table, both as they stand in the normalised text (`a | b | c`); empty cells are left out.
 * `null` when the row cannot be read by its header: it has more cells, or none.
 *
 * @example nameCells("Form | Deadline", "10182 | 1 year") // [{ name: "Form", text: "10182" }, { name: "Deadline", text: "1 year" }]
 */
export function nameCells(header: string, row: string): NamedCell[] | null {
  const names = cellsOf(header);
  const texts = cellsOf(row);
  if (texts.length < 2 || texts.length > names.length) return null;
  const cells = texts.flatMap((text, i) => (text === "" ? [] : [{ name: names[i] ?? "", text }]));
  return cells.length === 0 ? null : cells;
}

/** One line for people: `Form: 10182; Deadline: 1 year`. */
export function readCells(cells: readonly NamedCell[]): string {
  return cells.map(({ name, text }) => (name === "" || name === text ? text : `${name}: ${text}`)).join("; ");
}

/** The cells of a row or a header as it stands in the normalised text, empty ones too. */
export function cellsOf(row: string): string[] {
  return row.split("|").map((cell) => cell.trim());
}

/** The headings of a document, in order. */
export function outlineOf(text: string, blocks: readonly Block[]): Heading[] {
  return blocks
    .filter(({ type }) => type === "heading")
    .map(({ start, end, level }) => ({ start, level, text: text.slice(start, Math.min(end, start + MAX_HEADING)) }));
}

/** Headings above an offset, outermost first, with one that begins there. */
export function headingPathAt({ text, blocks }: Pick<StoredDocument, "text" | "blocks">, offset: number): string[] {
  const walk = walkHeadings<Block>();
  for (const block of blocks) {
    if (block.start > offset) break;
    if (block.type === "heading") walk.enter(block);
  }
  return walk.at(offset).map(({ start, end }) => text.slice(start, Math.min(end, start + MAX_HEADING)));
}

/** Longer headings are cut in a path, in characters: nobody asks for a longer one by name. */
export const MAX_HEADING = 300;

interface Levelled {
  readonly level: number;
  readonly start: number;
  readonly sectionEnd?: number;
}

/** The path after one more heading: what it opens ends every section of its level and below. */
function enterHeading<T extends Levelled>(path: readonly T[], heading: T): T[] {
  const outer = path.findIndex(({ level }) => level >= heading.level);
  return [...(outer < 0 ? path : path.slice(0, outer)), heading];
}

/** Walks down a document: the path after each heading that is entered, and at offsets. Both ascend. */
interface HeadingWalk<T> {
  enter(heading: T): readonly T[];
  /** The same array as before where nothing changed. */
  at(offset: number): readonly T[];
}

/** @param path headings above the place where the walk begins, outermost first */
export function walkHeadings<T extends Levelled>(path: readonly T[] = []): HeadingWalk<T> {
  /** Paths that hold again where what is open ends. */
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
    current = enterHeading(current, heading);
    return current;
  };
  for (const heading of path) enter(heading);
  return { enter, at };
}

/** The headings under which a block stands, outermost first, itself included if it is one. Looks back as far as it must. */
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

/** What of a document a passage needs; a stored document fits, and one that was read again from its file. */
export type PassageSource = PassageDocument & Pick<StoredDocument, "text" | "units">;

/** Where a passage stands and what it scored. */
export interface PassagePlace extends Pick<Passage, "sid" | "chunkId" | "window" | "scores"> {
  readonly range: TextRange;
  /** What lies outside is named by no unit; `null`: the whole document may be. */
  readonly bounds: TextRange | null;
  /** Headings above the passage; absent: they are read from the document. */
  readonly headingPath?: readonly string[] | undefined;
}

/** A stretch of a document as a passage; `null` when nothing stands there. */
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
  return {
    id: document.id,
    path: document.path,
    title: document.title,
    url: document.url,
    asOf: document.asOf,
    authority: document.authority,
    version: document.version,
    originalHash: document.originalHash,
    normaliser: document.normaliser,
    blocks: document.blocks,
    sourceMap: document.sourceMap,
    pages: document.pages ?? null,
    ...(document.reading === undefined ? {} : { reading: document.reading }),
  };
}

/** The last heading at or above the window of a passage that was found; `null` when there is none. */
export function headingOf(passage: Passage): string | null {
  const unit = unitAt(passage, passage.window.start) ?? passage.units[0];
  return (unit?.headingPath ?? passage.headingPath).at(-1) ?? null;
}
