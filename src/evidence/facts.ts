import { type ContentWord, createWordReader, type ReadWords } from "../language/content-words.ts";
import { NEGATOR } from "../language/negation.ts";
import { SPELLED_NUMBER } from "../language/numerals.ts";
import { isExample, type ModalityCue, modalityCuesIn, personsIn } from "../language/opposites.ts";
import { createReading, type Reading } from "../language/reading.ts";
import { joinValues, type Value } from "../language/values.ts";
import type { Passage, TextRange } from "../shared/types.ts";
import { once } from "../text/memo.ts";
import { type Piece, piecesOf } from "./pieces.ts";

/** Analysed content of a sentence, list item or table row, ready for comparison. */
export interface Fact {
  readonly piece: Piece;
  /** Without text in brackets. Offsets are those of `piece.text`. */
  readonly reading: Reading;
  /** Content words outside values and modality cues. */
  readonly words: readonly ContentWord[];
  /** Roots of these words with their weights. */
  readonly own: ReadonlyMap<string, number>;
  /**
   * Every root with the certainty that the fact is about it: in the text itself, in the antecedent sentence, in the
   * headings, or next to it.
   */
  readonly holding: ReadonlyMap<string, number>;
  /** True if the text begins with a reference to the previous sentence. */
  readonly pointsBack: boolean;
  readonly title: ReadonlyMap<string, number>;
  readonly above: ReadonlyMap<string, number>;
  /** Roots of the name of its column. */
  readonly column: ReadonlyMap<string, number>;
  readonly amounts: readonly Value[];
  readonly amountsAround: readonly Value[];
  readonly amountsAbove: readonly Value[];
  readonly modalityCues: readonly ModalityCue[];
  readonly persons: ReadonlySet<string>;
  readonly personsAround: ReadonlySet<string>;
  readonly personsAbove: ReadonlySet<string>;
  readonly example: boolean;
}

/** Functions of the index that reading facts needs. */
export interface FactWords {
  tokens(text: string): string[];
  idf(token: string): number;
}

/** A sentence, list item or table row with its index tokens. */
export interface PieceTokens {
  readonly piece: Piece;
  readonly own: ReadonlySet<string>;
  /** Tokens of the text above and before it, computed on first use. */
  readonly around: () => readonly ReadonlySet<string>[];
}

/** Maximum number of cached facts and passages. The same ones recur. */
const REMEMBERED = 4000;

const PASSAGES_REMEMBERED = 1000;

/**
 * Certainty that a fact is about a word, by the place of the word: own text, antecedent, headings, neighbouring
 * sentence.
 */
const HELD = { own: 1, antecedent: 0.9, above: 0.75, beside: 0.6 } as const;

/** Minimum weight of a word, even if every text contains it. */
const BASE_WEIGHT = 0.3;

/** Maximum length of a comparable sentence in characters. Longer ones are lists whose relations are unclear. */
const LONGEST = 600;

const SHORTEST = 12;

/** Quick test for a value. */
const VALUE = new RegExp(
  String.raw`\d|\b(?:${SPELLED_NUMBER}|half|once|twice|any time|no (?:time )?(?:limit|deadline)|unlimited|indefinitely)\b`,
  "iu",
);
/** Quick test for a negation, a duty, a change or a word with an opposite. */
const TURN = new RegExp(
  String.raw`${NEGATOR}|\b(?:must|need|have to|required|optional|only|even|always|go(?:es)?|stays?|remains?|(?:increas|decreas|includ|exclud|allow|prohibit)\w*|(?:more|less) than|at least|up to)\b`,
  "iu",
);

/** A link text, which makes no claim. */
const LEADS_ON =
  /^(?:learn (?:more|about|how)|find out|read (?:more|about)|see (?:more|also|our|the|if)|view|go to|get help|download|sign in to)\b/i;

/** A reference to the previous sentence at the beginning. */
export const POINTS_BACK = /^(?:it|its|this|that|these|those|they|their|he|she|such)\b/i;

/** Checks whether a text has a length and form that can be compared. */
export function isStatement(text: string): boolean {
  return text.length >= SHORTEST && text.length <= LONGEST && !text.endsWith("?") && !text.endsWith(":") && !LEADS_ON.test(text);
}

/** Checks quickly whether a text may contain a value, before it is analysed. */
export function mayHoldValue(text: string): boolean {
  return VALUE.test(text);
}

/** Checks quickly whether a text may contain a negation, a duty or an opposite, before it is analysed. */
export function mayTurn(text: string): boolean {
  return TURN.test(text);
}

/** Checks whether a text may contain a value, negation or opposite. At least one of two contradicting texts does. */
export function saysSomething(text: string): boolean {
  return mayHoldValue(text) || mayTurn(text);
}

/**
 * Returns functions that analyse sentences and passages, with caches.
 * @param readWords word reader with its own cache; may be shared
 */
export function createFactReader(readWords: ReadWords = createWordReader()) {
  const read = createReading(readWords);
  const facts = remembering<ReadFact>(REMEMBERED);
  const passages = remembering<PassageTokens>(PASSAGES_REMEMBERED);
  const weights = remembering<ReadonlyMap<string, number>>(PASSAGES_REMEMBERED);
  const viewOf = (passage: Passage, words: FactWords): PassageTokens => {
    const { document, range, chunkId } = passage;
    const key = `${document.id} ${document.version} ${chunkId} ${range.start} ${range.end}`;
    return passages(key, words, () => tokensOfPassage(passage, words));
  };
  const wordsIn = (texts: readonly string[]) => texts.flatMap((text) => read(text).words);
  /** Weights of headings are cached, because many facts share them. */
  const weightsAbove = (texts: readonly string[], words: FactWords): ReadonlyMap<string, number> =>
    weights(texts.join("\u0000"), words, () => weightsOf(wordsIn(texts), weighing(words)));
  return {
    piecesOf: (passage: Passage, words: FactWords) => viewOf(passage, words).pieces,
    /** Returns the tokens of a passage with its title and headings. */
    tokensOf: (passage: Passage, words: FactWords) => viewOf(passage, words).whole(),
    read(piece: Piece, words: FactWords): Fact {
      const key = [piece.text, piece.previous, piece.next, piece.title, ...piece.above].join("\u0000");
      const fact = facts(key, words, () => readFact(piece, read, words, (texts) => weightsAbove(texts, words)));
      return fact.piece.start === piece.start ? fact : fact.at(piece);
    },
  };
}
export type FactReader = ReturnType<typeof createFactReader>;

/** Caches up to `most` results for the same word statistics. */
function remembering<T>(most: number): (key: string, words: FactWords, make: () => T) => T {
  const kept = new Map<string, { readonly made: T; readonly words: FactWords }>();
  return (key, words, make) => {
    const known = kept.get(key);
    if (known?.words === words) return known.made;
    const made = make();
    if (kept.size >= most) kept.clear();
    kept.set(key, { made, words });
    return made;
  };
}

type PassageTokens = ReturnType<typeof tokensOfPassage>;

function tokensOfPassage({ document, headingPath, units, text, range }: Passage, words: FactWords) {
  const textOf = ({ start, end }: TextRange) =>
    start < range.start || end > range.end ? "" : text.slice(start - range.start, end - range.start);
  const known = new Map<string, ReadonlySet<string>>();
  const tokensOf = (part: string) => {
    const tokens = known.get(part) ?? new Set(words.tokens(part));
    known.set(part, tokens);
    return tokens;
  };
  const pieces: readonly PieceTokens[] = piecesOf({ title: document.title, units, blocks: document.blocks, textOf }).map((piece) => ({
    piece,
    own: tokensOf(piece.text),
    around: once(() => [piece.title, ...piece.above, piece.previous].map(tokensOf)),
  }));
  const isWhole = units.every(({ start, end }) => start >= range.start && end <= range.end);
  const whole = once((): ReadonlySet<string> => {
    const parts = [document.title, ...headingPath, ...(isWhole ? units.map(textOf) : [text])];
    return new Set(parts.flatMap((part) => [...tokensOf(part)]));
  });
  return { pieces, whole };
}

function readFact(
  piece: Piece,
  read: (text: string) => Reading,
  words: FactWords,
  weightsAbove: (texts: readonly string[]) => ReadonlyMap<string, number>,
): ReadFact {
  const reading = read(withoutAsides(piece.text));
  const amounts = joinValues(reading.values, reading.text);
  const modalityCues = modalityCuesIn(reading.text);
  const weigh = weighing(words);
  const inside = (word: TextRange) => [...amounts, ...modalityCues].some(({ start, end }) => word.start < end && word.end > start);
  const content = reading.words.filter((word) => !inside(word));
  return new ReadFact({ piece, reading, words: content, own: weightsOf(content, weigh), amounts, modalityCues }, read, weightsAbove);
}

type Said = Pick<Fact, "piece" | "reading" | "words" | "own" | "amounts" | "modalityCues">;

/** The context of a fact is analysed on first use, because most facts are never compared that far. */
class ReadFact implements Fact {
  readonly piece: Piece;
  readonly reading: Reading;
  readonly words: readonly ContentWord[];
  readonly own: ReadonlyMap<string, number>;
  readonly amounts: readonly Value[];
  readonly modalityCues: readonly ModalityCue[];
  private readonly read: (text: string) => Reading;
  private readonly weightsAbove: (texts: readonly string[]) => ReadonlyMap<string, number>;
  private readonly known: { -readonly [Part in Exclude<keyof Fact, keyof Said>]?: Fact[Part] } = {};

  constructor(said: Said, read: ReadFact["read"], weightsAbove: ReadFact["weightsAbove"]) {
    this.piece = said.piece;
    this.reading = said.reading;
    this.words = said.words;
    this.own = said.own;
    this.amounts = said.amounts;
    this.modalityCues = said.modalityCues;
    this.read = read;
    this.weightsAbove = weightsAbove;
  }

  /** Returns the same fact at another place. */
  at(piece: Piece): ReadFact {
    return new ReadFact({ ...this, piece }, this.read, this.weightsAbove);
  }

  get pointsBack(): boolean {
    this.known.pointsBack ??= POINTS_BACK.test(this.piece.text);
    return this.known.pointsBack;
  }
  get holding(): ReadonlyMap<string, number> {
    this.known.holding ??= this.heldRoots();
    return this.known.holding;
  }
  get title(): ReadonlyMap<string, number> {
    this.known.title ??= this.weightsAbove([this.piece.title]);
    return this.known.title;
  }
  get above(): ReadonlyMap<string, number> {
    this.known.above ??= this.weightsAbove(this.over);
    return this.known.above;
  }
  get column(): ReadonlyMap<string, number> {
    this.known.column ??= this.weightsAbove(this.piece.column === undefined ? [] : [this.piece.column]);
    return this.known.column;
  }
  get amountsAround(): readonly Value[] {
    this.known.amountsAround ??= this.amountsIn(this.besides);
    return this.known.amountsAround;
  }
  get amountsAbove(): readonly Value[] {
    this.known.amountsAbove ??= this.amountsIn(this.over);
    return this.known.amountsAbove;
  }
  get persons(): ReadonlySet<string> {
    this.known.persons ??= new Set(personsIn(this.reading.text));
    return this.known.persons;
  }
  get personsAround(): ReadonlySet<string> {
    this.known.personsAround ??= new Set(personsIn([...this.over, ...this.besides].join(" ")));
    return this.known.personsAround;
  }
  get personsAbove(): ReadonlySet<string> {
    this.known.personsAbove ??= new Set(personsIn(this.over.join(" "), true));
    return this.known.personsAbove;
  }
  get example(): boolean {
    this.known.example ??= isExample(this.piece.text) || /\bexamples?\b/i.test(this.piece.above.join(" "));
    return this.known.example;
  }

  private get over(): readonly string[] {
    return [this.piece.title, ...this.piece.above];
  }
  private get besides(): readonly string[] {
    return [this.piece.previous, this.piece.next];
  }
  private amountsIn(texts: readonly string[]): Value[] {
    return texts.map(this.read).flatMap(({ text, values }) => joinValues(values, text));
  }
  private heldRoots(): Map<string, number> {
    const held = new Map<string, number>();
    // Later entries overwrite earlier ones, so the more certain places come last.
    for (const text of this.besides) for (const { root } of this.read(text).words) held.set(root, HELD.beside);
    for (const root of this.above.keys()) held.set(root, HELD.above);
    if (this.pointsBack) for (const { root } of this.read(this.piece.previous).words) held.set(root, HELD.antecedent);
    for (const root of this.own.keys()) held.set(root, HELD.own);
    return held;
  }
}

/**
 * Returns word weights: rare words describe a sentence best. From 0.3 (a word of every text) to 1.3 (a word of no other
 * text).
 */
function weighing(words: FactWords): (word: ContentWord) => number {
  const rarest = Math.max(1e-9, words.idf("\u0000"));
  return ({ text }) => {
    const idfs = words.tokens(text).map((token) => words.idf(token));
    return BASE_WEIGHT + (idfs.length === 0 ? 0 : Math.min(1, Math.max(...idfs) / rarest));
  };
}

function weightsOf(words: readonly ContentWord[], weigh: (word: ContentWord) => number): Map<string, number> {
  const weights = new Map<string, number>();
  for (const word of words) if (!weights.has(word.root)) weights.set(word.root, weigh(word));
  return weights;
}

/**
 * Replaces brackets by blanks of the same length, so that offsets stay valid. Brackets that hold most of a text are
 * kept.
 */
function withoutAsides(text: string): string {
  const without = text.replaceAll(/\([^()]{0,300}\)/g, (aside) => " ".repeat(aside.length));
  return without.replaceAll(/\s+/g, "").length * 2 < text.replaceAll(/\s+/g, "").length ? text : without;
}
