import { withWarnings } from "../errors.ts";
import type { AnswerEvent } from "../events.ts";
import type { Warning } from "../types.ts";
import { asksAnything, type CrisisFinder } from "./crisis.ts";
import { phraseFinder, readPlain } from "./phrases.ts";

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
