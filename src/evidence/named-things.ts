import { dot, type ReadTexts, type TextReading } from "../cross-encoder/reader.ts";
import { isDerived } from "../language/content-words.ts";
import { askedWords } from "../language/question.ts";
import { mayCover, type NamedTime, namedTime } from "../language/units.ts";
import { joinValues, valuesIn } from "../language/values.ts";
import type { Evidence, Warning } from "../shared/types.ts";
import { foldMarks, literally } from "../text/normalise.ts";
import { onceEach } from "../text/numbers.ts";
import { allowedEdits, editDistance } from "../text/spelling.ts";
import { isStopWord, tokenize } from "../text/tokens.ts";
import { aboveUnit } from "../text/units.ts";

/**
 * Minimum cosine, between vectors of the cross-encoder, at which two words of equal stem are forms of one word. Valid
 * only for this model. Chosen on `lab/sets/own/word-forms.tsv`: 79 of 101 pairs of different words and 5 of 98 pairs of
 * forms are below it (2026-11-26).
 */
const ONE_WORD = 0.36;

/**
 * Returns the words that only look like a form of a word in the evidence: "probation" is not a form of "probate".
 * Vectors of the cross-encoder decide.
 * @param forms for each word, its possible forms in the evidence
 * @throws the signal's reason when cancelled
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

/** Data for finding the names in a question. */
export interface NameParts {
  readonly tokens: (text: string) => string[];
  /** Checks whether any document contains the token, or a synonym of it. */
  readonly has: (token: string) => boolean;
  /** Words that are out of vocabulary, not English and not a misspelling of a known word. */
  readonly outOfVocabulary: readonly string[];
}

/** Matches an identifier of letters and digits: `20-0997`, `u256`. An amount with its unit does not match. */
const CODE = /(?<![\p{L}\p{N}$€£.-])(?=[\p{L}\d-]*\d)(?:\p{L}+-?\d[\p{L}\d-]*|\d+-\d{3,}[\p{L}\d-]*)(?![\p{L}\p{N}%])/gu;
/** Matches square and cubic units after a number or "per": `20 m2`, `per m2`. Does not match names such as "PS2" and "M3". */
const UNIT = /(?<=\d[ \u00a0]?|\b(?:per|each|a) |\/ ?)(?:[kdcmµ]?m|ft|in|yd|mi)[23](?![\p{L}\d])/gu;
const SENTENCE = /[^.?!\n]+/g;
const WORD = /[\p{L}][\p{L}\p{M}'’-]*/gu;
/** If more than this share of a question's words are capitalised, capitals do not mark names. */
const MOSTLY_CAPITALS = 0.5;

/** Finds the names of a question by capitals inside a sentence, and its codes by digits. Adds out-of-vocabulary words. */
export function namedThings(question: string, { tokens, has, outOfVocabulary }: NameParts) {
  const units = new Set([...question.matchAll(UNIT)].map(({ index }) => index));
  const signs = [...question.matchAll(CODE)].filter(({ index }) => !units.has(index));
  const codes = [...new Set(signs.map(([sign]) => sign))];
  const names = capitalised(question);
  const isHeld = (name: string) => {
    const parts = tokens(name);
    return parts.length === 0 || parts.every(has);
  };
  return {
    /** Names and codes that no document contains. */
    unknown: wordsOnce([...[...codes, ...names].filter((name) => !isHeld(name)), ...outOfVocabulary]),
    /** Codes that at least one document contains. */
    codes: codes.filter(isHeld),
  };
}

/** Returns each word once, as first written. A name may occur twice in the list: once more in lower case, as an out-of-vocabulary word. */
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

/**
 * Returns the evidence whose title, headings or text contain a code of the question; all evidence if the question has
 * no code.
 */
export function holdingCodes(evidence: readonly Evidence[], codes: readonly string[]): readonly Evidence[] {
  if (codes.length === 0) return evidence;
  return evidence.filter(({ passage: { document, units, text } }) =>
    holdsCode([document.title, ...units.flatMap(({ headingPath }) => headingPath), text].join(" "), codes),
  );
}

/** Checks whether a text contains one of the codes, ignoring hyphens, blanks, and compatibility forms of letters and digits. */
export function holdsCode(text: string, codes: readonly string[]): boolean {
  const held = plain(text);
  return codes.some((code) => held.includes(plain(code)));
}

/** Rewrites the codes of a question as the texts spell them, "K200" as "K-200", so that a model sees equal words. */
export function withCodesAsWritten(question: string, texts: readonly string[]): string {
  return question.replaceAll(CODE, (code) => {
    const letters = [...code.replaceAll("-", "")].map(literally).join(String.raw`[\s\p{Pd}]?`);
    const written = new RegExp(String.raw`(?<![\p{L}\p{N}])${letters}(?![\p{L}\p{N}])`, "iu");
    return texts.flatMap((text) => written.exec(text)?.[0] ?? [])[0] ?? code;
  });
}

function plain(text: string): string {
  return foldMarks(text).replaceAll(/[\s-]/g, "");
}

/**
 * Compares the words of a question with those of its evidence. Returns the words that the evidence lacks (`lacking`)
 * and the words that only the evidence has (`others`).
 * @param content tokens of the question without its interrogative frame ("how long")
 */
export function alignQuestionWords(
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
    /**
     * Checks whether the evidence contains a name of the question in another spelling: without diacritics, as a day or
     * month in short or in full, or within a range.
     */
    isSpelledOtherwise: (name: string): boolean => {
      const time = namedTime(name);
      const isHeldTime = time !== null && (held.times.has(keyOf(time)) || texts.some((text) => mayCover(text, time)));
      return isHeldTime || held.spellings.has(foldMarks(name));
    },
  };
}

export type QuestionAlignment = ReturnType<typeof alignQuestionWords>;

function keyOf({ unit, number }: NamedTime): string {
  return `${unit} ${number}`;
}

/** Returns the words of texts in three forms: in lower case, without diacritics, and as days and months ("weekday 2"). */
function wordsOf(texts: readonly string[]) {
  const words = [...new Set(texts.flatMap((text) => text.match(WORD) ?? []))];
  return {
    written: new Set(words.map((word) => word.toLowerCase())),
    spellings: new Set(words.map(foldMarks)),
    times: new Set(words.flatMap((word) => namedTime(word) ?? []).map(keyOf)),
  };
}

/**
 * Returns words of the question that no document contains, if the evidence contains a different word with a similar
 * spelling: "cerium" and "cesium". Such evidence matches only the rest of the question. Common words are skipped,
 * because many are spelled alike: "forgot" and "forget", "back" and "pack". Words that differ only by a final "e"
 * (`isByLetter`) are returned even if they are common or occur in other documents.
 */
export function spelledLikeOthers(
  { lacking, others }: Pick<QuestionAlignment, "lacking" | "others">,
  { tokens, has, isCommon }: Pick<NameParts, "tokens" | "has"> & { readonly isCommon: (word: string) => boolean },
): string[] {
  const isUnknown = (word: string) => !isCommon(word) && !tokens(word).some(has);
  const isSpelledLike = (word: string, other: string) =>
    isByLetter(word, other) || (isUnknown(word) && isNear(word, other) && areForms(word, other, tokens) === false);
  return lacking.filter((word) => others.some((other) => isSpelledLike(word, other)));
}

/**
 * For each word of the question that the evidence contains in no inflected form, returns the words of the evidence with
 * a related stem. These may be forms of the word: "probate" for "probation".
 */
export function formsHeld(
  { lacking, others }: Pick<QuestionAlignment, "lacking" | "others">,
  tokens: NameParts["tokens"],
): ReadonlyMap<string, readonly string[]> {
  const forms = lacking
    .filter((word) => !others.some((other) => isInflected(word, other)))
    .map((word) => [word, others.filter((other) => areForms(word, other, tokens))] as const);
  return new Map(forms.filter(([, held]) => held.length > 0));
}

/**
 * Checks whether a word is an inflected form of the other. A plural, possessive or tense is always the same word:
 * "leave" and "leaves", "balcony" and "balconies".
 */
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

/** Minimum letters of a word to compare; shorter words are similar to too many others. */
const LEAST_LETTERS = 4;

/**
 * Returns whether one word is the other with a final "e": "silicon" and "silicone". Their stems are equal, but no
 * inflection adds an "e", so they are different words.
 */
function isByLetter(word: string, other: string): boolean {
  const [short, long] = word.length < other.length ? [word, other] : [other, word];
  return long === `${short}e` && !long.endsWith("ee");
}

function isNear(word: string, other: string): boolean {
  const limit = allowedEdits(Math.max(word.length, other.length));
  return limit > 0 && editDistance(word, other, limit) <= limit;
}

/** Returns whether the stems are equal or one is derived from the other; `null` if a word is a stop word. */
function areForms(word: string, other: string, tokens: NameParts["tokens"]): boolean | null {
  const [one = "", two = ""] = [tokens(word)[0], tokens(other)[0]];
  return one === "" || two === "" ? null : one === two || isDerived(one, two);
}

const WARNINGS = {
  /** Names that no document contains. */
  names: ["not_named", "No document mentions ", ", so the quotes here are about something else."],
  /** Words that the evidence lacks, although it contains similar ones. */
  similar: ["not_named", "The passages found do not mention ", ", only similar words, so they may be about something else."],
  /** Codes, for a refusal: a code identifies one thing, so a similar code is no evidence. */
  codes: [
    "not_named",
    "No document mentions ",
    ". A similar code may mean something else, so the question was not answered. If it is not a code, rephrase the question.",
  ],
  /** Words that no document contains. */
  unheld: ["not_held", "No document contains ", ", so the quotes here may be about something else."],
} as const;

/** Returns the warning about words or names of a question that are missing; none for an empty list. */
export function missingWarnings(kind: keyof typeof WARNINGS, words: readonly string[]): Warning[] {
  const [code, before, behind] = WARNINGS[kind];
  const quoted = words.map((word) => `"${word}"`).join(", ");
  return words.length === 0 ? [] : [{ code, message: before + quoted + behind }];
}

/** Words that no document contains cause a warning if their weights (`AskedTerm.weight`) add up to more than this. */
const MOSTLY = 0.5;
/** A content word of the question. */
export type AskedTerm = ReturnType<typeof askedTerms>[number];

/** Returns the content words of a question in order. Inflected forms of one word count once. */
export function askedTerms(
  question: string,
  words: Pick<NameParts, "tokens" | "has"> & { idf(token: string): number; readonly asked: { readonly tokens: readonly string[] } },
  isCommon: (word: string) => boolean,
) {
  const found = askedWords(question, { tokens: words.tokens, questionTokens: () => [...words.asked.tokens] }).map((one) => ({
    ...one,
    /** True if any document contains it. */
    known: one.tokens.some((token) => words.has(token)),
    /** True for the few thousand most common English words. Their absence from the documents says little. */
    common: isCommon(one.word.toLowerCase()),
    idf: Math.max(...one.tokens.map((token) => words.idf(token))),
  }));
  const sum = found.reduce((total, { idf }) => total + idf, 0);
  // The weight is the share of the term in the IDF sum of the question.
  return found.map(({ idf, ...term }) => ({ ...term, weight: sum > 0 ? idf / sum : 1 / found.length }));
}

/**
 * Returns uncommon words and numbers that no document contains, if they carry most of the question's weight. Vector
 * similarity may find a quote about polonium for "plutonium". Most such answers are right nevertheless, so the user
 * only gets a warning.
 * @param said words that another warning already names
 */
export function wordsUnheld(terms: readonly AskedTerm[], said: readonly string[], tokens: NameParts["tokens"]): string[] {
  const named = new Set(said.flatMap((word) => tokens(word)));
  const unheld = terms.filter(({ known, common, tokens: own }) => !known && !common && !own.some((token) => named.has(token)));
  if (unheld.reduce((sum, { weight }) => sum + weight, 0) <= MOSTLY) return [];
  return wordsOnce(unheld.map(({ word }) => word.replace(/['’]s$/, "")));
}

/** Maximum number of numbered things, such as "version 3", that a warning lists. */
const NAMED = 4;

/**
 * Compares numbered things in the question and in the evidence: a sentence about version 3 does not answer a question
 * about version 2. Returns the warning for a refusal if the evidence names things of the same kind, but only with other
 * numbers. "First" and "second" are ignored, because they rarely number things.
 */
export function otherNumbers(question: string, evidence: readonly Evidence[]): Warning[] {
  const asked = numberedThings(question);
  if (asked.length === 0) return [];
  const above = evidence.flatMap(({ passage: { document, units } }) => [document.title, ...units.flatMap((unit) => aboveUnit(unit))]);
  const held = [...new Set([...above, ...evidence.map(({ passage }) => passage.text)])].flatMap(numberedThings);
  return asked.flatMap(({ thing, low, text }) => {
    const alike = held.filter((one) => one.thing === thing);
    if (alike.length === 0 || alike.some((one) => one.low <= low && low <= one.high)) return [];
    const named = [...new Set(alike.map((one) => one.text.toLowerCase()))].slice(0, NAMED).join(", ");
    return [{ code: "not_named", message: `The passages found are about ${named}, not about ${text}, so nothing was answered.` }];
  });
}

/** Maximum distance, in characters, between a number and the name of the thing that it numbers. */
const REACH = 40;

function numberedThings(text: string) {
  return joinValues(valuesIn(text), text).flatMap(({ kind, low, high, bound, start, end }) => {
    const written = text.slice(start, end);
    const before = text.slice(Math.max(0, start - REACH), start);
    const parts = {
      version: /^(\p{L}+)/u.exec(written),
      number: /(\p{L}+)\s$/u.exec(before),
      ordinal: /^[\s-](\p{L}+)/u.exec(text.slice(end, end + REACH)),
    };
    const [around = "", name = ""] = Object.entries(parts).find(([one]) => one === kind)?.[1] ?? [];
    if (bound !== "none" || name === "" || isStopWord(name.toLowerCase())) return [];
    const shown = kind === "number" ? around + written : kind === "ordinal" ? written + around : written;
    return [{ thing: tokenize(name).join(" "), low: Number(low), high: Number(high), text: shown }];
  });
}
