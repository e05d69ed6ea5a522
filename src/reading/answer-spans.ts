import type { TextRange } from "../types.ts";
import { askedValues, VALUE_KINDS } from "./asked-values.ts";
import { type Measure, quantitiesIn } from "./quantities.ts";

/** Words of one sentence that answer, as a range of its text. */
export interface AnswerSpan extends TextRange {
  /** Index of the sentence. */
  readonly sentence: number;
}

/** Measures of each kind of value. Names and addresses are only signs, not read to their ends: nothing is marked of them. */
const MEASURES: readonly (readonly [number, readonly Measure[]])[] = [
  [VALUE_KINDS.money, ["money"]],
  [VALUE_KINDS.percent, ["percent"]],
  [VALUE_KINDS.duration, ["days", "months", "minutes"]],
  [VALUE_KINDS.date, ["date"]],
  [VALUE_KINDS.number, ["count", "share", "times", "length", "mass", "volume", "age"]],
  [VALUE_KINDS.form, ["form"]],
  [VALUE_KINDS.phone, ["phone"]],
];

/**
 * The words of an answer that answer, where reading its values settles that: of each kind of value that the question asks for, the first sentence that
 * holds one, if it holds exactly one that the question does not name itself. Two prices in a sentence, a question for a reason or a name: nothing.
 */
export function answerSpans(question: string, sentences: readonly string[]): AnswerSpan[] {
  const named = new Set(quantitiesIn(question).map(keyOf));
  const read = sentences.map((text) => quantitiesIn(text).filter((value) => isWhole(text, value)));
  const spans: AnswerSpan[] = [];
  for (const kinds of askedValues(question)) {
    const wanted = new Set(MEASURES.flatMap(([kind, measures]) => ((kinds & kind) === 0 ? [] : measures)));
    const found = read.map((values) => values.filter((value) => wanted.has(value.measure)));
    const sentence = found.findIndex((values) => values.length > 0);
    const [value, ...others] = (found[sentence] ?? []).filter((one) => !named.has(keyOf(one)));
    const isKnown = spans.some(
      (span) => span.sentence === sentence && value !== undefined && span.start < value.end && value.start < span.end,
    );
    if (value !== undefined && others.length === 0 && !isKnown) spans.push({ sentence, start: value.start, end: value.end });
  }
  return spans.sort((a, b) => a.sentence - b.sentence || a.start - b.start);
}

/** A number that is cut out of a longer one says something else. */
function isWhole(text: string, { start, end }: TextRange): boolean {
  return !/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, start - 2), start)) && !/^[\p{L}\p{N}]/u.test(text.slice(end, end + 2));
}

function keyOf({ measure, amount }: { readonly measure: Measure; readonly amount: string }): string {
  return `${measure} ${amount}`;
}
