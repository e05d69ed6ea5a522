import type { Answer, AnswerSentence, Citation } from "../../../src/shared/types.ts";
import { readCells } from "../../../src/text/units.ts";
import { categoryOf, type Fault, type FaultCategory, plainWords, type WrittenSentence } from "./faults.ts";

export type FaultType = Fault["type"];

/** A fault of the draft and its fate. */
export interface FaultFate {
  readonly type: FaultType;
  readonly category: FaultCategory;
  /** The sentence as written. */
  readonly written: string;
  readonly shown: boolean;
  /** Shown without a warning on the sentence or the answer. */
  readonly quiet: boolean;
}

/** Scores of an answer against the known faults of its drafts. */
export interface LadderScore {
  readonly faults: readonly FaultFate[];
  /** Distinct faithful sentences that were written, shown, and shown with a warning. */
  readonly faithful: { readonly written: number; readonly shown: number; readonly flagged: number };
  /** Citations shown, and those that support a correct sentence. */
  readonly citations: { readonly total: number; readonly right: number };
}

type CitedQuote = Pick<Citation, "n" | "quote" | "row">;

/** The parts of an answer that the scores use. */
export interface ShownAnswer extends Pick<Answer, "sentences" | "checks"> {
  readonly citations: readonly CitedQuote[];
}

/** Scores an answer against the model's own record; our checks do not decide what is false. */
export function scoreAnswer(answer: ShownAnswer, drafts: readonly (readonly WrittenSentence[])[]): LadderScore {
  const written = drafts.flat();
  const faults = written.flatMap((sentence) => (sentence.fault === null ? [] : [fateOf(sentence, sentence.fault, answer)]));
  const faithful = new Set(written.flatMap(({ fault, text }) => (fault === null ? [plainWords(text)] : [])));
  const shown = answer.sentences.flatMap(({ text }, i) => (faithful.has(plainWords(text)) ? [i] : []));
  const flagged = shown.filter((i) => answer.checks.some(({ verdict, sentence }) => verdict === "warn" && sentence === i));
  const judged = answer.sentences.map((sentence) => judgeCitations(sentence, answer.citations, written));
  return {
    faults,
    faithful: { written: faithful.size, shown: shown.length, flagged: flagged.length },
    citations: { total: sum(judged.map(({ total }) => total)), right: sum(judged.map(({ right }) => right)) },
  };
}

/** Counts invalid citations: numbers without a source, and swapped sources. */
export function invalidCitations(answer: ShownAnswer, drafts: readonly (readonly WrittenSentence[])[]): number {
  return scoreAnswer(answer, drafts).faults.filter(({ category, shown }) => category === "citation" && shown).length;
}

function fateOf(sentence: WrittenSentence, fault: Fault, { sentences, citations, checks }: ShownAnswer): FaultFate {
  const at = sentences.flatMap((shown, i) => (isShown(fault, sentence, shown, citations) ? [i] : []));
  const flagged = (i: number) => checks.some((check) => check.verdict === "warn" && (check.sentence === null || check.sentence === i));
  return {
    type: fault.type,
    category: categoryOf(fault),
    written: sentence.text,
    shown: at.length > 0,
    quiet: at.some((i) => !flagged(i)),
  };
}

/** Tests whether a shown sentence has the fault. A verbatim quote of its source is not a fabrication. */
function isShown(fault: Fault, written: WrittenSentence, shown: AnswerSentence, citations: readonly CitedQuote[]): boolean {
  switch (fault.type) {
    case "url":
      return shown.text.toLowerCase().includes(fault.key);
    case "nowhere":
      return (
        isSame(shown.text, written.text) &&
        (namesNumber(shown.text, fault.number) || cited(shown, citations).length < shown.citations.length)
      );
    case "swapped":
      return isSame(shown.text, written.text) && cited(shown, citations).some((quote) => standsIn(quote, fault.instead));
    default:
      return ` ${plainWords(shown.text)} `.includes(` ${fault.key} `) && !cited(shown, citations).some(({ quote }) => quote === shown.text);
  }
}

function judgeCitations(shown: AnswerSentence, citations: readonly CitedQuote[], written: readonly WrittenSentence[]) {
  const wrong = written.some((sentence) => sentence.fault !== null && isShown(sentence.fault, sentence, shown, citations));
  const nowhere = [...shown.text.matchAll(MARKER)].length;
  const statement = written.find(({ text, from }) => from !== null && isSame(shown.text, text))?.from?.statement ?? shown.text;
  const right = cited(shown, citations).filter((quote) => !wrong && wordsOf(quote).some((words) => words.includes(plainWords(statement))));
  return { total: shown.citations.length + nowhere, right: right.length };
}

/** Tests whether a quote is from this source, as the model received it. */
function standsIn(quote: CitedQuote, source: string): boolean {
  return wordsOf(quote).some((words) => ` ${plainWords(source)} `.includes(` ${words} `));
}

/** Returns the words of a quote; for a table row also those of its text form with caption and column names. */
function wordsOf({ quote, row }: CitedQuote): string[] {
  const read = row === undefined ? [] : [`${row.caption?.text ?? ""} ${readCells(row.cells)}`];
  return [quote, ...read].map(plainWords);
}

function cited({ citations: numbers }: AnswerSentence, citations: readonly CitedQuote[]): CitedQuote[] {
  return citations.filter(({ n }) => numbers.includes(n));
}

const MARKER = / \[\d+\]/g;
/** Matches a URL as the scripted model adds it, and its remains after a check removed it. */
const ADDRESS = /\(see\b[^)]*\)/g;

/** Compares texts without citation markers and URLs. */
function isSame(a: string, b: string): boolean {
  const bare = (text: string) => plainWords(text.replaceAll(MARKER, "").replaceAll(ADDRESS, " "));
  return bare(a) === bare(b);
}

function namesNumber(text: string, number: number): boolean {
  return [...text.matchAll(MARKER)].some(([marker]) => marker === ` [${number}]`);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
