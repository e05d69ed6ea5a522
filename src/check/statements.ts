import { type ContentWord, createWordReader } from "../language/content-words.ts";
import { type Marker, markersIn } from "../language/opposites.ts";
import { type Quantity, quantitiesIn } from "../language/quantities.ts";
import { splitSentences } from "../text/sentences.ts";
import type { CitedQuote } from "./finding.ts";

/** A text as the checks read it. */
export interface Reading {
  readonly text: string;
  readonly words: readonly ContentWord[];
  /** Roots of its words; of a negated word also the root behind a `¬`. */
  readonly roots: ReadonlySet<string>;
  readonly quantities: readonly Quantity[];
  readonly markers: readonly Marker[];
}

/** One sentence, list item or table row of a quote, with what it is said of. */
export interface Statement extends Reading {
  /** Roots of what stands above it: title, headings, a list's lead-in, a table's header. */
  readonly above: ReadonlySet<string>;
  /** Roots of the statements next to it in the same quote. */
  readonly beside: ReadonlySet<string>;
  /** Values of what stands above it. */
  readonly quantitiesAbove: readonly Quantity[];
}

/** Reads texts, and remembers what it read: an answer's quotes are read once for all of its sentences. */
export interface Reader {
  read(text: string): Reading;
  statements(quote: CitedQuote): readonly Statement[];
}

/** Texts whose reading is kept. */
const REMEMBERED = 2000;
/** Longer texts are noise: what is behind is not read. */
const MAX_CHARACTERS = 20_000;

export function createReader(): Reader {
  const readWords = createWordReader();
  const known = new Map<string, readonly Statement[]>();
  const readings = new Map<string, Reading>();
  const read = (whole: string): Reading => {
    const before = readings.get(whole);
    if (before !== undefined) return before;
    const text = whole.slice(0, MAX_CHARACTERS);
    const words = readWords(text);
    const roots = new Set(words.map(({ root }) => root));
    for (const { root, negated } of words) if (negated) roots.add(`¬${root}`);
    const quantities = quantitiesIn(text);
    const reading = { text: whole, words, roots, quantities, markers: markersIn(text, words, quantities) };
    if (readings.size >= REMEMBERED) readings.clear();
    readings.set(whole, reading);
    return reading;
  };
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
      ...piece,
      above: new Set(over.flatMap(({ roots }) => [...roots])),
      beside: new Set([...(pieces[i - 1]?.roots ?? []), ...(pieces[i + 1]?.roots ?? [])]),
      quantitiesAbove: over.flatMap(({ quantities }) => quantities),
    };
  });
}
