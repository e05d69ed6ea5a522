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
 * question may not. A name is never sure, nor a term: what is spelled nearly so may be another one, which no document and no list holds. Of the words that
 * few people know only those count that lie as near.
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

/** Does a word stand with a capital where no sentence begins? @param written in lower case */
function isWrittenAsName(question: string, written: string): boolean {
  const begins = (at: number) => /(?:^|[.?!:])[^\p{L}\p{N}]*$/u.test(question.slice(0, at));
  return [...question.matchAll(/\p{L}+/gu)].some(
    ({ 0: word, index }) => word !== written && word.toLowerCase() === written && !begins(index),
  );
}
