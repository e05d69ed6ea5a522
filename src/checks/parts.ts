import { countNegators, EXCEPTION } from "../language/negation.ts";
import type { Reading } from "../language/reading.ts";
import type { Value } from "../language/values.ts";
import type { TextRange } from "../shared/types.ts";
import { type Finding, finding } from "./finding.ts";

/** A sentence, or a clause of it: what stands within a range. */
export interface Part {
  readonly claim: Reading;
  readonly range: TextRange;
}

/** What is said of another thing than its source says it of. */
export interface Misplaced {
  readonly reason: string;
  readonly spans: readonly TextRange[];
}

const EXCEPTS = new RegExp(EXCEPTION, "iu");

export function wholeOf(claim: Reading): Part {
  return { claim, range: { start: 0, end: claim.text.length } };
}

/** Does a sentence take something out of what it says? What it gives to whom is not told then. */
export function excepts({ text }: Reading): boolean {
  return EXCEPTS.test(text);
}

export function negatorsIn({ claim, range }: Part): number {
  return countNegators(claim.text.slice(range.start, range.end));
}

export function isWithin(one: TextRange, range: TextRange): boolean {
  return one.start >= range.start && one.end <= range.end;
}

/** Roots of a part's words. */
export function wordsOf({ claim, range }: Part): string[] {
  return claim.words.filter((word) => isWithin(word, range)).map(({ root }) => root);
}

/** "Less than € 3" is no € 3. */
export function isBound(said: Value, stated: Value): boolean {
  return said.bound === "none" || said.bound === stated.bound;
}

/** What was found misplaced as one doubt, each place once; `null`: nothing was. */
export function doubtOf(name: string, found: readonly Misplaced[]): Finding | null {
  if (found.length === 0) return null;
  const places = new Map(found.flatMap(({ spans }) => spans.map((span) => [span.start, span])));
  const spans = [...places.values()].sort((a, b) => a.start - b.start);
  return finding(name, "warn", 0, [...new Set(found.map(({ reason }) => reason))].join("; "), spans);
}
