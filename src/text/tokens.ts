import { stemmer } from "stemmer";
import { eng } from "stopword";

/**
 * Words of a text as the indexes see them: lower case, stop words out, Porter stems, codes whole.
 *
 * Codes keep their identity: `21-526EZ` → `21-526ez` and `526ez`; `DC 6260` and `diagnostic code 6260` → `dc6260` and `6260`;
 * `38 CFR 4.25` and `§ 4.25` → `cfr4.25`; `1-800-827-1000` stays one token; `70 percent` and `70%` → `70%`; `$1,200` → `1200`.
 * @param stem pass one from `createStemmer` when many texts are tokenized
 */
export function tokenize(text: string, stem: (word: string) => string = stemmer): string[] {
  const tokens: string[] = [];
  for (const word of words(text)) tokens.push(...wordTokens(word, stem));
  return tokens;
}

/** What the indexes make of one word: nothing of a stop word, two tokens of some codes. */
export function wordTokens({ text, code }: Word, stem: (word: string) => string = stemmer): string[] {
  if (code) return codeTokens(text);
  return STOP_WORDS.has(text) ? [] : [stem(text)];
}

/** Says a word nothing about the topic? @param word lower case, without apostrophe */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** A word as written (lower case), before stemming. `code` marks what carries digits. */
export interface Word {
  readonly text: string;
  readonly code: boolean;
}

/** Lower-case words and codes in order, stop words included. */
export function words(text: string): Word[] {
  const found: Word[] = [];
  const plain = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[’‘ʼ]/g, "'")
    .replaceAll(/[‐‑‒–−]/g, "-");
  for (const match of plain.matchAll(WORD)) {
    const { prefixed, number, word } = match.groups ?? {};
    if (prefixed !== undefined) found.push({ text: joinPrefixed(prefixed), code: true });
    else if (number !== undefined) found.push({ text: number, code: true });
    else if (word !== undefined) found.push({ text: word.replace(/'s?$/, "").replaceAll("'", ""), code: false });
  }
  return found.filter(({ text }) => text !== "");
}

/** Longest word that is looked at; what is longer is noise and is cut. */
const MAX_WORD = 64;

const WORD = new RegExp(
  [
    // A code that needs its prefix: DC 6260, diagnostic code 6260, 38 CFR 4.25, § 4.25
    String.raw`(?<prefixed>\b(?:dc|diagnostic\s{1,3}codes?)\s{0,3}#?\s{0,3}\d{4}\b|\b\d{1,2}\s{0,3}c\.?f\.?r\.?\s{0,3}(?:part\s{1,3}|§{1,2}\s{0,3})?\d{1,4}(?:\.\d{1,5})?[a-z]?\b|§{1,2}\s{0,3}\d{1,4}\.\d{1,5}[a-z]?\b)`,
    // A number with its percent sign, parts, letters: 70%, 70 percent, 21-526ez, 1-800-827-1000, 9/11, 1,200.50, 10182
    String.raw`(?<number>\d{1,40}(?:[-.,/]\d{1,40}){0,12}[a-z]{0,10}(?:%|\s{1,2}percent\b)?)`,
    String.raw`(?<word>[\p{L}\p{M}]{1,${MAX_WORD}}(?:'[\p{L}\p{M}]{1,20}){0,2})`,
  ].join("|"),
  "gu",
);

function joinPrefixed(text: string): string {
  const digits = /\d{1,4}(?:\.\d{1,5})?[a-z]?$/.exec(text)?.[0] ?? "";
  return /^(?:dc|diag)/.test(text) ? `dc${digits}` : `cfr${digits}`;
}

function codeTokens(code: string): string[] {
  if (code.startsWith("dc")) return [code, code.slice(2)];
  if (code.startsWith("cfr")) return [code];
  const percent = /^(.*?)(?:%|\s+percent)$/.exec(code)?.[1];
  if (percent !== undefined) return [`${percent}%`];
  const plain = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(code) ? code.replaceAll(",", "") : code;
  const form = /^\d{2}-(\d{3,5}[a-z]{0,3})$/.exec(plain)?.[1];
  return form === undefined ? [plain] : [plain, form];
}

/** Words whose stems a memo keeps; a vocabulary is smaller, hostile text is larger. */
const MEMO_WORDS = 200_000;

/** A Porter stemmer with a memo: words repeat, and stemming is most of the cost of tokenizing. */
export function createStemmer(): (word: string) => string {
  const memo = new Map<string, string>();
  return (word) => {
    const known = memo.get(word);
    if (known !== undefined) return known;
    const stem = stemmer(word);
    if (memo.size >= MEMO_WORDS) memo.clear();
    memo.set(word, stem);
    return stem;
  };
}

/** The library's English list, less words that carry meaning here ("us" is a country, "may" and "not" change rules but rank nothing). */
const STOP_WORDS: ReadonlySet<string> = new Set([
  ...eng.map((word) => word.replaceAll("'", "")),
  "im",
  "ive",
  "dont",
  "doesnt",
  "cant",
  "whats",
  "id",
  "ill",
  "thats",
]);
