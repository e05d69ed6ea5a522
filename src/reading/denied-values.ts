import { CLAUSE_NEGATOR } from "./negation.ts";
import type { Quantity } from "./quantities.ts";

/** What limits a value or says when, instead of being denied with it: "not more than 30 days", "not within 30 days", "not only 30". */
const LIMITS_OR_PLACES =
  "more|less|fewer|later|longer|earlier|sooner|older|younger|greater|higher|lower|only|just|even|for|within|until|till|before|after|by|in|on|over|under|above|below|since|during|than|to|from|up|every|per|with|without|when|if|unless|and|or|but|as|about|least|most";
/** A negation with the value right behind it, but for an article or a verb or two: "is not rated at", "isn't a". */
const DENIES = new RegExp(String.raw`(?:${CLAUSE_NEGATOR}\s(?:(?!(?:${LIMITS_OR_PLACES})\s)[\p{L}-]+\s){0,2}|\bno\s)$`, "iu");
/** Characters before a value in which its negation is looked for. */
const BEFORE = 40;

/** Values that a text denies: "is not rated 30 percent", "isn't $978". Not what it only bounds, or says to be no condition of something else. */
export function deniedValues(text: string, quantities: readonly Quantity[]): Quantity[] {
  return quantities.filter(({ start }) => DENIES.test(text.slice(Math.max(0, start - BEFORE), start)));
}
