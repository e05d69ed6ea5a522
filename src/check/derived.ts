import { equalQuantities } from "../compare/compare-quantities.ts";
import type { Quantity } from "../reading/quantities.ts";
import type { Statement } from "./statements.ts";

/** How a claim shows that it adds, takes away, multiplies or takes a share. */
const SUM = /\b(?:plus|and together|sum|in all|altogether|add(?:s|ed|ing)?|total(?:s|ing|ling)?)\b|\+/i;
const DIFFERENCE = /\b(?:minus|less the|difference|subtract(?:s|ed|ing)?|deduct(?:s|ed|ing)?|remain(?:s|ing|der)?|leaves?)\b|[−-]\s/i;
const PRODUCT = /\b(?:times|multiplied|each|per|every|for \w+ (?:days|weeks|months|years))\b|[×*]/i;
const SHARE = /(?:%|percent|per cent|half|third|quarter)\s+of\b/i;

/** Operands looked at: more numbers in one sentence are a table, where some two always give any third. */
const MOST_OPERANDS = 6;

/**
 * Is the value the sum, difference, product or percentage of two values that the claim itself shows and that the quotes hold?
 * What is derived in silence cannot be followed by the reader and is no support.
 */
export function derivedFrom(quantity: Quantity, claim: Pick<Statement, "text" | "quantities">, statements: readonly Statement[]): boolean {
  const quoted = (one: Quantity) => statements.some(({ quantities }) => quantities.some((stated) => equalQuantities(one, stated)));
  const operands = claim.quantities.filter((one) => one !== quantity && quoted(one));
  if (operands.length < 2 || operands.length > MOST_OPERANDS) return false;
  const shows = {
    sum: SUM.test(claim.text),
    difference: DIFFERENCE.test(claim.text),
    product: PRODUCT.test(claim.text),
    share: SHARE.test(claim.text),
  };
  const value = amountOf(quantity);
  const gives = (a: Quantity, b: Quantity): boolean => {
    const [x, y] = [amountOf(a), amountOf(b)];
    const alike = a.measure === b.measure && a.measure === quantity.measure;
    if (alike) return (shows.sum && near(value, x + y)) || (shows.difference && near(value, Math.abs(x - y)));
    if (b.measure !== quantity.measure) return false;
    if (a.measure === "percent") return shows.share && near(value, (x / 100) * y);
    return (a.measure === "times" || a.measure === "count") && shows.product && near(value, x * y);
  };
  return operands.some((a, i) => operands.some((b, j) => i !== j && gives(a, b)));
}

function amountOf({ amount }: Quantity): number {
  return Number(amount.replace(/^[$€£]/, ""));
}

/** Equal but for rounding to a cent or a unit's tenth. */
function near(a: number, b: number): boolean {
  return Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) <= 0.01;
}
