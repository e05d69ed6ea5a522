import { memoised } from "../text/memo.ts";
import { type ContentWord, createWordReader, type ReadWords } from "./content-words.ts";
import { type Marker, markersIn } from "./opposites.ts";
import { type Value, valuesIn } from "./values.ts";

/** Analysis of a text without a model: its words with their negation, its values and its opposites. */
export interface Reading {
  readonly text: string;
  readonly words: readonly ContentWord[];
  /** Roots of the words. A negated word also adds its root with the prefix `¬`. */
  readonly roots: ReadonlySet<string>;
  readonly values: readonly Value[];
  readonly markers: readonly Marker[];
}

/** Maximum number of cached analyses. */
const REMEMBERED = 2000;
/** Maximum number of characters to analyse. The rest of a longer text is ignored. */
const MAX_CHARACTERS = 20_000;

/** Returns a function that analyses texts and caches the results. */
export function createReading(readWords: ReadWords = createWordReader()): (text: string) => Reading {
  return memoised(REMEMBERED, (whole: string) => {
    const text = whole.slice(0, MAX_CHARACTERS);
    return new LazyReading(whole, text, readWords(text));
  });
}

/** Values and opposites are computed on first use, because most texts never need them. */
class LazyReading implements Reading {
  readonly text: string;
  readonly words: readonly ContentWord[];
  private readonly beginning: string;
  private known: { roots?: ReadonlySet<string>; values?: readonly Value[]; markers?: readonly Marker[] } = {};

  constructor(text: string, beginning: string, words: readonly ContentWord[]) {
    this.text = text;
    this.words = words;
    this.beginning = beginning;
  }

  get roots(): ReadonlySet<string> {
    this.known.roots ??= new Set(this.words.flatMap(({ root, negated }) => (negated ? [root, `¬${root}`] : [root])));
    return this.known.roots;
  }
  get values(): readonly Value[] {
    this.known.values ??= valuesIn(this.beginning);
    return this.known.values;
  }
  get markers(): readonly Marker[] {
    this.known.markers ??= markersIn(this.beginning, this.words, this.values);
    return this.known.markers;
  }
}
