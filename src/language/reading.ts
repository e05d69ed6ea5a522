import { memoised } from "../text/memo.ts";
import { type ContentWord, createWordReader, type ReadWords } from "./content-words.ts";
import { type Marker, markersIn } from "./opposites.ts";
import { type Value, valuesIn } from "./values.ts";

/** What can be read out of a text without a model: its words with what is denied of them, its values, its opposites. */
export interface Reading {
  readonly text: string;
  readonly words: readonly ContentWord[];
  /** Roots of its words; of a negated word also the root behind a `¬`. */
  readonly roots: ReadonlySet<string>;
  readonly values: readonly Value[];
  readonly markers: readonly Marker[];
}

/** Texts whose reading is kept. */
const REMEMBERED = 2000;
/** Longer texts are noise: what is behind is not read. */
const MAX_CHARACTERS = 20_000;

/** Reads texts, and remembers what it read. */
export function createReading(readWords: ReadWords = createWordReader()): (text: string) => Reading {
  return memoised(REMEMBERED, (whole: string) => {
    const text = whole.slice(0, MAX_CHARACTERS);
    return new LazyReading(whole, text, readWords(text));
  });
}

/** Values and opposites are looked for when first asked: of most texts nobody asks. */
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
