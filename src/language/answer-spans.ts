import type { TextRange } from "../shared/types.ts";
import { askedValues, heldValues, VALUE_KINDS } from "./question.ts";
import type { ValueKind } from "./units.ts";
import { keyOf, valuesIn } from "./values.ts";

/** A range of words to highlight in a sentence, because they answer the question. */
interface AnswerSpan extends TextRange {
  /** Index of the sentence in the answer. */
  readonly sentence: number;
}

/**
 * Kinds of value that a question may ask for and that are highlighted. Names and addresses are absent, because their
 * patterns do not find where a name or an address ends.
 */
const MARKED = ["money", "percent", "duration", "date", "number", "form", "phone"] as const;
/** Further kinds of value that are highlighted if a question asks for a number. */
const NUMBERS: readonly ValueKind[] = ["ordinal", "share", "times", "length", "mass", "volume", "age"];

/**
 * Returns the words of an answer to highlight. For each kind of value that the question asks for, takes the first
 * sentence with a value of that kind. Ignores values that the question itself states. If exactly one value remains in
 * this sentence, it is highlighted. A question that asks for a reason or a name gets no highlights.
 */
export function answerSpans(question: string, sentences: readonly string[]): AnswerSpan[] {
  const named = new Set(valuesIn(question).map(keyOf));
  const read = sentences.map((text) => valuesIn(text).filter((value) => isWhole(text, value)));
  const spans: AnswerSpan[] = [];
  for (const kinds of askedValues(question)) {
    const wanted = measuresOf(kinds);
    const found = read.map((values) => values.filter((value) => wanted.has(value.kind)));
    const sentence = found.findIndex((values) => values.length > 0);
    const [value, ...others] = (found[sentence] ?? []).filter((one) => !named.has(keyOf(one)));
    const isKnown = spans.some(
      (span) => span.sentence === sentence && value !== undefined && span.start < value.end && value.start < span.end,
    );
    if (value !== undefined && others.length === 0 && !isKnown) spans.push({ sentence, start: value.start, end: value.end });
  }
  return spans.sort((a, b) => a.sentence - b.sentence || a.start - b.start);
}

function measuresOf(kinds: number): ReadonlySet<ValueKind> {
  const asked = MARKED.filter((kind) => (kinds & VALUE_KINDS[kind]) !== 0);
  return new Set([...asked, ...(asked.includes("number") ? NUMBERS : [])]);
}

/** Checks whether a text contains a value of at least one of the kinds (bits of `VALUE_KINDS`). */
export function holdsKind(text: string, kinds: number): boolean {
  const wanted = measuresOf(kinds);
  return (heldValues(text) & kinds) !== 0 || valuesIn(text).some(({ kind }) => wanted.has(kind));
}

/** Checks that a value is not part of a longer number, word or code, which would have another meaning. */
function isWhole(text: string, { start, end }: TextRange): boolean {
  return !/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, start - 2), start)) && !/^[\p{L}\p{N}]/u.test(text.slice(end, end + 2));
}
