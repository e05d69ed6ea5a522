import { type AskedPart, askedPart, isPart } from "../language/question.ts";
import type { Passage, PlacedUnit, Quote, SourceText, TextRange } from "../shared/types.ts";
import { normalizeQuestion, RAISED } from "../text/normalise.ts";
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

/** Returns the candidates of a passage in text order. */
export function candidatesOf(
  passage: Passage,
  { maxCharacters, maxCandidates, wholeLists, singleItems = false }: CandidateCut,
): Candidate[] {
  const listCharacters = singleItems ? 0 : wholeLists ? maxCharacters : Math.min(SHORT_LIST_CHARACTERS, maxCharacters);
  const candidates: Candidate[] = [];
  const { units } = passage;
  let headingUnit = -1;
  const parted = partedRows(passage);
  const add = (type: Candidate["type"], at: number, { start, end }: TextRange, context: readonly TextRange[]) => {
    if (end - start > maxCharacters) return;
    const unit = units[at] as PlacedUnit;
    const last = lastUnitWithin(units, at, end);
    const conditions = [...conditionsAfter(passage, last, maxCharacters)];
    for (const note of notesOf(passage, unit, { start, end }, last)) {
      if (note.end - note.start <= maxCharacters && !conditions.some((one) => one.start === note.start)) conditions.push(note);
    }
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
    if (unit.type === "heading") {
      headingUnit = i;
      continue;
    }
    if (unit.type === "table-row") {
      const heading = parted.has(unit) ? headedBy(passage, headingUnit) : [];
      if (!isHeader(passage, unit)) add("row", i, unit, [...heading, ...tableOf(passage, unit), ...leadsTo(passage, unit)]);
      continue;
    }
    const leadsList = unit.type !== "list-item" && units[i + 1]?.type === "list-item" && textOf(passage, unit).trimEnd().endsWith(":");
    const opensList = unit.type === "list-item" && units[i - 1]?.type === "heading";
    if (leadsList || opensList) {
      const last = lastItem(units, leadsList ? i + 1 : i);
      const range = { start: unit.start, end: (units[last] as PlacedUnit).end };
      const first = leadsList ? i + 1 : i;
      const parts = wholeLists ? null : partsOf(passage, first, last);
      if (parts === null && last > i && range.end - range.start <= listCharacters) {
        add("list", i, range, leadsList ? antecedents(passage, i, headingUnit) : headedBy(passage, headingUnit));
      } else {
        for (let at = first; at <= last; at++) {
          const [unit, end] = [units[at] as PlacedUnit, parts?.get(at) ?? at];
          const part = { start: unit.start, end: (units[end] as PlacedUnit).end };
          if (end > at && part.end - part.start <= listCharacters) {
            add("list", at, part, leadsTo(passage, unit));
            at = end;
          } else addItem(at);
        }
      }
      i = last;
      continue;
    }
    if (unit.type === "list-item") {
      addItem(i);
      continue;
    }
    if (isAskedAbove(passage, i)) continue;
    const lastRow = lastRowOf(passage, i, listCharacters);
    if (lastRow > i) {
      add("sentence", i, { start: unit.start, end: (units[lastRow] as PlacedUnit).end }, antecedents(passage, i, headingUnit));
      i = lastRow;
      continue;
    }
    const announced = announcedBy(passage, i);
    if (announced > i && (units[announced] as PlacedUnit).end - unit.start <= listCharacters) {
      add("list", i, { start: unit.start, end: (units[announced] as PlacedUnit).end }, antecedents(passage, i, headingUnit));
      i = announced;
      continue;
    }
    add("sentence", i, unit, antecedents(passage, i, headingUnit));
  }
  return nearWindow(candidates, passage, maxCandidates);
}

/** Returns up to `limit` candidates. First drops candidates before the window that retrieval found, then the last candidates. */
function nearWindow(candidates: readonly Candidate[], { window }: Passage, limit: number): Candidate[] {
  if (candidates.length <= limit) return [...candidates];
  const first = candidates.findIndex(({ range }) => range.end > window.start);
  const from = Math.max(0, Math.min(first < 0 ? 0 : first, candidates.length - limit));
  return candidates.slice(from, from + limit);
}

/** Returns whether a paragraph is a question that the list below it answers. Such a question is context of the items, not a candidate. */
function isAskedAbove(passage: Passage, at: number): boolean {
  const [unit, next] = [passage.units[at] as PlacedUnit, passage.units[at + 1]];
  return next?.type === "list-item" && next.leadIn?.start === unit.start && textOf(passage, unit).trimEnd().endsWith("?");
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
    return (
      next !== undefined &&
      next.type === "paragraph" &&
      next.block === one.block &&
      textOf(passage, { start: one.end, end: next.start }).includes("\n")
    );
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
    if (next.end - first.start > most || textOf(passage, next).trimEnd().endsWith(":")) break;
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
 * short lines, or the next paragraph. Returns `at` if it introduces neither. `candidatesOf` handles lists.
 */
function announcedBy(passage: Passage, at: number): number {
  const { units } = passage;
  const unit = units[at] as PlacedUnit;
  if (unit.type !== "paragraph" || !textOf(passage, unit).trimEnd().endsWith(":")) return at;
  const isLine = (one: PlacedUnit | undefined) => one?.type === "paragraph" && one.end - one.start <= LINE_CHARACTERS;
  let last = at;
  while (last - at < MAX_LINES && isLine(units[last + 1])) last++;
  return last === at && units[at + 1]?.type === "paragraph" ? at + 1 : last;
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
  if (before.type === "heading") return at - 1 === headingUnit && textOf(passage, before).trimEnd().endsWith("?") ? [before] : [];
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
  let at = last;
  while (units[last]?.type === "table-row" && units[at + 1]?.type === "table-row") at++;
  while (found.length < MAX_CONDITIONS) {
    const [from, unit] = [units[at] as PlacedUnit, units[at + 1]];
    const isNear =
      unit !== undefined &&
      (unit.type === "paragraph" || unit.type === "list-item" || unit.type === "quote") &&
      unit.block - from.block <= 1 &&
      isSameSection(from, unit);
    if (!isNear || unit.end - unit.start > maxCharacters || !LIMITS.test(startOf(passage, unit))) break;
    at++;
    const announces = textOf(passage, unit).trimEnd().endsWith(":");
    while (announces && units[at + 1]?.type === "list-item" && (units[at + 1] as PlacedUnit).end - unit.start <= maxCharacters) at++;
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
  const found = [
    ...[...marks].map((mark) => behind.find((unit) => opensWith(textOf(passage, unit), mark))),
    ...parts.map((part) => behind.find((unit) => isPart(part, unit.headingPath, textOf(passage, unit)) && names(unit, part, passage))),
  ];
  return found.flatMap((unit) => (unit === undefined ? [] : [{ start: unit.start, end: blockEnd(passage, unit) }]));
}

function opensWith(text: string, mark: string): boolean {
  return text.startsWith(mark) && /^\s?[\p{L}\p{N}"“(]/u.test(text.slice(mark.length));
}

/**
 * Returns whether a unit's first characters or its heading contain the word before the number of a note. Example: for
 * "see note 3" the word is "note", which the heading "Notes" contains. Ignores case.
 */
function names(unit: PlacedUnit, { name }: AskedPart, passage: Passage): boolean {
  return `${unit.headingPath.at(-1) ?? ""} ${startOf(passage, unit)}`.toLowerCase().includes(name.toLowerCase());
}

function blockEnd({ units }: Passage, unit: PlacedUnit): number {
  return units.findLast(({ block }) => block === unit.block)?.end ?? unit.end;
}

/** Returns whether two units are in one section. Compares heading paths, because a section can end without a new heading. */
function isSameSection(a: PlacedUnit, b: PlacedUnit): boolean {
  return a.headingPath.length === b.headingPath.length && a.headingPath.every((heading, i) => heading === b.headingPath[i]);
}

function lastItem(units: readonly PlacedUnit[], first: number): number {
  let last = first;
  while (units[last + 1]?.type === "list-item") last++;
  return last;
}

/**
 * For a nested list, maps the unit index of each top-level item with subitems to the index of the last unit below it.
 * Returns `null` if fewer than two items have subitems.
 */
function partsOf({ units, document }: Passage, first: number, last: number): ReadonlyMap<number, number> | null {
  const levelOf = (at: number) => document.blocks[(units[at] as PlacedUnit).block]?.level ?? 0;
  let top = levelOf(first);
  for (let at = first; at <= last; at++) top = Math.min(top, levelOf(at));
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

function lastUnitWithin(units: readonly PlacedUnit[], first: number, end: number): number {
  let last = first;
  while (units[last + 1] !== undefined && (units[last + 1] as PlacedUnit).end <= end) last++;
  return last;
}

/** Maximum number of nested lead-ins quoted with one candidate. */
const MAX_LEADS = 3;

/** Returns the lead-ins above an item or row, outermost first. Leaves out those before the start of the passage. */
function leadsTo(passage: Passage, unit: PlacedUnit): TextRange[] {
  const leads: TextRange[] = [];
  for (let at: PlacedUnit | undefined = unit; at?.leadIn !== null && at !== undefined && leads.length < MAX_LEADS; ) {
    const { leadIn }: PlacedUnit = at;
    if (leadIn === null || leadIn.start < passage.range.start) break;
    leads.unshift(leadIn);
    at = unitAt(passage, leadIn.start);
  }
  return leads;
}

/** Returns the caption and header of a row's table, if they are in the passage. */
function tableOf({ range }: Passage, { caption, header }: PlacedUnit): TextRange[] {
  return [caption, header].filter((one) => one !== null && one.start >= range.start && one.end <= range.end) as TextRange[];
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
