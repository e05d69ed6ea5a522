import { compareValues } from "../language/compare-values.ts";
import type { ContentWord } from "../language/content-words.ts";
import type { Value } from "../language/values.ts";
import type { TextRange } from "../shared/types.ts";
import type { Fact } from "./facts.ts";
import { hasUnmatchedAbove, holds, labelOf, NAMES_IN_NUMBERS, shareOfWords, unmatchedNames, VERB } from "./same-subject.ts";

/** Two values at the same position of two sentences. */
interface PlacedValues {
  readonly a: Value;
  readonly b: Value;
}

/** Conjunction before a clause or a part of one. */
const JOINT = /;\s|,?\s(?:and|but)\s/g;
/** A third-person verb right before a value: "costs 5 dollars". */
const VERB_BEFORE = /\p{Ll}{2,}s\s$/u;

/**
 * Returns the differing values of two sentences that are otherwise equal and differ in several joined clauses: "is
 * towed after 15 minutes and the release fee is 240 euros". Returns `null` for other sentences, and where one value is
 * the condition of another: "with 2 cards you pay $5", "after 15 minutes the fee is $5", "the fee is $5 for 15
 * minutes".
 */
function valuesByPlace(a: Fact, b: Fact): PlacedValues[] | null {
  if (!haveSameForm(a, b)) return null;
  const differing = a.amounts.flatMap((one, i) => {
    const other = b.amounts[i] as Value;
    return compareValues(one, other) !== "different" ? [] : [{ a: one, b: other }];
  });
  return differing.length > 1 && differing.every(({ a: one }, i) => standsAlone(one, differing[i - 1]?.a, a)) ? differing : null;
}

/** True for equal texts with values of the same kinds at the same positions. */
function haveSameForm(a: Fact, b: Fact): boolean {
  return (
    a.amounts.length === b.amounts.length &&
    a.amounts.every((one, i) => {
      const other = b.amounts[i] as Value;
      return (["kind", "unit", "per", "bound", "approximate"] as const).every((part) => one[part] === other[part]);
    }) &&
    textBeside(a) === textBeside(b)
  );
}

function textBeside({ piece, amounts }: Fact): string {
  const ends = [0, ...amounts.map(({ end }) => end)];
  const parts = ends.map((end, i) => piece.text.slice(end, amounts[i]?.start ?? piece.text.length));
  return parts.join("\u0000").toLowerCase().replaceAll(/\s+/g, " ");
}

/** True if the first value follows the verb of a main clause and each later value is in a further joined clause. */
function standsAlone({ start }: Value, before: Value | undefined, { reading: { text, words } }: Fact): boolean {
  // A value in a condition defines the case that the rest is about: "if you have 2 cards and pay at once, it is $5".
  if (words.findLast(({ end }) => end <= start)?.hypothetical === true) return false;
  const ahead = text.slice(0, start);
  const joint = [...ahead.matchAll(JOINT)].at(-1);
  const from = joint === undefined ? 0 : joint.index + joint[0].length;
  const clause = ahead.slice(from);
  return before === undefined ? VERB.test(clause) || VERB_BEFORE.test(clause) : from >= before.end;
}

/** Checks whether two values of one kind and period can both be true. */
export function mayAgree(one: Value, other: Value): boolean {
  // A minimum and a maximum usually belong to two cases: "less than 7 degrees" and "more than 14".
  const areTwoLimits = one.bound !== other.bound && one.bound !== "none" && other.bound !== "none";
  return one.kind === other.kind && one.per === other.per && (areTwoLimits || compareValues(one, other) !== "different");
}

const QUALIFIED = 0.85;
const ONE_SIDED_NAME = 0.9;
export const ALIGNED_MARKER = 0.8;
/**
 * Minimum alignment of sentences with different identifiers. Different identifiers name different things, unless
 * everything else is equal.
 */
const ALIGNED_IDENTIFIER = 0.93;
/** Number of words on each side of a value that describe it, and the share of them that the other fact must contain. */
const LOCAL_WORDS = 3;
const LOCAL_SHARE = { alone: 0.45, beside: 0.75 } as const;
interface ValueDifference {
  readonly type: "differ";
  readonly kind: "value" | "date";
  readonly a: Value;
  readonly b: Value;
  readonly factor: number;
}

/**
 * Compares the values of two facts. `incomparable`: the values belong to different cases. `null`: no kind of value is
 * in both.
 */
export function compareAmounts(a: Fact, b: Fact, aligned: number): ValueDifference | { type: "agree" } | "incomparable" | null {
  const placed = valuesByPlace(a, b);
  if (placed !== null && maySayOtherwise(placed, a, b)) {
    const [first] = placed as [PlacedValues];
    return { type: "differ", kind: "value", ...first, factor: 1 };
  }
  const kinds = new Set(a.amounts.map(({ kind }) => kind).filter((kind) => b.amounts.some((other) => other.kind === kind)));
  const differing: { a: Value; b: Value; least: number }[] = [];
  let agreeing = 0;
  // A neighbouring sentence may give the matching value, unless this sentence is clearly the counterpart.
  const isBeside = (one: Value, other: Fact) =>
    aligned < ALIGNED_MARKER && other.amountsAround.some((mine) => compareValues(one, mine) === "equal");
  for (const kind of kinds) {
    const ofA = a.amounts.filter((one) => one.kind === kind && isComparable(one, a));
    const ofB = b.amounts.filter((one) => one.kind === kind && isComparable(one, b));
    const leftA = ofA.filter((one) => !ofB.some((other) => matches(one, other, a, b)) && !isBeside(one, b));
    const leftB = ofB.filter((one) => !ofA.some((other) => matches(one, other, a, b)) && !isBeside(one, a));
    agreeing += ofA.length - leftA.length;
    if (leftA.length === 0 || leftB.length === 0) continue;
    // If one value of a kind is equal, the other may describe something else. Periods may share one end.
    const least = kind !== "date" && leftA.length < ofA.length ? LOCAL_SHARE.beside : LOCAL_SHARE.alone;
    if (leftA.length > 1 || leftB.length > 1) {
      const pair = bestPair(leftA, leftB, a, b);
      if (pair === null || aligned < ALIGNED_MARKER) return "incomparable";
      differing.push({ ...pair, least });
    } else differing.push({ a: leftA[0] as Value, b: leftB[0] as Value, least });
  }
  const [first, ...more] = differing;
  if (more.length > 0) return "incomparable";
  if (first === undefined) return agreeing > 0 ? { type: "agree" } : null;
  if (
    !sameSlot(first.a, a, b, first.least) ||
    !sameSlot(first.b, b, a, first.least) ||
    first.a.per !== first.b.per ||
    isOtherCurrency(first.a, first.b)
  )
    return "incomparable";
  if (otherSides(a, b)) return "incomparable";
  const { kind } = first.a;
  if (kind === "number" && countedBy(first.a, a) !== countedBy(first.b, b)) return "incomparable";
  if (kind === "duration" && otherEvents(first.a, a, first.b, b)) return "incomparable";
  if (kind === "percent" && shareOf(first.a, a) !== shareOf(first.b, b)) return "incomparable";
  const [unmatchedA, unmatchedB] = [hasUnmatchedAbove(a, b, 0), hasUnmatchedAbove(b, a, 0)];
  const apart = unmatchedA && unmatchedB;
  const identifies = IDENTIFIERS.has(kind) || (kind === "number" && (isName(first.a, a.reading) || isName(first.b, b.reading)));
  if (identifies && (aligned < ALIGNED_IDENTIFIER || unmatchedA || unmatchedB)) return "incomparable";
  const [ownOfA, ownOfB] = [unmatchedAmounts(a, b), unmatchedAmounts(b, a)].map(
    (list) => list.filter((one) => IDENTIFIERS.has(one.kind)).length,
  );
  if (
    !identifies &&
    (kind === "time"
      ? (ownOfA ?? 0) + (ownOfB ?? 0) > 0 || aligned < ALIGNED_MARKER || (apart && !sharesIdentifier(a, b))
      : ownOfA && ownOfB)
  )
    return "incomparable";
  const qualified = [...unmatchedAmounts(a, b), ...unmatchedAmounts(b, a)].filter((one) => one !== first.a && one !== first.b).length;
  const named = unmatchedNames(a, b).length + unmatchedNames(b, a).length > 0 ? ONE_SIDED_NAME : 1;
  return { type: "differ", kind: kind === "date" ? "date" : "value", a: first.a, b: first.b, factor: QUALIFIED ** qualified * named };
}

/**
 * False if the values belong to two things or cases: dates, codes or numbered things differ too, or the headings
 * differ, or one page gives the values of both sentences.
 */
function maySayOtherwise(placed: readonly PlacedValues[], a: Fact, b: Fact): boolean {
  const tells = ({ kind, start, end }: Value, { reading }: Fact) =>
    kind === "date" || IDENTIFIERS.has(kind) || (kind === "number" && isName({ start, end }, reading));
  if (placed.some(({ a: one, b: other }) => tells(one, a) || tells(other, b))) return false;
  if (hasUnmatchedAbove(a, b, 0) && hasUnmatchedAbove(b, a, 0)) return false;
  const givesToo = ({ amountsAround }: Fact, values: readonly Value[]) =>
    values.every((value) => amountsAround.some((one) => compareValues(one, value) === "equal"));
  const [ofA, ofB] = [placed.map((one) => one.a), placed.map((one) => one.b)];
  return !givesToo(a, ofB) && !givesToo(b, ofA);
}

function isOtherCurrency(one: Value, other: Value): boolean {
  return one.kind === "money" && one.unit !== other.unit;
}

export function isUnlimited({ low }: Value): boolean {
  return low === Number.POSITIVE_INFINITY;
}

const IDENTIFIERS: ReadonlySet<Value["kind"]> = new Set(["code", "form", "phone"]);
const PLACE = /\b(?:outside|abroad|overseas|without)\b/i;

/**
 * True if one fact holds before a date and the other after it, or one inside and the other outside: two cases of one
 * rule.
 */
function otherSides(a: Fact, b: Fact): boolean {
  if (PLACE.test(a.reading.text) !== PLACE.test(b.reading.text)) return true;
  const [ofA, ofB] = [a, b].map(({ amounts }) => amounts.filter(({ kind, bound }) => kind === "date" && bound !== "none"));
  if (ofA === undefined || ofB === undefined || ofA.length === 0 || ofB.length === 0) return false;
  return !ofA.some((one) => ofB.some((other) => one.bound === other.bound));
}

const EVENT = /^\s*(?:(?:or|and) (?:more|less)\s)?(?:from|after|of|before|since|following|prior to|until)\s/i;
const CLAUSE_END = /[;.!?:](?:\s|$)|,\s|\s(?:to|and|or|but|if|unless|when)\s/;
/** Minimum share of each event's words in the other fact. */
const SAME_EVENT = 0.5;

/** True for periods counted from two events: "within 2 years from the grant" and "within 1 year from the notice". */
function otherEvents(one: Value, a: Fact, other: Value, b: Fact): boolean {
  const [ofA, ofB] = [eventWords(one, a), eventWords(other, b)];
  if (ofA.length === 0 || ofB.length === 0) return false;
  const share = (words: readonly ContentWord[], fact: Fact, against: readonly ContentWord[]) =>
    shareOfWords(words, fact, (root) => Number(against.some((word) => word.root === root))) ?? 1;
  return Math.max(share(ofA, a, ofB), share(ofB, b, ofA)) < SAME_EVENT;
}

/**
 * Returns the words of the event that a period is counted from: those after "from", "after" … up to the end of the
 * clause.
 */
function eventWords({ end }: Value, { reading, words }: Fact): ContentWord[] {
  const behind = reading.text.slice(end);
  const event = EVENT.exec(behind);
  if (event === null) return [];
  const from = end + event[0].length;
  const stop = CLAUSE_END.exec(reading.text.slice(from));
  const to = stop === null ? reading.text.length : from + stop.index;
  return words.filter((word) => word.start >= from && word.end <= to);
}

/** Returns the root of the base of a share, such as "fees" of "60% of the fees". Empty without one. */
function shareOf({ end }: Value, { reading, words }: Fact): string {
  if (!/^\sof\b/.test(reading.text.slice(end))) return "";
  return words.find(({ start }) => start >= end)?.root ?? "";
}

function sharesIdentifier(a: Fact, b: Fact): boolean {
  return a.amounts.some((one) => IDENTIFIERS.has(one.kind) && b.amounts.some((other) => compareValues(one, other) === "equal"));
}

/** A bare number is comparable only if it counts something. */
function isComparable(amount: Value, fact: Fact): boolean {
  const isLabel = amount.kind === "number" && labelOf(fact) !== null && fact.piece.text.slice(0, amount.start).trim() === "";
  return !NAMES_IN_NUMBERS.has(amount.kind) && !isLabel && (amount.kind !== "number" || countedBy(amount, fact) !== null);
}

function matches(one: Value, other: Value, a: Fact, b: Fact): boolean {
  if (one.kind === "number" && countedBy(one, a) !== countedBy(other, b)) return false;
  return mayAgree(one, other);
}

const COUNTED_REACH = 16;

function countedBy({ start, end, bound }: Value, { reading }: Fact): string | null {
  const word = reading.words.find((one) => one.start >= end);
  if (word !== undefined && word.start - end <= COUNTED_REACH) return word.root;
  // "Children under 13" has no noun after the number. A number without a bound may be part of an address.
  if (bound === "none") return null;
  const before = reading.words.findLast((one) => one.end <= start);
  return before === undefined || start - before.end > COUNTED_REACH ? null : `before ${before.root}`;
}

/** A number right after a word and before none is a name: "Room 12, or by post", "chromosome 21 in each cell". */
function isName({ start, end }: TextRange, { text, words }: Fact["reading"]): boolean {
  const touches = (between: string) => /^[\s-]$/.test(between);
  return (
    words.some((word) => word.end < start && touches(text.slice(word.end, start))) &&
    !words.some((word) => word.start > end && touches(text.slice(end, word.start)))
  );
}

/** Returns the values of one fact that the other fact and its context do not allow. */
export function unmatchedAmounts(fact: Fact, other: Fact): Value[] {
  const known = [...other.amounts, ...other.amountsAround, ...other.amountsAbove];
  return fact.amounts.filter((one) => !known.some((mine) => mayAgree(one, mine)));
}

function aroundAmount({ start, end }: Value, { words }: Fact): ContentWord[] {
  return [
    ...words.filter((word) => word.end <= start).slice(-LOCAL_WORDS),
    ...words.filter((word) => word.start >= end).slice(0, LOCAL_WORDS),
  ];
}

/** Checks whether the other fact contains the words around a value. */
function sameSlot(amount: Value, fact: Fact, other: Fact, least: number): boolean {
  return (shareOfWords(aroundAmount(amount, fact), fact, (root) => holds(other, root)) ?? -1) >= least;
}

/**
 * Of several unmatched values, returns the two with the most similar context; `null` if another pair is equally
 * similar.
 */
function bestPair(leftA: readonly Value[], leftB: readonly Value[], a: Fact, b: Fact): { a: Value; b: Value } | null {
  if (leftA.length > 1 && leftB.length > 1) return null;
  const scored = leftA.flatMap((one) =>
    leftB.map((other) => ({ a: one, b: other, score: alike(aroundAmount(one, a), aroundAmount(other, b)) })),
  );
  scored.sort((x, y) => y.score - x.score);
  const [best, second] = scored;
  return best !== undefined && (second === undefined || best.score > second.score) ? best : null;
}

function alike(a: readonly ContentWord[], b: readonly ContentWord[]): number {
  return a.filter(({ root }) => b.some((other) => other.root === root)).length;
}
