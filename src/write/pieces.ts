import type { Passage, Quote, TextRange, Unit } from "../types.ts";

/** What can be quoted of a passage by itself: a sentence, a whole short list, a list item, a table row. */
export interface Piece {
  readonly type: "sentence" | "list" | "item" | "row";
  readonly range: TextRange;
  /** What it cannot be understood without, before it: a list's lead-in, a table's header, the sentence that "this" means. */
  readonly context: readonly TextRange[];
  /** Conditions and exceptions that stand right behind it. */
  readonly conditions: readonly TextRange[];
  /** The heading that it stands under. */
  readonly heading: string;
}

export interface PiecesOptions {
  /** Characters of one piece at most; what is longer is left out, never cut. */
  readonly maxCharacters: number;
  /** Pieces at most; those around the window that was found are kept. */
  readonly maxPieces: number;
  /** Steps and lists are what is asked for: they stay whole up to `maxCharacters`. */
  readonly wholeLists: boolean;
}

/** A list with its lead-in stays one piece up to this many characters, unless lists are asked for. */
const SHORT_LIST_CHARACTERS = 700;
/** Sentences of antecedents at most. */
const MAX_ANTECEDENTS = 1;
/** Sentences of conditions at most behind one quote. */
const MAX_CONDITIONS = 2;

/** A quote that begins like this means the sentence before it. */
const DANGLING =
  /^(?:["“'(]\s*)?(?:(?:this|these|those|they|them|it|he|she|such|both|either|neither|the (?:latter|former|same))\b(?!\s+(?:is|was)\s+(?:important|possible|necessary|recommended|best)\b)|(?:in|for|under|at|during|after|because of|if)\s+(?:that|this|these|those|such)\b|(?:then|also|instead|otherwise|therefore|thus|in addition|for example|for instance|as a result|yes|no)\b)/i;
/** A sentence that begins like this limits the one before it. */
const LIMITS =
  /^(?:["“'(*]\s*)?(?:(?:however|but|unless|except|exceptions?|only if|note|important|please note|otherwise|nonetheless|even so|this (?:does not|doesn['’]t|only|applies)|these (?:do not|don['’]t|only)|that said)\b)/i;

/** Pieces of a passage in order. Linear in its length. */
export function piecesOf(passage: Passage, { maxCharacters, maxPieces, wholeLists }: PiecesOptions): Piece[] {
  const listCharacters = wholeLists ? maxCharacters : Math.min(SHORT_LIST_CHARACTERS, maxCharacters);
  const pieces: Piece[] = [];
  const { units } = passage;
  let heading = passage.headingPath.at(-1) ?? "";
  let headingUnit = -1;
  const add = (type: Piece["type"], unit: number, range: TextRange, context: readonly TextRange[]) => {
    if (range.end - range.start > maxCharacters) return;
    const last = lastUnitWithin(units, unit, range.end);
    pieces.push({ type, range, context, conditions: conditionsAfter(passage, last, maxCharacters), heading });
  };
  for (let i = 0; i < units.length; i++) {
    const unit = units[i] as Unit;
    if (unit.type === "heading") {
      heading = textOf(passage, unit);
      headingUnit = i;
      continue;
    }
    if (unit.type === "table-row") {
      const header = headerOf(passage, unit);
      if (header === null || header.start !== unit.start) add("row", i, unit, header === null ? [] : [header]);
      continue;
    }
    const leadsList = unit.type !== "list-item" && units[i + 1]?.type === "list-item" && textOf(passage, unit).trimEnd().endsWith(":");
    const opensList = unit.type === "list-item" && units[i - 1]?.type === "heading";
    if (leadsList || opensList) {
      const last = lastItem(units, leadsList ? i + 1 : i);
      const range = { start: unit.start, end: (units[last] as Unit).end };
      const first = leadsList ? i + 1 : i;
      if (last > i && range.end - range.start <= listCharacters) {
        add("list", i, range, leadsList ? antecedents(passage, i, headingUnit) : []);
      } else {
        for (let item = first; item <= last; item++) add("item", item, units[item] as Unit, leadsList ? [unit] : []);
      }
      i = last;
      continue;
    }
    const announced = unit.type === "list-item" ? i : announcedBy(passage, i);
    if (announced > i && (units[announced] as Unit).end - unit.start <= listCharacters) {
      add("list", i, { start: unit.start, end: (units[announced] as Unit).end }, antecedents(passage, i, headingUnit));
      i = announced;
      continue;
    }
    add(unit.type === "list-item" ? "item" : "sentence", i, unit, antecedents(passage, i, headingUnit));
  }
  return nearWindow(pieces, passage, maxPieces);
}

/** The pieces from the window that was found on, and as many before it as there is room for. */
function nearWindow(pieces: readonly Piece[], { window }: Passage, limit: number): Piece[] {
  if (pieces.length <= limit) return [...pieces];
  const first = pieces.findIndex(({ range }) => range.end > window.start);
  const from = Math.max(0, Math.min(first < 0 ? 0 : first, pieces.length - limit));
  return pieces.slice(from, from + limit);
}

/** A line of an address or the like is shorter. */
const LINE_CHARACTERS = 80;
/** Lines of an address at most. */
const MAX_LINES = 8;

/** Last unit of what a sentence announces with a colon where no list follows: the lines of an address, or one paragraph. The sentence's own index when it announces nothing. */
function announcedBy(passage: Passage, at: number): number {
  const { units } = passage;
  const unit = units[at] as Unit;
  if (unit.type !== "paragraph" || !textOf(passage, unit).trimEnd().endsWith(":")) return at;
  const isLine = (one: Unit | undefined) => one?.type === "paragraph" && one.end - one.start <= LINE_CHARACTERS;
  let last = at;
  while (last - at < MAX_LINES && isLine(units[last + 1])) last++;
  return last === at && units[at + 1]?.type === "paragraph" ? at + 1 : last;
}

/** The sentence before, where a quote that begins with "this" or "yes" cannot be understood without it; a heading that asks is one. */
function antecedents(passage: Passage, at: number, headingUnit: number): Unit[] {
  const { units } = passage;
  const found: Unit[] = [];
  for (let i = at; found.length < MAX_ANTECEDENTS; i--) {
    const unit = units[i] as Unit;
    if (!DANGLING.test(startOf(passage, unit))) break;
    const before = units[i - 1];
    if (before === undefined || i - 1 < 0) break;
    if (before.type === "heading" && !(i - 1 === headingUnit && textOf(passage, before).trimEnd().endsWith("?"))) break;
    if (before.type === "table-row" || before.type === "code") break;
    if (before.type !== "heading" && before.block !== unit.block && before.type !== "paragraph") break;
    found.unshift(before);
  }
  return found;
}

function conditionsAfter(passage: Passage, last: number, maxCharacters: number): Unit[] {
  const { units } = passage;
  const found: Unit[] = [];
  const from = units[last] as Unit;
  for (let i = last + 1; found.length < MAX_CONDITIONS; i++) {
    const unit = units[i];
    const isNear =
      unit !== undefined &&
      (unit.type === "paragraph" || unit.type === "list-item" || unit.type === "quote") &&
      unit.block - from.block <= 1;
    if (!isNear || unit.end - unit.start > maxCharacters || !LIMITS.test(startOf(passage, unit))) break;
    found.push(unit);
  }
  return found;
}

function lastItem(units: readonly Unit[], first: number): number {
  let last = first;
  while (units[last + 1]?.type === "list-item") last++;
  return last;
}

function lastUnitWithin(units: readonly Unit[], first: number, end: number): number {
  let last = first;
  while (units[last + 1] !== undefined && (units[last + 1] as Unit).end <= end) last++;
  return last;
}

/** Header row of a table, when it lies in the passage. */
function headerOf(passage: Passage, row: Unit): TextRange | null {
  const header = passage.document.blocks[passage.document.blocks[row.block]?.header ?? -1];
  return header !== undefined && header.start >= passage.range.start && header.end <= passage.range.end ? header : null;
}

/** Characters that decide how a sentence begins. */
const START = 60;

function startOf(passage: Passage, { start, end }: TextRange): string {
  return textOf(passage, { start, end: Math.min(end, start + START) });
}

export function quoteOf(passage: Passage, { start, end }: TextRange): Quote {
  return { passage, start, end, text: textOf(passage, { start, end }) };
}

export function textOf(passage: Passage, { start, end }: TextRange): string {
  return passage.text.slice(start - passage.range.start, end - passage.range.start);
}
