import { type AskedPart, askedPart, isPart } from "../language/question.ts";
import type { Passage, PlacedUnit, Quote, SourceText, TextRange } from "../shared/types.ts";
import { normalizeQuestion, RAISED } from "../text/normalise.ts";
import { onceEach } from "../text/numbers.ts";
import { isStopWord } from "../text/tokens.ts";
import { aboveUnit, cellsOf, unitAt } from "../text/units.ts";

/** A part of a passage that can be quoted alone: a sentence, a short list with all its items, a list item, a table row. */
export interface Candidate {
  readonly type: "sentence" | "list" | "item" | "row";
  readonly range: TextRange;
  /** Earlier text that is quoted with the candidate, e.g. a list's lead-in, a table's header, the sentence that "this" refers to. */
  readonly context: readonly TextRange[];
  /** Later text that is quoted with the candidate: conditions and exceptions right after it, and its footnotes. */
  readonly conditions: readonly TextRange[];
  /** The nearest heading above the candidate; empty without one. */
  readonly heading: string;
  /** All text above the candidate that gives its topic, one line each: headings, table caption and header, list lead-ins. */
  readonly above: string;
  /** Header of the table if the candidate is a row, even if the header is in an earlier passage; otherwise `null`. */
  readonly header: SourceText | null;
}

export interface CandidateCut {
  /** Maximum characters of one candidate. A longer one is omitted, not shortened. */
  readonly maxCharacters: number;
  /** Maximum number of candidates. If a passage has more, those before the window that retrieval found are dropped first. */
  readonly maxCandidates: number;
  /** True if the question asks for steps or a list. A list of up to `maxCharacters` then stays one candidate. */
  readonly wholeLists: boolean;
  /** True if the question names an item by its number ("step 4"). Each list item is then a separate candidate. @default false */
  readonly singleItems?: boolean;
}

/** Maximum characters of a list that stays one candidate with its lead-in. A question that asks for a list overrides it. */
const SHORT_LIST_CHARACTERS = 700;
/** Maximum number of conditions quoted after one candidate. */
const MAX_CONDITIONS = 2;

/** Matches the start of a sentence that is unclear without the sentence before it: "These …", "In that case …", "However …". */
const DANGLING =
  /^(?:["“'(]\s*)?(?:(?:its|their|his|her|this|these|those|they|them|it|he|she|such|both|either|neither|the (?:latter|former|same))\b(?!\s+(?:is|was)\s+(?:important|possible|necessary|recommended|best)\b)|(?:in|for|under|at|during|after|because of|if)\s+(?:that|this|these|those|such)\b|(?:then|also|however|nonetheless|even so|that said|instead|otherwise|therefore|thus|in addition|for example|for instance|as a result|yes|no)\b)/i;
/** Matches a sentence up to its first pronoun; the group is the text before the pronoun. */
const BEFORE_PRONOUN = /^(.+?)\b(?:it|they|them|he|him|she)\b/su;
/** Matches the start of a sentence that limits the sentence before it: "But …", "Unless …", "This does not …". */
const LIMITS =
  /^(?:["“'(*]\s*)?(?:(?:however|but|unless|except|(?:the (?:only|sole) )?exceptions?|only if|note|important|please note|otherwise|nonetheless|even so|this (?:does not|doesn['’]t|only|applies)|these (?:do not|don['’]t|only)|that said)\b)/i;

const MAY_LIMIT: ReadonlySet<PlacedUnit["type"]> = new Set(["paragraph", "list-item", "quote"]);

/** Returns the candidates of a passage in text order. */
export function candidatesOf(
  passage: Passage,
  { maxCharacters, maxCandidates, wholeLists, singleItems = false }: CandidateCut,
): Candidate[] {
  const listCharacters = singleItems ? 0 : wholeLists ? maxCharacters : Math.min(SHORT_LIST_CHARACTERS, maxCharacters);
  const candidates: Candidate[] = [];
  const { units } = passage;
  const spanOf = (from: number, to: number) => ({ start: (units[from] as PlacedUnit).start, end: (units[to] as PlacedUnit).end });
  let headingUnit = -1;
  const parted = partedRows(passage);
  const add = (type: Candidate["type"], at: number, { start, end }: TextRange, context: readonly TextRange[]) => {
    if (end - start > maxCharacters) return;
    const unit = units[at] as PlacedUnit;
    const last = lastWhile(units, at, (one) => one.end <= end);
    const notes = notesOf(passage, unit, { start, end }, last).filter((note) => note.end - note.start <= maxCharacters);
    const conditions = onceEach([...conditionsAfter(passage, last, maxCharacters), ...notes], (one) => String(one.start));
    const heading = unit.headingPath.at(-1) ?? "";
    candidates.push({ type, range: { start, end }, context, conditions, heading, above: aboveUnit(unit).join("\n"), header: unit.header });
  };
  const addItem = (at: number) => {
    const unit = units[at] as PlacedUnit;
    const leads = leadsTo(passage, unit);
    const before = leads.length > 0 ? leads : antecedents(passage, at, headingUnit);
    add("item", at, unit, before.length > 0 ? before : headedBy(passage, headingUnit));
  };
  for (let i = 0; i < units.length; i++) {
    const unit = units[i] as PlacedUnit;
    const next = units[i + 1];
    const leadsList = !isItem(unit) && next?.type === "list-item" && endsIn(":", passage, unit);
    // A question that the list below it answers is context of the items, not a candidate.
    const asksAbove = next?.type === "list-item" && next.leadIn?.start === unit.start && endsIn("?", passage, unit);
    const opensList = isItem(unit) && units[i - 1]?.type === "heading";
    if (unit.type === "heading") headingUnit = i;
    else if (unit.type === "table-row") {
      const heading = parted.has(unit) ? headedBy(passage, headingUnit) : [];
      const { start, end } = passage.range;
      const table = [unit.caption, unit.header].filter((one) => one !== null && one.start >= start && one.end <= end) as TextRange[];
      if (!isHeader(passage, unit)) add("row", i, unit, [...heading, ...table, ...leadsTo(passage, unit)]);
    } else if (leadsList || opensList) {
      const first = leadsList ? i + 1 : i;
      const last = lastWhile(units, first, isItem);
      const range = spanOf(i, last);
      const parts = wholeLists ? null : partsOf(passage, first, last);
      if (parts === null && last > i && range.end - range.start <= listCharacters) {
        add("list", i, range, leadsList ? antecedents(passage, i, headingUnit) : headedBy(passage, headingUnit));
      } else {
        for (let at = first; at <= last; at++) {
          const end = parts?.get(at) ?? at;
          const part = spanOf(at, end);
          if (end > at && part.end - part.start <= listCharacters) {
            add("list", at, part, leadsTo(passage, units[at] as PlacedUnit));
            at = end;
          } else addItem(at);
        }
      }
      i = last;
    } else if (isItem(unit)) addItem(i);
    else if (!asksAbove) {
      const lastRow = lastRowOf(passage, i, listCharacters);
      const last = lastRow > i ? lastRow : announcedBy(passage, i, listCharacters);
      add(last > lastRow ? "list" : "sentence", i, spanOf(i, last), antecedents(passage, i, headingUnit));
      i = last;
    }
  }
  // First drop candidates before the window that retrieval found, then the last candidates.
  const atWindow = candidates.findIndex(({ range }) => range.end > passage.window.start);
  const from = Math.max(0, Math.min(atWindow, candidates.length - maxCandidates));
  return candidates.slice(from, from + maxCandidates);
}

/** Returns the index of the last of the adjacent units after `at` that pass a test; `at` if the next one does not. */
function lastWhile(units: readonly PlacedUnit[], at: number, passes: (unit: PlacedUnit, index: number) => boolean): number {
  let last = at;
  for (let next = units[at + 1]; next !== undefined && passes(next, last + 1); next = units[last + 1]) last++;
  return last;
}

function isItem({ type }: PlacedUnit): boolean {
  return type === "list-item";
}

function endsIn(mark: ":" | "?", passage: Passage, unit: PlacedUnit): boolean {
  return textOf(passage, unit).trimEnd().endsWith(mark);
}

/**
 * Minimum number of adjacent lines of a paragraph that count as rows. Their line breaks are intended: ingestion removed
 * those that only wrap text (`src/ingest/line-breaks.ts`).
 */
const LEAST_ROWS = 3;

const ENDS_SENTENCE = /[.!?]["'”’)\]]*\s*$/u;

/**
 * Groups the lines of a paragraph ("rows") from line `at` on into one candidate, and returns the index of its last
 * line. The group has at most `most` characters. It ends with the first line that ends a sentence, or before a line
 * that ends in a colon. Returns `at` if there is no such group.
 */
function lastRowOf(passage: Passage, at: number, most: number): number {
  const { units } = passage;
  const first = units[at] as PlacedUnit;
  const follows = (i: number) => {
    const [one, next] = [units[i] as PlacedUnit, units[i + 1]];
    if (next?.type !== "paragraph" || next.block !== one.block) return false;
    return textOf(passage, { start: one.end, end: next.start }).includes("\n");
  };
  // A line that ends a sentence is complete alone, so it is no row.
  const isRow = (i: number) =>
    i >= 0 && units[i]?.type === "paragraph" && follows(i) && !ENDS_SENTENCE.test(textOf(passage, units[i] as PlacedUnit));
  // Number of adjacent rows before and after, at most 2 each.
  const before = isRow(at - 1) ? (isRow(at - 2) ? 2 : 1) : 0;
  const behind = isRow(at) ? (isRow(at + 1) ? 2 : 1) : 0;
  if (before + behind + 1 < LEAST_ROWS) return at;
  let last = at;
  while (isRow(last)) {
    const next = units[last + 1] as PlacedUnit;
    if (next.end - first.start > most || endsIn(":", passage, next)) break;
    last++;
  }
  return last;
}

/** Maximum characters of a short line, such as a line of an address. */
const LINE_CHARACTERS = 80;
/** Maximum number of short lines after a sentence that introduces them. */
const MAX_LINES = 8;

/**
 * Returns the index of the last unit that a paragraph with a final colon introduces: the last of up to `MAX_LINES`
 * short lines, or the next paragraph. Returns `at` if it introduces neither, or if both together have more than `most`
 * characters. `candidatesOf` handles lists.
 */
function announcedBy(passage: Passage, at: number, most: number): number {
  const { units } = passage;
  const unit = units[at] as PlacedUnit;
  if (unit.type !== "paragraph" || !endsIn(":", passage, unit)) return at;
  const isLine = ({ type, start, end }: PlacedUnit) => type === "paragraph" && end - start <= LINE_CHARACTERS;
  const lastLine = lastWhile(units, at, (one, i) => i - at <= MAX_LINES && isLine(one));
  const last = lastLine === at && units[at + 1]?.type === "paragraph" ? at + 1 : lastLine;
  return (units[last] as PlacedUnit).end - unit.start <= most ? last : at;
}

/**
 * Returns the unit before `at` if unit `at` is unclear alone, e.g. because it begins with "This" or "Yes"; otherwise
 * nothing. A heading is returned only if it is a question.
 */
function antecedents(passage: Passage, at: number, headingUnit: number): PlacedUnit[] {
  const { units } = passage;
  const unit = units[at] as PlacedUnit;
  const start = startOf(passage, unit);
  const before = units[at - 1];
  if (before === undefined || !(DANGLING.test(start) || (before.block === unit.block && pointsBack(start)))) return [];
  if (before.type === "heading") return at - 1 === headingUnit && endsIn("?", passage, before) ? [before] : [];
  if (before.type === "table-row" || before.type === "code" || !isSameSection(before, unit)) return [];
  return before.block !== unit.block && before.type !== "paragraph" ? [] : [before];
}

/**
 * Returns the heading above a candidate that is unclear without its heading. Example: the item "Glass bottles" below
 * the heading "Not allowed". Returns nothing if the heading repeats the document's title.
 */
function headedBy(passage: Passage, headingUnit: number): TextRange[] {
  const heading = passage.units[headingUnit];
  if (heading === undefined) return [];
  return normalizeQuestion(textOf(passage, heading)) === normalizeQuestion(passage.document.title) ? [] : [heading];
}

/**
 * Returns whether an early pronoun refers to the sentence before, as in "Clean it with a brush". Returns `false` if two
 * or more content words precede the pronoun, because it may refer to them.
 */
function pointsBack(start: string): boolean {
  const [, before] = BEFORE_PRONOUN.exec(start) ?? [];
  if (before === undefined) return false;
  const own = (before.toLowerCase().match(WORD) ?? []).filter((word) => !isStopWord(word.replace(/['’]/g, "")));
  return own.length < 2;
}

/**
 * Returns the conditions and exceptions after a unit. A condition that ends in a colon includes the list below it. For
 * a table row, returns those after the table, because they apply to every row.
 */
function conditionsAfter(passage: Passage, last: number, maxCharacters: number): TextRange[] {
  const { units } = passage;
  const found: TextRange[] = [];
  let at = units[last]?.type === "table-row" ? lastWhile(units, last, ({ type }) => type === "table-row") : last;
  while (found.length < MAX_CONDITIONS) {
    const [from, unit] = [units[at] as PlacedUnit, units[at + 1]];
    if (unit === undefined || !MAY_LIMIT.has(unit.type) || unit.block - from.block > 1 || !isSameSection(from, unit)) break;
    if (unit.end - unit.start > maxCharacters || !LIMITS.test(startOf(passage, unit))) break;
    at++;
    if (endsIn(":", passage, unit)) at = lastWhile(units, at, (one) => isItem(one) && one.end - unit.start <= maxCharacters);
    found.push({ start: unit.start, end: (units[at] as PlacedUnit).end });
  }
  return found;
}

/** Matches a footnote mark after a word or a value: "halls.*", "free†", "[1]", "50 francs¹". */
const NOTE_CALL = new RegExp(
  String.raw`(?<=[^\s*†‡\[])\s?(\*{1,3}|[†‡]{1,2}|\[(?:\d{1,3}|\*{1,3}|[†‡])\]|(?<!\d)[${RAISED}]{1,2})(?=[\s.,;:)|*†‡]|$)`,
  "gu",
);
/** Matches text in parentheses, which may refer to a note: "(see note 3)". */
const NAMED_NOTE = /\([^()]{1,60}\)/gu;

/**
 * Returns the footnotes to which a candidate or its table header refers. A footnote is the first later block that
 * begins with the mark ("*") or has the number ("note 3").
 */
function notesOf(passage: Passage, { header }: PlacedUnit, range: TextRange, last: number): TextRange[] {
  const text = `${header?.text ?? ""} ${textOf(passage, range)}`;
  const marks = new Set([...text.matchAll(NOTE_CALL)].map(([, mark = ""]) => mark));
  const parts = [...text.matchAll(NAMED_NOTE)].flatMap(([named]) => askedPart(named) ?? []);
  if (marks.size + parts.length === 0) return [];
  const behind = passage.units.slice(last + 1).filter(({ start, block }) => passage.document.blocks[block]?.start === start);
  const begins = (unit: PlacedUnit) => `${unit.headingPath.at(-1) ?? ""} ${startOf(passage, unit)}`.toLowerCase();
  // For "see note 3" the heading or the first characters must contain the word "note", as the heading "Notes" does.
  const isNamed = (unit: PlacedUnit, part: AskedPart) =>
    isPart(part, unit.headingPath, textOf(passage, unit)) && begins(unit).includes(part.name.toLowerCase());
  const found = [
    ...[...marks].map((mark) => behind.find((unit) => opensWith(textOf(passage, unit), mark))),
    ...parts.map((part) => behind.find((unit) => isNamed(unit, part))),
  ];
  const blockEnd = (unit: PlacedUnit) => passage.units.findLast(({ block }) => block === unit.block)?.end ?? unit.end;
  return found.flatMap((unit) => (unit === undefined ? [] : [{ start: unit.start, end: blockEnd(unit) }]));
}

function opensWith(text: string, mark: string): boolean {
  return text.startsWith(mark) && /^\s?[\p{L}\p{N}"“(]/u.test(text.slice(mark.length));
}

/** Returns whether two units are in one section. Compares heading paths, because a section can end without a new heading. */
function isSameSection(a: PlacedUnit, b: PlacedUnit): boolean {
  return a.headingPath.length === b.headingPath.length && a.headingPath.every((heading, i) => heading === b.headingPath[i]);
}

/**
 * For a nested list, maps the unit index of each top-level item with subitems to the index of the last unit below it.
 * Returns `null` if fewer than two items have subitems.
 */
function partsOf({ units, document }: Passage, first: number, last: number): ReadonlyMap<number, number> | null {
  const levelOf = (at: number) => document.blocks[(units[at] as PlacedUnit).block]?.level ?? 0;
  const top = Math.min(...units.slice(first, last + 1).map((_, i) => levelOf(first + i)));
  const parts = new Map<number, number>();
  let own = -1;
  for (let at = first; at <= last; at++) {
    if (levelOf(at) > top) {
      if (own >= 0) parts.set(own, at);
    } else if (own < 0 || units[at]?.block !== units[own]?.block) own = at;
    else if (parts.has(own)) parts.set(own, at);
  }
  return parts.size < 2 ? null : parts;
}

/** Maximum number of nested lead-ins quoted with one candidate. */
const MAX_LEADS = 3;

/** Returns the lead-ins above an item or row, outermost first. Leaves out those before the start of the passage. */
function leadsTo(passage: Passage, unit: PlacedUnit): TextRange[] {
  const leads: TextRange[] = [];
  let { leadIn } = unit;
  while (leadIn !== null && leadIn.start >= passage.range.start && leads.length < MAX_LEADS) {
    leads.unshift(leadIn);
    leadIn = unitAt(passage, leadIn.start)?.leadIn ?? null;
  }
  return leads;
}

/** Returns the rows that have the same header and first cell as a row below another heading: "Day" below "Boat" and below "Canoe". */
function partedRows(passage: Passage): ReadonlySet<PlacedUnit> {
  const rows = passage.units.filter((unit) => unit.type === "table-row" && !isHeader(passage, unit));
  const byName = Map.groupBy(rows, (unit) => `${unit.header?.text ?? ""}\n${cellsOf(textOf(passage, unit))[0]}`);
  const isParted = ([first, ...others]: readonly PlacedUnit[]) => others.some((one) => first !== undefined && !isSameSection(first, one));
  return new Set([...byName.values()].filter(isParted).flat());
}

function isHeader(passage: Passage, { block }: PlacedUnit): boolean {
  return passage.document.blocks[block]?.header === block;
}

/** Number of characters that suffice to classify the start of a sentence. */
const START = 60;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu;

function startOf(passage: Passage, { start, end }: TextRange): string {
  return textOf(passage, { start, end: Math.min(end, start + START) });
}

export function quoteOf(passage: Passage, { start, end }: TextRange): Quote {
  return { passage, start, end, text: textOf(passage, { start, end }) };
}

export function textOf(passage: Passage, { start, end }: TextRange): string {
  return passage.text.slice(start - passage.range.start, end - passage.range.start);
}
