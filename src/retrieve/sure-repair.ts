import { editDistance, wordsMeant } from "../text/spelling.ts";
import type { Repair } from "./understand.ts";

/** What tells whether a word can have been meant otherwise. */
export interface SureParts {
  /** Every word of the language. */
  readonly real: ReadonlySet<string>;
  /** Is it a word that most people know? */
  isKnown(word: string): boolean;
  /** Words of documents that the asker may read, of which it could be a slip. */
  meant(word: string): readonly string[];
  stem(word: string): string;
}

/**
 * Is a misspelt word a slip of nothing but a word that most people know, and its forms? Search may go by the likeliest word; what is taken for the same
 * question may not. Nothing with a capital is sure, nor what is read as a term: what is spelled nearly so may be another one, which no document and no list holds.
 * (A name in small letters that is nearly a common word is taken for it: "gardiner", "gardener".) Of the words that few people know only those count that lie as near.
 * Takes some milliseconds: every word of the language is looked at.
 */
export function isSureRepair(question: string, { written, read }: Repair, { real, isKnown, meant, stem }: SureParts): boolean {
  if (!isKnown(read) || isWrittenAsName(question, written)) return false;
  const edits = editDistance(written, read, FAR);
  const mayBe = (word: string) => isKnown(word) || editDistance(written, word, FAR) <= edits;
  const others = [...meant(written), ...[...wordsMeant(written, real)].filter(mayBe)];
  return others.every((word) => stem(word) === stem(read));
}

/** Edits beyond those that a slip has. */
const FAR = 3;

/** Does it stand with a capital? Where a sentence begins it may be a name all the same: a lost hit costs less. @param written in lower case */
function isWrittenAsName(question: string, written: string): boolean {
  return [...question.matchAll(/\p{L}+/gu)].some(({ 0: word }) => word !== written && word.toLowerCase() === written);
}
