import { compareValues } from "../language/compare-values.ts";
import type { ContentWord } from "../language/content-words.ts";
import type { Value } from "../language/values.ts";
import type { TextRange } from "../shared/types.ts";
import type { Fact } from "./facts.ts";

/** Names of desks, forms and rules written as numbers. */
export const NAMES_IN_NUMBERS: ReadonlySet<Value["kind"]> = new Set(["code", "form"]);
/** A word from this weight tells one subject from another. */
const TELLING = 0.62;
/** A title is all subject: there a more common word tells too. */
export const TELLING_TITLE = 0.45;
/** What is certain of two statements below titles of other words, none of them a name. */
const OTHER_SUBJECT = 0.6;

/** Share of a fact's words, by weight, that the other holds in itself or around it; those of a part of the text may be left out. */
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

/** Share of some words of a fact, by weight, that is held; `null`: they weigh nothing. */
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

/** Share of a fact's words, by weight, that the other says itself, not what stands around it; those of a part of the text are left out. */
export function shareSaid(fact: Fact, other: Fact, without: TextRange): number {
  return shareOf(fact, (root) => (other.own.has(root) ? 1 : 0), without);
}

export function sharedWeight(a: Fact, b: Fact): number {
  let sum = 0;
  for (const [root, weight] of a.own) sum += weight * holds(b, root);
  return sum;
}

export function strangeNames(fact: Fact, other: Fact): ContentWord[] {
  return fact.words.filter(({ name, root }) => name && (fact.own.get(root) ?? 0) >= TELLING && holds(other, root) === 0);
}

export const VERB = /\b(?:is|are|was|were|can|may|must|will|should|has|have|had|does|do|did)\b|n['’]t\b/i;

/** What stands before the verb of each has no word in common, and each has one that the other lacks: "a chronic disease is …", "sclerosis is …". */
export function otherSubjects(a: Fact, b: Fact): boolean {
  const [ofA, ofB] = [subjectWords(a), subjectWords(b)];
  const strange = (subject: readonly ContentWord[], fact: Fact, other: Fact) =>
    subject.some(({ root }) => (fact.own.get(root) ?? 0) >= TELLING && holds(other, root) === 0);
  return !ofA.some(({ root }) => ofB.some((word) => word.root === root)) && strange(ofA, a, b) && strange(ofB, b, a);
}

function subjectWords({ reading, words, pointsBack, piece }: Fact): ContentWord[] {
  const verb = reading.text.search(VERB);
  return verb < 0 || (pointsBack && piece.previous !== "") ? [] : words.filter(({ end }) => end <= verb);
}

const ADJACENT = /^[\s-]$/;

/** "Court Appeal" and "Board Appeal": the same word behind two names. */
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

/** "… unless you have a multiple-party claim": what is said of multiple-party claims is the exception, no contradiction. */
export function isException(general: Fact, special: Fact): boolean {
  const from = general.reading.text.search(EXCEPTS);
  if (from < 0) return false;
  const named = general.words.filter(({ start, root }) => start >= from && (general.own.get(root) ?? 0) >= TELLING);
  return named.some(({ root }) => special.above.has(root) || special.own.has(root)) && !EXCEPTS.test(special.reading.text);
}

/** "The first 6 months", "the rest": steps of one rule. */
const STEP = /\b(?:first|second|third|fourth|fifth|sixth|last|next|rest|initial|subsequent|additional|each|every|\d+(?:st|nd|rd|th))\b/gi;

export function otherSteps(a: Fact, b: Fact): boolean {
  const stepsOf = ({ piece }: Fact) => new Set(piece.text.toLowerCase().match(STEP) ?? []);
  const [one, other] = [stepsOf(a), stepsOf(b)];
  return one.size > 0 && other.size > 0 && ![...one].some((step) => other.has(step));
}

/** One is about a spouse, a child …, the other is not. */
export function otherPersons(a: Fact, b: Fact): boolean {
  const strange = (one: Fact, other: Fact) =>
    [...one.persons].some((person) => !other.persons.has(person) && !other.personsAround.has(person));
  const [over, under] = [a.personsAbove, b.personsAbove];
  const apart = over.size > 0 && under.size > 0 && ![...over].some((person) => under.has(person));
  return apart || strange(a, b) || strange(b, a);
}

/** Titles or headings give different years or other values: the tables of two years, two tiers. */
export function otherYears(a: Fact, b: Fact): boolean {
  const strange = (one: readonly Value[], other: Fact) =>
    one.some(
      (amount) =>
        ![...other.amounts, ...other.amountsAbove, ...other.amountsAround].some((mine) => compareValues(amount, mine) === "equal"),
    );
  return a.amountsAbove.length > 0 && b.amountsAbove.length > 0 && strange(a.amountsAbove, b) && strange(b.amountsAbove, a);
}

/** Each names something – in its title, above it or in itself – that the other does not speak of at all: "The median duration was 70 days" of two medicines. */
export function otherNames(a: Fact, b: Fact): boolean {
  return isNamedOtherwise(a, b) && isNamedOtherwise(b, a);
}

function isNamedOtherwise(fact: Fact, other: Fact): boolean {
  return strangeNames(fact, other).length > 0 || strangeName(fact, other);
}

/**
 * Below 1 if what stands above each has a word that the other does not speak of: then only the same words throughout are about the same. An item of a
 * list says what it is about only above it: there one strange word is enough.
 */
export function subjectFactor(a: Fact, b: Fact): number {
  const strange = [
    strangeAbove(a, b, TELLING) || strangeIn(a.title, b, TELLING_TITLE),
    strangeAbove(b, a, TELLING) || strangeIn(b.title, a, TELLING_TITLE),
  ];
  return (isItem(a) && isItem(b) ? strange.some(Boolean) : strange.every(Boolean)) ? OTHER_SUBJECT : 1;
}

/** A column of a table stands for one of several things: its name has a word that the other does not speak of. */
export function otherColumns(a: Fact, b: Fact): boolean {
  const strange = (one: Fact, other: Fact) => [...one.column].some(([root, weight]) => weight >= TELLING && holds(other, root) === 0);
  return strange(a, b) || strange(b, a);
}

/** Part of a sentence that begins above it: "You: – Served at least 90 days, and". */
function isItem({ piece }: Fact): boolean {
  return piece.type === "list-item" && (piece.above.at(-1)?.endsWith(":") ?? false);
}

/** "9312 Dementia", "5.3 Storage": a number or code that a piece begins with names its place in a list. */
const LABEL = /^\s*(\d{1,5}(?:\.\d{1,5})*)[.):]?\s+\p{Lu}/u;

export function labelOf({ piece }: Fact): string | null {
  return LABEL.exec(piece.text)?.[1] ?? null;
}

/** Entries of a list with other numbers are other entries. */
export function otherLabels(a: Fact, b: Fact): boolean {
  const [one, other] = [labelOf(a), labelOf(b)];
  return one !== null && other !== null && one !== other;
}

/** Does a word of this weight stand above one fact that the other does not have at all? */
export function strangeAbove(fact: Fact, other: Fact, weight: number): boolean {
  return strangeIn(fact.above, other, weight);
}

function strangeIn(over: ReadonlyMap<string, number>, other: Fact, weight: number): boolean {
  for (const [root, own] of over) if (own >= weight && holds(other, root) === 0) return true;
  return false;
}

/** Weight of the telling words of a fact that the other holds nowhere. */
export function strangeWeight(fact: Fact, other: Fact): number {
  let sum = 0;
  for (const [root, weight] of fact.own) if (weight >= TELLING && holds(other, root) === 0) sum += weight;
  return sum;
}

/** The text of each has a word or code that the other speaks of nowhere, both between the same neighbours: "strain W-34 ferments" and "strain K-97 ferments". */
export function otherThings(a: Fact, b: Fact): boolean {
  const ofB = strangePlaces(b, a);
  return strangePlaces(a, b).some((one) => ofB.some((other) => isSamePlace(one, other)));
}

/** The written words before and behind one, in lower case; empty at the ends of the text. */
interface Place {
  readonly before: string;
  readonly behind: string;
}

function isSamePlace(one: Place, other: Place): boolean {
  return (one.before !== "" && one.before === other.before) || (one.behind !== "" && one.behind === other.behind);
}

const WRITTEN = /[\p{L}\p{N}]+(?:[-'’.][\p{L}\p{N}]+)*/gu;

function strangePlaces(fact: Fact, other: Fact): Place[] {
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

/** Titles that share this part of the shorter one's words, or of its names, are those of similar things: two accounts, two models, two editions. */
const TWIN_TITLES = 0.5;

/** "Gold Plus Account" and "Gold Account": titles of one form, one of which has a name that the other side does not speak of at all. */
export function otherTwins(a: Fact, b: Fact): boolean {
  const share = (one: readonly string[], other: readonly string[]) => {
    const shared = one.filter((word) => other.includes(word)).length;
    return shared > 0 && shared >= TWIN_TITLES * Math.min(one.length, other.length);
  };
  if (!share([...a.title.keys()], [...b.title.keys()]) && !share(namesIn(a.piece.title), namesIn(b.piece.title))) return false;
  return strangeName(a, b) || strangeName(b, a) || otherNumbers(a.piece.title, b.piece.title);
}

/** "Type 1" and "Type 2": each page may speak of the other one. */
function otherNumbers(title: string, other: string): boolean {
  const [one, its] = [title, other].map((text) => namesIn(text).filter((name) => /\p{N}/u.test(name))) as [string[], string[]];
  return one.length > 0 && its.length > 0 && !one.some((name) => its.includes(name));
}

/** Is there a name in the title of one that the other speaks of nowhere? */
export function strangeName(of: Fact, to: Fact): boolean {
  const spoken = new Set(wordsIn([to.piece.title, ...to.piece.above, to.piece.previous, to.piece.text].join(" ").toLowerCase()));
  return namesIn(of.piece.title).some((name) => !spoken.has(name));
}

/** "Fee-free" is one word, as "unist-util-is" is. */
function wordsIn(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? [];
}

/** Words with a capital or a digit; the first of a title only where others have a capital too. A title of one word is a name. */
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
