import { countNegators, EXCEPTION, type Reading } from "../language/content-words.ts";
import type { Value } from "../language/values.ts";
import type { TextRange } from "../shared/types.ts";
import { type Finding, finding } from "./finding.ts";

/** A sentence or a clause of it. */
export interface Part {
  readonly claim: Reading;
  readonly range: TextRange;
}

/** A value or cell assigned to the wrong thing. */
export interface Misplaced {
  readonly reason: string;
  readonly spans: readonly TextRange[];
}

const EXCEPTS = new RegExp(EXCEPTION, "iu");

export function wholeOf(claim: Reading): Part {
  return { claim, range: { start: 0, end: claim.text.length } };
}

/** Checks whether a sentence makes an exception. Its assignments are then ambiguous. */
export function excepts({ text }: Reading): boolean {
  return EXCEPTS.test(text);
}

export function negatorsIn({ claim, range }: Part): number {
  return countNegators(claim.text.slice(range.start, range.end));
}

export function isWithin(one: TextRange, range: TextRange): boolean {
  return one.start >= range.start && one.end <= range.end;
}

/** Returns the roots of a part's words. */
export function wordsOf({ claim, range }: Part): string[] {
  return claim.words.filter((word) => isWithin(word, range)).map(({ root }) => root);
}

/** Checks whether the bounds of the two values agree: "less than € 3" does not agree with "€ 3". */
export function isBound(said: Value, stated: Value): boolean {
  return said.bound === "none" || said.bound === stated.bound;
}

/** Combines misplaced values into one warning, each place once; `null` if there are none. */
export function doubtOf(name: string, found: readonly Misplaced[]): Finding | null {
  if (found.length === 0) return null;
  const places = new Map(found.flatMap(({ spans }) => spans.map((span) => [span.start, span])));
  const spans = [...places.values()].sort((a, b) => a.start - b.start);
  return finding(name, "warn", 0, [...new Set(found.map(({ reason }) => reason))].join("; "), spans);
}
