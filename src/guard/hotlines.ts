import { withWarnings } from "../shared/errors.ts";
import type { AnswerEvent } from "../shared/events.ts";
import type { Warning } from "../shared/types.ts";
import { asksAnything, type CrisisFinder } from "./crisis.ts";

/**
 * Minimum letters of a phrase that is also found with its words joined, split or spelled out. Shorter phrases would
 * match inside other words.
 */
const LONG_PHRASE = 7;

/** Characters to remove, so that "can't", "can’t" and "cant" are one word. */
const APOSTROPHES = /['’‘‛ʼ`´′＇]/gu;
/** Combining marks and invisible characters. */
const INVISIBLE = /[\p{M}\p{Cf}]/gu;

/**
 * Returns a function that finds phrases as someone in distress may write them. Case, accents, apostrophes, punctuation,
 * white space, invisible characters and repeated letters are ignored. Spelling and inflection are not, so list each
 * form. Phrases begin and end at word boundaries.
 */
export function phraseFinder(phrases: readonly string[]): (text: PlainText) => boolean {
  const sought = phrases.map(readPlain);
  return (text) => sought.some((phrase) => holds(text, phrase));
}

/** Checks whether a phrase has anything to search for. */
export function isFindable(phrase: string): boolean {
  return readPlain(phrase).letters !== "";
}

interface PlainText {
  /** Words in plain letters, with a space before and after each. */
  readonly words: string;
  /** All words joined, and the offsets where a word may begin. The last offset is the end. */
  readonly letters: string;
  readonly starts: ReadonlySet<number>;
}

/** Normalises a text for phrase search. */
export function readPlain(text: string): PlainText {
  // Marks are removed before and after normalisation, because long runs of them are slow to normalise.
  const plain = text.replaceAll(APOSTROPHES, "").replaceAll(INVISIBLE, "").normalize("NFKD").toLowerCase().replaceAll(INVISIBLE, "");
  const words = (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map(oneOfEach);
  const starts = new Set([0]);
  const parts: string[] = [];
  let length = 0;
  let last = "";
  for (const word of words) {
    const characters = [...word];
    const [first = ""] = characters;
    const merges = first === last && /\p{L}/u.test(first);
    starts.add(length);
    // A letter that two words share may end one or begin the other.
    if (merges) starts.add(length - first.length);
    const part = merges ? word.slice(first.length) : word;
    parts.push(part);
    length += part.length;
    last = characters.at(-1) ?? last;
  }
  return { words: ` ${words.join(" ")} `, letters: parts.join(""), starts: starts.add(length) };
}

/** Reduces repeated letters to one. */
function oneOfEach(word: string): string {
  return word.replaceAll(/(\p{L})\1+/gu, "$1");
}

function holds(text: PlainText, phrase: PlainText): boolean {
  const { length } = phrase.letters;
  if (length < LONG_PHRASE) return length > 0 && text.words.includes(phrase.words);
  for (let at = text.letters.indexOf(phrase.letters); at >= 0; at = text.letters.indexOf(phrase.letters, at + 1)) {
    if (text.starts.has(at) && text.starts.has(at + length)) return true;
  }
  return false;
}

/** Returns the texts of the hotlines that a message calls for, whether or not it is a valid question. */
export type HotlineFinder = (message: string) => Promise<readonly Warning[]>;

interface Hotline {
  readonly text: string;
  readonly when: readonly string[];
  /** True if the crisis finder also triggers the hotline. */
  readonly crisis: boolean;
}

/**
 * Returns a function that finds the hotlines for a message: by phrase or, for crisis hotlines, by the crisis finder.
 */
export function createHotlineFinder(hotlines: readonly Hotline[], findCrisis: CrisisFinder): HotlineFinder {
  const known = hotlines.map(({ text, when, crisis }) => ({ text, crisis, isCalledBy: phraseFinder(when) }));
  const hasCrisis = known.some(({ crisis }) => crisis);
  return async (message) => {
    const plain = readPlain(message);
    const inCrisis = hasCrisis && (await findCrisis(message)) !== "no";
    const called = known.filter(({ isCalledBy, crisis }) => (crisis && inCrisis) || isCalledBy(plain));
    return called.map(({ text }) => ({ code: "hotline", message: text }));
  };
}

/**
 * Returns a function that decides whether only the hotline is shown. A question that merely mentions a hotline phrase
 * is still answered.
 */
export function createQuietFinder(hotlines: readonly Hotline[], findCrisis: CrisisFinder): (message: string) => Promise<boolean> {
  const isNamed = phraseFinder(hotlines.filter(({ crisis }) => crisis).flatMap(({ when }) => when));
  return async (message) => {
    if (!hotlines.some(({ crisis }) => crisis)) return false;
    const crisis = await findCrisis(message);
    return crisis === "likely" || (crisis === "possible" && (!asksAnything(message) || isNamed(readPlain(message))));
  };
}

/** Yields the hotlines' texts, then the events of the question. Errors thrown on the way carry the hotlines. */
export async function* hotlinesFirst(
  find: () => Promise<readonly Warning[]>,
  path: AsyncGenerator<AnswerEvent, void>,
): AsyncGenerator<AnswerEvent, void> {
  const warnings = await find();
  for (const warning of warnings) yield { type: "warning", warning };
  try {
    yield* path;
  } catch (error) {
    throw withWarnings(error, warnings);
  }
}
