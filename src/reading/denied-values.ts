import type { Quantity } from "./quantities.ts";

/** A form of "be" with its negation; another verb is denied itself: "does not pay the $25 fee", "cannot exceed $25". */
const IS_NOT = String.raw`(?:\b(?:is|are|was|were|be|been)\s(?:not|never)|\b(?:is|are|was|were)n['’]?t)`;
/** That, with the value right behind it, but for what gives one: "is not rated at 30 percent", "isn't a $5 fee". */
const DENIES = new RegExp(String.raw`${IS_NOT}\s(?:\p{L}+ed\s)?(?:(?:at|a|an|the|exactly)\s){0,2}$`, "iu");
/** "No 12" is a number of something, "no $25 fee" is none. */
const NONE = /\bno\s$/iu;
/** Characters before a value in which its negation is looked for. */
const BEFORE = 40;

/** Values that a text denies: "is not rated 30 percent", "isn't $978", "no $25 fee". Not what it only bounds, or of which it denies something else. */
export function deniedValues(text: string, quantities: readonly Quantity[]): Quantity[] {
  return quantities.filter(({ start, measure }) => {
    const before = text.slice(Math.max(0, start - BEFORE), start);
    return DENIES.test(before) || (measure !== "count" && NONE.test(before));
  });
}
