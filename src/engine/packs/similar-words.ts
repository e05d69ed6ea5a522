import { createWordReader, type ReadWords } from "../../language/content-words.ts";
import type { EmbeddedEncoder } from "../../models/embedded-encoder.ts";
import type { FolderDocument } from "./check-pack.ts";

export type WordPair = readonly [string, string];

/** Maximum number of words to compare with each other; the most frequent ones are chosen. */
const MOST_WORDS = 2_000;
/** Minimum occurrences of a word. The vectors of rare words, such as names, are unreliable. */
const LEAST_OCCURRENCES = 3;
/** Maximum number of proposed pairs, as many as a person would read. */
const MOST_PAIRS = 15;
/** Words with this many equal initial letters count as forms of one word. They are not proposed, because search matches forms anyway. */
const SAME_LETTERS = 4;

/**
 * Returns pairs of words that are each other's nearest neighbour among the words of the documents, most similar first.
 * A static encoder cannot distinguish synonyms from opposites or other related words, so a person must choose.
 */
export function similarWords(documents: readonly Pick<FolderDocument, "text">[], encoder: Pick<EmbeddedEncoder, "embedSync">): WordPair[] {
  const words = frequentWords(documents);
  const vectors = encoder.embedSync(words);
  const nearest = vectors.map((vector, i) => nearestTo(vector, i, vectors));
  return nearest
    .map(({ index, similarity }, i) => ({ pair: [words[i] ?? "", words[index] ?? ""] as const, similarity, i, index }))
    .filter(({ i, index }) => i < index && nearest[index]?.index === i)
    .filter(({ pair: [a, b], similarity }) => similarity > 0 && a.slice(0, SAME_LETTERS) !== b.slice(0, SAME_LETTERS))
    .sort((a, b) => b.similarity - a.similarity || (a.pair[0] < b.pair[0] ? -1 : 1))
    .slice(0, MOST_PAIRS)
    .map(({ pair }) => pair);
}

function frequentWords(documents: readonly Pick<FolderDocument, "text">[]): string[] {
  const counts = countWords(documents, createWordReader(), (text) => text.length >= SAME_LETTERS && /^\p{L}+$/u.test(text));
  const frequent = [...counts.values()].filter(({ n }) => n >= LEAST_OCCURRENCES);
  return frequent
    .sort((a, b) => b.n - a.n || (a.text < b.text ? -1 : 1))
    .slice(0, MOST_WORDS)
    .map(({ text }) => text);
}

/** Counts the words of documents by root, without common words. `text` is the first form of a word. */
export function countWords(documents: readonly Pick<FolderDocument, "text">[], read: ReadWords, accepts: (text: string) => boolean) {
  const counts = new Map<string, { readonly text: string; readonly n: number }>();
  for (const document of documents) {
    for (const word of read(document.text)) {
      if (word.common || !accepts(word.text)) continue;
      const { text, n } = counts.get(word.root) ?? { text: word.text, n: 0 };
      counts.set(word.root, { text, n: n + 1 });
    }
  }
  return counts;
}

function nearestTo(vector: Float32Array, self: number, vectors: readonly Float32Array[]): { index: number; similarity: number } {
  let [index, similarity] = [-1, Number.NEGATIVE_INFINITY];
  for (const [i, other] of vectors.entries()) {
    if (i === self) continue;
    const dot = other.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0);
    if (dot > similarity) [index, similarity] = [i, dot];
  }
  return { index, similarity };
}
