import { changed, replaceAt } from "./edit.ts";

/**
 * Rules that rephrase a sentence without changing its meaning; `null` if a rule does not apply. They follow English grammar and are
 * independent of the checks, so any finding of a check is a false positive.
 */
export const FAITHFUL_RULES: Readonly<Record<string, (sentence: string) => string | null>> = {
  /** Word for word. */
  verbatim: (sentence) => sentence,
  /** Removes a parenthesis: "The fee (in cash) is due." */
  "without brackets": (sentence) => changed(sentence, sentence.replace(/ \([^()]*\)/, "")),
  /** Keeps the first of two clauses joined by a semicolon. */
  "first statement": (sentence) => {
    const [first = "", ...rest] = sentence.split(/;\s+/);
    return rest.length > 0 && countWords(first) >= MIN_WORDS ? `${first}.` : null;
  },
  /** Removes the connective to the previous sentence. */
  "without connective": (sentence) => {
    const match =
      /^(?:However|In addition|Additionally|Also|Moreover|Furthermore|For example|Therefore|Thus|Instead|Similarly|Finally), (\p{L})/u.exec(
        sentence,
      );
    return match === null ? null : `${(match[1] as string).toUpperCase()}${sentence.slice(match[0].length)}`;
  },
  /** "do not" to "don't", and vice versa. */
  contraction: (sentence) =>
    changed(
      sentence,
      /n['’]t\b/.test(sentence)
        ? sentence.replace(/\b(do|does|is|are|was|were|has|have|should|could|would)n['’]t\b/i, "$1 not")
        : sentence.replace(/\b(do|does|is|are|was|were|has|have|should|could|would) not\b/i, "$1n't"),
    ),
  /** "two weeks" to "2 weeks", and vice versa. */
  "number in words": (sentence) => {
    const word = new RegExp(`(?<= )(?:${NUMBER_WORDS.join("|")})(?= [a-z]{3})`).exec(sentence);
    if (word !== null) return replaceAt(sentence, word, String(NUMBER_WORDS.indexOf(word[0]) + FIRST_NUMBER));
    const digit = /(?<= )(?:[3-9]|1[0-2])(?= [a-z]{3})/.exec(sentence);
    return digit === null ? null : replaceAt(sentence, digit, NUMBER_WORDS[Number(digit[0]) - FIRST_NUMBER] as string);
  },
  /** "12%" to "12 percent", and vice versa. */
  percent: (sentence) =>
    changed(sentence, /\d%/.test(sentence) ? sentence.replace(/(\d)%/g, "$1 percent") : sentence.replace(/(\d) percent\b/g, "$1%")),
  /** "If A, B." to "B if A." */
  "condition last": (sentence) => {
    const match = /^(If|When|Unless|Before|After|Until) ([^,;:]+), ([^,;:]+)\.$/.exec(sentence);
    if (match === null) return null;
    const [, conjunction = "", condition = "", main = ""] = match;
    return `${main[0]?.toUpperCase()}${main.slice(1)} ${conjunction.toLowerCase()} ${condition}.`;
  },
};

/** Minimum length in words; shorter sentences say little on their own. */
export const MIN_WORDS = 5;

/** From three: "one" and "two" are often not numbers ("one of them"). */
const FIRST_NUMBER = 3;
const NUMBER_WORDS = ["three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

export function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
