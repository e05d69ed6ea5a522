import { countNegators } from "../reading/negation.ts";
import { ALIGNED_MARKER, compareAmounts, isUnlimited } from "./compare-amounts.ts";
import { comparePeriods } from "./compare-periods.ts";
import { copiedDenial, sameConditions, turnedDenial, turnedMarker, turnedStance } from "./compare-polarity.ts";
import { compareRows } from "./compare-rows.ts";
import type { Comparison } from "./comparison.ts";
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
  strangeWeight,
  subjectFactor,
} from "./same-subject.ts";

/** Least share of each fact's words, by weight, that the other holds; and of both on average. */
const LEAST_SHARE = 0.42;
const ALIGNED = 0.6;
/** What only restates (a denial, an opposite) must be aligned better than what differs in a value. */
const ALIGNED_POLARITY = 0.62;
const ALIGNED_WEAK_MARKER = 0.9;
const ALIGNED_STANCE = 0.5;
/** Least weight of the words that both hold. */
const SHARED_WEIGHT = 1.7;
/** Content words from which the same words throughout are enough: among few documents no word weighs much. */
const COPY_WORDS = 4;
/** Weight of the telling words of each that the other lacks, from which a denial is one of something else. */
const OTHER_THINGS = 1;
/** Weight of shared words at which half of the certainty is reached. */
const HALF_CERTAIN = 2;

/**
 * Do two facts speak of the same thing, and if so, do they contradict each other? `null`: they speak of different things, or nothing in them
 * can be compared. Differences that have a reason are none: other years, persons, tiers, examples, bounds that allow each other.
 */
export function compareFacts(a: Fact, b: Fact): Comparison | null {
  if (a.example || b.example) return null;
  const periods = comparePeriods(a, b);
  if (periods !== null) return periods;
  if (a.piece.type === "table-row" || b.piece.type === "table-row") return compareRows(a, b);
  // Most pairs end here, on the first of the two.
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
    // "No time limit" denies by its value.
    return (negators === 0 || isUnlimited(values.a) !== isUnlimited(values.b)) && enough(ALIGNED, values.factor) && !otherThings(a, b)
      ? { type: "differ", kind: values.kind, certainty: certainty(values.factor), a: values.a, b: values.b }
      : null;
  }
  const stance = turnedStance(a, b);
  if (stance !== null && negators === stance.negators && enough(ALIGNED_STANCE))
    return { type: "differ", kind: "condition", certainty: certainty(1), a: stance.a, b: stance.b };
  const conditions = sameConditions(a, b);
  // Each speaks of something that the other does not.
  const apart = Math.min(strangeWeight(a, b), strangeWeight(b, a)) >= OTHER_THINGS;
  const denied = conditions && !apart && Math.abs(negators) === 1 ? (copiedDenial(a, b) ?? turnedDenial(a, b)) : null;
  if (denied !== null && enough(ALIGNED_POLARITY)) return { type: "differ", kind: "polarity", certainty: certainty(1), ...denied };
  const marker = turnedMarker(a, b);
  // The opposites themselves are what differs.
  const beside = marker === null ? 0 : (subject * (shareHeld(a, b, marker.a) + shareHeld(b, a, marker.b))) / 2;
  if (marker !== null && (marker.strong ? enough(ALIGNED_STANCE) : beside >= ALIGNED_WEAK_MARKER))
    return { type: "differ", kind: "condition", certainty: certainty(1), a: marker.a, b: marker.b };
  if (denied !== null || stance !== null || marker !== null) return null;
  const says = values !== null || (aligned >= ALIGNED_MARKER && conditions);
  return says && enough(ALIGNED) ? { type: "agree", certainty: certainty(1) } : null;
}
