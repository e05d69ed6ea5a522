import { equalQuantities } from "../compare/compare-quantities.ts";
import type { ContentWord } from "../reading/content-words.ts";
import type { Quantity } from "../reading/quantities.ts";
import type { Reading } from "../reading/reading.ts";
import type { TextRange } from "../types.ts";
import { isWithin } from "./parts.ts";
import { isSpelledCount, statedValues } from "./values.ts";

/** What a sentence says of one of several things: "children pay 4 euros" of "Adults pay 9 euros and children pay 4 euros". */
export interface Segment extends TextRange {
  /** Of the kind by which the sentence is parted. */
  readonly values: readonly Quantity[];
  /** Those of other kinds that stand in no other segment. */
  readonly valuesBesides: readonly Quantity[];
  /** Words that stand in no other segment, and belong to no value. */
  readonly own: readonly ContentWord[];
  /** Those right beside its values or between them. */
  readonly beside: readonly ContentWord[];
}

const DELIMITER = /[,;:](?=\s)|—|\s–\s|\b(?:and|but|or|while|whereas)\b/giu;
/** What speaks on of the same: "3,310 lamps, of which 2,640 went home mended". */
const RELATES = /^\s*(?:\p{L}+\s+){0,2}(?:which|whom|who|whose)\b/iu;
/** What joins a value to the unit of which it is one: "$2 a day". */
const JOINS_UNIT = /^\s*(?:an?|per|each|every|\/)\s*$/iu;

/** The parts of a sentence, between values of one kind, where punctuation or a joining word and at least one content word stand between two; none: fewer than two. */
export function segmentsOf(sentence: Reading, isKind: (value: Quantity) => boolean): Segment[] {
  // A number in words is seldom what is told of one thing and of another: "the boundary between the two".
  const values = statedValues(sentence).filter((value) => isKind(value) && !isSpelledCount(value, sentence.text));
  const cuts = values.slice(1).flatMap((next, i) => cutBetween(values[i] as Quantity, next, sentence) ?? []);
  if (cuts.length === 0) return [];
  const ranges = [...cuts, { start: sentence.text.length, end: 0 }].map(({ start }, i) => ({ start: cuts[i - 1]?.end ?? 0, end: start }));
  return ranges.map((range) => segmentOf(range, values, sentence));
}

/** From the first to the last delimiter between two values: to which of them the words between belong is not told. */
function cutBetween(one: Quantity, next: Quantity, { text, words }: Reading): TextRange | null {
  const between = { start: one.end, end: next.start };
  if (!words.some((word) => isWithin(word, between))) return null;
  const found = [...text.slice(between.start, between.end).matchAll(DELIMITER)];
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return null;
  const end = between.start + last.index + last[0].length;
  return RELATES.test(text.slice(end, between.end)) ? null : { start: between.start + first.index, end };
}

function segmentOf(range: TextRange, all: readonly Quantity[], { words, quantities, text }: Reading): Segment {
  const values = all.filter((value) => isWithin(value, range));
  const [first, last] = [values[0] as Quantity, values.at(-1) as Quantity];
  const isAlone = ({ root }: ContentWord) => words.every((word) => word.root !== root || isWithin(word, range));
  const isOfValue = (word: ContentWord) =>
    values.some(({ start, end }) => (word.start < end && word.end > start) || JOINS_UNIT.test(text.slice(end, Math.max(end, word.start))));
  const own = words.filter((word) => isWithin(word, range) && isAlone(word) && !isOfValue(word));
  const before = own.filter(({ end }) => end <= first.start).slice(-1);
  const behind = own.filter(({ start }) => start >= last.end).slice(0, 1);
  const between = own.filter(({ start, end }) => start >= first.end && end <= last.start);
  const valuesBesides = quantities.filter(
    (value) => isWithin(value, range) && !all.includes(value) && quantities.every((one) => one === value || !equalQuantities(one, value)),
  );
  return { ...range, values, valuesBesides, own, beside: [...before, ...behind, ...between] };
}
