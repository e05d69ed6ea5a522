import type { ContentWord } from "../language/content-words.ts";
import { countNegators, deniesAsVerb, deniesClause, deniesNoun, NEGATOR, verbOf } from "../language/negation.ts";
import type { Marker, ModalityCue } from "../language/opposites.ts";
import type { TextRange } from "../shared/types.ts";
import { mayAgree, unmatchedAmounts } from "./compare-amounts.ts";
import type { Fact } from "./facts.ts";
import { holds, shareOfWords } from "./same-subject.ts";

/** Minimum share of a condition's words in the other fact. */
const SAME_CONDITION = 0.5;
/** Minimum share of the words that a negation or duty applies to. */
const SAME_SCOPE = 0.7;
const SAME_DUTY = 0.6;
/** Words that restrict a claim to a part or a circumstance. A claim without the restriction need not contradict it. */
const LIMITS: readonly RegExp[] = [
  /\bat the same time\b|\bin a row\b|\bboth\b|\btogether\b/i,
  /\b(?:other|another|different|additional)\b(?! than (?:dis)?honorable)/i,
  /\b(?:some|certain|selected)\b/i,
  /\bnot (?:all|every\p{L}*)\b/iu,
  /\b(?:online|by mail|in person|by phone)\b/i,
  /\b(?:yet|until|right away|immediately|automatically)\b/i,
  /\b(?:normally|usually|generally|typically|often|sometimes|always|necessarily)\b/i,
];

function withinLimits(denying: Fact, other: Fact): boolean {
  return LIMITS.every((pattern) => !pattern.test(denying.reading.text) || pattern.test(other.reading.text));
}

/** Checks whether two facts have the same conditions. Facts under different conditions do not contradict each other. */
export function sameConditions(a: Fact, b: Fact): boolean {
  const shared = (one: Fact, other: Fact) => {
    const hypothetical = one.words.filter((word) => word.hypothetical);
    return (shareOfWords(hypothetical, one, (root) => holds(other, root)) ?? 1) >= SAME_CONDITION;
  };
  const unless = (one: Fact) =>
    /\b(?:unless|except|other than|until)\b/i.test(one.reading.text.replaceAll(/other than (?:dis)?honorable/gi, ""));
  if (unless(a) !== unless(b)) return false;
  if (otherAmounts(a, b)) return false;
  return shared(a, b) && shared(b, a) && unmatchedAmounts(a, b).length + unmatchedAmounts(b, a).length === 0;
}

/** True if both facts give values of one kind, and none of them agree. */
function otherAmounts(a: Fact, b: Fact): boolean {
  return a.amounts.some(({ kind }) => {
    const others = b.amounts.filter((other) => other.kind === kind);
    return others.length > 0 && !a.amounts.some((one) => others.some((other) => mayAgree(one, other)));
  });
}

/**
 * Finds a word that is negated in one of two otherwise equal sentences. "May not" is skipped, because what may not be
 * also may be.
 */
export function copiedDenial(a: Fact, b: Fact): { a: TextRange; b: TextRange } | null {
  const [ofA, ofB] = [affirmed(a.reading.text), affirmed(b.reading.text)];
  if (ofA.length !== ofB.length || ofA.some(({ text }, i) => text !== ofB[i]?.text)) return null;
  const at = ofA.findIndex(({ denied }, i) => denied !== ofB[i]?.denied);
  const [one, other] = [ofA[at], ofB[at]];
  return one === undefined || other === undefined || MAY.test(`${ofA[at - 1]?.text ?? ""} `) ? null : { a: one, b: other };
}

interface Affirmed extends TextRange {
  readonly text: string;
  /** True right after a negator, or if the word includes one ("can't"). */
  readonly denied: boolean;
}

/** Returns the words of a text without its negators. */
function affirmed(text: string): Affirmed[] {
  let denied = false;
  return [...text.matchAll(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu)].flatMap(({ 0: written, index: start }) => {
    const word = written.toLowerCase();
    if (!deniesAsVerb(word) && (deniesClause(word) || deniesNoun(word))) {
      denied = true;
      return [];
    }
    const found = { text: verbOf(word), denied: denied || deniesAsVerb(word), start, end: start + written.length };
    denied = false;
    return [found];
  });
}

/** Finds a word that one fact negates and the other affirms. */
export function turnedDenial(a: Fact, b: Fact): { a: TextRange; b: TextRange } | null {
  return deniedIn(a, b) ?? swap(deniedIn(b, a));
}

/** A name or heading without a verb affirms nothing. */
const IS_SENTENCE =
  /\b(?:you|we|they|it|he|she|who|is|are|was|were|be|can|may|must|will|should|has|have|had|do|does|did)\b|['’](?:ll|re|ve)\b/i;

function deniedIn(denying: Fact, other: Fact): { a: TextRange; b: TextRange } | null {
  for (const word of denying.words) {
    if (!word.denied || word.hypothetical || !isDenied(word, denying) || !withinLimits(denying, other)) continue;
    if (scopeHeld(word.start, denying, other) < SAME_SCOPE) continue;
    const same = other.words.filter(({ root }) => root === word.root);
    const affirmed = same.find(({ negated, hypothetical }) => !negated && !hypothetical);
    if (!IS_SENTENCE.test(other.piece.text)) continue;
    if (affirmed === undefined || !affirmsAlike(word, denying, affirmed, other)) continue;
    if (same.some(({ negated }) => negated)) continue;
    if (denying.words.some(({ root, negated, hypothetical }) => root === word.root && !negated && !hypothetical)) continue;
    return { a: word, b: affirmed };
  }
  return null;
}

const LAST_NEGATOR = new RegExp(`${NEGATOR}(?!.*${NEGATOR})`, "iu");
const NEGATOR_REACH = 48;

const RESTRICTS = /\b(?:who|which|that)\s+(?:(?:is|are|was|were|do|does|did|has|have|had|can|could)\s*)?$/i;

/**
 * Checks whether the negation applies to this word: not to a duty ("needn't"), and not to a noun further ahead ("no
 * income who meet …").
 */
function isDenied({ start }: ContentWord, { reading, modalityCues }: Fact): boolean {
  const before = reading.text.slice(Math.max(0, start - NEGATOR_REACH), start);
  const match = LAST_NEGATOR.exec(before);
  if (match === null) return false;
  const at = start - before.length + match.index;
  if (modalityCues.some(({ start: from, end }) => at >= from && at < end)) return false;
  if (/\b(?:likely as|or)\s+$/i.test(before.slice(0, match.index))) return false;
  // In "patients who are not pregnant must …" the negation selects patients and denies nothing.
  if (RESTRICTS.test(reading.text.slice(0, at))) return false;
  const between = before.slice(match.index + match[0].length);
  if (deniesNoun(match[0])) return /^\s*$/.test(between) && !/\bor\s+$/i.test(before.slice(0, match.index));
  return !/\b(?:that|which|who|before|after|if|when|because)\b/i.test(between);
}

const IDENTITY = /\b(?:is|are|was|were)(?:n['’]t|\s+not)\s+(?:a|an|the)\s+(?:\S+\s+){0,3}$/i;
const IS_A = /\b(?:is|are|was|were)\s+(?:a|an|the)\s+(?:\S+\s+){0,3}$/i;
const MAY_NOT = /(?<!\b(?:you|we|they) )\b(?:may|might) not\s+(?:\S+\s+){0,2}$/i;
const MAY = /\b(?:may|might)\s+(?:\S+\s+){0,2}$/i;

/** "Don't include …" forbids. Only an instruction or a permission contradicts it. */
const FORBIDS = /(?:^|[.;:!?]\s+)(?:please\s+)?(?:do not|don['’]t|never)\s+(?:\S+\s+){0,2}$/i;
const TOLD = /\b(?:you|we|they|please|must|should)\b/i;

function clauseBefore(text: string): string {
  return text.slice(Math.max(...[". ", "; ", ", ", ": "].map((mark) => text.lastIndexOf(mark) + 1), 0));
}

/**
 * "Is no claim exam" contradicts "is a claim exam", but not a mention of claim exams. "May not be" does not contradict
 * "may be".
 */
function affirmsAlike(denied: ContentWord, denying: Fact, affirmed: ContentWord, other: Fact): boolean {
  const before = denying.reading.text.slice(0, denied.start);
  const instead = other.reading.text.slice(0, affirmed.start);
  if (IDENTITY.test(before) && !IS_A.test(instead)) return false;
  if (FORBIDS.test(before) && !TOLD.test(clauseBefore(instead)) && clauseBefore(instead).trim() !== "") return false;
  return !(MAY_NOT.test(before) && MAY.test(instead));
}

/**
 * Returns the share of the words after a place, up to the end of the clause, that the other fact contains: does the
 * negation have the same scope?
 */
function scopeHeld(from: number, fact: Fact, other: Fact): number {
  const behind = fact.reading.text.slice(from);
  const stop = /[;.!?](?:\s|$)|,\s(?:but|because|if|unless|which|and)\b/.exec(behind);
  const to = from + (stop?.index ?? behind.length);
  const inside = fact.words.filter(({ start }) => start >= from && start < to);
  return shareOfWords(inside, fact, (root) => holds(other, root)) ?? 1;
}

function swap<T>(pair: { a: T; b: T } | null): { a: T; b: T } | null {
  return pair === null ? null : { a: pair.b, b: pair.a };
}

/**
 * "only if" against "even if" is a contradiction in itself. Weaker pairs such as "before" and "after" often separate
 * two cases.
 */
const STRONG_PAIRS: ReadonlySet<string> = new Set([
  "only if",
  "only when",
  "even if",
  "even when",
  "even though",
  "regardless of",
  "always",
  "never",
]);

const SAME_OBJECT = 2;

export function turnedMarker(a: Fact, b: Fact): { a: TextRange; b: TextRange; strong: boolean } | null {
  for (const one of a.reading.markers) {
    const others = b.reading.markers.filter((other) => anchoredAlike(one, other));
    const turned = others.find(({ side }) => side !== one.side);
    if (turned === undefined || others.some(({ side }) => side === one.side)) continue;
    // "Above and below" separates both cases.
    if (
      [a, b].some(({ reading: { markers } }) => new Set(markers.filter(({ pair }) => pair === one.pair).map(({ side }) => side)).size > 1)
    )
      continue;
    const strong = [a.reading.text.slice(one.start, one.end), b.reading.text.slice(turned.start, turned.end)].every((text) =>
      STRONG_PAIRS.has(text.toLowerCase()),
    );
    return { a: one, b: turned, strong };
  }
  return null;
}

function anchoredAlike(one: Marker, other: Marker): boolean {
  if (one.pair !== other.pair) return false;
  // "Before 2018 …" and "after 2018 …" separate two cases.
  if (one.value !== null || other.value !== null) return false;
  return one.roots.filter((root) => other.roots.includes(root)).length >= Math.min(SAME_OBJECT, one.roots.length, other.roots.length);
}

const EXCLUDE: readonly (readonly [string, string])[] = [
  ["must", "free"],
  ["down", "same"],
  ["up", "same"],
  ["up", "down"],
  ["once", "often"],
];

/** Finds opposite modality of the same thing: "must" against "need not", "goes down" against "stays the same". */
export function turnedStance(a: Fact, b: Fact): { a: TextRange; b: TextRange; negators: number } | null {
  for (const one of a.modalityCues) {
    const others = b.modalityCues.filter((other) => other.family === one.family && actsAlike(one, a, other, b));
    const turned = others.find((other) =>
      EXCLUDE.some((pair) => pair.includes(one.side) && pair.includes(other.side) && one.side !== other.side),
    );
    if (turned === undefined || others.some(({ side }) => side === one.side)) continue;
    if (one.family === "duty") {
      const held = [scopeHeld(one.end, a, b), scopeHeld(turned.end, b, a)];
      if (asksWhich(one, a) !== asksWhich(turned, b)) continue;
      const free = one.side === "free" ? a : b;
      if (Math.max(...held) < SAME_SCOPE || Math.min(...held) < SAME_DUTY || !withinLimits(free, free === a ? b : a)) continue;
    }
    const negatorsOf = (fact: Fact, { start, end }: ModalityCue) => countNegators(fact.reading.text.slice(start, end));
    return { a: one, b: turned, negators: negatorsOf(a, one) - negatorsOf(b, turned) };
  }
  return null;
}

const WHICH = /^\s*\S+\s+(where|when|how|why|who|which|what)\b/i;

/** Returns the question word after the verb of a duty: "show where you served" is not "show that you served". */
function asksWhich({ end }: ModalityCue, { reading }: Fact): string {
  return WHICH.exec(reading.text.slice(end))?.[1]?.toLowerCase() ?? "";
}

function actsAlike(one: ModalityCue, a: Fact, other: ModalityCue, b: Fact): boolean {
  const wordOf = ({ start, end }: ModalityCue, { words }: Fact, before: boolean) =>
    before ? words.filter((word) => word.end <= start).at(-1)?.root : words.find((word) => word.start >= end)?.root;
  if (one.family === "repetition") return true;
  const before = one.family === "change";
  const [x, y] = [wordOf(one, a, before), wordOf(other, b, before)];
  return x !== undefined && x === y;
}
