import { isStated, oppositeBounds } from "../language/compare-values.ts";
import type { Reading } from "../language/content-words.ts";
import type { ValueKind } from "../language/units.ts";
import { daysOf, type Value } from "../language/values.ts";
import { type Finding, finding } from "./finding.ts";
import type { Alignment, Statement } from "./statements.ts";

/** Matches words that show an addition, subtraction, multiplication or share. */
const SUM = /\b(?:plus|and together|sum|in all|altogether|add(?:s|ed|ing)?|total(?:s|ing|ling)?)\b|\+/i;
const DIFFERENCE = /\b(?:minus|less the|difference|subtract(?:s|ed|ing)?|deduct(?:s|ed|ing)?|remain(?:s|ing|der)?|leaves?)\b|[−-]\s/i;
const PRODUCT = /\b(?:times|multiplied|each|per|every|for \w+ (?:days|weeks|months|years))\b|[×*]/i;
const SHARE = /(?:%|percent|per cent|half|third|quarter)\s+of\b/i;

/** Maximum number of values in the claim that may be operands. Among more numbers, two often give the value by chance. */
const MOST_OPERANDS = 6;

/**
 * Checks whether the value is the sum, difference, product or percentage of two other values of the claim that are
 * quoted. The claim must show the calculation, so that the user can follow it.
 */
function isDerived(value: Value, claim: Reading, statements: readonly Statement[]): boolean {
  const isQuoted = (one: Value) => statements.some(({ values }) => values.some((stated) => isStated(one, stated)));
  const operands = claim.values.filter((one) => one !== value && isQuoted(one));
  if (operands.length < 2 || operands.length > MOST_OPERANDS) return false;
  const { text } = claim;
  const result = daysOf(value);
  const gives = (a: Value, b: Value): boolean => {
    const [x, y] = [daysOf(a), daysOf(b)];
    if (a.kind === b.kind && a.kind === value.kind) {
      return (SUM.test(text) && near(result, x + y)) || (DIFFERENCE.test(text) && near(result, Math.abs(x - y)));
    }
    if (b.kind !== value.kind) return false;
    if (a.kind === "percent") return SHARE.test(text) && near(result, (x / 100) * y);
    return (a.kind === "times" || a.kind === "number") && PRODUCT.test(text) && near(result, x * y);
  };
  return operands.some((a, i) => operands.some((b, j) => i !== j && gives(a, b)));
}

/** Checks whether two amounts are equal up to rounding of a cent. */
function near(a: number, b: number): boolean {
  return Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) <= 0.01;
}

/** A quoted sentence is about the claimed value if it covers at least this weighted share of the claim's words near the value. */
const FITS = 0.5;
/**
 * A quoted sentence with another value contradicts the claim if it covers the claim's words near the value better, by
 * at least this much, than every quoted sentence with the claimed value.
 */
const RIVAL_MARGIN = 0.1;
/** Claims with fewer different words do not show what their values are about. */
const FEWEST_WORDS = 3;

/**
 * If the quoted sentences with the value contain no word of the claim, a quoted sentence with another value contradicts
 * it. That sentence must contain at least this share of the claim's words.
 */
const SAID_ITSELF = 0.5;
/** Matches a list number at the start of a sentence, such as "7. ". */
const ENUMERATES = /^\s*\(?\d{1,2}[.):]\s?$/;

/**
 * Checks that the cited quotes contain every value of the claim and state it about the same thing. A value from the
 * question, or from a calculation that the claim shows, needs no source.
 * @param question the analysed question
 */
export function checkValues(alignment: Alignment, question: Reading, mode: "remove" | "warn"): Finding {
  const { claim } = alignment;
  const values = statedValues(claim);
  const faults = values.map((value) => ({ value, what: faultOf(value, alignment, question) })).filter(({ what }) => what !== null);
  if (faults.length === 0) {
    return finding("values", "pass", 1, values.length === 0 ? "holds no value" : "every value stands in a cited quote, said of the same");
  }
  const reason = faults.map(({ value, what }) => `${claim.text.slice(value.start, value.end)} ${what}`).join("; ");
  const share = 1 - faults.length / values.length;
  const faulty = faults.map(({ value }) => value);
  return finding("values", mode === "remove" ? "fail" : "warn", share, reason, faulty);
}

/** Returns the values of a sentence, except a list number at its start. */
export function statedValues({ values, text }: Reading): Value[] {
  return values.filter(({ end }) => !ENUMERATES.test(text.slice(0, end + 2)));
}

function faultOf(value: Value, alignment: Alignment, question: Reading): string | null {
  const { claim, statements } = alignment;
  const own = statements.map((statement) => statement.values.find((one) => bears(one, value, claim, statement)));
  const over = statements.map(({ valuesAbove }) => valuesAbove.some((one) => bears(one, value, claim, null)));
  const holds = (i: number) => own[i] !== undefined || over[i] === true;
  if (!statements.some((_, i) => holds(i))) {
    if (isSpelledCount(value, claim.text) && !statements.some((statement) => countsTheSame(value, claim, statement))) return null;
    if (isAsked(value, claim, question)) return null;
    return isDerived(value, claim, statements) ? null : "stands in no cited quote";
  }
  const near = alignment.near(value);
  const best = (allowed: (i: number) => boolean) => near.reduce((top, score, i) => (allowed(i) && score > (near[top] ?? -1) ? i : top), -1);
  const fitAt = best(holds);
  const fit = near[fitAt] ?? 0;
  const stated = own[fitAt];
  const isCell = stated !== undefined && stated.kind === "number" && value.kind !== "number";
  const standsInTheCell = (other: Statement) => isCell && hasOtherCell(stated, statements[fitAt] as Statement, other, claim);
  const isRival = (i: number) => {
    const other = statements[i] as Statement;
    return !holds(i) && (takesThePlace(value, other, claim) || standsInTheCell(other));
  };
  const enough = claim.roots.size >= FEWEST_WORDS;
  const close = alignment.close(value);
  const fits = (i: number) => isRival(i) && (near[i] as number) >= FITS && (close[i] as number) >= (close[fitAt] ?? 0);
  if (enough && statements.some((_, i) => fits(i) && ((near[i] as number) - fit >= RIVAL_MARGIN || alignment.outdoes(i, fitAt)))) {
    return "is said of something else in the cited quotes";
  }
  const said = (i: number) => ownShare(claim, statements[i] as Statement);
  const isBare = statements.every((_, i) => !holds(i) || said(i) === 0);
  if (isBare && statements.some((_, i) => isRival(i) && said(i) >= SAID_ITSELF)) return "is said of something else in the cited quotes";
  const fitting = own.filter((one, i) => one !== undefined && (near[i] as number) >= fit - RIVAL_MARGIN) as Value[];
  if (fitting.length > 0 && fitting.every((one) => oppositeBounds(value, one))) return "is the other bound there";
  return null;
}

/** Kinds of value that are hardly ever written without their unit. */
const NEEDS_UNIT: ReadonlySet<ValueKind> = new Set([
  "duration",
  "length",
  "area",
  "mass",
  "volume",
  "temperature",
  "speed",
  "data",
  "date",
  "time",
]);

/**
 * Checks whether a stated value supports the claimed one. If the claim has a bare number and the stated value has a unit:
 * - The claim also contains the same value with its unit ("aisle 40, 40 percent off"): no.
 * - The claim contains another value of that kind ("30 days, then 60"): yes.
 * - The kind is often written without unit: yes.
 * - Otherwise: only if the same word is beside both ("under 2" for "under 2 years"), or if the value is an end of a range
 * ("4 to 5 years" supports 4 and 5).
 * @param by text that states the value; `null`: the text above a sentence
 */
export function bears(stated: Value, claimed: Value, claim: Reading, by: Reading | null): boolean {
  if (!isStated(claimed, stated)) return false;
  if (claimed.kind !== "number" || stated.kind === "number") return true;
  const alike = claim.values.filter(({ kind }) => kind === stated.kind);
  if (alike.length > 0) return !alike.some((one) => isStated(one, stated));
  if (!NEEDS_UNIT.has(stated.kind)) return true;
  return by !== null && (endsRange(stated, by) || sharesWordBeside([claimed, claim], [stated, by]));
}

/** Matches text between the ends of a range. */
const JOINS_RANGE = /^\s?(?:[-–—]|to|and|or)\s?$/iu;

/** Checks whether a value is one end of a range with a shared unit: "4 to 5 years". */
function endsRange(value: Value, { text, values }: Reading): boolean {
  return values.some((first, i) => {
    const last = values[i + 1];
    if (last === undefined || (first !== value && last !== value) || first.kind !== last.kind) return false;
    return /^[\d.,]+$/u.test(text.slice(first.start, first.end)) && JOINS_RANGE.test(text.slice(first.end, last.start));
  });
}

/**
 * Returns the share of the claim's words that the quoted sentence itself contains, without its headings. It is 0 for a
 * table row without words.
 */
function ownShare({ roots: all }: Reading, { roots }: Statement): number {
  return all.size === 0 ? 0 : [...all].filter((root) => roots.has(root)).length / all.size;
}

/**
 * Checks whether the question contains the value. A bare number must have the same word beside it: "over 35" does not
 * come from "chapter 35".
 */
function isAsked(value: Value, claim: Reading, question: Reading): boolean {
  return question.values.some(
    (one) =>
      isStated(value, one) && ((one.kind === value.kind && one.kind !== "number") || sharesWordBeside([value, claim], [one, question])),
  );
}

function sharesWordBeside(one: readonly [Value, Reading], other: readonly [Value, Reading]): boolean {
  const words = besideOf(...one);
  return besideOf(...other).some((word) => words.includes(word));
}

function besideOf({ start, end }: Value, { text }: Reading): string[] {
  const before = /(\p{L}+)[^\p{L}\p{N}]*$/u.exec(text.slice(Math.max(0, start - 40), start))?.[1];
  const behind = /^[^\p{L}\p{N}]*(\p{L}+)/u.exec(text.slice(end, end + 40))?.[1];
  return [before, behind].flatMap((word) => (word === undefined ? [] : [word.toLowerCase()]));
}

/** Checks whether the quoted sentence has another value of the same kind. A bare number must count the same things. */
function takesThePlace(value: Value, statement: Statement, claim: Reading): boolean {
  if (COUNTS.has(value.kind)) return countsTheSame(value, claim, statement);
  return statement.values.some((one) => one.kind === value.kind && !isClaimed(one, claim));
}

/**
 * Checks, for a table cell without a unit, whether another row has a different bare number in the same column. Values
 * are counted from the end of the row, because the row's name comes first and may contain numbers.
 */
function hasOtherCell(stated: Value, holding: Statement, other: Statement, claim: Reading): boolean {
  const fromEnd = holding.values.length - holding.values.indexOf(stated);
  const cell = other.values.at(-fromEnd);
  return cell?.kind === "number" && !isClaimed(cell, claim);
}

/** Checks whether the claim contains the value itself. */
function isClaimed(value: Value, { values }: Reading): boolean {
  return values.some((mine) => isStated(mine, value));
}

/** Kinds of value without a unit. Two such values are comparable only if they count the same things. */
const COUNTS: ReadonlySet<ValueKind> = new Set(["number", "ordinal"]);

/**
 * Checks whether a value is a count in words, such as "two conditions". It may summarise a list of the source, so only
 * another count of the same things contradicts it.
 */
export function isSpelledCount({ kind, start }: Value, text: string): boolean {
  return COUNTS.has(kind) && /^\p{L}/u.test(text.slice(start, start + 1));
}

/** Checks whether the quoted sentence states a different number for what `value` counts in the claim: "two forms", "three forms". */
function countsTheSame(value: Value, claim: Reading, statement: Reading): boolean {
  const thing = wordBehind(value, claim);
  return (
    thing !== null && statement.values.some((one) => COUNTS.has(one.kind) && !isClaimed(one, claim) && wordBehind(one, statement) === thing)
  );
}

/** Maximum number of characters between a number and the word for what it counts: "6 or fewer people". */
const COUNTED_REACH = 16;

function wordBehind({ end }: Value, { words }: Reading): string | null {
  const word = words.find(({ start }) => start >= end);
  return word === undefined || word.start - end > COUNTED_REACH ? null : word.root;
}
