import type { Answer, AnswerSentence, Citation } from "../../../src/shared/types.ts";
import { readCells } from "../../../src/text/units.ts";
import { categoryOf, type Fault, type FaultCategory, plainWords, type WrittenSentence } from "./faults.ts";

export type FaultType = Fault["type"];

/** One fault that was written, and what became of it. */
export interface FaultFate {
  readonly type: FaultType;
  readonly category: FaultCategory;
  /** The sentence as it was written. */
  readonly written: string;
  readonly shown: boolean;
  /** Shown, and nothing said of it: neither of the sentence nor of the answer. */
  readonly quiet: boolean;
}

/** An answer beside what is known of the drafts that it was made from. */
export interface LadderScore {
  readonly faults: readonly FaultFate[];
  /** Different faithful sentences that were written, and those of them that are shown, and shown with a warning. */
  readonly faithful: { readonly written: number; readonly shown: number; readonly flagged: number };
  /** Citations shown, and those whose sentence is right and stands in what is cited. */
  readonly citations: { readonly total: number; readonly right: number };
}

type CitedQuote = Pick<Citation, "n" | "quote" | "row">;

/** What is read of an answer. */
export interface ShownAnswer extends Pick<Answer, "sentences" | "checks"> {
  readonly citations: readonly CitedQuote[];
}

/** Ground truth is what the model wrote: no check of ours is asked what is false. */
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

/** Citations of an answer that are not valid: numbers that no source has, and sources that were swapped. */
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

/** Does a sentence that is shown have the fault? What is word for word the quote that it cites is made up by nobody. */
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

/** Is it a quote of this source, as the model was given it? */
function standsIn(quote: CitedQuote, source: string): boolean {
  return wordsOf(quote).some((words) => ` ${plainWords(source)} `.includes(` ${words} `));
}

/** A quote's words as they stand; of a table's row also as it is read by the caption and the columns that are shown beside it. */
function wordsOf({ quote, row }: CitedQuote): string[] {
  const read = row === undefined ? [] : [`${row.caption?.text ?? ""} ${readCells(row.cells)}`];
  return [quote, ...read].map(plainWords);
}

function cited({ citations: numbers }: AnswerSentence, citations: readonly CitedQuote[]): CitedQuote[] {
  return citations.filter(({ n }) => numbers.includes(n));
}

const MARKER = / \[\d+\]/g;
/** How the model adds an address, and what is left of it where a check took the address out. */
const ADDRESS = /\(see\b[^)]*\)/g;

/** The same words, whatever was done to markers and addresses. */
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
