import { compareValues } from "../language/compare-values.ts";
import { countNegators } from "../language/negation.ts";
import type { Value } from "../language/values.ts";
import type { ConflictKind, TextRange } from "../shared/types.ts";
import { ALIGNED_MARKER, compareAmounts, isUnlimited } from "./compare-amounts.ts";
import { copiedDenial, sameConditions, turnedDenial, turnedMarker, turnedStance } from "./compare-polarity.ts";
import type { Fact } from "./facts.ts";
import {
  isException,
  otherColumns,
  otherLabels,
  otherModifiers,
  otherNames,
  otherPersons,
  otherSteps,
  otherSubjects,
  otherThings,
  otherYears,
  sharedWeight,
  shareHeld,
  subjectFactor,
  unmatchedWeight,
} from "./same-subject.ts";

/** A name with its period: "Korean War (June 25, 1950, to July 27, 1953)". */
interface NamedPeriod extends TextRange {
  /** Lower case, without "era" and the like. */
  readonly name: string;
  readonly from: Value;
  readonly to: Value;
}

/** Text between the ends of a period, and between a name and its period: punctuation and linking words only. */
const TO = /^,?\s?(?:to|through|until|and|–|—|-)\s?$/;
const JOINS = /^[\s,(—–-]*(?:(?:any ?time|is|was|lasted|ran|between|from)\s)*[\s(]*$/i;
const NAME = /(?:\p{Lu}[\p{L}\p{N}’'/-]*)(?:\s(?:(?:of|the|in)\s)*\p{Lu}[\p{L}\p{N}’'/-]*)*(?:\s(?:era|period|conflict|war|years?))*/gu;
/** Words that give the kind of a thing and not its name. */
const KIND = /^(?:the|of|in|era|period|years?)$/;
/** Words that name no period on their own. Months are part of a date. */
const NO_NAME =
  /^(?:war|if|when|between|from|note|the|for|january|february|march|april|may|june|july|august|september|october|november|december)$/;
const CERTAINTY = 0.7;

/** Compares periods with the same name. Different dates are a contradiction, whatever else the sentences say. */
function comparePeriods(a: Fact, b: Fact): Comparison | null {
  if (a.amounts.length < 2 || b.amounts.length < 2) return null;
  const [ofA, ofB] = [periodsIn(a), periodsIn(b)];
  for (const one of ofA) {
    const others = ofB.filter(({ name }) => name === one.name);
    const [first] = others;
    if (first === undefined) continue;
    if (others.some(({ from, to }) => from.low === one.from.low && to.low === one.to.low)) return { type: "agree", certainty: 1 };
    const [range, other] = [one, first].map(({ start, end }) => ({ start, end })) as [TextRange, TextRange];
    return { type: "differ", kind: "date", certainty: CERTAINTY, a: range, b: other };
  }
  return null;
}

function periodsIn({ amounts, reading, piece }: Fact): NamedPeriod[] {
  const dates = amounts.filter(({ kind }) => kind === "date");
  const names = dates.length < 2 ? [] : [...piece.text.matchAll(NAME)];
  return dates.flatMap((from, i) => {
    const to = dates[i + 1];
    if (to === undefined || !TO.test(reading.text.slice(from.end, to.start))) return [];
    const name = names.findLast((match) => match.index + match[0].length <= from.start);
    if (name === undefined || !JOINS.test(piece.text.slice(name.index + name[0].length, from.start))) return [];
    const words = name[0]
      .toLowerCase()
      .replace(/\bconflict\b/, "war")
      .split(/\s+/)
      .filter((word) => !KIND.test(word));
    return words.every((word) => NO_NAME.test(word)) ? [] : [{ name: words.join(" "), from, to, start: from.start, end: to.end }];
  });
}

/** Minimum weighted share of each fact's words in the other, and of both on average. */
const LEAST_SHARE = 0.42;
const ALIGNED = 0.6;
/** Minimum alignment for a negation or an opposite, which needs better alignment than a different value. */
const ALIGNED_POLARITY = 0.62;
const ALIGNED_WEAK_MARKER = 0.9;
const ALIGNED_STANCE = 0.5;
/** Minimum weight of the shared words. */
const SHARED_WEIGHT = 1.7;
/** Number of content words from which an exact copy counts. In a small corpus no word has much weight. */
const COPY_WORDS = 4;
/**
 * Weight of informative words missing in the other fact, on both sides, from which a negation concerns another subject.
 */
const OTHER_THINGS = 1;
/** Weight of shared words at which certainty is one half. */
const HALF_CERTAIN = 2;

/**
 * Compares two facts: do they concern the same thing, and if so, do they agree or contradict each other? Returns `null`
 * for different subjects or nothing to compare. Differences with a reason do not count: other years, persons, tiers,
 * examples, compatible bounds.
 */
export function compareFacts(a: Fact, b: Fact): Comparison | null {
  if (a.example || b.example) return null;
  const periods = comparePeriods(a, b);
  if (periods !== null) return periods;
  if (a.piece.type === "table-row" || b.piece.type === "table-row") return compareRows(a, b);
  // Most pairs end at this first, cheap test.
  const shareA = shareHeld(a, b);
  if (shareA < LEAST_SHARE) return null;
  const shareB = shareHeld(b, a);
  const aligned = (shareA + shareB) / 2;
  if (shareB < LEAST_SHARE || aligned < ALIGNED_STANCE) return null;
  const shared = sharedWeight(a, b);
  const isCopy = aligned === 1 && Math.min(a.own.size, b.own.size) >= COPY_WORDS;
  if (shared < SHARED_WEIGHT && !isCopy) return null;
  if (
    otherLabels(a, b) ||
    otherColumns(a, b) ||
    otherNames(a, b) ||
    otherSubjects(a, b) ||
    otherModifiers(a, b) ||
    otherPersons(a, b) ||
    otherYears(a, b) ||
    otherSteps(a, b) ||
    isException(a, b) ||
    isException(b, a)
  )
    return null;
  const subject = subjectFactor(a, b);
  const certainty = (factor: number) => aligned * subject * factor * (shared / (shared + HALF_CERTAIN));
  const enough = (least: number, factor = 1) => aligned * subject * factor >= least;

  const negators = countNegators(a.reading.text) - countNegators(b.reading.text);
  const values = compareAmounts(a, b, aligned);
  if (values === "incomparable") return null;
  if (values !== null && values.type === "differ") {
    // "No time limit" negates through its value.
    return (negators === 0 || isUnlimited(values.a) !== isUnlimited(values.b)) && enough(ALIGNED, values.factor) && !otherThings(a, b)
      ? { type: "differ", kind: values.kind, certainty: certainty(values.factor), a: values.a, b: values.b }
      : null;
  }
  const stance = turnedStance(a, b);
  if (stance !== null && negators === stance.negators && enough(ALIGNED_STANCE))
    return { type: "differ", kind: "condition", certainty: certainty(1), a: stance.a, b: stance.b };
  const conditions = sameConditions(a, b);
  // Each fact has a subject that the other lacks.
  const apart = Math.min(unmatchedWeight(a, b), unmatchedWeight(b, a)) >= OTHER_THINGS;
  const denied = conditions && !apart && Math.abs(negators) === 1 ? (copiedDenial(a, b) ?? turnedDenial(a, b)) : null;
  if (denied !== null && enough(ALIGNED_POLARITY)) return { type: "differ", kind: "polarity", certainty: certainty(1), ...denied };
  const marker = turnedMarker(a, b);
  // The alignment is measured without the opposites themselves.
  const beside = marker === null ? 0 : (subject * (shareHeld(a, b, marker.a) + shareHeld(b, a, marker.b))) / 2;
  if (marker !== null && (marker.strong ? enough(ALIGNED_STANCE) : beside >= ALIGNED_WEAK_MARKER))
    return { type: "differ", kind: "condition", certainty: certainty(1), a: marker.a, b: marker.b };
  if (denied !== null || stance !== null || marker !== null) return null;
  const says = values !== null || (aligned >= ALIGNED_MARKER && conditions);
  return says && enough(ALIGNED) ? { type: "agree", certainty: certainty(1) } : null;
}

/** Compares table rows. Rows contradict each other if the header and all cells but one are equal. */
function compareRows(a: Fact, b: Fact): Comparison | null {
  if (a.piece.type !== b.piece.type || a.piece.above.at(-1) !== b.piece.above.at(-1)) return null;
  if (otherYears(a, b) || otherTables(a, b)) return null;
  const [cellsA, cellsB] = [a.piece.text.split("|"), b.piece.text.split("|")];
  if (cellsA.length !== cellsB.length || cellsA[0]?.trim() !== cellsB[0]?.trim()) return null;
  const at = cellsA.flatMap((cell, i) => (cell.trim() === cellsB[i]?.trim() ? [] : [i]));
  const column = at[0];
  if (column === undefined) return { type: "agree", certainty: 1 };
  if (at.length > 1) return null;
  const [rangeA, rangeB] = [cellRange(cellsA, column), cellRange(cellsB, column)];
  const inside = (fact: Fact, { start, end }: TextRange) => fact.amounts.filter((one) => one.start >= start && one.end <= end);
  const [ofA, ofB] = [inside(a, rangeA), inside(b, rangeB)];
  const [one, other] = [ofA[0], ofB[0]];
  if (
    one === undefined ||
    other === undefined ||
    ofA.length > 1 ||
    ofB.length > 1 ||
    one.kind !== other.kind ||
    compareValues(one, other) !== "different"
  )
    return null;
  return { type: "differ", kind: one.kind === "date" ? "date" : "value", certainty: 0.7, a: one, b: other };
}

/** True if the headings and title above each table have a word that the other side lacks, whatever the rows say. */
function otherTables(a: Fact, b: Fact): boolean {
  const more = (one: Fact, other: Fact) => [...one.above.keys()].some((root) => !other.above.has(root));
  return (more(a, b) && more(b, a)) || (a.above.size > 0 && b.above.size > 0 && (titleMore(a, b) || titleMore(b, a)));
}

/** "Gold Plus Account" is another account than "Gold Account". */
function titleMore(one: Fact, other: Fact): boolean {
  return other.title.size > 0 && [...one.title.keys()].some((root) => !other.above.has(root));
}

function cellRange(cells: readonly string[], column: number): TextRange {
  const start = cells.slice(0, column).reduce((sum, cell) => sum + cell.length + 1, 0);
  return { start, end: start + (cells[column] ?? "").length };
}

/** Result of comparing two facts about one thing: they differ in one point, or they agree. */
export type Comparison =
  | {
      readonly type: "differ";
      readonly kind: ConflictKind;
      readonly certainty: number;
      readonly a: TextRange;
      readonly b: TextRange;
    }
  | { readonly type: "agree"; readonly certainty: number };
