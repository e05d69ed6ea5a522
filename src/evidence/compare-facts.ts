import { compareValues, oppositeBounds } from "../language/compare-values.ts";
import { countNegators, deniesAsVerb, isNegator, verbOf } from "../language/content-words.ts";
import type { Value } from "../language/values.ts";
import type { ConflictKind, TextRange } from "../shared/types.ts";
import type { Fact } from "./facts.ts";

/** Result of comparing two facts about one thing: they agree, or differ in one point. `a` and `b` are the ranges of the differing words. */
export type Comparison =
  | {
      readonly type: "differ";
      readonly kind: ConflictKind;
      readonly certainty: number;
      readonly a: TextRange;
      readonly b: TextRange;
    }
  | { readonly type: "agree"; readonly certainty: number };

/**
 * Minimum weighted share of one fact's words that the other fact and its context contain: in each direction
 * (`LEAST_SHARE`), and on average (`ALIGNED`).
 */
const LEAST_SHARE = 0.42;
const ALIGNED = 0.6;
/** Two facts without an equal value agree only if they contain, on average, this weighted share of each other's words. */
const ALIGNED_WORDS = 0.8;
/** Share that a word contributes if only the headings or neighbouring sentences of the other fact contain it. */
const IN_CONTEXT = 0.75;
/** Facts whose shared words have less total weight are compared only if each contains all words of the other, at least `COPY_WORDS`. */
const SHARED_WEIGHT = 1.7;
const COPY_WORDS = 2;
/** Total weight of shared words at which the certainty of two fully overlapping facts is one half. */
const HALF_CERTAIN = 2;
/** Minimum weight of a word that can distinguish two subjects. */
const TELLING = 0.62;

/**
 * Compares two facts: do they concern the same thing, and if so, do they agree or contradict each other? They
 * contradict each other if one value in the same role differs, or if one of two otherwise equal texts is negated.
 * Returns `null` for different subjects, several differences, or nothing to compare.
 */
export function compareFacts(a: Fact, b: Fact): Comparison | null {
  if (!areSameKind(a, b)) return null;
  const [ofA, ofB] = [weighHeld(a, b), weighHeld(b, a)];
  const aligned = (ofA.share + ofB.share) / 2;
  // Most pairs fail this cheap test, so it comes first.
  if (Math.min(ofA.share, ofB.share) < LEAST_SHARE || aligned < ALIGNED) return null;
  const shared = ofA.held;
  if (shared < SHARED_WEIGHT && (aligned < 1 || a.own.size < COPY_WORDS)) return null;
  const certainty = aligned * (shared / (shared + HALF_CERTAIN));
  const negators = countNegators(a.reading.text) - countNegators(b.reading.text);
  const denied = Math.abs(negators) === 1 ? deniedInCopy(a, b) : null;
  const isCopy = haveSameForm(a, b);
  if (areApart(a, b, isCopy || denied !== null)) return null;
  if (denied !== null) return { type: "differ", kind: "polarity", certainty, ...denied };
  const values = isCopy ? valuesByPlace(a, b) : valuesByRole(a, b);
  if (values === null || values.differing.length > 1) return null;
  const [pair] = values.differing;
  if (pair === undefined) {
    const says = values.equal > 0 || (aligned >= ALIGNED_WORDS && negators === 0);
    return says ? { type: "agree", certainty } : null;
  }
  // Skip pairs in which only one side is negated, unless the negator belongs to a value such as "no time limit".
  if (negators !== 0 && (pair.a.low === Number.POSITIVE_INFINITY) === (pair.b.low === Number.POSITIVE_INFINITY)) return null;
  if ((identifies(pair.a, a) || identifies(pair.b, b)) && (!isCopy || areUnderOthers(a, b))) return null;
  return { type: "differ", kind: pair.a.kind === "date" ? "date" : "value", certainty, ...pair };
}

/** Checks whether two facts can be compared. A row can be compared only with a row under the same header. */
function areSameKind(a: Fact, b: Fact): boolean {
  if (a.segment.type !== "table-row" && b.segment.type !== "table-row") return true;
  return a.segment.type === b.segment.type && a.segment.above.at(-1) === b.segment.above.at(-1);
}

/** Weighs the words of a fact that the other fact or its context contains. `share` is their share of all words. */
function weighHeld(fact: Fact, other: Fact) {
  let all = 0;
  let held = 0;
  for (const [root, weight] of fact.own) {
    all += weight;
    held += weight * holds(other, root);
  }
  return { held, share: all === 0 ? 0 : held / all };
}

/** Returns 1 if the fact's text contains a word root, `IN_CONTEXT` if only its title, headings or neighbouring sentences do, else 0. */
export function holds(fact: Fact, root: string): number {
  if (fact.own.has(root)) return 1;
  return fact.above().has(root) || fact.beside().has(root) ? IN_CONTEXT : 0;
}

/**
 * Returns whether two facts are about different things. That is so if each title names something that the other fact
 * never mentions, or if each fact has words that the other lacks. Equal texts under different headings may be about one
 * thing. Equal rows, cells and list items may not, because only their headings name their subject.
 */
function areApart(a: Fact, b: Fact, isCopy: boolean): boolean {
  if (hasUnmatchedName(a, b) && hasUnmatchedName(b, a)) return true;
  if (isPart(a) && isPart(b) && areUnderOthers(a, b)) return true;
  return !isCopy && isUnmatched(a, b) && isUnmatched(b, a);
}

/**
 * Checks whether the title of one document names something that the other fact and its headings never mention, as in
 * "Gold Plus Account" and "Gold Account". A title of one word, such as "Loans", is too vague for that.
 */
export function areTitledApart(a: Fact, b: Fact): boolean {
  const isNamed = (one: Fact, other: Fact) => wordsIn(one.segment.title).length > 1 && hasUnmatchedName(one, other);
  return a.segment.title !== "" && b.segment.title !== "" && (isNamed(a, b) || isNamed(b, a));
}

/** Checks whether a fact is a row, a cell, or a list item that continues a sentence above it. */
function isPart({ segment: { type, above } }: Fact): boolean {
  return type.startsWith("table-") || (type === "list-item" && (above.at(-1)?.endsWith(":") ?? false));
}

/** Checks whether the title or headings of either fact contain an informative word that the other fact lacks. */
function areUnderOthers(a: Fact, b: Fact): boolean {
  return hasUnmatched(a.above(), b) || hasUnmatched(b.above(), a);
}

/** Checks whether a fact, in its text or headings, has a word or code that the other lacks. */
function isUnmatched(one: Fact, other: Fact): boolean {
  const isAlone = hasUnmatched(one.own, other) || hasUnmatched(one.above(), other);
  return isAlone || codesIn(one).some((code) => !codesIn(other).includes(code));
}

/** Returns the words of letters and digits that are not part of a quantity: "W-34". */
function codesIn({ reading: { text }, amounts }: Fact): string[] {
  const isQuantity = (at: number, length: number) =>
    amounts.some(({ kind, start, end }) => !IDENTIFIERS.has(kind) && start < at + length && at < end);
  return [...text.matchAll(WORDS)].flatMap(({ 0: word, index }) =>
    /\p{L}/u.test(word) && /\d/.test(word) && !isQuantity(index, word.length) ? [word] : [],
  );
}

function hasUnmatched(words: ReadonlyMap<string, number>, other: Fact): boolean {
  for (const [root, weight] of words) if (weight >= TELLING && holds(other, root) === 0) return true;
  return false;
}

/** Checks whether the title of one fact has a name or number that the other fact, its title and headings never mention. */
function hasUnmatchedName(of: Fact, to: Fact): boolean {
  const { title, above, text } = to.segment;
  const spoken = new Set(wordsIn([title, ...above, text].join(" ").toLowerCase()));
  return namesIn(of.segment.title).some((name) => !spoken.has(name));
}

/** Matches words. A hyphenated word is one word: "fee-free", "unist-util-is". */
const WORDS = /[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu;

function wordsIn(text: string): string[] {
  return text.match(WORDS) ?? [];
}

/**
 * Returns words with a capital or a digit. The first word counts only if other words have a capital too. A title of one
 * word is a name.
 */
function namesIn(title: string): string[] {
  const words = wordsIn(title);
  const isName = (word: string) => /^\p{Lu}|\p{N}/u.test(word);
  const from = words.length === 1 || words.slice(1).some(isName) ? 0 : 1;
  const named = words.slice(from).filter((word) => words.length === 1 || isName(word));
  return named.map((word) => word.toLowerCase());
}

/** Two values in the same role of two facts. */
type Pair = Readonly<Record<"a" | "b", Value>>;

/** Returns whether two texts are equal apart from their values, and the values have the same kinds in the same order. */
function haveSameForm(a: Fact, b: Fact): boolean {
  return (
    a.amounts.length === b.amounts.length &&
    a.amounts.every(({ kind, per }, i) => kind === b.amounts[i]?.kind && per === b.amounts[i]?.per) &&
    textBeside(a) === textBeside(b)
  );
}

function textBeside({ reading: { text }, amounts }: Fact): string {
  const ends = [0, ...amounts.map(({ end }) => end)];
  const parts = ends.map((end, i) => text.slice(end, amounts[i]?.start ?? text.length).trim());
  return parts.join("\u0000").toLowerCase().replaceAll(/\s+/g, " ");
}

/** Returns the values that differ, and the number of values that are equal. */
function valuesByPlace(a: Fact, b: Fact) {
  const pairs = a.amounts.map((one, i): Pair => ({ a: one, b: b.amounts[i] as Value }));
  const differing = pairs.filter((pair) => compareValues(pair.a, pair.b) === "different");
  return { differing, equal: pairs.length - differing.length };
}

/**
 * For each kind of value, pairs the value of each fact that agrees with no value of the other fact. Returns `null` if
 * it is unclear which values correspond: a fact has several such values, or their neighbouring words differ.
 */
function valuesByRole(a: Fact, b: Fact): ReturnType<typeof valuesByPlace> | null {
  const differing: Pair[] = [];
  let equal = 0;
  for (const kind of new Set(a.amounts.map((one) => one.kind))) {
    const [ofA, ofB] = [a, b].map(({ amounts }) => amounts.filter((one) => one.kind === kind)) as [Value[], Value[]];
    const leftA = ofA.filter((one) => !ofB.some((other) => mayAgree(one, other)));
    const leftB = ofB.filter((one) => !ofA.some((other) => mayAgree(one, other)));
    equal += ofA.length - leftA.length;
    const [one, other] = [leftA[0], leftB[0]];
    if (one === undefined || other === undefined) continue;
    if (leftA.length > 1 || leftB.length > 1 || one.per !== other.per) return null;
    if ((ofA.length + ofB.length > 2 || kind === "number") && !haveSameRole({ a: one, b: other }, a, b)) return null;
    differing.push({ a: one, b: other });
  }
  return { differing, equal };
}

function mayAgree(one: Value, other: Value): boolean {
  // A minimum and a maximum usually belong to two different cases: "less than 7 degrees" and "more than 14".
  return one.per === other.per && (oppositeBounds(one, other) || compareValues(one, other) !== "different");
}

/** Checks whether the same content word is beside both values. For a number, only the word after it counts, if there is one. */
function haveSameRole({ a: one, b: other }: Pair, a: Fact, b: Fact): boolean {
  const roleOf = ({ kind, start, end }: Value, { words }: Fact) => {
    const [before, behind] = [words.findLast((word) => word.end <= start)?.root, words.find((word) => word.start >= end)?.root];
    return kind === "number" && behind !== undefined ? [behind] : [before, behind].filter((root) => root !== undefined);
  };
  const [ofA, ofB] = [roleOf(one, a), roleOf(other, b)];
  return ofA.some((root) => ofB.includes(root));
}

const IDENTIFIERS: ReadonlySet<Value["kind"]> = new Set(["code", "form", "phone"]);

/** Checks whether a value identifies a thing: a code, or a number after a word and with no word after it ("Room 12, or by post"). */
function identifies({ kind, start, end }: Value, { reading: { text, words } }: Fact): boolean {
  const touches = (between: string) => /^[\s-]$/.test(between);
  const isName =
    words.some((word) => word.end < start && touches(text.slice(word.end, start))) &&
    !words.some((word) => word.start > end && touches(text.slice(end, word.start)));
  return IDENTIFIERS.has(kind) || (kind === "number" && isName);
}

/** Matches "may" before "not". "May not" denies nothing, except after "you", "we" and "they", where it forbids. */
const MAY = /(?<!\b(?:you|we|they) )\b(?:may|might)$/;

/** Finds the word that is negated in only one of two otherwise equal texts. */
function deniedInCopy(a: Fact, b: Fact): { a: TextRange; b: TextRange } | null {
  const [ofA, ofB] = [affirmed(a.reading.text), affirmed(b.reading.text)];
  if (ofA.length !== ofB.length || ofA.some(({ text }, i) => text !== ofB[i]?.text)) return null;
  const at = ofA.findIndex(({ denied }, i) => denied !== ofB[i]?.denied);
  const [one, other] = [ofA[at], ofB[at]];
  const before = ofA.slice(Math.max(0, at - 2), Math.max(0, at)).map(({ text }) => text);
  return one === undefined || other === undefined || MAY.test(before.join(" ")) ? null : { a: one, b: other };
}

/** Returns the words of a text without its negators. `denied`: it follows a negator ("not") or includes one ("can't"). */
function affirmed(text: string) {
  let denied = false;
  return [...text.matchAll(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu)].flatMap(({ 0: written, index: start }) => {
    const word = written.toLowerCase();
    const isVerb = deniesAsVerb(word);
    if ((!isVerb && isNegator(word)) || /^(?:do|does|did)$/.test(verbOf(word))) {
      denied ||= isVerb || !/^(?:do|does|did)$/.test(word);
      return [];
    }
    const found = { text: verbOf(word), denied: denied || isVerb, start, end: start + written.length };
    denied = false;
    return [found];
  });
}
