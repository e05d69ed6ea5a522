import { dot } from "../cross-encoder/dot.ts";
import type { ReadTexts, TextReading } from "../cross-encoder/reader.ts";
import { mayCover, type NamedTime, namedTime } from "../language/calendar.ts";
import { isDerived } from "../language/content-words.ts";
import type { Evidence, Warning } from "../shared/types.ts";
import { foldMarks } from "../text/normalise.ts";
import { onceEach } from "../text/numbers.ts";
import { allowedEdits, editDistance } from "../text/spelling.ts";

/**
 * Cosine below which two words that look like forms of one are two words, for the reader that ships: another reader needs another. Chosen on
 * `lab/sets/own/word-forms.tsv`, of which 79 of 101 that are two words lie below, and 5 of 98 that are one (2026-11-26).
 */
const ONE_WORD = 0.36;

/**
 * Which words only look like a form of what is held: "probation" is not what "probate" is about. The reader tells them apart.
 * @param forms for each word the forms that are held
 * @throws the signal's reason when it is cancelled
 */
export async function unlikeForms(
  forms: ReadonlyMap<string, readonly string[]>,
  read: ReadTexts | null,
  signal: AbortSignal,
): Promise<string[]> {
  if (forms.size === 0 || read === null) return [];
  const words = [...new Set([...forms].flatMap(([word, held]) => [word, ...held]))];
  const readings = await read(words, signal);
  if (readings === null) return [];
  const vectorOf = (word: string) => (readings[words.indexOf(word)] as TextReading).vector;
  return [...forms].filter(([word, held]) => held.every((one) => dot(vectorOf(word), vectorOf(one)) < ONE_WORD)).map(([word]) => word);
}

/** What is needed to tell what a question names. */
export interface NameParts {
  readonly tokens: (text: string) => string[];
  /** Does any document hold the token, in these or in other words? */
  readonly has: (token: string) => boolean;
  /** Words that neither the documents nor the language know and that are no slip of a word that they do. */
  readonly strange: readonly string[];
}

/** A sign that holds letters and digits: `20-0997`, `u256`; an amount with its unit is none. */
const CODE = /(?<![\p{L}\p{N}$€£.-])(?=[\p{L}\d-]*\d)(?:\p{L}+-?\d[\p{L}\d-]*|\d+-\d{3,}[\p{L}\d-]*)(?![\p{L}\p{N}%])/gu;
/** Squares and cubes of lengths where an amount of them is meant: `20 m2`, `per m2`. "PS2" and "M3" are names. */
const UNIT = /(?<=\d[ \u00a0]?|\b(?:per|each|a) |\/ ?)(?:[kdcmµ]?m|ft|in|yd|mi)[23](?![\p{L}\d])/gu;
const SENTENCE = /[^.?!\n]+/g;
const WORD = /[\p{L}][\p{L}\p{M}'’-]*/gu;
/** Capitals in more of the words say nothing. */
const MOSTLY_CAPITALS = 0.5;

/** Names by their capital inside a sentence, codes by their digits, and words that nobody knows. */
export function namedThings(question: string, { tokens, has, strange }: NameParts) {
  const units = new Set([...question.matchAll(UNIT)].map(({ index }) => index));
  const signs = [...question.matchAll(CODE)].filter(({ index }) => !units.has(index));
  const codes = [...new Set(signs.map(([sign]) => sign))];
  const names = capitalised(question);
  const isHeld = (name: string) => {
    const parts = tokens(name);
    return parts.length === 0 || parts.every(has);
  };
  return {
    /** Names and codes that no document holds. */
    unknown: wordsOnce([...[...codes, ...names].filter((name) => !isHeld(name)), ...strange]),
    /** Codes that some document holds. */
    codes: codes.filter(isHeld),
  };
}
export type NamedThings = ReturnType<typeof namedThings>;

/** Each word once, as it is written first: a name is strange too, in small letters. */
export function wordsOnce(words: readonly string[]): string[] {
  return onceEach(words, (word) => word.toLowerCase());
}

function capitalised(question: string): string[] {
  const words = question.match(WORD) ?? [];
  if (words.filter((word) => /^\p{Lu}/u.test(word)).length > words.length * MOSTLY_CAPITALS) return [];
  return (question.match(SENTENCE) ?? []).flatMap((sentence) =>
    (sentence.match(WORD) ?? [])
      .slice(1)
      .filter((word) => /^\p{Lu}\p{L}{2,}/u.test(word))
      .map((word) => word.replace(/['’]s$/, "")),
  );
}

/** The evidence that holds the codes which the question names, in its title, its headings or its text; all of it where none is named. */
export function holdingCodes(evidence: readonly Evidence[], codes: readonly string[]): readonly Evidence[] {
  if (codes.length === 0) return evidence;
  return evidence.filter(({ passage: { document, units, text } }) =>
    holdsCode([document.title, ...units.flatMap(({ headingPath }) => headingPath), text].join(" "), codes),
  );
}

/** Does a text hold one of the codes, whatever their dashes and blanks? */
export function holdsCode(text: string, codes: readonly string[]): boolean {
  const held = plain(text);
  return codes.some((code) => held.includes(plain(code)));
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[\s-]/g, "");
}

/**
 * The words of a question that its evidence does not hold as they are written, and the words that it holds instead.
 * @param content tokens of what the question asks: its frame ("how long") names nothing
 */
export function layWordsBeside(
  question: string,
  evidence: readonly Evidence[],
  { tokens, content }: Pick<NameParts, "tokens"> & { readonly content: ReadonlySet<string> },
) {
  const asked = wordsOf([question]);
  const texts = evidence.flatMap(({ passage }) => [passage.document.title, ...passage.headingPath, passage.text]);
  const held = wordsOf(texts);
  const isAsked = (word: string) => word.length >= LEAST_LETTERS && tokens(word).some((token) => content.has(token));
  return {
    lacking: [...asked.written].filter((word) => !held.written.has(word) && !held.spellings.has(foldMarks(word)) && isAsked(word)),
    others: [...held.written].filter((word) => !asked.written.has(word) && !asked.spellings.has(foldMarks(word))),
    /** Does the evidence hold a name of the question in another spelling, without its marks, or a day or month in short or in full, or within a range? */
    isSpelledOtherwise: (name: string): boolean => {
      const time = namedTime(name);
      if (held.spellings.has(foldMarks(name))) return true;
      return time !== null && (held.times.has(keyOf(time)) || texts.some((text) => mayCover(text, time)));
    },
  };
}

export type WordsBeside = ReturnType<typeof layWordsBeside>;

function keyOf({ unit, number }: NamedTime): string {
  return `${unit} ${number}`;
}

/** Words in small letters, without their marks, and days and months among them: "weekday 2". */
function wordsOf(texts: readonly string[]) {
  const words = [...new Set(texts.flatMap((text) => text.match(WORD) ?? []))];
  return {
    written: new Set(words.map((word) => word.toLowerCase())),
    spellings: new Set(words.map(foldMarks)),
    times: new Set(words.flatMap((word) => namedTime(word) ?? []).map(keyOf)),
  };
}

/**
 * Words of a question that no document holds, where the evidence has one that is spelled nearly alike and is no form of it: "cerium" beside "cesium". The evidence
 * was found by the rest of the question, and speaks of something else. What every text uses names nothing: "forgot" beside "forget", "back" beside "pack".
 */
export function spelledLikeOthers(
  { lacking, others }: Pick<WordsBeside, "lacking" | "others">,
  { tokens, has, isCommon }: Pick<NameParts, "tokens" | "has"> & { readonly isCommon: (word: string) => boolean },
): string[] {
  const isUnknown = (word: string) => !isCommon(word) && !tokens(word).some(has);
  return lacking.filter((word) =>
    others.some(
      (other) => isByLetter(word, other) || (isUnknown(word) && isNear(word, other) && kinOf(word, other, tokens) === "stranger"),
    ),
  );
}

/** For a word of the question that the evidence does not inflect, what it holds that is by its letters a form of it: "probate" for "probation". */
export function formsHeld(
  { lacking, others }: Pick<WordsBeside, "lacking" | "others">,
  tokens: NameParts["tokens"],
): ReadonlyMap<string, readonly string[]> {
  const forms = lacking
    .filter((word) => !others.some((other) => isInflected(word, other)))
    .map((word) => [word, others.filter((other) => kinOf(word, other, tokens) === "form")] as const);
  return new Map(forms.filter(([, held]) => held.length > 0));
}

/** A plural, a possessive or a tense is the same word whatever stands beside it: "leave" and "leaves", "balcony" and "balconies". */
function isInflected(word: string, other: string): boolean {
  const [short, long] = word.length < other.length ? [word, other] : [other, word];
  const endsWith = (stem: string, endings: RegExp) => long.startsWith(stem) && endings.test(long.slice(stem.length));
  return (
    endsWith(short, /^(?:s|es|d|ed|ing|['’]s|['’])$/) ||
    (/[^aeiou]y$/.test(short) && endsWith(short.slice(0, -1), /^ie[sd]$/)) ||
    (short.endsWith("e") && endsWith(short.slice(0, -1), /^ing$/)) ||
    endsWith(short + short.at(-1), /^(?:ed|ing)$/)
  );
}

/** Shorter words are near to too many others. */
const LEAST_LETTERS = 4;

/** One has an "e" at its end that the other lacks: silicon and silicone. Stems do not tell them apart, and no form of a word is made so. */
function isByLetter(word: string, other: string): boolean {
  const [short, long] = word.length < other.length ? [word, other] : [other, word];
  return long === `${short}e` && !long.endsWith("ee");
}

function isNear(word: string, other: string): boolean {
  const limit = allowedEdits(Math.max(word.length, other.length));
  return limit > 0 && editDistance(word, other, limit) <= limit;
}

/** What one word is to the other by their stems; `null`: one of them is part of the frame of a sentence. */
function kinOf(word: string, other: string, tokens: NameParts["tokens"]): "form" | "stranger" | null {
  const [one = "", two = ""] = [tokens(word)[0], tokens(other)[0]];
  if (one === "" || two === "") return null;
  return one === two || isDerived(one, two) ? "form" : "stranger";
}

/** What the reader of an answer must know of a name that it cannot be about. */
export function unknownNames(names: readonly string[]): Warning[] {
  if (names.length === 0) return [];
  return [{ code: "not_named", message: `No document names ${quoted(names)}: what is quoted here does not speak of it.` }];
}

/** Why nothing is answered: a code stands for one thing, and what is near to it is another. */
export function unknownCodes(codes: readonly string[]): Warning[] {
  const message = `No document names ${quoted(codes)}, and what is near to a code may be another thing: nothing is answered from it. If it is no code, ask in other words.`;
  return [{ code: "not_named", message }];
}

/** From so much of what is asked on, by weight, the words that no document holds are named. */
const MOSTLY = 0.5;
/** Words and numbers, with what stands inside them: "1,847", "COVID-19". */
const WRITTEN = /[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}]|[.,'’-](?=[\p{L}\p{N}]))*/gu;

/** A word of the question that carries meaning; forms of one word count once. */
export interface AskedTerm {
  readonly tokens: readonly string[];
  /** Share of the question's weight by inverse document frequency; they sum to 1. */
  readonly weight: number;
  /** Does any document hold it? */
  readonly known: boolean;
  /** One of the few thousand words that every text uses: it need not stand in a document, as a name or a term of a field must. */
  readonly common: boolean;
}

/** The words of a question that carry meaning, in order. */
export function askedTerms(
  question: string,
  words: {
    tokens(text: string): string[];
    idf(token: string): number;
    has(token: string): boolean;
    readonly asked: { readonly tokens: readonly string[] };
  },
  isCommon: (word: string) => boolean,
): AskedTerm[] {
  const wanted = new Set(words.asked.tokens);
  const found: (Omit<AskedTerm, "weight"> & { readonly idf: number })[] = [];
  for (const word of question.match(WRITTEN) ?? []) {
    const tokens = words.tokens(word).filter((token) => wanted.delete(token));
    if (tokens.length === 0) continue;
    const known = tokens.some((token) => words.has(token));
    found.push({ tokens, known, common: isCommon(word.toLowerCase()), idf: Math.max(...tokens.map((token) => words.idf(token))) });
  }
  const sum = found.reduce((total, { idf }) => total + idf, 0);
  return found.map(({ idf, ...term }) => ({ ...term, weight: sum > 0 ? idf / sum : 1 / found.length }));
}

/**
 * Words and numbers of a question that no document holds and that not every text uses, where they are most of what is asked: a quote found for "plutonium" by likeness
 * of meaning may speak of polonium. Most such answers are right, in other words; whoever asked is told, and sees which it is.
 * @param said words that are named already: they count for nothing here
 */
export function wordsUnheld(
  question: string,
  { terms, said }: { readonly terms: readonly AskedTerm[]; readonly said: readonly string[] },
  tokens: NameParts["tokens"],
): string[] {
  const named = new Set(said.flatMap((word) => tokens(word)));
  const unheld = terms.filter(({ known, common, tokens: own }) => !known && !common && !own.some((token) => named.has(token)));
  if (unheld.reduce((sum, { weight }) => sum + weight, 0) <= MOSTLY) return [];
  const wanted = new Set(unheld.flatMap((term) => term.tokens));
  const words = (question.match(WRITTEN) ?? []).map((word) => word.replace(/['’]s$/u, ""));
  return wordsOnce(words.filter((word) => tokens(word).some((token) => wanted.has(token))));
}

/** What the reader of an answer must know of words that no document holds. */
export function unheldWords(words: readonly string[]): Warning[] {
  if (words.length === 0) return [];
  return [{ code: "not_held", message: `No document holds ${quoted(words)}: what is quoted here may speak of something else.` }];
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(", ");
}
