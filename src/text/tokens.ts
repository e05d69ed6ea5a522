import { stemmer } from "stemmer";
import { eng } from "stopword";
import { memoised } from "./memo.ts";
import { foldMarks, withPartedDigits } from "./normalise.ts";

/**
 * Returns the index terms of a text: lower case, no marks on Latin letters, no stop words, Porter stems, codes
 * unchanged.
 *
 * Examples for codes: `21-526EZ` → `21-526ez` and `526ez`; `DC 6260` and `diagnostic code 6260` → `dc6260` and `6260`;
 * `10⁶` and `10^6` → `10^6` and `10`; `38 CFR 4.25` and `§ 4.25` → `cfr4.25`; `1-800-827-1000` stays one token;
 * `70 percent` and `70%` → `70%`; `$1,200` → `1200`.
 * @param stem stemmer; to tokenise many texts, pass one from `createStemmer`, which caches
 */
export function tokenize(text: string, stem: (word: string) => string = stemOf): string[] {
  return words(text).flatMap((word) => wordTokens(word, stem));
}

/** Returns the index terms of one word: none for a stop word, two for some codes. */
export function wordTokens({ text, code }: Word, stem: (word: string) => string = stemOf): string[] {
  if (code) return codeTokens(text);
  return STOP_WORDS.has(text) ? [] : [stem(text)];
}

/** Checks whether a word is a stop word such as "the". @param word lower case, without apostrophe */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** A lower-case word before stemming. `code` is true if it contains digits. */
export type Word = Readonly<{ text: string; code: boolean }>;

/** Returns words and codes in order, in lower case, without marks on Latin letters ("café" becomes `cafe`). Includes stop words. */
export function words(text: string): Word[] {
  const found: Word[] = [];
  const plain = /^\p{ASCII}*$/u.test(text)
    ? text.toLowerCase()
    : foldMarks(withPartedDigits(text).normalize("NFKC"))
        .replaceAll(/[’‘ʼ]/g, "'")
        .replaceAll(/[‐‑‒–−]/g, "-");
  for (let at = 0; at < plain.length; ) {
    const end = plainWordEnd(plain, at);
    WORD.lastIndex = at;
    if (end > at) {
      found.push({ text: plain.slice(at, end), code: false });
      at = end;
      continue;
    }
    const match = isAsciiBlankOrMark(plain.charCodeAt(at)) ? null : WORD.exec(plain);
    const word = match && wordOf(match);
    if (word !== null && word.text !== "") found.push(word);
    at = match === null ? at + ((plain.codePointAt(at) as number) > 0xffff ? 2 : 1) : WORD.lastIndex;
  }
  return found;
}

function wordOf({ 1: prefixed, 2: number, 3: word }: RegExpExecArray): Word {
  if (prefixed !== undefined) return { text: joinPrefixed(prefixed), code: true };
  if (number !== undefined) return { text: number, code: true };
  return { text: (word as string).replace(/'s?$/, "").replaceAll("'", ""), code: false };
}

/**
 * Returns the end of the word at `start` if it consists of the letters a to z and `WORD` would match exactly these;
 * otherwise `start`. Most words qualify, and a loop is several times faster than the expression.
 */
function plainWordEnd(text: string, start: number): number {
  // Stop at the maximum length. Otherwise the time for a long run of letters would be quadratic: each word cut from the
  // run would scan to its end.
  const limit = start + MAX_WORD;
  let end = start;
  for (;;) {
    const code = text.charCodeAt(end);
    if (code >= LETTER_A && code <= LETTER_Z) {
      if (end === limit) return start;
      end++;
    } else if (code >= 128 || code === APOSTROPHE) return start;
    else break;
  }
  const mayPrefix = text.charCodeAt(start) === LETTER_D && CODE_PREFIXES.some((prefix) => text.startsWith(prefix, start));
  return mayPrefix ? start : end;
}

const LETTER_A = 97;
const LETTER_D = 100;
const LETTER_Z = 122;
const APOSTROPHE = 39;
/** Words that can begin a code. */
const CODE_PREFIXES = ["dc", "diagnostic"];

/** Checks for an ASCII character that is neither a lower-case letter nor a digit. */
function isAsciiBlankOrMark(code: number): boolean {
  return code < 48 || (code > 57 && code < LETTER_A) || (code > LETTER_Z && code < 128);
}

/** Maximum length of a word in characters. Longer words are noise and are cut. */
const MAX_WORD = 64;

/** Group 1: a code with its prefix. Group 2: a number. Group 3: a word. */
const WORD = new RegExp(
  [
    // Code that is recognised only with its prefix: DC 6260, diagnostic code 6260, 38 CFR 4.25, § 4.25
    String.raw`(\b(?:dc|diagnostic\s{1,3}codes?)\s{0,3}#?\s{0,3}\d{4}\b|\b\d{1,2}\s{0,3}c\.?f\.?r\.?\s{0,3}(?:part\s{1,3}|§{1,2}\s{0,3})?\d{1,4}(?:\.\d{1,5})?[a-z]?\b|§{1,2}\s{0,3}\d{1,4}\.\d{1,5}[a-z]?\b)`,
    // Number with optional percent sign, further parts, letters or power: 70%, 70 percent, 21-526ez, 1-800-827-1000,
    // 9/11, 1,200.50, 10^6
    String.raw`(\d{1,40}(?:[-.,/]\d{1,40}){0,12}(?:\^-?\d{1,3}|[a-z]{0,10})(?:%|\s{1,2}percent\b)?)`,
    String.raw`([\p{L}\p{M}]{1,${MAX_WORD}}(?:'[\p{L}\p{M}]{1,20}){0,2})`,
  ].join("|"),
  "uy",
);

function joinPrefixed(text: string): string {
  const digits = /\d{1,4}(?:\.\d{1,5})?[a-z]?$/.exec(text)?.[0] ?? "";
  return /^(?:dc|diag)/.test(text) ? `dc${digits}` : `cfr${digits}`;
}

function codeTokens(code: string): string[] {
  if (code.startsWith("dc")) return [code, code.slice(2)];
  if (code.startsWith("cfr")) return [code];
  const base = /^(.+)\^-?\d+$/.exec(code)?.[1];
  if (base !== undefined) return [code, ...codeTokens(base)];
  const percent = /^(.*?)(?:%|\s+percent)$/.exec(code)?.[1];
  if (percent !== undefined) return [`${percent}%`];
  const plain = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(code) ? code.replaceAll(",", "") : code;
  const form = /^\d{2}-(\d{3,5}[a-z]{0,3})$/.exec(plain)?.[1];
  return form === undefined ? [plain] : [plain, form];
}

/** Maximum number of cached stems. Real vocabularies are smaller; the limit bounds the memory for hostile text. */
const MEMO_WORDS = 200_000;

/** Creates a Porter stemmer with a cache. Stemming is most of the cost of tokenising, and most words repeat. */
export function createStemmer(): (word: string) => string {
  return memoised(stemOf, MEMO_WORDS);
}

/**
 * Irregular plurals, which the stemmer does not reduce to their singular. The list comes from `lab/sets/written`: it
 * has the words of which a question or true sentence uses one form and its page the other. That affects 21 of 7,623
 * questions and 6 of 4,240 sentences (2026-11-28).
 */
const PLURALS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ children: "child", men: "man", women: "woman", feet: "foot", teeth: "tooth", geese: "goose", halves: "half", knives: "knife" },
  }),
);

function stemOf(word: string): string {
  return stemmer(PLURALS.get(word) ?? word);
}

/** English list of `stopword`, plus contractions. It has no words that matter: "us" may be the country, "may" and "not" change rules. */
const STOP_WORDS: ReadonlySet<string> = new Set([
  ...eng.map((word) => word.replaceAll("'", "")),
  ...["im", "ive", "dont", "doesnt", "cant", "whats", "whos", "id", "ill", "thats"],
]);
