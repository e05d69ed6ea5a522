import { type ContentWord, createWordReader } from "./content-words.ts";
import { type Marker, markersIn } from "./opposites.ts";
import { type Quantity, quantitiesIn } from "./quantities.ts";

/** What can be read out of a text without a model: its words with what is denied of them, its values, its opposites. */
export interface Reading {
  readonly text: string;
  readonly words: readonly ContentWord[];
  /** Roots of its words; of a negated word also the root behind a `¬`. */
  readonly roots: ReadonlySet<string>;
  readonly quantities: readonly Quantity[];
  readonly markers: readonly Marker[];
}

/** Texts whose reading is kept. */
const REMEMBERED = 2000;
/** Longer texts are noise: what is behind is not read. */
const MAX_CHARACTERS = 20_000;

/** Reads texts, and remembers what it read. */
export function createReading(): (text: string) => Reading {
  const readWords = createWordReader();
  const readings = new Map<string, Reading>();
  return (whole) => {
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
}
