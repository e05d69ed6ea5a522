import { withWarnings } from "../shared/errors.ts";
import type { AnswerEvent } from "../shared/events.ts";
import type { Warning } from "../shared/types.ts";
import { asksAnything, type CrisisFinder } from "./crisis.ts";

/** Letters of a phrase from which on it is also found with its words run together, split or spelled out; a shorter one would be found inside other words. */
const LONG_PHRASE = 7;

/** Characters that are left out, so that "can't", "can’t" and "cant" are one word. */
const APOSTROPHES = /['’‘‛ʼ`´′＇]/gu;
/** Combining marks, and characters that show nothing. */
const INVISIBLE = /[\p{M}\p{Cf}]/gu;

/**
 * Finds phrases in a text as someone in distress may write it. Case, accents, apostrophes, punctuation, white space, characters that show nothing and repeated
 * letters do not count; spelling and inflection do: each is a phrase of its own. Phrases begin and end where words do.
 */
export function phraseFinder(phrases: readonly string[]): (text: PlainText) => boolean {
  const sought = phrases.map(readPlain);
  return (text) => sought.some((phrase) => holds(text, phrase));
}

/** Does a phrase hold anything that can be found? */
export function isFindable(phrase: string): boolean {
  return readPlain(phrase).letters !== "";
}

interface PlainText {
  /** Words in plain letters, a space before and behind each. */
  readonly words: string;
  /** The words run together, and the places where one begins or may begin; the last one is the end. */
  readonly letters: string;
  readonly starts: ReadonlySet<number>;
}

/** A text without what does not count. */
export function readPlain(text: string): PlainText {
  // Marks go before and after: long runs of them would be slow to normalise.
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
    // The letter that both words share may be the end of one or the beginning of the other.
    if (merges) starts.add(length - first.length);
    const part = merges ? word.slice(first.length) : word;
    parts.push(part);
    length += part.length;
    last = characters.at(-1) ?? last;
  }
  return { words: ` ${words.join(" ")} `, letters: parts.join(""), starts: starts.add(length) };
}

/** A run of the same letter is one letter. */
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

/** Texts of the hotlines that a message calls for, however it is written and whether or not it can be a question. */
export type HotlineFinder = (message: string) => Promise<readonly Warning[]>;

interface Hotline {
  readonly text: string;
  readonly when: readonly string[];
  /** Also for messages that the finder of crises takes for one. */
  readonly crisis: boolean;
}

/** What calls for a hotline: its phrases, and, of one for crises, what is learned about such messages. A message that either finds gets it. */
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

/** Is a message of somebody in a crisis, so that nothing but the hotline is to be shown? Not every question in which a word of it stands is. */
export function createQuietFinder(hotlines: readonly Hotline[], findCrisis: CrisisFinder): (message: string) => Promise<boolean> {
  const isNamed = phraseFinder(hotlines.filter(({ crisis }) => crisis).flatMap(({ when }) => when));
  return async (message) => {
    if (!hotlines.some(({ crisis }) => crisis)) return false;
    const crisis = await findCrisis(message);
    return crisis === "likely" || (crisis === "possible" && (!asksAnything(message) || isNamed(readPlain(message))));
  };
}

/** The hotlines' texts, then the path of the question; whatever is thrown on it carries them. */
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
