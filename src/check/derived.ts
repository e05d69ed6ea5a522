import { equalQuantities } from "../language/compare-quantities.ts";
import type { Quantity } from "../language/quantities.ts";
import type { Statement } from "./statements.ts";

/** Operands looked at: more numbers in one sentence are a table, where some two always give any third. */
const MOST_OPERANDS = 6;

/**
 * Is the value the sum, difference, product or percentage of two values that the claim itself shows and that the quotes hold?
 * What is derived in silence cannot be followed by the reader and is no support.
 */
export function derivedFrom(quantity: Quantity, shown: readonly Quantity[], statements: readonly Statement[]): boolean {
  const quoted = (one: Quantity) => statements.some(({ quantities }) => quantities.some((stated) => equalQuantities(one, stated)));
  const operands = shown.filter((one) => one !== quantity && quoted(one));
  if (operands.length < 2 || operands.length > MOST_OPERANDS) return false;
  const value = amountOf(quantity);
  return operands.some((a, i) =>
    operands.some((b, j) => {
      if (i >= j) return false;
      const [x, y] = [amountOf(a), amountOf(b)];
      if (a.measure === b.measure && a.measure === quantity.measure) return near(value, x + y) || near(value, Math.abs(x - y));
      if (a.measure === "percent" && b.measure === quantity.measure) return near(value, (x / 100) * y);
      if (b.measure === "percent" && a.measure === quantity.measure) return near(value, (y / 100) * x);
      const factor = a.measure === "times" || a.measure === "count" ? b : b.measure === "times" || b.measure === "count" ? a : null;
      return factor !== null && factor.measure === quantity.measure && near(value, x * y);
    }),
  );
}

function amountOf({ amount }: Quantity): number {
  return Number(amount.replace(/^[$€£]/, ""));
}

/** Equal but for rounding to a cent or a unit's tenth. */
function near(a: number, b: number): boolean {
  return Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) <= 0.01;
}
