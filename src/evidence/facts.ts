import { type ContentWord, createReading, createWordReader, NEGATOR, type ReadWords } from "../language/content-words.ts";
import { SPELLED_NUMBER } from "../language/numerals.ts";
import { joinValues } from "../language/values.ts";
import type { Block, BlockType, Passage, PlacedUnit, TextRange } from "../shared/types.ts";
import { memoised, once } from "../text/memo.ts";
import { splitSentences } from "../text/sentences.ts";
import { aboveUnit, cellsOf } from "../text/units.ts";

/** Analysed content of a sentence, list item or table row, ready for comparison. */
export type Fact = ReturnType<FactReader["read"]>;

/** Functions of the index that are needed to read facts. */
export interface FactWords {
  tokens(text: string): string[];
  idf(token: string): number;
}

/** A sentence, list item or table row with its index tokens. */
export interface PieceTokens {
  readonly segment: Segment;
  readonly own: ReadonlySet<string>;
  /** Tokens of the title, of each heading and of the sentence before, computed on first use. */
  readonly around: () => readonly ReadonlySet<string>[];
}

/** Maximum number of cached facts. Successive questions often find the same passages, which are cached too (`PASSAGES_REMEMBERED`). */
const REMEMBERED = 4000;

const PASSAGES_REMEMBERED = 1000;

/** Weight of a word that occurs in every text. */
const BASE_WEIGHT = 0.3;

/** Maximum length of a comparable sentence in characters. Longer ones are mostly lists with unclear relations between the items. */
const LONGEST = 600;

const SHORTEST = 12;

/** Matches text that may contain a value; a quick test before the analysis. */
const VALUE = new RegExp(
  String.raw`\d|\b(?:${SPELLED_NUMBER}|half|once|twice|any time|no (?:time )?(?:limit|deadline)|unlimited|indefinitely)\b`,
  "iu",
);
/** Matches text with a negation; a quick test before the analysis. */
const DENIAL = new RegExp(NEGATOR, "iu");

/** Matches a beginning that refers to the previous sentence. */
export const POINTS_BACK = /^(?:it|its|this|that|these|those|they|their|he|she|such)\b/i;

/** Checks whether a text has a comparable length and is neither a question nor a lead-in ("You need:"). */
export function isStatement(text: string): boolean {
  return text.length >= SHORTEST && text.length <= LONGEST && !text.endsWith("?") && !text.endsWith(":");
}

/** Checks quickly whether a text may contain a value, before it is analysed. */
export function mayHoldValue(text: string): boolean {
  return VALUE.test(text);
}

/** Checks quickly whether a text contains a negation. */
export function mayDeny(text: string): boolean {
  return DENIAL.test(text);
}

/**
 * Creates functions that analyse sentences and passages and cache the results.
 * @param readWords function that analyses words; may be shared, because it has its own cache
 */
export function createFactReader(readWords: ReadWords = createWordReader()) {
  const read = createReading(readWords);
  const passages = remembering<PassageTokens>(PASSAGES_REMEMBERED);
  const weights = remembering<ReadonlyMap<string, number>>(PASSAGES_REMEMBERED);
  const viewOf = (passage: Passage, words: FactWords): PassageTokens => {
    const { document, range, chunkId } = passage;
    const key = `${document.id} ${document.version} ${chunkId} ${range.start} ${range.end}`;
    return passages(key, words, () => tokensOfPassage(passage, words));
  };
  const readFact = (segment: Segment, words: FactWords) => {
    const reading = read(withoutAsides(segment.text));
    const amounts = joinValues(reading.values, reading.text);
    const content = reading.words.filter((word) => !amounts.some(({ start, end }) => word.start < end && word.end > start));
    const heads = [segment.title, ...segment.above];
    const wordsIn = (texts: readonly string[]) => texts.flatMap((text) => read(text).words);
    // Weights of headings are cached, because many facts share them.
    const weightsAbove = (texts: readonly string[]) => weights(texts.join("\u0000"), words, () => weigh(wordsIn(texts), words));
    return {
      segment,
      /** Analysis of the text without its parts in brackets. Offsets are those of `segment.text`. */
      reading,
      /** Content words that are not part of a value. */
      words: content,
      /** Roots of `words` with their weights. */
      own: weigh(content, words),
      amounts,
      /** Word roots with weights: of the title (`title`), and of title and headings (`above`). Computed on first use, because rarely needed. */
      title: once(() => weightsAbove([segment.title])),
      above: once(() => weightsAbove(heads)),
      amountsAbove: once(() => heads.map(read).flatMap(({ text, values }) => joinValues(values, text))),
      /** Roots of the words in the neighbouring sentences. */
      beside: once((): ReadonlySet<string> => new Set(wordsIn([segment.previous, segment.next]).map(({ root }) => root))),
    };
  };
  const facts = remembering<ReturnType<typeof readFact>>(REMEMBERED);
  return {
    segmentsOf: (passage: Passage, words: FactWords) => viewOf(passage, words).segments,
    /** Returns the tokens of a passage with its title and headings. */
    tokensOf: (passage: Passage, words: FactWords) => viewOf(passage, words).whole(),
    read(segment: Segment, words: FactWords) {
      const key = [segment.text, segment.previous, segment.next, segment.title, ...segment.above].join("\u0000");
      const fact = facts(key, words, () => readFact(segment, words));
      return fact.segment.start === segment.start ? fact : { ...fact, segment };
    },
  };
}
export type FactReader = ReturnType<typeof createFactReader>;

/** Creates a cache of up to `most` results. A result is valid only for the word statistics with which it was computed. */
function remembering<T>(most: number): (key: string, words: FactWords, make: () => T) => T {
  const kept = new Map<string, { readonly made: T; readonly words: FactWords }>();
  return (key, words, make) => {
    const known = kept.get(key);
    if (known?.words === words) return known.made;
    const made = make();
    if (kept.size >= most) kept.clear();
    kept.set(key, { made, words });
    return made;
  };
}

type PassageTokens = ReturnType<typeof tokensOfPassage>;

function tokensOfPassage({ document, headingPath, units, text, range }: Passage, words: FactWords) {
  const textOf = ({ start, end }: TextRange) =>
    start < range.start || end > range.end ? "" : text.slice(start - range.start, end - range.start);
  const tokensOf = memoised((part: string): ReadonlySet<string> => new Set(words.tokens(part)));
  const segments: readonly PieceTokens[] = segmentsOf({ title: document.title, units, blocks: document.blocks, textOf }).map((segment) => ({
    segment,
    own: tokensOf(segment.text),
    around: once(() => [segment.title, ...segment.above, segment.previous].map((part) => tokensOf(part))),
  }));
  const isWhole = units.every(({ start, end }) => start >= range.start && end <= range.end);
  const whole = once((): ReadonlySet<string> => {
    const parts = [document.title, ...headingPath, ...(isWhole ? units.map(textOf) : [text])];
    return new Set(parts.flatMap((part) => [...tokensOf(part)]));
  });
  return { segments, whole };
}

/**
 * Returns the weights of word roots: from 0.3 for a word that every text contains to 1.3 for a word that no other text
 * contains.
 */
function weigh(content: readonly ContentWord[], words: FactWords): ReadonlyMap<string, number> {
  const rarest = Math.max(1e-9, words.idf("\u0000"));
  const weights = new Map<string, number>();
  for (const { root, text } of content) {
    if (weights.has(root)) continue;
    const idfs = words.tokens(text).map((token) => words.idf(token));
    weights.set(root, BASE_WEIGHT + (idfs.length === 0 ? 0 : Math.min(1, Math.max(...idfs) / rarest)));
  }
  return weights;
}

/**
 * Replaces text in brackets by blanks of the same length, so that offsets stay valid. Brackets that contain most of the
 * text are kept.
 */
function withoutAsides(text: string): string {
  const without = text.replaceAll(/\([^()]{0,300}\)/g, (aside) => " ".repeat(aside.length));
  return without.replaceAll(/\s+/g, "").length * 2 < text.replaceAll(/\s+/g, "").length ? text : without;
}

/** A sentence, list item or table row with its context, before analysis. */
export interface Segment extends TextRange {
  readonly text: string;
  readonly type: BlockType | "table-cell";
  readonly title: string;
  /** Headings, the lead-in of a list, and the header of a table. */
  readonly above: readonly string[];
  readonly previous: string;
  readonly next: string;
}

/** A document or a passage to split. */
interface SegmentSource {
  readonly title: string;
  readonly units: readonly PlacedUnit[];
  readonly blocks: readonly Block[];
  /** Returns the text of a range of the document; empty if the text is not available. */
  readonly textOf: (range: TextRange) => string;
}

/** Splits a text into sentences, list items and rows, each with its context. */
export function segmentsOf({ title, units, blocks, textOf }: SegmentSource): Segment[] {
  const segments: Segment[] = [];
  for (const [i, unit] of units.entries()) {
    if (unit.type === "heading" || unit.type === "code") continue;
    const text = textOf(unit);
    const { header } = unit;
    if (unit.type === "table-row" && (header === null || blocks[unit.block]?.header === unit.block)) continue;
    const above = aboveUnit({ ...unit, header: null });
    if (header !== null) {
      segments.push(...statementsInCells({ text, start: unit.start, title, above }, header.text));
      above.push(header.text);
    }
    const beside = (at: number) => {
      const other = units[at];
      return other === undefined || other.type === "heading" || other.type === "table-row" || unit.type === "table-row"
        ? ""
        : textOf(other);
    };
    // A list item may contain several sentences.
    const parts = unit.type === "list-item" ? splitSentences(text) : [{ start: 0, end: text.length }];
    const partAt = (at: number) => (parts[at] === undefined ? null : text.slice(parts[at].start, parts[at].end));
    for (const [j, { start, end }] of parts.entries()) {
      segments.push({
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
  return segments;
}

/** Minimum length in characters of a table cell that is split into sentences. Shorter cells are labels or values. */
const LONG_CELL = 48;

/** Separator of list items inside a table cell. */
const CELL_ITEM = " · ";

/** Returns the sentences of a row's long cells, each with the names of its column and row as context. */
function statementsInCells(row: Pick<Segment, "text" | "start" | "title" | "above">, header: string): Segment[] {
  const { title, above } = row;
  const columns = cellsOf(header);
  const cells = partsOf(row.text, "|");
  return cells.slice(1).flatMap((cell, i) => {
    if (cell.text.length < LONG_CELL) return [];
    const over = [...above, columns[i + 1] ?? "", cells[0]?.text ?? ""].filter((text) => text !== "");
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
    }));
  });
}

/** Splits a text at a separator and trims the parts. */
function partsOf(text: string, separator: string): { readonly text: string; readonly start: number }[] {
  let at = 0;
  return text.split(separator).map((raw) => {
    const start = at + (raw.length - raw.trimStart().length);
    at += raw.length + separator.length;
    return { text: raw.trim(), start };
  });
}
