import { ModelError } from "../errors.ts";
import type { Reranker } from "../models/reranker.ts";
import { dot } from "../reader/dot.ts";
import { headedText, MAX_TEXT } from "../reader/headed-text.ts";
import type { ReadTexts } from "../reader/reader.ts";
import { splitSentences } from "../text/sentences.ts";

export interface ReaderRerankerParts {
  /** Name of the reader. */
  readonly name: string;
  readonly readTexts: ReadTexts;
  /** Vectors of texts, each of length 1: they say which part of a long passage is read. */
  readonly embed: (texts: readonly string[]) => readonly Float32Array[];
}

/** The reader as a cross-encoder: the chance that a passage answers, of the part of it that is most like the question, below its title and headings. */
export function createReaderReranker({ name, readTexts, embed }: ReaderRerankerParts): Reranker {
  return {
    id: name,
    async rerank(question, passages, { signal = new AbortController().signal } = {}) {
      signal.throwIfAborted();
      const places = passages.flatMap(({ text }, i) => (question.trim() === "" || text.trim() === "" ? [] : [i]));
      const pairs = places.map((place) => {
        const { title, section, text } = passages[place] as (typeof passages)[number];
        return { question, text: headedText({ title, above: section, text: partLike(question, text, embed) }) };
      });
      const readings = await readTexts(pairs, signal);
      if (readings === null) throw new ModelError("reader_failed", "The reader could not read the passages.", { reader: name });
      const scores = passages.map((): number | null => null);
      for (const [i, place] of places.entries()) scores[place] = chanceOf(readings[i]?.answer ?? null);
      return scores;
    },
  };
}

function chanceOf(logOdds: number | null): number | null {
  return logOdds === null ? null : 1 / (1 + Math.exp(-logOdds));
}

/** The whole sentences in a row, as many as are read at once, that lie nearest to the question; a short text is all read. */
function partLike(question: string, text: string, embed: ReaderRerankerParts["embed"]): string {
  const parts = partsOf(text);
  if (parts.length < 2) return parts[0] ?? text;
  const [asked, ...vectors] = embed([question, ...parts]) as [Float32Array, ...Float32Array[]];
  const likeness = vectors.map((vector) => dot(asked, vector));
  return parts[likeness.indexOf(Math.max(...likeness))] as string;
}

/** From each sentence on what can be read at once, until one holds the end of the text. */
function partsOf(text: string): string[] {
  const sentences = splitSentences(text);
  const parts: string[] = [];
  let last = 0;
  for (const [first, { start, end }] of sentences.entries()) {
    last = Math.max(last, first);
    while (last + 1 < sentences.length && (sentences[last + 1]?.end ?? 0) - start <= MAX_TEXT) last++;
    parts.push(text.slice(start, Math.max(end, sentences[last]?.end ?? end)));
    if (last === sentences.length - 1) break;
  }
  return parts;
}
