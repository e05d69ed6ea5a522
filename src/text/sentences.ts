import type { TextRange } from "../shared/types.ts";
import { RAISED } from "./normalise.ts";

/** Maximum length of a sentence, in characters. A longer sentence is cut at a clause or blank, because a long quote is hard to check. */
export const SENTENCE_MAX_CHARS = 1_500;

/**
 * Matches a possible end of a sentence: line breaks, or stops with the closing quotation marks, brackets and footnote
 * marks after them.
 */
const STOP = new RegExp(String.raw`(?:[.!?…]+|[。！？｡]+)(?:["'”’»)\]】」』]+|\[\d{1,3}\]|[*†‡]{1,3}|[${RAISED}]{1,3})*|\n+`, "gu");
const WIDE_STOP = /^[。！？｡]/;
/** Abbreviations whose full stop never ends a sentence inside a text. */
const NEVER_LAST = words(
  "dr mr mrs ms mx mt prof rev hon st gen col lt sgt cpl pvt capt cmdr adm maj gov sen rep pres e.g i.e cf viz vs v approx esp incl resp " +
    "u.s.c c.f.r c.f.r.s fed reg subpt",
);
/**
 * Abbreviations that end no sentence before a number or a section sign: "No. 5", "Sec. 4", "Jan. 1". Otherwise they are
 * ordinary words: "No. You need not."
 */
const BEFORE_NUMBER = words(
  "no nos sec secs art arts ch chs pt pts fig figs eq eqs vol vols p pp par para paras ex exs app tab jan feb mar apr jun jul aug sep sept " +
    "oct nov dec mon tue tues wed thu thur thurs fri sat sun ext tel rm ste apt bldg box est ca c",
);
/** Abbreviations that end a sentence only if the next word is one of `OPENERS` and has a capital. */
const MAYBE_LAST = words("u.s u.s.a u.k u.n d.c a.m p.m etc inc co corp ltd llc jr sr ph.d m.d b.a m.a b.s m.s dept ave blvd rd al");
/** Words that often begin a sentence. */
const OPENERS = words(
  "the a an this that these those it its he she they we you i your our his her their if when while where what who why how in on at for from to " +
    "by with without after before until since as because but and or so yet however also then there here no yes not only all any some each every " +
    "both most many such please see call contact apply ask read find learn note use under although unless once",
);
const LOOK_BACK = 24;

/**
 * Splits running text into sentences. The ranges are in order and cover all text except white space between sentences.
 * A line break always ends a sentence. Time is linear in the length of the text.
 *
 * @example splitSentences("No. You don’t.") // [{ start: 0, end: 3 }, { start: 4, end: 14 }]
 */
export function splitSentences(text: string): TextRange[] {
  const sentences: TextRange[] = [];
  let start = skipBlanks(text, 0);
  for (const match of text.matchAll(STOP)) {
    const at = match.index;
    const end = at + match[0].length;
    if (at < start) continue;
    if (match[0].startsWith("\n")) {
      pushSentence(text, start, at, sentences);
      start = skipBlanks(text, end);
    } else if (WIDE_STOP.test(match[0]) || (isBlankAt(text, end) && endsSentence(text, start, at, end))) {
      pushSentence(text, start, end, sentences);
      start = skipBlanks(text, end);
    }
  }
  pushSentence(text, start, text.length, sentences);
  return sentences;
}

/** Checks whether the stop at `[at, end)` ends the sentence that began at `start`. */
function endsSentence(text: string, start: number, at: number, end: number): boolean {
  const next = skipBlanks(text, end);
  if (next >= text.length) return true;
  const following = /^[("'“‘«[{]*([\p{L}\p{M}]*)/u.exec(text.slice(next, next + 40));
  const word = following?.[1] ?? "";
  const continues = /^\p{Ll}/u.test(word) && !/^\p{Ll}+\p{Lu}/u.test(word);
  if (continues || /^[,;:)\]§%]/.test(text.slice(next, next + 1))) return false;
  if (text[at] !== "." || text[at + 1] === ".") return true;
  const token = tokenBefore(text, start, at);
  const bare = token.toLowerCase();
  // An enumerator before an item, such as "1." or "a.", is no sentence.
  if (at - token.length === start && /^(?:\d{1,3}|\p{L}|[ivxIVX]{1,5})$/u.test(token)) return false;
  const isOpener = OPENERS.has(word.toLowerCase()) && /^\p{Lu}/u.test(word);
  if (NEVER_LAST.has(bare)) return false;
  if (BEFORE_NUMBER.has(bare)) return !/^[\d§#]/.test(text.slice(next, next + 1));
  // A single capital is an initial ("J. Smith"), unless the next word often begins a sentence ("Part B. You …").
  return isOpener || !(MAYBE_LAST.has(bare) || /^(?:(?:\p{L}\.)+\p{L}|\p{Lu})$/u.test(token));
}

/** Returns the letters, digits and inner full stops directly before a stop, without brackets and quotation marks. */
function tokenBefore(text: string, start: number, at: number): string {
  const before = text.slice(Math.max(start, at - LOOK_BACK), at);
  return /[\p{L}\p{N}][\p{L}\p{N}.]*$/u.exec(before)?.[0] ?? "";
}

function pushSentence(text: string, from: number, to: number, sentences: TextRange[]): void {
  let start = from;
  let end = to;
  while (end > start && isBlankAt(text, end - 1)) end--;
  while (end - start > SENTENCE_MAX_CHARS) {
    const cut = cutBefore(text, start, start + SENTENCE_MAX_CHARS);
    let cutEnd = cut;
    while (cutEnd > start && isBlankAt(text, cutEnd - 1)) cutEnd--;
    if (cutEnd > start) sentences.push({ start, end: cutEnd });
    start = skipBlanks(text, cut);
  }
  if (end > start) sentences.push({ start, end });
}

/** Returns where to cut `[start, limit)`: in its second half after a clause mark (such as a comma), else at a blank, else at `limit`. */
function cutBefore(text: string, start: number, limit: number): number {
  const from = start + ((limit - start) >> 1);
  const half = text.slice(from, limit);
  const clause = Math.max(...[";", ":", ",", "—", ")"].map((mark) => half.lastIndexOf(`${mark} `)), half.lastIndexOf("—"));
  if (clause >= 0) return from + clause + 1;
  const blank = half.lastIndexOf(" ");
  if (blank >= 0) return from + blank;
  return isInsidePair(text, limit) ? limit - 1 : limit;
}

/** Checks whether a cut at `offset` would split a surrogate pair. */
export function isInsidePair(text: string, offset: number): boolean {
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

function skipBlanks(text: string, offset: number): number {
  let at = offset;
  while (at < text.length && isBlankAt(text, at)) at++;
  return at;
}

function isBlankAt(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  if (Number.isNaN(code) || code === 32 || (code >= 9 && code <= 13)) return true;
  return code > 127 && /\s/.test(text.charAt(offset));
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}
