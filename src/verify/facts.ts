import { type Amount, amountsOf } from "../language/amounts.ts";
import type { ContentWord } from "../language/content-words.ts";
import { createReading, type Reading } from "../language/reading.ts";
import { isExample, personsIn, type Stance, stancesIn } from "../language/stances.ts";
import { splitSentences } from "../text/sentences.ts";
import type { Block, Passage, TextRange, Unit } from "../types.ts";

/** A sentence, list item or table row with what stands around it, before it is read. */
export interface Piece extends TextRange {
  readonly text: string;
  readonly type: Unit["type"] | "table-cell";
  readonly title: string;
  /** Headings, a list's lead-in, a table's header. */
  readonly above: readonly string[];
  readonly previous: string;
  readonly next: string;
  /** Name of the column of a table's cell. */
  readonly column?: string;
}

/** What a piece says, as it is compared with others. */
export interface Fact {
  readonly piece: Piece;
  /** Without asides in brackets; offsets are those of `piece.text`. */
  readonly reading: Reading;
  /** Content words that are no part of a value or stance. */
  readonly words: readonly ContentWord[];
  /** Their roots with weights. */
  readonly own: ReadonlyMap<string, number>;
  /** Roots of the sentence before, if the fact begins by pointing back at it. */
  readonly antecedent: ReadonlySet<string>;
  readonly beside: ReadonlySet<string>;
  readonly title: ReadonlyMap<string, number>;
  readonly above: ReadonlyMap<string, number>;
  /** Roots of the name of its column. */
  readonly column: ReadonlyMap<string, number>;
  readonly amounts: readonly Amount[];
  readonly amountsAround: readonly Amount[];
  readonly amountsAbove: readonly Amount[];
  readonly stances: readonly Stance[];
  readonly persons: ReadonlySet<string>;
  readonly personsAround: ReadonlySet<string>;
  readonly personsAbove: ReadonlySet<string>;
  readonly example: boolean;
}

/** What reading facts needs of the index. */
export interface FactWords {
  tokens(text: string): string[];
  idf(token: string): number;
}

/** A piece with its tokens in the index. */
export interface PieceTokens {
  readonly piece: Piece;
  readonly own: ReadonlySet<string>;
  /** Of what stands above it and before it; computed when asked for. */
  readonly around: () => readonly ReadonlySet<string>[];
}

export interface FactReader {
  read(piece: Piece, words: FactWords): Fact;
  piecesOf(passage: Passage, words: FactWords): readonly PieceTokens[];
}

/** Facts and passages whose reading is kept: the same ones come up again and again. */
const REMEMBERED = 4000;
const PASSAGES_REMEMBERED = 1000;
/** A word that stands in every text still counts a little. */
const BASE_WEIGHT = 0.3;
/** Longer sentences are lists of many things; what each says of which cannot be told. */
const LONGEST = 600;
const SHORTEST = 12;
/** What can contradict: a value, a denial, a duty, an opposite. */
const SAYS_SOMETHING =
  /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|half|once|twice|not|no|never|cannot|can['’]?t|must|required|optional|only|even (?:if|when|though)|any time|unlimited|always|without|indefinitely)\b|n['’]t\b|\b(?:go|goes|stay|stays|remain|remains|increas|decreas|more than|less than|at least|up to|includ|exclud|allow|prohibit)/i;
/** Leads to other pages and says nothing itself. */
const LEADS_ON =
  /^(?:learn (?:more|about|how)|find out|read (?:more|about)|see (?:more|also|our|the|if)|view|go to|get help|download|sign in to)\b/i;
/** Begins by pointing at the sentence before. */
export const POINTS_BACK = /^(?:it|its|this|that|these|those|they|their|he|she|such)\b/i;

/** Is a text of a size and form that can be compared at all? */
export function isStatement(text: string): boolean {
  return text.length >= SHORTEST && text.length <= LONGEST && !text.endsWith("?") && !text.endsWith(":") && !LEADS_ON.test(text);
}

/** Can a text hold a value, denial or opposite? Of two texts that contradict each other at least one does. A quick test before anything is read. */
export function saysSomething(text: string): boolean {
  return SAYS_SOMETHING.test(text);
}

export function createFactReader(): FactReader {
  const read = createReading();
  const facts = new Map<string, { fact: Fact; words: FactWords }>();
  const passages = new Map<string, { pieces: readonly PieceTokens[]; words: FactWords }>();
  return {
    piecesOf(passage, words) {
      const { document, range, chunkId } = passage;
      const key = `${document.id} ${document.version} ${chunkId} ${range.start} ${range.end}`;
      const known = passages.get(key);
      if (known !== undefined && known.words === words) return known.pieces;
      const pieces = tokensOfPieces(passage, words);
      if (passages.size >= PASSAGES_REMEMBERED) passages.clear();
      passages.set(key, { pieces, words });
      return pieces;
    },
    read(piece, words) {
      const key = [piece.text, piece.previous, piece.next, piece.title, ...piece.above].join("\u0000");
      const known = facts.get(key);
      if (known !== undefined && known.words === words)
        return known.fact.piece.start === piece.start ? known.fact : { ...known.fact, piece };
      const fact = readFact(piece, read, words);
      if (facts.size >= REMEMBERED) facts.clear();
      facts.set(key, { fact, words });
      return fact;
    },
  };
}

function tokensOfPieces({ document, headingPath, units, text, range }: Passage, words: FactWords): PieceTokens[] {
  const textOf = ({ start, end }: TextRange) =>
    start < range.start || end > range.end ? "" : text.slice(start - range.start, end - range.start);
  const known = new Map<string, ReadonlySet<string>>();
  const tokensOf = (part: string) => {
    const tokens = known.get(part) ?? new Set(words.tokens(part));
    known.set(part, tokens);
    return tokens;
  };
  return piecesOf({ title: document.title, headingPath, units, blocks: document.blocks, textOf }).map((piece) => ({
    piece,
    own: tokensOf(piece.text),
    around: () => [piece.title, ...piece.above, piece.previous].map(tokensOf),
  }));
}

function readFact(piece: Piece, read: (text: string) => Reading, words: FactWords): Fact {
  const reading = read(withoutAsides(piece.text));
  const amounts = amountsOf(reading.text, reading.quantities);
  const stances = stancesIn(reading.text);
  const weigh = weighing(words);
  const inside = (word: TextRange) => [...amounts, ...stances].some(({ start, end }) => word.start < end && word.end > start);
  const content = reading.words.filter((word) => !inside(word));
  const aside = read(piece.previous);
  const following = read(piece.next);
  const pointsBack = POINTS_BACK.test(piece.text);
  const over = piece.above.map(read);
  const title = read(piece.title);
  return {
    piece,
    reading,
    words: content,
    own: weightsOf(content, weigh),
    antecedent: new Set(pointsBack ? aside.words.map(({ root }) => root) : []),
    beside: new Set([...aside.words, ...following.words].map(({ root }) => root)),
    title: weightsOf(title.words, weigh),
    above: weightsOf([...title.words, ...over.flatMap((one) => one.words)], weigh),
    column: weightsOf(piece.column === undefined ? [] : read(piece.column).words, weigh),
    amounts,
    amountsAround: [aside, following].flatMap(({ text, quantities }) => amountsOf(text, quantities)),
    amountsAbove: [title, ...over].flatMap(({ text, quantities }) => amountsOf(text, quantities)),
    stances,
    persons: new Set(personsIn(reading.text)),
    personsAround: new Set(personsIn([piece.title, ...piece.above, piece.previous, piece.next].join(" "))),
    personsAbove: new Set(personsIn([piece.title, ...piece.above].join(" "), true)),
    example: isExample(piece.text) || /\bexamples?\b/i.test(piece.above.join(" ")),
  };
}

/** Rare words tell what a sentence is about: .3 for a word of every text to 1.3 for one of no other. */
function weighing(words: FactWords): (word: ContentWord) => number {
  const rarest = Math.max(1e-9, words.idf("\u0000"));
  return ({ text }) => {
    const idfs = words.tokens(text).map((token) => words.idf(token));
    return BASE_WEIGHT + (idfs.length === 0 ? 0 : Math.min(1, Math.max(...idfs) / rarest));
  };
}

function weightsOf(words: readonly ContentWord[], weigh: (word: ContentWord) => number): Map<string, number> {
  const weights = new Map<string, number>();
  for (const word of words) if (!weights.has(word.root)) weights.set(word.root, weigh(word));
  return weights;
}

/** Blanks where brackets stood, so that offsets stay; brackets that hold most of a text are no aside. */
function withoutAsides(text: string): string {
  const without = text.replaceAll(/\([^()]{0,300}\)/g, (aside) => " ".repeat(aside.length));
  return without.replaceAll(/\s+/g, "").length * 2 < text.replaceAll(/\s+/g, "").length ? text : without;
}

/** What pieces are cut from: a document, or a passage of one. */
export interface PieceSource {
  readonly title: string;
  /** Headings above its first unit, outermost first. */
  readonly headingPath: readonly string[];
  readonly units: readonly Unit[];
  readonly blocks: readonly Block[];
  /** Text of a range of the document; empty where it is not at hand. */
  readonly textOf: (range: TextRange) => string;
}

/** Sentences, list items and rows of a text, each with what stands above it and beside it. */
export function piecesOf({ title, headingPath, units, blocks, textOf }: PieceSource): Piece[] {
  const pieces: Piece[] = [];
  let headings = headingPath.map((text, i) => ({ level: i + 1, text }));
  let leadIn = "";
  let leadBlock = -1;
  for (const [i, unit] of units.entries()) {
    const text = textOf(unit);
    const block = blocks[unit.block];
    if (unit.type === "heading") {
      const level = block?.level ?? 6;
      headings = [...headings.filter((one) => one.level < level), { level, text }];
      leadIn = "";
      continue;
    }
    if (text.endsWith(":")) {
      leadIn = text;
      leadBlock = unit.block;
    } else if (unit.type === "paragraph" && unit.block !== leadBlock) leadIn = "";
    if (unit.type === "code") continue;
    const header = unit.type === "table-row" ? blocks[block?.header ?? -1] : undefined;
    if (unit.type === "table-row" && (header === undefined || header.start === unit.start)) continue;
    const above = [...headings.map((one) => one.text), ...(unit.type === "list-item" && leadIn !== "" ? [leadIn] : [])];
    if (header !== undefined) {
      pieces.push(...statementsInCells({ text, start: unit.start }, { title, above }, textOf(header)));
      above.push(textOf(header));
    }
    const beside = (at: number) => {
      const other = units[at];
      return other === undefined || other.type === "heading" || other.type === "table-row" || unit.type === "table-row"
        ? ""
        : textOf(other);
    };
    // A list item may hold several sentences.
    const parts = unit.type === "list-item" ? splitSentences(text) : [{ start: 0, end: text.length }];
    const partAt = (at: number) => (parts[at] === undefined ? null : text.slice(parts[at].start, parts[at].end));
    for (const [j, { start, end }] of parts.entries()) {
      pieces.push({
        text: text.slice(start, end),
        type: unit.type,
        start: unit.start + start,
        end: unit.start + end,
        title,
        above,
        previous: partAt(j - 1) ?? beside(i - 1),
        next: partAt(j + 1) ?? beside(i + 1),
      });
    }
  }
  return pieces;
}

/** Characters from which a cell of a table is a statement, no label or value. */
const LONG_CELL = 48;
/** Between the items of a list inside a cell. */
const CELL_ITEM = " · ";

/** Sentences of the long cells of a row, each below the names of its column and its row. */
function statementsInCells(
  row: { readonly text: string; readonly start: number },
  { title, above }: { readonly title: string; readonly above: readonly string[] },
  header: string,
): Piece[] {
  const columns = cellsOf(header);
  const cells = cellsOf(row.text);
  const label = cells[0]?.text ?? "";
  return cells.slice(1).flatMap((cell, i) => {
    if (cell.text.length < LONG_CELL) return [];
    const column = columns[i + 1]?.text ?? "";
    const over = [...above, column, label].filter((text) => text !== "");
    const parts = partsOf(cell.text, CELL_ITEM).flatMap((item) =>
      splitSentences(item.text).map(({ start, end }) => ({ text: item.text.slice(start, end), start: item.start + start })),
    );
    return parts.map(({ text, start }, j) => ({
      text,
      type: "table-cell" as const,
      start: row.start + cell.start + start,
      end: row.start + cell.start + start + text.length,
      title,
      above: over,
      previous: parts[j - 1]?.text ?? "",
      next: parts[j + 1]?.text ?? "",
      column,
    }));
  });
}

interface Part {
  readonly text: string;
  readonly start: number;
}

function cellsOf(row: string): Part[] {
  return partsOf(row, "|");
}

/** Parts of a text between separators, trimmed. */
function partsOf(text: string, separator: string): Part[] {
  let at = 0;
  return text.split(separator).map((raw) => {
    const start = at + (raw.length - raw.trimStart().length);
    at += raw.length + separator.length;
    return { text: raw.trim(), start };
  });
}
