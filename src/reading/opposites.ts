import type { TextRange } from "../types.ts";
import type { ContentWord } from "./content-words.ts";
import type { Quantity } from "./quantities.ts";

/** A word with an opposite. */
export interface Opposed extends TextRange {
  readonly pair: number;
  readonly side: 0 | 1;
}

/** A word with an opposite, and what it acts on. */
export interface Marker extends Opposed {
  /** Roots of the words behind it, four at most, if no value stands right behind it. */
  readonly roots: readonly string[];
  readonly quantity: Quantity | null;
  readonly anchor: TextRange;
}

/** Both sides of each pair; what acts on the word or value behind it. */
const PAIRS: readonly (readonly [string, string])[] = [
  ["before|prior to|until", "after|following|since"],
  ["inside|within", "outside|beyond"],
  ["only (?:if|when)", "even (?:if|when|though)|whether or not|regardless of"],
  ["always", "never"],
  ["minimum|lowest|least", "maximum|highest|most"],
  ["increases?|increased|raises?|raised", "decreases?|decreased|reduces?|reduced|lowers?|lowered"],
  [
    "above|over|more than|greater than|higher than|older than|longer than|exceeds?",
    "below|under|less than|fewer than|lower than|younger than|shorter than",
  ],
  ["includ(?:e|es|ed|ing)", "exclud(?:e|es|ed|ing)"],
  ["allows?|allowed|permits?|permitted", "prohibits?|prohibited|forbids?|forbidden|bars"],
  ["with", "without"],
  ["first", "last"],
];

const MARKER = new RegExp(PAIRS.map(([a, b], i) => String.raw`\b(?:(?<a${i}>${a})|(?<b${i}>${b}))\b`).join("|"), "giu");
/** Characters between a marker and what it acts on. */
const ANCHOR_REACH = 24;
/** Characters and words behind it that say what it acts on. */
const OBJECT_REACH = 56;
const OBJECT_WORDS = 4;

/** Every word of a text that has an opposite. */
export function opposedIn(text: string): Opposed[] {
  return [...text.matchAll(MARKER)].flatMap((match) => {
    const [name] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    if (name === undefined) return [];
    const side = name.startsWith("a") ? 0 : 1;
    return [{ pair: Number(name.slice(1)), side, start: match.index, end: match.index + match[0].length }];
  });
}

/** Words with an opposite, each with the word or value that follows it. */
export function markersIn(text: string, words: readonly ContentWord[], quantities: readonly Quantity[]): Marker[] {
  const found: Marker[] = [];
  for (const opposed of opposedIn(text)) {
    const { end } = opposed;
    const isNext = ({ start }: TextRange) => start >= end && start - end <= ANCHOR_REACH;
    const quantity = quantities.find(isNext) ?? null;
    const word = words.find(isNext) ?? null;
    const acts = quantity !== null && (word === null || quantity.start <= word.start);
    const anchor = acts ? quantity : word;
    if (anchor === null) continue;
    const behind = acts ? [] : words.filter(({ start }) => start >= end && start - end <= OBJECT_REACH).slice(0, OBJECT_WORDS);
    found.push({
      ...opposed,
      roots: behind.map(({ root }) => root),
      quantity: acts ? quantity : null,
      anchor,
    });
  }
  return found;
}
