import { AUXILIARY, JOINED } from "../language/question.ts";
import { isStopWord } from "../text/tokens.ts";

/**
 * The number of a part that a question names, such as "step 4", "clause 2.3", "section 5(b)" or "rule (d)". A single number counts only after
 * a word that carries meaning, since "after 4 days" names no part.
 */
const NUMBER = String.raw`\d{1,3}(?:\.\d{1,3})*(?:\s?\([\da-z]{1,4}\))*|\([\da-z]{1,4}\)`;
const NAMED = new RegExp(String.raw`(?<![\p{L}\p{N}$€£.,-])(?:(\p{L}+)\s+|§+\s?)?(${NUMBER})(?![\p{L}\p{N}%]|[-.,]\p{N})`, "giu");
/** The number at the start of a text: "4. Wait", "(b) A candidate", "2.3 The tenant", "Step 4: Wait", "Section 5(b)". */
const OPENING = new RegExp(
  // A single number that no sign follows is a quantity: "4 dogs".
  String.raw`^(?:\p{L}+\s|§+\s?)?(?:((?!\d+\s)${NUMBER})(?=[\s.:–—]|$)|(\d{1,3}|[a-z]{1,4})(?=[.):]|\s?[–—]|$))`,
  "iu",
);

/** A question that is answered by yes or no. */
const ASKS_WHETHER = new RegExp(String.raw`${JOINED}${AUXILIARY}\b`, "i");

/** A part of a document that a question names by its number. */
export interface AskedPart {
  /** Numbers of the part and of those around it, outermost first: `["5", "b"]`. */
  readonly numbers: readonly string[];
  /** The word before the number, such as "step"; empty without one. */
  readonly name: string;
  /** The question without the name of the part, and without the verb that alone follows it: "What does clause 2.3 say?" */
  readonly rest: string;
}

/** Returns the part that a question names; `null` without one or with several. */
export function askedPart(question: string): AskedPart | null {
  const found = [...question.matchAll(NAMED)].filter(
    ([, word = "", number = ""]) => /\D/.test(number) || (word !== "" && !isStopWord(word.toLowerCase())),
  );
  const [named] = found;
  if (named === undefined || found.length > 1) return null;
  const { 0: whole, 1: name = "", 2: number = "", index } = named;
  const [before, behind] = [question.slice(0, index), question.slice(index + whole.length)];
  const isVerb = !ASKS_WHETHER.test(before) && /^\s+\p{L}+[\s?.]*$/u.test(behind);
  return { numbers: numbersIn(number), name, rest: isVerb ? before : before + behind };
}

/** Returns whether the numbers at the starts of the texts above a candidate and of its own end with the numbers of a part. */
export function isPart({ numbers }: AskedPart, above: readonly string[], text: string): boolean {
  const own = openingNumbers(text);
  const path = [...above.flatMap(openingNumbers), ...own];
  // A heading's number belongs to every unnumbered text below it.
  const isNumbered = own.length > 0 || openingNumbers(above.at(-1) ?? "").length > 0;
  const shown = [path, own].map((one) => one.slice(-numbers.length));
  return isNumbered && shown.some((one) => one.length === numbers.length && one.every((number, i) => number === numbers[i]));
}

function openingNumbers(text: string): string[] {
  const [, levels, single] = OPENING.exec(text) ?? [];
  return numbersIn(levels ?? single ?? "");
}

/** "5(b)" is 5, b. A number of several levels stays whole: "2.3". */
function numbersIn(text: string): string[] {
  return text.toLowerCase().match(/\d+(?:\.\d+)*|[a-z]+/g) ?? [];
}
