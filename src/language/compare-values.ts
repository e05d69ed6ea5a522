import { daysOf, type ExactValue } from "./values.ts";

/**
 * Result of comparing two values. `not comparable`: the kinds or the qualifiers (`per`) differ, or both values can be
 * true, such as "up to 30" and "20".
 */
export type Comparison = "equal" | "different" | "not comparable";

/** Relative tolerance when months are compared with days, because months differ in length: "4 months" may be "125 days". */
const MONTH_TOLERANCE = 0.035;
/** Relative tolerance if one of the values is approximate ("about 30"). */
const ABOUT_TOLERANCE = 0.15;
/** Relative tolerance for binary rounding errors. */
const EXACT = 1e-9;
const DOLLARS: ReadonlySet<string> = new Set(["CAD", "AUD", "NZD", "HKD", "SGD"]);

/** Compares two values of the same property, such as two deadlines of one form. The order of the arguments does not matter. */
export function compareValues(one: ExactValue, other: ExactValue): Comparison {
  const [a, b] = [asPercent(one), asPercent(other)];
  if (a.kind !== b.kind || a.per !== b.per) return "not comparable";
  if (typeof a.low === "string" || typeof b.low === "string") return compareTexts(a, b);
  const [currency, its] = [a, b].map(({ unit }) => (unit === "$" ? "USD" : unit));
  if (a.kind === "money" && currency !== its) {
    const isUnsaid = [a, b].some(({ unit }) => unit === "$") && [a, b].some(({ unit }) => DOLLARS.has(unit));
    return isUnsaid ? "not comparable" : "different";
  }
  return compareNumbers(a, b);
}

function asPercent(value: ExactValue): ExactValue {
  if (value.kind !== "share") return value;
  return { ...value, kind: "percent", low: Number(value.low) * 100, high: Number(value.high) * 100 };
}

function compareTexts(a: ExactValue, b: ExactValue): Comparison {
  const ends = ({ low, high }: ExactValue) => [String(low), String(high)];
  if (ends(a).some((end) => ends(b).includes(end))) return "equal";
  if (a.kind === "version") return isPartOf(a, b, ".") || isPartOf(b, a, ".") ? "not comparable" : "different";
  if (a.kind !== "date") return "different";
  const isFiscal = ends(a).some((end) => end.startsWith("fy")) !== ends(b).some((end) => end.startsWith("fy"));
  return oppositeBounds(a, b) || isFiscal || isPartOf(a, b, "-") || isPartOf(b, a, "-") ? "not comparable" : "different";
}

/** Checks whether a date or version agrees with `whole` but is less precise ("2003" and "2003-12-16"). */
function isPartOf({ low, high }: Pick<ExactValue, "low" | "high">, whole: Pick<ExactValue, "low" | "high">, mark: string): boolean {
  return [low, high].some((end) =>
    [whole.low, whole.high].some((its) => {
      const [part, all] = [String(end), String(its)];
      return all.startsWith(part + mark) || (part.startsWith("--") && all.endsWith(part.slice(1)));
    }),
  );
}

function compareNumbers(a: ExactValue, b: ExactValue): Comparison {
  const [low1, high1, low2, high2] = [daysOf(a), daysOf({ ...a, low: a.high }), daysOf(b), daysOf({ ...b, low: b.high })];
  if (isSame(a, b)) return oppositeBounds(a, b) ? "different" : "equal";
  if (low1 === Number.POSITIVE_INFINITY || low2 === Number.POSITIVE_INFINITY) return "different";
  const tolerance = a.approximate || b.approximate ? ABOUT_TOLERANCE : isRounded(a, b) ? MONTH_TOLERANCE : EXACT;
  const slack = Math.max(Math.abs(high1), Math.abs(high2)) * tolerance;
  if (low1 !== high1 || low2 !== high2) {
    if (a.kind === "time") return "different";
    return low1 <= high2 + slack && low2 <= high1 + slack ? "not comparable" : "different";
  }
  if (Math.abs(low1 - low2) <= slack) return "not comparable";
  // Two different upper limits contradict each other, and so do two different lower limits. Otherwise both values can be
  // true: "up to 30" allows 20, and "more than 21 days" allows 25.
  if (a.bound === b.bound) return "different";
  const least = a.bound === "least" || b.bound === "most" ? low1 : low2;
  const most = least === low1 ? low2 : low1;
  return least <= most ? "not comparable" : "different";
}

function isRounded(a: ExactValue, b: ExactValue): boolean {
  return a.kind === "duration" && a.unit !== b.unit && (a.unit === "month" || b.unit === "month");
}

/** Checks for equal figures. Of months and days, only whole years equal days: 365 or 366 per year. */
function isSame(a: ExactValue, b: ExactValue): boolean {
  const near = (x: number, y: number) =>
    x === y || (Number.isFinite(x + y) && Math.abs(x - y) <= EXACT * Math.max(Math.abs(x), Math.abs(y)));
  if (isRounded(a, b)) {
    const [months, days] = a.unit === "month" ? [a, b] : [b, a];
    const years = Number(months.low) / 12;
    return months.low === months.high && days.low === days.high && Number.isInteger(years) && [365, 366].includes(daysOf(days) / years);
  }
  return near(daysOf(a), daysOf(b)) && near(daysOf({ ...a, low: a.high }), daysOf({ ...b, low: b.high }));
}

/** Kinds of value that a source may state as a bare number, without the unit ("57 or older", a table cell). */
const COUNTED: ReadonlySet<ExactValue["kind"]> = new Set(["age", "times", "percent", "money", "ordinal"]);

/**
 * Checks whether `stated`, a value in a source, states the claimed value. Ignores bounds such as "at least". An age
 * equals the same number of years. A claimed number without a unit equals the same number with any unit. A full date
 * also states its month and its year.
 */
export function isStated(claimed: ExactValue, stated: ExactValue): boolean {
  if (claimed.kind === stated.kind || claimed.kind === "share" || stated.kind === "share") {
    const plain = (value: ExactValue): ExactValue => ({ ...value, bound: "none", approximate: false, per: "" });
    const isOther = claimed.per !== stated.per && claimed.per !== "" && stated.per !== "";
    if (claimed.kind === "date")
      return claimed.low === stated.low || isPartOf({ ...claimed, high: claimed.low }, { ...stated, high: stated.low }, "-");
    if (compareValues(plain(claimed), plain(stated)) === "equal") return !isOther;
    if (claimed.kind === stated.kind) return false;
  }
  const [years, its] = [yearsOf(claimed), yearsOf(stated)];
  if (years !== null && its !== null) return years === its;
  if (claimed.kind === "number") return bareNumber(stated) === String(claimed.low);
  return stated.kind === "number" && COUNTED.has(claimed.kind) && bareNumber(claimed) === String(stated.low);
}

function yearsOf({ kind, unit, low }: ExactValue): number | null {
  if (kind === "age") return Number(low);
  return kind === "duration" && unit === "month" && Number(low) % 12 === 0 ? Number(low) / 12 : null;
}

function bareNumber(value: ExactValue): string {
  const { kind, low } = value;
  return kind === "code" || kind === "form" ? String(low).replace(/^\D+/, "") : String(yearsOf(value) ?? low);
}

/** True if one value is a minimum and the other a maximum. */
export function oppositeBounds(a: ExactValue, b: ExactValue): boolean {
  return a.bound !== b.bound && a.bound !== "none" && b.bound !== "none";
}
