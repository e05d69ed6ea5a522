import { dot } from "../reader/dot.ts";
import type { ReadTexts, TextReading } from "../reader/reader.ts";

/**
 * Cosine below which two words that look like forms of one are two words, for the reader that ships: another reader needs another. Chosen on
 * `lab/sets/own/word-forms.tsv`, of which 79 of 101 that are two words lie below, and 5 of 98 that are one (2026-11-26).
 */
const ONE_WORD = 0.36;

/**
 * Which words only look like a form of what is held: "probation" is not what "probate" is about. The reader tells them apart.
 * @param forms for each word the forms that are held
 * @throws the signal's reason when it is cancelled
 */
export async function unlikeForms(
  forms: ReadonlyMap<string, readonly string[]>,
  read: ReadTexts | null,
  signal: AbortSignal,
): Promise<string[]> {
  if (forms.size === 0 || read === null) return [];
  const words = [...new Set([...forms].flatMap(([word, held]) => [word, ...held]))];
  const readings = await read(words, signal);
  if (readings === null) return [];
  const vectorOf = (word: string) => (readings[words.indexOf(word)] as TextReading).vector;
  return [...forms].filter(([word, held]) => held.every((one) => dot(vectorOf(word), vectorOf(one)) < ONE_WORD)).map(([word]) => word);
}
