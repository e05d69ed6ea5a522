import { allowedEdits, editDistance } from "../text/spelling.ts";
import { wordTokens } from "../text/tokens.ts";
import { isDerived } from "./content-words.ts";
import { sharedWording } from "./question-shape.ts";
import type { Slots, SlotTerm } from "./slots.ts";

/** Optional knowledge beyond the two questions. */
export interface SlotContext {
  /**
   * Keys of what the stored answer is about: `readAbout` of its titles, headings and quotes. Terms of the asked
   * question found there count as known.
   */
  readonly about?: ReadonlySet<string>;
  /**
   * Keys of what the best passages for the asked question are about. Terms of the stored question found there count as
   * known.
   */
  readonly found?: ReadonlySet<string>;
  /** Vector similarity of two words or phrases, from 0 to 1. Without it, only listed relations count. */
  readonly likeness?: (one: string, other: string) => number;
}

/** Allowed differences between two questions with the same answer. Each has a test. Any other difference is a miss. */
export const ENTAILMENTS = [
  { name: "value-beyond", what: "a value or date that lies beyond a stored limit: 58 is after 57, 2015 is after January 1, 2013" },
  { name: "place-abroad", what: "a foreign country is overseas" },
  { name: "spouse-remarrying", what: "who remarries has been a spouse: widow, surviving spouse, spouse and nobody named are one" },
  { name: "narrower-person", what: "a dependent, survivor or family member who is also named as spouse, child or parent is that one" },
  { name: "synonym", what: "words of one group of synonyms: the domain's, the general ones, the dictionary's" },
  { name: "parts", what: "a name or phrase and the words that it stands for" },
  { name: "derived", what: "two forms of one word: remarry, remarriage" },
  { name: "known-there", what: "a word of one question that the other's answer or best passages are about" },
  { name: "number-written", what: "a number in words or digits, a unit in another: one year, 12 months" },
] as const;

export type Entailment = (typeof ENTAILMENTS)[number]["name"];

/** Alignment of the terms of two questions. */
export interface Alignment {
  readonly asked: readonly MatchedTerm[];
  readonly stored: readonly MatchedTerm[];
  /** Share of words that both questions have in the same order. */
  readonly wording: number;
  /** Meaningful words of one question without an equal (by a listed relation) in the other. */
  readonly differing: readonly string[];
  /** Weight of the terms that the other question, its answer and its passages do not cover. */
  readonly askedOpen: number;
  readonly storedOpen: number;
  /** The same weight, judged by the two questions alone. */
  readonly unmatchedAskedMass: number;
  readonly unmatchedStoredMass: number;
  readonly rules: readonly Entailment[];
  /** Reason why the questions differ, or `null`. */
  readonly opposites: string | null;
  readonly polarity: string | null;
  readonly names: string | null;
}

export interface MatchedTerm {
  readonly term: SlotTerm;
  /** 1: the same word. 0: unrelated. */
  readonly match: number;
  readonly how: "same" | Entailment | "near" | "none";
  /** Key of the matched term. */
  readonly with: string | null;
}

/** Match score of each relation. Listed relations count as equal when the rest of the wording is the same. */
const WORTH = { same: 1, derived: 0.95, domain: 0.95, general: 0.85, parts: 0.85, dictionary: 0.75 } as const;
/** Minimum vector similarity of related words. */
const NEAR = 0.35;
/** Maximum score from vector similarity, below every listed relation. */
const NEAR_WORTH = 0.7;
/** Minimum score of a listed relation. */
export const LISTED = 0.75;

/** Matches each term with the best term of the other question. */
export function alignTerms(asked: Slots, stored: Slots, { about, found, likeness }: SlotContext): Alignment {
  const left = asked.terms.map((term) => bestMatch(term, stored, likeness));
  const right = stored.terms.map((term) => bestMatch(term, asked, likeness));
  const rules = new Set<Entailment>();
  for (const { how } of [...left, ...right]) if (how !== "same" && how !== "near" && how !== "none") rules.add(how);
  const open = (matches: readonly MatchedTerm[]) => matches.filter(({ match }) => match < LISTED);
  const [openAsked, openStored] = [open(left), open(right)];
  if (openAsked.some(({ term }) => isThere(term, about)) || openStored.some(({ term }) => isThere(term, found))) rules.add("known-there");
  const knownThere = (terms: readonly MatchedTerm[], there: ReadonlySet<string> | undefined) =>
    terms.filter(({ term }) => term.kind === "name" && !isThere(term, there));
  const names = nameConflict(openAsked, openStored, knownThere(openAsked, about), knownThere(openStored, found));
  return {
    asked: left,
    stored: right,
    wording: sharedWording(asked.frame, stored.frame),
    differing: differingWords(asked, stored, openAsked, openStored),
    askedOpen: openMass(openAsked, about),
    storedOpen: openMass(openStored, found),
    unmatchedAskedMass: aloneMass(openAsked),
    unmatchedStoredMass: aloneMass(openStored),
    rules: [...rules],
    opposites: oppositeOf(left, right),
    polarity: polarityOf(left, stored),
    names: names ?? nearSpelling(openAsked, right) ?? nearSpelling(openStored, left),
  };
}

/** Match score of a term that only the other question's answer or passages contain. */
export const THERE = 0.6;
/**
 * Minimum weight of a meaningful term. Words that occur in every question of a domain weigh less and are ignored here.
 */
const TELLING = 1;

function openMass(open: readonly MatchedTerm[], there: ReadonlySet<string> | undefined): number {
  let sum = 0;
  for (const { term, match } of open) if (term.weight >= TELLING) sum += term.weight * (1 - (isThere(term, there) ? THERE : match));
  return sum;
}

/** The same mass from the words alone. A name that is merely similar to another name is a different name. */
function aloneMass(open: readonly MatchedTerm[]): number {
  return openMass(
    open.map((one) => (one.term.kind === "name" && one.how === "near" ? { ...one, match: 0 } : one)),
    undefined,
  );
}

/** Checks whether the text behind the keys contains a term. */
export function isThere({ key, parts }: SlotTerm, there: ReadonlySet<string> | undefined): boolean {
  if (there === undefined) return false;
  return there.has(key) || parts.some((words) => words.length > 0 && words.every((word) => there.has(word)));
}

function bestMatch(term: SlotTerm, other: Slots, likeness: SlotContext["likeness"]): MatchedTerm {
  let best: MatchedTerm = { term, match: 0, how: "none", with: null };
  for (const candidate of other.terms) {
    const [match, how] = relate(term, candidate, likeness);
    if (match > best.match) best = { term, match, how, with: candidate.key };
    if (match === 1) break;
  }
  if (best.match < WORTH.parts && term.parts.length > 0) {
    const said = new Set(other.terms.flatMap(({ key, parts }) => [key, ...key.split(" "), ...parts.flat()]));
    if (term.parts.some((words) => words.length > 0 && words.every((word) => said.has(word)))) {
      best = { term, match: WORTH.parts, how: "parts", with: null };
    }
  }
  // A word may be part of a phrase on the other side.
  if (best.match < WORTH.parts && term.kind === "word") {
    const whole = other.terms.find(({ parts, key }) => key.includes(" ") && parts.some((words) => words.includes(term.key)));
    if (whole !== undefined) best = { term, match: WORTH.parts, how: "parts", with: whole.key };
  }
  return best;
}

function relate(a: SlotTerm, b: SlotTerm, likeness: SlotContext["likeness"]): readonly [number, MatchedTerm["how"]] {
  if (a.key === b.key) return hasOtherEnding(a.text, b.text) || isOtherWord(a.text, b.text) ? [0, "none"] : [WORTH.same, "same"];
  if (a.kind === "name" && b.kind === "name" && a.known && b.known) return [0, "none"];
  if (isDerived(a.key, b.key) && !hasOtherEnding(a.text, b.text)) return [WORTH.derived, "derived"];
  const shared = a.groups.find((group) => b.groups.includes(group));
  // The dictionary also groups derived words, but gold and golden accounts differ.
  if (shared !== undefined && !(shared.startsWith("w") && isNearSpelled(a.text, b.text))) {
    const worth = shared.startsWith("d") ? WORTH.domain : shared.startsWith("g") ? WORTH.general : WORTH.dictionary;
    return [worth, "synonym"];
  }
  const near = likeness?.(a.text, b.text) ?? 0;
  return near < NEAR ? [0, "none"] : [Math.min(near, NEAR_WORTH), "near"];
}

/**
 * Finds two words with similar spellings. Either they name different things or one is misspelt. That cannot be decided
 * here, so the answer is not shared.
 * @param open unmatched terms of the other question
 */
function nearSpelling(open: readonly MatchedTerm[], others: readonly MatchedTerm[]): string | null {
  for (const { term: a } of open) {
    for (const { term: b, how } of others) {
      if (how !== "same" && a.text !== b.text && (isNearSpelled(a.text, b.text) || isNearSpelled(a.key, b.key)))
        return `"${a.text}" is not "${b.text}"`;
    }
  }
  return null;
}

/** A few edits apart, or half of the letters in common at the start and end. */
function isNearSpelled(a: string, b: string): boolean {
  const limit = allowedEdits(Math.min(a.length, b.length));
  if (limit > 0 && editDistance(a, b, limit) <= limit) return true;
  let head = 0;
  while (head < a.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length && tail < b.length && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  return Math.max(head, tail) >= MIN_SHARED && head + tail >= Math.max(a.length, b.length) / 2;
}

/**
 * Words with one stem that are not forms of one word: silicon and silicone, probate and probation. Listed irregular
 * forms do count as one word.
 */
function isOtherWord(a: string, b: string): boolean {
  if (a === b || a.includes(" ") || b.includes(" ") || !isNearSpelled(a, b)) return false;
  const [one, other] = [a, b].map((text) => wordTokens({ text, code: false })[0]);
  const bases = basesOf(b);
  return one === other && ![...basesOf(a)].some((base) => bases.has(base));
}

/** Possible base forms: the word itself and the word without inflectional endings. */
function basesOf(word: string): Set<string> {
  const bases = new Set([word]);
  for (const [ending, ...instead] of [
    ["s", ""],
    ["es", ""],
    ["ies", "y"],
    ["d", ""],
    ["ed", ""],
    ["ied", "y"],
    ["ing", "", "e"],
  ] as const) {
    if (!word.endsWith(ending)) continue;
    const rest = word.slice(0, -ending.length);
    for (const end of instead) bases.add(rest + end);
    if (rest.at(-1) === rest.at(-2)) bases.add(rest.slice(0, -1));
  }
  return bases;
}

const MIN_SHARED = 3;
/** Endings that change who or what a stem names: insurer and insured, deductible and deduction. */
const PARTY = /(?:er|or|ee|[ae]nt|able|ible|ful|less)s?$/;

function hasOtherEnding(a: string, b: string): boolean {
  if (a === b || a.includes(" ") || b.includes(" ")) return false;
  return PARTY.exec(a)?.[0].replace(/s$/, "") !== PARTY.exec(b)?.[0].replace(/s$/, "");
}

/**
 * Unmatched names on both sides are different things. A name on one side only is unknown, unless the other side's
 * answer or passages contain it.
 */
function nameConflict(
  asked: readonly MatchedTerm[],
  stored: readonly MatchedTerm[],
  unknownAsked: readonly MatchedTerm[],
  unknownStored: readonly MatchedTerm[],
): string | null {
  const names = (terms: readonly MatchedTerm[]) => terms.filter(({ term }) => term.kind === "name").map(({ term }) => term.text);
  const [one, other] = [names(asked), names(stored)];
  if (one.length > 0 && other.length > 0) return `asked about ${one.join(", ")}, stored about ${other.join(", ")}`;
  const unknown = unknownAsked[0] ?? unknownStored[0];
  return unknown === undefined ? null : `"${unknown.term.text}" is named in one of them alone`;
}

/** Finds a word of one side that excludes a word of the other, where neither occurs on both sides. */
function oppositeOf(asked: readonly MatchedTerm[], stored: readonly MatchedTerm[]): string | null {
  const alone = (terms: readonly MatchedTerm[]) => terms.filter(({ how }) => how !== "same");
  for (const { term: a } of alone(asked)) {
    for (const { term: b } of alone(stored)) {
      if (a.negated !== b.negated) continue;
      if (excludes(a, b)) return `"${a.text}" is not "${b.text}"`;
    }
  }
  return null;
}

function excludes(a: SlotTerm, b: SlotTerm): boolean {
  if (a.sides.some((side) => b.sides.includes(flipped(side)))) return true;
  const ordinal = (term: SlotTerm) => term.sides.find((side) => side.startsWith("n"));
  const [one, other] = [ordinal(a), ordinal(b)];
  return (one !== undefined && other !== undefined && one !== other) || isDenied(a.text, b.text) || isDenied(b.text, a.text);
}

function flipped(side: string): string {
  return side.endsWith("+") ? `${side.slice(0, -1)}-` : side.endsWith("-") ? `${side.slice(0, -1)}+` : "";
}

/** "ineligible" negates "eligible". */
function isDenied(a: string, b: string): boolean {
  return b.length >= 4 && /^(?:un|in|im|ir|il|non|dis|de)/.test(a) && a.endsWith(b) && a.length - b.length <= 3;
}

/** Finds a word that is negated in only one of the questions. */
function polarityOf(asked: readonly MatchedTerm[], stored: Slots): string | null {
  for (const { term, how, with: partner } of asked) {
    if (how !== "same") continue;
    const other = stored.terms.filter(({ key }) => key === partner);
    if (other.length > 0 && other.every(({ negated }) => negated !== term.negated)) return `"${term.text}" is denied in one of them`;
  }
  return null;
}

/** Words that differ although the wording is the same: unmatched terms and small words that change the meaning. */
function differingWords(asked: Slots, stored: Slots, openAsked: readonly MatchedTerm[], openStored: readonly MatchedTerm[]): string[] {
  const terms = [...openAsked, ...openStored].map(({ term }) => term.text);
  const only = (one: readonly string[], other: readonly string[]) => one.filter((word) => DECISIVE.has(word) && !other.includes(word));
  return [...new Set([...terms, ...only(asked.frame, stored.frame), ...only(stored.frame, asked.frame)])];
}

/** Small words that change the meaning of otherwise equal questions. */
const DECISIVE: ReadonlySet<string> = new Set(
  "any all every only each both either neither another other first last less more most least before after until since under over within without between".split(
    " ",
  ),
);
