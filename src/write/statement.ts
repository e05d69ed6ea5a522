import { isStopWord, words } from "../text/tokens.ts";
import type { DraftSentence } from "../types.ts";
import type { DraftFault } from "./prompt.ts";
import type { OfferedSource } from "./sources.ts";

/** What a draft was written from. */
export interface DraftGround {
  readonly sources: readonly OfferedSource[];
  /** Texts of the prompt that are no material of an answer: rules, frame, question. */
  readonly frame: readonly string[];
  /** What was found in the draft before. */
  readonly faults: readonly DraftFault[];
}

/** A sentence that ends in a colon with fewer words of content than this announces and states nothing: "The answer is:". */
const ANNOUNCES = 3;
/** A sentence without citation, with fewer words of content than this and none of the sources', is a courtesy; a longer one is a claim that nothing bears. */
const CLAIMS = 4;
/** Words from which on a run of words is taken from the prompt rather than said again by chance. */
const ECHOES = 4;

/**
 * Tells the sentences of a draft that state nothing that a source could bear: courtesies, announcements, questions, titles of sources by themselves, and what
 * repeats the prompt. They are no faults, and no part of the answer: a "Sure!" is no reason for another draft.
 */
export function createStatementTest({ sources, frame, faults }: DraftGround): (sentence: DraftSentence) => boolean {
  let held: ReadonlySet<string> | null = null;
  const framed = frame.map(wordsOf);
  const titles = new Set(sources.flatMap(titlesOf).map(wordsOf));
  const named = new Set(faults.flatMap(({ text, check, reason }) => [wordsOf(text), wordsOf(`${text} ${check} ${reason}`)]));
  return ({ text, quotes, missing }) => {
    const said = wordsOf(text);
    const isCited = quotes.length > 0 || missing.length > 0;
    const content = said.split(" ").filter((word) => !isStopWord(word));
    if (text.endsWith("?") || (text.endsWith(":") && content.length < ANNOUNCES) || named.has(said)) return true;
    const isEcho = said.split(" ").length >= ECHOES && framed.some((line) => line.includes(said));
    if (isCited) return isEcho && !sourcesSay(sources, said);
    if (titles.has(said)) return true;
    held ??= new Set(sources.flatMap(textsOf).flatMap((line) => wordsOf(line).split(" ")));
    return isEcho || (content.length < CLAIMS && !content.some((word) => /\d/.test(word) || held?.has(word) === true));
  };
}

function sourcesSay(sources: readonly OfferedSource[], said: string): boolean {
  return sources.some((source) => textsOf(source).some((line) => wordsOf(line).includes(said)));
}

function textsOf(source: OfferedSource): string[] {
  return [...titlesOf(source), ...source.stretches.map(({ text }) => text)];
}

function titlesOf({ passage }: OfferedSource): string[] {
  return [passage.document.title, ...passage.headingPath];
}

function wordsOf(text: string): string {
  return words(text)
    .map((word) => word.text)
    .join(" ");
}
