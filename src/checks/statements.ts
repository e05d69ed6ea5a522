import { createReading, createWordReader, type Reading, type ReadWords } from "../language/content-words.ts";
import type { Value } from "../language/values.ts";
import { splitSentences } from "../text/sentences.ts";
import type { CitedQuote } from "./finding.ts";

/** A sentence, list item or table row of a quote, with its context. */
export interface Statement extends Reading {
  /** Roots of the words in the context above: title, headings, lead-in of a list, header of a table. */
  readonly above: ReadonlySet<string>;
  /** Roots of the words in adjacent sentences of the same quote. */
  readonly beside: ReadonlySet<string>;
  /** Values in the context above. */
  readonly valuesAbove: readonly Value[];
}

/** Analyses texts and caches the results, so that each quote is analysed once per answer. */
export interface Reader {
  read(text: string): Reading;
  statements(quote: CitedQuote): readonly Statement[];
}

/** Maximum number of cached quotes. */
const REMEMBERED = 2000;

export function createReader(readWords: ReadWords = createWordReader()): Reader {
  const known = new Map<string, readonly Statement[]>();
  const read = createReading(readWords);
  return {
    read,
    statements(quote) {
      const key = [...(quote.above ?? []), quote.text].join("\u0000");
      const before = known.get(key);
      if (before !== undefined) return before;
      const made = statementsOf(quote, read);
      if (known.size >= REMEMBERED) known.clear();
      known.set(key, made);
      return made;
    },
  };
}

function statementsOf(quote: CitedQuote, read: Reader["read"]): Statement[] {
  const pieces = splitSentences(quote.text).map(({ start, end }) => read(quote.text.slice(start, end)));
  const fixed = (quote.above ?? []).map(read);
  let leadIn: readonly Reading[] = [];
  return pieces.map((piece, i) => {
    const over = [...fixed, ...leadIn];
    if (piece.text.endsWith(":")) leadIn = [piece];
    return {
      text: piece.text,
      words: piece.words,
      roots: piece.roots,
      values: piece.values,
      above: new Set(over.flatMap(({ roots }) => [...roots])),
      beside: new Set([...(pieces[i - 1]?.roots ?? []), ...(pieces[i + 1]?.roots ?? [])]),
      valuesAbove: over.flatMap(({ values }) => values),
    };
  });
}
