import type { Quantity } from "../reading/quantities.ts";

/**
 * Is the claimed value the one that a source states? An age or a bare number is the same number of years or of anything;
 * a year or a month is held by a full date; half is 50 percent.
 */
export function equalQuantities(claimed: Quantity, stated: Quantity): boolean {
  if (claimed.measure === stated.measure) {
    return claimed.amount === stated.amount || (claimed.measure === "date" && isPartOf(claimed.amount, stated.amount));
  }
  if (claimed.measure === "share" && stated.measure === "percent") return Number(claimed.amount) * 100 === Number(stated.amount);
  if (claimed.measure === "percent" && stated.measure === "share") return Number(stated.amount) * 100 === Number(claimed.amount);
  if (isYears(claimed) && isYears(stated)) return yearsOf(claimed) === yearsOf(stated);
  if (claimed.measure === "count") return bareNumber(stated) === claimed.amount;
  if (stated.measure === "count") return COUNTED.has(claimed.measure) && bareNumber(claimed) === stated.amount;
  return false;
}

/** One says at least, the other at most. */
export function oppositeBounds(a: Quantity, b: Quantity): boolean {
  return (a.bound === "least" && b.bound === "most") || (a.bound === "most" && b.bound === "least");
}

/** Measures whose number may stand in a source without its unit ("57 or older", a table's cells). */
const COUNTED: ReadonlySet<Quantity["measure"]> = new Set(["age", "times", "percent", "money"]);

function bareNumber({ measure, amount }: Quantity): string {
  if (measure === "money") return amount.slice(1);
  if (measure === "months" && Number(amount) % 12 === 0) return String(Number(amount) / 12);
  return measure === "code" || measure === "form" ? amount.replace(/^\D+/, "") : amount;
}

function isYears({ measure, amount }: Quantity): boolean {
  return measure === "age" || (measure === "months" && Number(amount) % 12 === 0);
}

function yearsOf({ measure, amount }: Quantity): number {
  return measure === "age" ? Number(amount) : Number(amount) / 12;
}

/** Is a date less exact than another one and agrees with it? A fiscal year is no calendar year. */
function isPartOf(claimed: string, stated: string): boolean {
  if (stated.startsWith(`${claimed}-`)) return true;
  return claimed.startsWith("--") ? stated.endsWith(claimed.slice(1)) : stated.startsWith("--") && claimed.endsWith(stated.slice(1));
}
