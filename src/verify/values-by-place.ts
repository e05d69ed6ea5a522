import { type Amount, compatible } from "../reading/amounts.ts";
import type { Fact } from "./facts.ts";
import { VERB } from "./same-subject.ts";

/** Two values in the same place of two sentences. */
export interface PlacedValues {
  readonly a: Amount;
  readonly b: Amount;
}

/** Joins a clause, or a part of one, to what stands before. */
const JOINT = /;\s|,?\s(?:and|but)\s/g;
/** A verb right before a value, as a third person says it: "costs 5 dollars". */
const VERB_BEFORE = /\p{Ll}{2,}s\s$/u;

/**
 * Where two sentences differ that are the same but for values of the same kinds and units, in several places joined to each other: "is towed after 15 minutes
 * and the release fee is 240 euros". `null`: they are no such sentences, or one value says which case the other is for: "with 2 cards you pay $5", "after 15
 * minutes the fee is $5", "the fee is $5 for 15 minutes".
 */
export function valuesByPlace(a: Fact, b: Fact): PlacedValues[] | null {
  if (!haveSameForm(a, b)) return null;
  const differing = a.amounts.flatMap((one, i) => {
    const other = b.amounts[i] as Amount;
    return compatible(one, other) ? [] : [{ a: one, b: other }];
  });
  return differing.length > 1 && differing.every(({ a: one }, i) => standsAlone(one, differing[i - 1]?.a, a)) ? differing : null;
}

/** The same text with values of the same kinds in the same places. */
function haveSameForm(a: Fact, b: Fact): boolean {
  return (
    a.amounts.length === b.amounts.length &&
    a.amounts.every((one, i) => {
      const other = b.amounts[i] as Amount;
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

/** Stands the first value behind the verb of a main clause, and each later one in another clause or part that is joined to it? */
function standsAlone({ start }: Amount, before: Amount | undefined, { reading: { text, words } }: Fact): boolean {
  // What is supposed says of what the rest holds: "if you have 2 cards and pay at once, it is $5".
  if (words.findLast(({ end }) => end <= start)?.supposed === true) return false;
  const ahead = text.slice(0, start);
  const joint = [...ahead.matchAll(JOINT)].at(-1);
  const from = joint === undefined ? 0 : joint.index + joint[0].length;
  const clause = ahead.slice(from);
  return before === undefined ? VERB.test(clause) || VERB_BEFORE.test(clause) : from >= before.end;
}
