import type { DraftSentence } from "../shared/types.ts";
import { isStopWord, words } from "../text/tokens.ts";
import { type BindSentence, headOf, type OfferedSource } from "./sources.ts";

/** Minimum content words of a sentence that ends in a colon. A shorter one makes no claim: "The answer is:". */
const ANNOUNCES = 3;
/**
 * Minimum content words of an uncited sentence to count as a claim, if it shares no word with the sources. A shorter one
 * counts as a courtesy.
 */
const CLAIMS = 4;
/** Minimum words of a sentence that counts as a copy of the prompt if the prompt contains it. */
const ECHOES = 4;

/**
 * Returns a function that detects sentences without a claim: courtesies, announcements, questions, bare titles of
 * sources, copies of the prompt. Such sentences are dropped, and do not count as faults.
 * @param frame texts of the prompt that an answer must not repeat: rules, templates, question
 */
export function createStatementTest(sources: readonly OfferedSource[], frame: readonly string[]): (sentence: DraftSentence) => boolean {
  let held: ReadonlySet<string> | null = null;
  const framed = frame.map(wordsOf);
  const titles = new Set(sources.flatMap(titlesOf).map(wordsOf));
  return ({ text, quotes, missing, inherits }) => {
    const said = wordsOf(text);
    const isCited = inherits !== true && (quotes.length > 0 || missing.length > 0);
    const content = said.split(" ").filter((word) => !isStopWord(word));
    if (text.endsWith("?") || (text.endsWith(":") && content.length < ANNOUNCES)) return true;
    const isEcho = said.split(" ").length >= ECHOES && framed.some((line) => line.includes(said));
    if (isCited) return isEcho && !sources.some((source) => textsOf(source).some((line) => wordsOf(line).includes(said)));
    if (titles.has(said)) return true;
    held ??= new Set(sources.flatMap(textsOf).flatMap((line) => wordsOf(line).split(" ")));
    return isEcho || (content.length < CLAIMS && !content.some((word) => /\d/.test(word) || held?.has(word) === true));
  };
}

function textsOf(source: OfferedSource): string[] {
  return [...titlesOf(source), ...source.stretches.map(({ text }) => text)];
}

function titlesOf({ passage }: OfferedSource): string[] {
  return [passage.document.title, ...passage.headingPath];
}

function wordsOf(text: string): string {
  const spelled = words(text).map((word) => word.text);
  return spelled.join(" ");
}

/** Returns whether a sentence is only a word or a value, such as "Yes." or "10 percent.". It is too short to be checked as a claim. */
function isBare(text: string): boolean {
  const { length } = words(text);
  return length < 2 || (length < 3 && /\d/.test(text));
}

/**
 * Repairs a drafted sentence. Removes a source's title that the model copied from the prompt. Cites the only source if the
 * sentence cites nothing. Replaces a sentence such as "Yes." by the quotes that it cites.
 */
export function repairSentence(
  sentence: DraftSentence,
  question: string,
  { sources, bind }: { readonly sources: readonly OfferedSource[]; readonly bind: BindSentence },
): DraftSentence[] {
  const [only, ...others] = sources;
  const head = sources.map((source) => `(${headOf(source)})`).find((one) => sentence.text.startsWith(one));
  const text = head === undefined ? sentence.text : sentence.text.slice(head.length).trimStart();
  const isUncited = sentence.quotes.length === 0 && sentence.missing.length === 0;
  const quotes = isUncited && only !== undefined && others.length === 0 ? bind(text, only) : sentence.quotes;
  if (quotes.length === 0 || !isBare(text)) return [{ ...sentence, text, quotes }];
  const cited = sources.filter(({ citable }) => quotes.some((quote) => citable.includes(quote)));
  return cited
    .flatMap((source) => bind(`${question} ${text}`, source))
    .map((quote) => ({ text: quote.text, quotes: [quote], missing: sentence.missing }));
}
