import type { ReadTexts } from "../cross-encoder/reader.ts";
import { withWarnings } from "../shared/errors.ts";
import type { AnswerEvent } from "../shared/events.ts";
import type { Warning } from "../shared/types.ts";
import { messageFeatures, piecesOf } from "./message-features.ts";

/**
 * Minimum letters of a phrase that is also found if its words are joined, split or spelled out letter by letter. A shorter
 * phrase would occur by chance in longer words.
 */
const LONG_PHRASE = 7;

/** Matches apostrophes. They are removed, so that "can't", "can’t" and "cant" are the same word. */
const APOSTROPHES = /['’‘‛ʼ`´′＇]/gu;
/** Matches combining marks and invisible characters. They are removed. */
const INVISIBLE = /[\p{M}\p{Cf}]/gu;

/**
 * Returns a function that finds phrases in a text by someone in distress. The search ignores case, accents, apostrophes,
 * punctuation, white space, invisible characters and repeated letters. It does not know other spellings or inflections,
 * so `phrases` must contain every form. Phrases begin and end at word boundaries.
 */
export function phraseFinder(phrases: readonly string[]): (text: PlainText) => boolean {
  const sought = phrases.map(readPlain);
  return (text) => sought.some((phrase) => holds(text, phrase));
}

/** Returns whether a phrase contains a letter or digit. A phrase without one can never be found. */
export function isFindable(phrase: string): boolean {
  return readPlain(phrase).letters !== "";
}

interface PlainText {
  /** The normalised words, separated and surrounded by single spaces. */
  readonly words: string;
  /** All words joined. `starts` contains the offsets in `letters` where a word may begin, and the length of `letters`. */
  readonly letters: string;
  readonly starts: ReadonlySet<number>;
}

/** Normalises a text for phrase search. */
export function readPlain(text: string): PlainText {
  // Remove marks before normalisation, because long runs of marks are slow to normalise. Remove them again afterwards,
  // because normalisation creates new marks.
  const plain = text.replaceAll(APOSTROPHES, "").replaceAll(INVISIBLE, "").normalize("NFKD").toLowerCase().replaceAll(INVISIBLE, "");
  const words = (plain.match(/[\p{L}\p{N}]+/gu) ?? []).map(oneOfEach);
  const starts = new Set([0]);
  let letters = "";
  let last = "";
  for (const word of words) {
    const characters = [...word];
    const [first = ""] = characters;
    const merges = first === last && /\p{L}/u.test(first);
    starts.add(letters.length);
    // If the text is written without spaces, adjacent words may share a letter ("this" + "song" in "thisong"). The second
    // word may therefore begin before or after that letter.
    if (merges) starts.add(letters.length - first.length);
    letters += merges ? word.slice(first.length) : word;
    last = characters.at(-1) ?? last;
  }
  return { words: ` ${words.join(" ")} `, letters, starts: starts.add(letters.length) };
}

/** Reduces each run of one letter to a single letter. */
function oneOfEach(word: string): string {
  // Do not use a pattern such as `(\p{L})\1+`: a run of millions of letters would overflow the stack.
  return word.replaceAll(/(\p{L})(?=\1)/gu, "");
}

function holds(text: PlainText, phrase: PlainText): boolean {
  const { length } = phrase.letters;
  if (length < LONG_PHRASE) return length > 0 && text.words.includes(phrase.words);
  for (let at = text.letters.indexOf(phrase.letters); at >= 0; at = text.letters.indexOf(phrase.letters, at + 1)) {
    if (text.starts.has(at) && text.starts.has(at + length)) return true;
  }
  return false;
}

/** Returns the hotlines for a message as warnings. The message may be anything, even an invalid question. */
export type HotlineFinder = (message: string) => Promise<readonly Warning[]>;

interface Hotline {
  readonly text: string;
  readonly when: readonly string[];
  /** True: the hotline is also shown for messages that `CrisisFinder` rates as a crisis. */
  readonly crisis: boolean;
}

/** Returns a function that finds the hotlines for a message: those with a matching phrase and, in a crisis, all crisis hotlines. */
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
 * Returns a function that decides whether only the hotline is shown instead of an answer. This is so if a crisis is likely.
 * If it is only possible, the message must also ask nothing or contain a hotline's phrase. Without a crisis, a phrase alone
 * does not prevent an answer.
 */
export function createQuietFinder(hotlines: readonly Hotline[], findCrisis: CrisisFinder): (message: string) => Promise<boolean> {
  const isNamed = phraseFinder(hotlines.filter(({ crisis }) => crisis).flatMap(({ when }) => when));
  return async (message) => {
    if (!hotlines.some(({ crisis }) => crisis)) return false;
    const crisis = await findCrisis(message);
    return crisis === "likely" || (crisis === "possible" && (!asksAnything(message) || isNamed(readPlain(message))));
  };
}

/** Yields the hotlines as warnings, then the events of the question. An error of the question gets the hotlines attached. */
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

/** Maximum number of texts for the cross-encoder: those with the highest first-stage scores. */
const MOST_READ = 8;

/** Matches the beginning of a question: a question word or an auxiliary verb. */
const ASKING =
  /(?:^|[.!;,\n]\s*)(?:(?:so|and|but|or|ok|hi|please)\s+)*(?:who|whom|whose|what|whats|when|where|why|which|how|can|could|do|does|did|dont|doesnt|is|are|am|was|were|will|would|should|shall|may|might|must|has|have|had)\b/i;

/** Returns whether a message asks something. A message that only expresses despair does not. */
export function asksAnything(message: string): boolean {
  return message.includes("?") || ASKING.test(message.replaceAll(/['’]/g, ""));
}

/**
 * Risk of self-harm by the writer or another person. `possible`: the hotline is shown, because an unnecessary one costs
 * the reader only a line. `likely`: only the hotline is shown.
 */
type Crisis = "no" | "possible" | "likely";
export type CrisisFinder = (message: string) => Promise<Crisis>;

/** Minimum probability of each level. */
interface CrisisCuts {
  readonly possible: number;
  readonly likely: number;
}

interface CrisisParts {
  /**
   * Model for the first-stage score. Its inputs are `messageFeatures` with the bundled encoder. Texts that score at
   * least `readFrom` go to the cross-encoder.
   */
  readonly firstStage: {
    readonly probability: (features: Float64Array) => number;
    readonly readFrom: number;
    readonly cuts: CrisisCuts;
  };
  /** Model for the final score. Its input is the cross-encoder's vector of a text. */
  readonly read: { readonly probability: (vector: Float32Array) => number; readonly cuts: CrisisCuts };
  readonly encoder: { readonly embedSync: (texts: readonly string[]) => Float32Array[] };
  /** The cross-encoder. If it returns `null` or is `null`, the first-stage score decides. */
  readonly reader: ReadTexts | null;
}

/**
 * Returns a function that rates the risk of a message by its most alarming text: a sentence, or the message as a whole.
 * Texts with a high first-stage score go to the cross-encoder. The models were trained on cases written for this purpose
 * (`lab/train/crisis`).
 */
export function createCrisisFinder({ firstStage, read, encoder, reader }: CrisisParts): CrisisFinder {
  const firstStageScore = (text: string) => firstStage.probability(messageFeatures(text, encoder.embedSync([text])[0] as Float32Array));
  return async (message) => {
    const scored = piecesOf(message).map((text) => ({ text, probability: firstStageScore(text) }));
    const alarming = scored.filter(({ probability }) => probability >= firstStage.readFrom).sort((a, b) => b.probability - a.probability);
    if (alarming.length === 0) return "no";
    const texts = alarming.slice(0, MOST_READ).map(({ text }) => text);
    // The signal never aborts, because the hotline must be shown even if the user stops waiting.
    const readings = reader === null ? null : await reader(texts, new AbortController().signal);
    if (readings === null) return named(Math.max(...alarming.map(({ probability }) => probability)), firstStage.cuts);
    return named(Math.max(...readings.map(({ vector }) => read.probability(vector))), read.cuts);
  };
}

function named(probability: number, cuts: CrisisCuts): Crisis {
  if (probability >= cuts.likely) return "likely";
  return probability >= cuts.possible ? "possible" : "no";
}
