import { deniesAsVerb, EXCEPTION, NEGATOR } from "../reading/negation.ts";
import { valuesIn } from "../reading/values.ts";
import { tokenize } from "../text/tokens.ts";

/** What a text states besides its wording. Two texts with equal signatures and nearly the same words say the same. */
export interface Signature {
  /** Numbers with units, amounts, percentages, codes, years, dates by their parts. */
  readonly values: string;
  /** Negations and limits with the word that they act on: `not eligible`, `unless`. */
  readonly polarity: string;
  /** Names and months. */
  readonly entities: string;
}

const LIMIT = String.raw`\b(?:excluding|only|must|may|should|less than|more than|at least|at most|up to|under|over|before|after|within|denied)\b`;
const TURN = new RegExp(`${NEGATOR}|${EXCEPTION}|${LIMIT}`, "giu");
const NAME = /\p{Lu}[\p{L}\p{N}&'-]*(?:\s+\p{Lu}[\p{L}\p{N}&'-]*)*/gu;
const SENTENCE_START = /(?:^|[.!?:\n•*-])\s*$/u;

/** The signature of a text, in the order of the text: "A pays 10, B pays 20" is not "A pays 20, B pays 10". */
export function signatureOf(text: string): Signature {
  return {
    values: inOrder(valuesIn(text).map(({ key }) => key)),
    polarity: inOrder([...text.matchAll(TURN)].map((match) => `${spelling(match[0])} ${nextWord(text, match.index + match[0].length)}`)),
    entities: inOrder([...text.matchAll(NAME)].flatMap(({ 0: name, index }) => namesOf(name, index, text))),
  };
}

export function sameSignature(a: Signature, b: Signature): boolean {
  return a.values === b.values && a.polarity === b.polarity && a.entities === b.entities;
}

function spelling(negation: string): string {
  return deniesAsVerb(negation) ? "not" : negation.toLowerCase();
}

/** The first content word behind a negation. */
function nextWord(text: string, from: number): string {
  return tokenize(text.slice(from, from + 60).replace(/[.!?\n][\s\S]*$/, ""))[0] ?? "";
}

/** A single capitalised word at the start of a sentence is no name. */
function namesOf(name: string, index: number, text: string): string[] {
  const opens = SENTENCE_START.test(text.slice(Math.max(0, index - 4), index));
  const words = name.toLowerCase().split(/\s+/);
  return opens ? words.slice(1) : words;
}

function inOrder(keys: readonly string[]): string {
  return keys.join("|");
}
