import { compareValues } from "../language/compare-values.ts";
import type { ContentWord } from "../language/content-words.ts";
import type { Value } from "../language/values.ts";
import type { TextRange } from "../shared/types.ts";
import type { Fact } from "./facts.ts";

/** Kinds of value that are identifiers of forms and rules. */
export const NAMES_IN_NUMBERS: ReadonlySet<Value["kind"]> = new Set(["code", "form"]);
/** Minimum weight of a word that distinguishes subjects. */
const TELLING = 0.62;
/** The same minimum in titles, where even more common words name the subject. */
export const TELLING_TITLE = 0.45;
/** Certainty factor for facts below different titles without names. */
const OTHER_SUBJECT = 0.6;

/**
 * Returns the weighted share of a fact's words that the other fact or its context contains, leaving out words in the
 * range `without`.
 */
export function shareHeld(fact: Fact, other: Fact, without?: TextRange): number {
  return shareOf(fact, (root) => holds(other, root), without);
}

function shareOf(fact: Fact, heldBy: (root: string) => number, without?: TextRange): number {
  const left = new Set(
    without === undefined ? [] : fact.words.filter(({ start, end }) => start < without.end && without.start < end).map(({ root }) => root),
  );
  let all = 0;
  let held = 0;
  for (const [root, weight] of fact.own) {
    if (left.has(root)) continue;
    all += weight;
    held += weight * heldBy(root);
  }
  return all === 0 ? 0 : held / all;
}

/** Returns the weighted share of some words of a fact; `null` if they have no weight. */
export function shareOfWords(words: readonly ContentWord[], { own }: Fact, heldBy: (root: string) => number): number | null {
  let all = 0;
  let held = 0;
  for (const { root } of words) {
    const weight = own.get(root) ?? 0;
    all += weight;
    held += weight * heldBy(root);
  }
  return all === 0 ? null : held / all;
}

export function holds({ holding }: Fact, root: string): number {
  return holding.get(root) ?? 0;
}

/**
 * Returns the weighted share of a fact's words that the other fact itself contains, without its context and the range
 * `without`.
 */
export function shareSaid(fact: Fact, other: Fact, without: TextRange): number {
  return shareOf(fact, (root) => (other.own.has(root) ? 1 : 0), without);
}

export function sharedWeight(a: Fact, b: Fact): number {
  let sum = 0;
  for (const [root, weight] of a.own) sum += weight * holds(b, root);
  return sum;
}

export function unmatchedNames(fact: Fact, other: Fact): ContentWord[] {
  return fact.words.filter(({ name, root }) => name && (fact.own.get(root) ?? 0) >= TELLING && holds(other, root) === 0);
}

export const VERB = /\b(?:is|are|was|were|can|may|must|will|should|has|have|had|does|do|did)\b|n['’]t\b/i;

/**
 * True if the subjects before the verbs share no word, and each has a distinguishing one: "a chronic disease is …",
 * "sclerosis is …".
 */
export function otherSubjects(a: Fact, b: Fact): boolean {
  const [ofA, ofB] = [subjectWords(a), subjectWords(b)];
  const unmatched = (subject: readonly ContentWord[], fact: Fact, other: Fact) =>
    subject.some(({ root }) => (fact.own.get(root) ?? 0) >= TELLING && holds(other, root) === 0);
  return !ofA.some(({ root }) => ofB.some((word) => word.root === root)) && unmatched(ofA, a, b) && unmatched(ofB, b, a);
}

function subjectWords({ reading, words, pointsBack, piece }: Fact): ContentWord[] {
  const verb = reading.text.search(VERB);
  return verb < 0 || (pointsBack && piece.previous !== "") ? [] : words.filter(({ end }) => end <= verb);
}

const ADJACENT = /^[\s-]$/;

/** True for one word after two different names: "Court Appeal" and "Board Appeal". */
export function otherModifiers(a: Fact, b: Fact): boolean {
  return a.words.some((word, i) => {
    const before = a.words[i - 1];
    if (before === undefined || !before.name || b.own.has(before.root) || !ADJACENT.test(a.reading.text.slice(before.end, word.start)))
      return false;
    const same = b.words.flatMap(({ root, start }, j) => {
      const other = b.words[j - 1];
      return root === word.root && other !== undefined && ADJACENT.test(b.reading.text.slice(other.end, start)) ? [other] : [];
    });
    return same.length > 0 && same.every(({ name, root }) => name && !a.own.has(root));
  });
}

const EXCEPTS = /\b(?:unless|except(?:ing)?|other than (?!(?:dis)?honorable)|apart from)\b/i;

/**
 * True if one fact states the exception that the other fact names: "… unless you have a multiple-party claim" and a
 * fact about such claims.
 */
export function isException(general: Fact, special: Fact): boolean {
  const from = general.reading.text.search(EXCEPTS);
  if (from < 0) return false;
  const named = general.words.filter(({ start, root }) => start >= from && (general.own.get(root) ?? 0) >= TELLING);
  return named.some(({ root }) => special.above.has(root) || special.own.has(root)) && !EXCEPTS.test(special.reading.text);
}

/** Steps of one rule: "the first 6 months", "the rest". */
const STEP = /\b(?:first|second|third|fourth|fifth|sixth|last|next|rest|initial|subsequent|additional|each|every|\d+(?:st|nd|rd|th))\b/gi;

export function otherSteps(a: Fact, b: Fact): boolean {
  const stepsOf = ({ piece }: Fact) => new Set(piece.text.toLowerCase().match(STEP) ?? []);
  const [one, other] = [stepsOf(a), stepsOf(b)];
  return one.size > 0 && other.size > 0 && ![...one].some((step) => other.has(step));
}

/** True if only one of the facts is about a spouse, a child or another person. */
export function otherPersons(a: Fact, b: Fact): boolean {
  const unmatched = (one: Fact, other: Fact) =>
    [...one.persons].some((person) => !other.persons.has(person) && !other.personsAround.has(person));
  const [over, under] = [a.personsAbove, b.personsAbove];
  const apart = over.size > 0 && under.size > 0 && ![...over].some((person) => under.has(person));
  return apart || unmatched(a, b) || unmatched(b, a);
}

/** True if titles or headings give different years or other values, as in the tables of two years or tiers. */
export function otherYears(a: Fact, b: Fact): boolean {
  const unmatched = (one: readonly Value[], other: Fact) =>
    one.some(
      (amount) =>
        ![...other.amounts, ...other.amountsAbove, ...other.amountsAround].some((mine) => compareValues(amount, mine) === "equal"),
    );
  return a.amountsAbove.length > 0 && b.amountsAbove.length > 0 && unmatched(a.amountsAbove, b) && unmatched(b.amountsAbove, a);
}

/**
 * True if each fact names something in its title, headings or text that the other never mentions: "The median duration
 * was 70 days" for two medicines.
 */
export function otherNames(a: Fact, b: Fact): boolean {
  return isNamedOtherwise(a, b) && isNamedOtherwise(b, a);
}

function isNamedOtherwise(fact: Fact, other: Fact): boolean {
  return unmatchedNames(fact, other).length > 0 || hasUnmatchedName(fact, other);
}

/**
 * Returns a factor below 1 if the headings of each fact have a word that the other lacks; then only equal texts are
 * about one thing. One such word is enough for list items, whose subject is only in the headings.
 */
export function subjectFactor(a: Fact, b: Fact): number {
  const unmatched = [
    hasUnmatchedAbove(a, b, TELLING) || hasUnmatchedIn(a.title, b, TELLING_TITLE),
    hasUnmatchedAbove(b, a, TELLING) || hasUnmatchedIn(b.title, a, TELLING_TITLE),
  ];
  return (isItem(a) && isItem(b) ? unmatched.some(Boolean) : unmatched.every(Boolean)) ? OTHER_SUBJECT : 1;
}

/** True if the column name of one fact has a word that the other lacks. Columns separate things. */
export function otherColumns(a: Fact, b: Fact): boolean {
  const unmatched = (one: Fact, other: Fact) => [...one.column].some(([root, weight]) => weight >= TELLING && holds(other, root) === 0);
  return unmatched(a, b) || unmatched(b, a);
}

/** True for a list item that continues a sentence above it: "You: – Served at least 90 days, and". */
function isItem({ piece }: Fact): boolean {
  return piece.type === "list-item" && (piece.above.at(-1)?.endsWith(":") ?? false);
}

/** A number or code at the beginning labels a list entry: "9312 Dementia", "5.3 Storage". */
const LABEL = /^\s*(\d{1,5}(?:\.\d{1,5})*)[.):]?\s+\p{Lu}/u;

export function labelOf({ piece }: Fact): string | null {
  return LABEL.exec(piece.text)?.[1] ?? null;
}

/** True for list entries with different labels. */
export function otherLabels(a: Fact, b: Fact): boolean {
  const [one, other] = [labelOf(a), labelOf(b)];
  return one !== null && other !== null && one !== other;
}

/** Checks whether a word of at least this weight is above one fact and missing from the other. */
export function hasUnmatchedAbove(fact: Fact, other: Fact, weight: number): boolean {
  return hasUnmatchedIn(fact.above, other, weight);
}

function hasUnmatchedIn(over: ReadonlyMap<string, number>, other: Fact, weight: number): boolean {
  for (const [root, own] of over) if (own >= weight && holds(other, root) === 0) return true;
  return false;
}

/** Returns the weight of the distinguishing words of a fact that the other lacks. */
export function unmatchedWeight(fact: Fact, other: Fact): number {
  let sum = 0;
  for (const [root, weight] of fact.own) if (weight >= TELLING && holds(other, root) === 0) sum += weight;
  return sum;
}

/**
 * True if each text has a word or code that the other lacks, at the same position: "strain W-34 ferments" and "strain
 * K-97 ferments".
 */
export function otherThings(a: Fact, b: Fact): boolean {
  const ofB = unmatchedPlaces(b, a);
  return unmatchedPlaces(a, b).some((one) => ofB.some((other) => isSamePlace(one, other)));
}

/** Neighbouring words as written, in lower case; empty at the ends of the text. */
interface Place {
  readonly before: string;
  readonly behind: string;
}

function isSamePlace(one: Place, other: Place): boolean {
  return (one.before !== "" && one.before === other.before) || (one.behind !== "" && one.behind === other.behind);
}

const WRITTEN = /[\p{L}\p{N}]+(?:[-'’.][\p{L}\p{N}]+)*/gu;

function unmatchedPlaces(fact: Fact, other: Fact): Place[] {
  const written = [...fact.reading.text.matchAll(WRITTEN)].map(({ 0: text, index }) => ({ text: text.toLowerCase(), start: index }));
  return written.flatMap(({ text, start }, i) =>
    isStrange({ start, end: start + text.length }, fact, other)
      ? [{ before: written[i - 1]?.text ?? "", behind: written[i + 1]?.text ?? "" }]
      : [],
  );
}

function isStrange(at: TextRange, fact: Fact, other: Fact): boolean {
  if (fact.amounts.some(({ kind, start, end }) => !NAMES_IN_NUMBERS.has(kind) && start <= at.start && at.end <= end)) return false;
  const word = fact.words.find(({ start, end }) => start < at.end && at.start < end);
  if (word !== undefined) return holds(other, word.root) === 0;
  const text = fact.reading.text.slice(at.start, at.end);
  return /\p{L}/u.test(text) && /\d/.test(text) && !other.reading.text.includes(text);
}

/**
 * Minimum share of the shorter title's words, or of its names, in similar titles: two accounts, two models, two
 * editions.
 */
const TWIN_TITLES = 0.5;

/**
 * True for similar titles with a name on one side that the other side never mentions: "Gold Plus Account" and "Gold
 * Account".
 */
export function otherNearDuplicates(a: Fact, b: Fact): boolean {
  const share = (one: readonly string[], other: readonly string[]) => {
    const shared = one.filter((word) => other.includes(word)).length;
    return shared > 0 && shared >= TWIN_TITLES * Math.min(one.length, other.length);
  };
  if (!share([...a.title.keys()], [...b.title.keys()]) && !share(namesIn(a.piece.title), namesIn(b.piece.title))) return false;
  return hasUnmatchedName(a, b) || hasUnmatchedName(b, a) || otherNumbers(a.piece.title, b.piece.title);
}

/** True for "Type 1" and "Type 2". Each page may mention the other one. */
function otherNumbers(title: string, other: string): boolean {
  const [one, its] = [title, other].map((text) => namesIn(text).filter((name) => /\p{N}/u.test(name))) as [string[], string[]];
  return one.length > 0 && its.length > 0 && !one.some((name) => its.includes(name));
}

/** Checks whether the title of one fact has a name that the other fact and its context never mention. */
export function hasUnmatchedName(of: Fact, to: Fact): boolean {
  const spoken = new Set(wordsIn([to.piece.title, ...to.piece.above, to.piece.previous, to.piece.text].join(" ").toLowerCase()));
  return namesIn(of.piece.title).some((name) => !spoken.has(name));
}

/** A hyphenated word is one word: "fee-free", "unist-util-is". */
function wordsIn(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? [];
}

/**
 * Returns words with a capital or a digit. The first word counts only if other words have a capital too. A title of one
 * word is a name.
 */
function namesIn(title: string): string[] {
  const words = wordsIn(title);
  if (words.length === 1) return words.map((word) => word.toLowerCase());
  const isName = (word: string) => /^\p{Lu}|\p{N}/u.test(word);
  const from = words.slice(1).some(isName) ? 0 : 1;
  return words
    .slice(from)
    .filter(isName)
    .map((word) => word.toLowerCase());
}
