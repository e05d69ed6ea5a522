import type { TextRange } from "../types.ts";

/** Auxiliaries as they open a question that is answered by yes or no. */
export const AUXILIARY = "(?:can|could|may|must|should|shall|will|would|do|does|did|is|are|was|were|am|has|have)";
/** Words that join a clause to the one before, at its beginning. */
export const JOINED = String.raw`^\W*(?:(?:so|also|then|and|or|but|plus)\W+)*`;
const SUBJECT = "(?:i|we|you|he|she|they|it|my|our|the|a|an|there|this|that)";
const FIRST = new RegExp(String.raw`${JOINED}(?:how|what|whats|when|where|who|whom|whose|which|why|${AUXILIARY})\b`, "i");
const LATER = new RegExp(
  String.raw`${JOINED}(?:(?:how|what|why)\b|(?:when|where|who|which)\s+(?:[a-z'’-]+\s+)?${AUXILIARY}\b|${AUXILIARY}\s+${SUBJECT}\b)`,
  "i",
);
const BETWEEN = /[?!.;:]+(?=\s|$)|,|\b(?=(?:and|but|also|plus|or)\b)/giu;

/** A clause of a message, as punctuation and joining words part it. */
export interface Clause extends TextRange {
  readonly text: string;
  /** Does it begin as a question may? */
  readonly asks: boolean;
  /** The punctuation in front of it, and behind it. */
  readonly before: string;
  readonly behind: string;
}

/** The clauses of a message in their order; those without a letter are left out. */
export function clausesOf(text: string): Clause[] {
  const clauses: Clause[] = [];
  let [start, before] = [0, ""];
  const add = (end: number, mark: string) => {
    const clause = text.slice(start, end);
    const last = clauses.at(-1);
    if (/\p{L}/u.test(clause)) {
      clauses.push({ start, end, text: clause, asks: (clauses.length === 0 ? FIRST : LATER).test(clause), before, behind: mark });
      before = mark;
    } else {
      before += mark;
      if (last !== undefined) clauses[clauses.length - 1] = { ...last, behind: before };
    }
    start = end + mark.length;
  };
  for (const match of text.matchAll(BETWEEN)) add(match.index, match[0]);
  add(text.length, "");
  return clauses;
}
