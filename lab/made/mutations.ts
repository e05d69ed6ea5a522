import { createWordReader } from "../../src/language/content-words.ts";
import { keyOf, valuesIn } from "../../src/language/values.ts";
import { pick, replaceRange } from "./edit.ts";

/** Kinds of fault. */
export const MUTATIONS = ["value", "value_elsewhere", "name", "negation", "citation"] as const;
export type Mutation = (typeof MUTATIONS)[number];

/** A text that supplies other values and names. */
export interface Donor {
  readonly text: string;
}

/**
 * Makes one fault in a true sentence; `null` if the kind does not apply.
 * @param passage passage of the sentence; `value_elsewhere` takes another value of the same measure from it
 * @param donor passage on another subject; `name` takes a name from it
 */
export function mutate(kind: Mutation, sentence: string, passage: string, donor: Donor, random: () => number): string | null {
  switch (kind) {
    case "value":
      return changeValue(sentence, random);
    case "value_elsewhere":
      return moveValue(sentence, passage, random);
    case "name":
      return swapName(sentence, passage, donor.text, random);
    case "negation":
      return negate(sentence);
    case "citation":
      return sentence;
  }
}

function changeValue(sentence: string, random: () => number): string | null {
  const digits = valuesIn(sentence).filter(({ start, end }) => /^[$€£]?\d+(?:[.,]\d+)*/.test(sentence.slice(start, end)) && start > 3);
  const chosen = pick(digits, random);
  if (chosen === null) return null;
  const written = sentence.slice(chosen.start, chosen.end);
  const number = /\d+/.exec(written)?.[0] ?? "0";
  const other = String(Number(number) + 1 + Math.floor(random() * 8));
  return replaceRange(sentence, chosen, written.replace(number, other));
}

function moveValue(sentence: string, passage: string, random: () => number): string | null {
  const own = valuesIn(sentence);
  const elsewhere = valuesIn(passage);
  const moves = own.flatMap((value) =>
    elsewhere
      .filter((other) => other.kind === value.kind && own.every((mine) => keyOf(mine) !== keyOf(other)))
      .map((other) => ({ value, text: passage.slice(other.start, other.end) })),
  );
  const move = pick(
    moves.filter(({ value }) => value.kind !== "number" && value.start > 3),
    random,
  );
  return move === null ? null : replaceRange(sentence, move.value, move.text);
}

function swapName(sentence: string, passage: string, donor: string, random: () => number): string | null {
  const read = createWordReader();
  const known = new Set(read(passage).map(({ root }) => root));
  const own = pick(
    read(sentence).filter(({ name }) => name),
    random,
  );
  const other = pick(
    read(donor).filter(({ name, root }) => name && !known.has(root)),
    random,
  );
  return own === null || other === null ? null : replaceRange(sentence, own, donor.slice(other.start, other.end));
}

const VERB = /\b(is|are|can|will|must|should|may|was|were|has|have|does)\b(?!\s+(?:not|no|never)\b|n['’]t)/i;
const NEGATED = /\b(is|are|can|will|must|should|may|was|were|do|does|has|have)\s+not\s|\b(can)not\s/i;

function negate(sentence: string): string | null {
  if (NEGATED.test(sentence)) return sentence.replace(NEGATED, (_whole, verb?: string, can?: string) => `${verb ?? can ?? ""} `);
  return VERB.test(sentence) ? sentence.replace(VERB, "$1 not") : null;
}
