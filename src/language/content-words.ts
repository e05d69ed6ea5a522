import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { PACKAGE_ROOT } from "../package.ts";
import type { TextRange } from "../shared/types.ts";
import { memoised, once, whileHeld } from "../text/memo.ts";
import { createStemmer, wordTokens } from "../text/tokens.ts";
import { MONTHS } from "./units.ts";
import { type Value, valuesIn } from "./values.ts";

/**
 * Verb with a contracted "not". The apostrophe is optional, because users often leave it out: "isn't", "isn’t", "isnt".
 */
const CONTRACTION = "(?:are|ca|could|did|does|do|had|has|have|is|must|need|should|was|were|would|wo|ai)n['’]?t";
const DENIES_CLAUSE = `not|never|cannot|neither|nor|unable|${CONTRACTION}`;
const DENIES_NOUN = "no|nobody|none|nothing|nowhere|without";
/** Regular expression source for every negator, without a capturing group. */
export const NEGATOR = `(?:\\b(?:${DENIES_CLAUSE}|${DENIES_NOUN}|ineligible|non(?=-))\\b)`;
/** Regular expression source for words that make an exception: "except", "unless". */
export const EXCEPTION = String.raw`(?:\b(?:except|unless)\b)`;

const EVERY_NEGATOR = new RegExp(NEGATOR, "giu");
const WHOLE_NEGATOR = new RegExp(`^(?:${DENIES_CLAUSE}|${DENIES_NOUN})$`, "iu");
const NEGATED_VERB = new RegExp(`^(?:cannot|${CONTRACTION})$`, "iu");

/** Counts the negators of a text, such as "not" and "without". Two of them may cancel each other out. */
export function countNegators(text: string): number {
  return text.match(EVERY_NEGATOR)?.length ?? 0;
}

/** Checks whether a word negates its clause ("not", "can't") or a noun ("no", "without"). */
export function isNegator(word: string): boolean {
  return WHOLE_NEGATOR.test(word);
}

/** Checks whether a word is a negated verb: "cannot", "don't". */
export function deniesAsVerb(word: string): boolean {
  return NEGATED_VERB.test(word);
}

/** Returns a verb without its negation ("can't" and "cannot" become "can"); other words unchanged. */
export function verbOf(word: string): string {
  if (!deniesAsVerb(word)) return word;
  const verb = word.replace(/(?:not|n['’]?t)$/iu, "");
  return verb === "ca" ? "can" : verb === "wo" ? "will" : verb;
}

/**
 * Matches endings in which two stems of one word may differ. Leaves out endings that change the meaning (-er, -ee,
 * -ful, -less, -able, -itis).
 */
const SUFFIX = /^(?:i|e|y|s|ing|ion|at|ation|ment|anc|enc|ance|ence|li|ly)?$/;
const MIN_ROOT = 5;

/** Checks whether two stems belong to forms of one word: they share at least `MIN_ROOT` letters and differ only in an ending. */
export function isDerived(a: string, b: string): boolean {
  if (a.includes(" ") || b.includes(" ")) return false;
  let common = 0;
  while (common < a.length && common < b.length && a[common] === b[common]) common++;
  return common >= MIN_ROOT && SUFFIX.test(a.slice(common)) && SUFFIX.test(b.slice(common));
}

/**
 * Highest level in the bundled lists of SCOWL (Spell Checker Oriented Word Lists). Levels run from 10 (common) to 95
 * (rare). Every word up to this level counts as a real word.
 */
const REAL_LEVEL = 70;
/** Highest SCOWL level of words that most people know. */
const KNOWN_LEVEL = 50;
/** SCOWL level of the words that occur in almost every text. */
const COMMON_LEVEL = 10;

/** English words by how common they are. The lists load on first use and are shared. */
export type EnglishWords = ReturnType<typeof createEnglishWords>;

export function createEnglishWords() {
  const lists = once(readLists);
  const upTo = (highest: number) => once(() => new Set(lists().flatMap(({ level, words }) => (level <= highest ? words : []))));
  const [known, common, real] = [upTo(KNOWN_LEVEL), upTo(COMMON_LEVEL), upTo(REAL_LEVEL)];
  return {
    /**
     * Checks whether most people know the word (lower case, without apostrophe). Such a word is no misspelling, even if no
     * document contains it: "wife" must not be corrected to "life".
     */
    isEnglish: (word: string) => known().has(word),
    /** Checks whether a word (lower case) is among the few thousand most common ones. */
    isCommon: (word: string) => common().has(word),
    /** Returns all words of the lists, in lower case. The first call takes about 50 ms. */
    real: real as () => ReadonlySet<string>,
  };
}

/** Returns the bundled lists, one instance per process. */
export const sharedEnglishWords = whileHeld(createEnglishWords);

/** Reads the word lists from a compressed file with one line per level. `scripts/build-data.mjs` writes the file. */
function readLists(): { readonly level: number; readonly words: readonly string[] }[] {
  const file = readFileSync(join(PACKAGE_ROOT, "src", "language", "english-words.bin"));
  const lines = brotliDecompressSync(file).toString("utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const [level, ...words] = line.split(" ");
    return { level: Number(level), words };
  });
}

/** A word that carries meaning: neither a stop word nor a number. */
export interface ContentWord extends TextRange {
  /** As written, in lower case. */
  readonly text: string;
  /** Start of the stem; equal for forms of one word, such as "remarried" and "remarriage". */
  readonly root: string;
  /**
   * True for a name. A capitalised word is a name if it is no English word (`isEnglish`), or if it is next to
   * another capitalised word. A word at the start of a sentence counts as capitalised only if it is all in capitals.
   */
  readonly name: boolean;
  /** True for the few thousand most common words. */
  readonly common: boolean;
}

/**
 * Number of leading letters of a stem that form the root. Porter's stemmer gives `remarri` for "remarried" and
 * `remarriag` for "remarriage". Their first six letters agree.
 */
const ROOT_LETTERS = 6;
const WORD = /(?<![\p{L}\p{M}\p{Nd}])[\p{L}\p{M}](?:[\p{L}\p{M}\p{Nd}]|['’.&](?=[\p{L}\p{M}])){0,63}/gu;
/** Function words that are not on the stop word list of the index. They are no content words either. */
const GRAMMAR: ReadonlySet<string> = new Set(
  (
    "may one yes no within without though even itself himself herself themselves yourself whether among every she whom whose just already " +
    "during until less least off again once when why let lets need needs general generally usual usually typically normally instead " +
    "etc someone anyone everyone something anything people person also still must shall upon per via however therefore thus whichever " +
    "whatever whoever else next yet they he you we it i that there who what hers his theirs ours yours"
  ).split(" "),
);
export type ReadWords = (text: string) => ContentWord[];

/** Returns a function that extracts the content words of a text. It caches stems. */
export function createWordReader({ isEnglish, isCommon }: EnglishWords = createEnglishWords()): ReadWords {
  const stem = createStemmer();
  return (text) => {
    const found: ContentWord[] = [];
    let run = 0;
    let last = 0;
    for (const match of text.matchAll(WORD)) {
      const start = match.index;
      const written = match[0];
      const word = written.toLowerCase().replaceAll("’", "'");
      const gap = text.slice(last, start);
      const opens = last === 0 || /[.!?:\n|•]/.test(gap);
      last = start + written.length;
      // A negator is no content word: `countNegators` finds it.
      if (isNegator(word)) continue;
      const bare = word.replace(/'(?:s|d|ll|re|ve|m)?$/, "");
      if (GRAMMAR.has(bare)) continue;
      const [token] = wordTokens({ text: bare.replaceAll(/['.]/g, ""), code: false }, stem);
      if (token === undefined) continue;
      const english = isEnglish(bare);
      const capital = isCapital(written, opens) && !MONTHS.has(bare);
      run = !capital ? 0 : run > 0 && JOINS_NAME.test(gap) ? run + 1 : 1;
      // "Fry Scholarship" is a name made of two ordinary words. A single capitalised word ("a Veteran") is not.
      if (run === 2) found.push({ ...(found.pop() as ContentWord), name: true });
      found.push({
        text: word,
        root: english ? token.slice(0, ROOT_LETTERS) : token,
        name: capital && (run > 1 || !english),
        common: isCommon(bare),
        start,
        end: last,
      });
    }
    return found;
  };
}

/** Matches the text between two words of one name: white space, and words such as "of" and "the". */
const JOINS_NAME = /^[\s’'s-]*(?:of|for|and|the)?[\s-]*$/;

function isCapital(written: string, opens: boolean): boolean {
  return /^\p{Lu}[\p{Lu}\p{Nd}&.-]+s?$/u.test(written) || (!opens && /^\p{Lu}/u.test(written));
}

/** Rule-based analysis of a text: its content words and its values. */
export type Reading = ReturnType<ReturnType<typeof createReading>>;

/** Maximum number of cached analyses. */
const REMEMBERED = 2000;
/** Maximum number of characters to analyse. The rest of a longer text is ignored. */
const MAX_CHARACTERS = 20_000;

/** Returns a function that analyses texts and caches the results. */
export function createReading(readWords: ReadWords = createWordReader()) {
  return memoised((text: string) => {
    const beginning = text.slice(0, MAX_CHARACTERS);
    const words: readonly ContentWord[] = readWords(beginning);
    // Compute roots and values on first use, because most texts never need them.
    const roots = once((): ReadonlySet<string> => new Set(words.map(({ root }) => root)));
    const values = once((): readonly Value[] => valuesIn(beginning));
    return {
      text,
      words,
      get roots() {
        return roots();
      },
      get values() {
        return values();
      },
    };
  }, REMEMBERED);
}
