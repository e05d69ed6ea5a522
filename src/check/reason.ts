import { readQuestion } from "../reading/question.ts";
import { tokenize } from "../text/tokens.ts";

/** A sentence speaks of the question from this share of its words on, and says hardly more than it with fewer others than this share of its own. */
const HALF = 0.5;

/**
 * Does an answer to "why" only say again what the question takes for granted? "Only one suitcase is allowed" tells nobody why. A heuristic by words: what it finds is
 * said, and nothing is removed. Of 23 answers to golden and strangers' questions that ask why it
 * speaks at one, which denies what was asked (2026-11-27).
 */
export function onlySaysThatItIsSo(question: string, sentences: readonly string[]): boolean {
  const { type, content } = readQuestion(question);
  if (type !== "why") return false;
  const asked = new Set(tokenize(content));
  const speaking = sentences.map((text) => [...new Set(tokenize(text))]).filter((own) => shared(own, asked) >= HALF * asked.size);
  return asked.size > 0 && speaking.length > 0 && speaking.every((own) => own.length - shared(own, asked) < HALF * own.length);
}

function shared(own: readonly string[], asked: ReadonlySet<string>): number {
  return own.filter((token) => asked.has(token)).length;
}
