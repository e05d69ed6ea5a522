import { withWarnings } from "../errors.ts";
import type { AnswerEvent } from "../events.ts";
import type { Warning } from "../types.ts";
import { phraseFinder, readPlain } from "./phrases.ts";

/** Texts of the hotlines that a message calls for, however it is written and whether or not it can be a question. */
export type HotlineFinder = (message: string) => Warning[];

export function createHotlineFinder(hotlines: readonly { readonly text: string; readonly when: readonly string[] }[]): HotlineFinder {
  const known = hotlines.map(({ text, when }) => ({ text, isCalledBy: phraseFinder(when) }));
  return (message) => {
    const plain = readPlain(message);
    return known.filter(({ isCalledBy }) => isCalledBy(plain)).map(({ text }) => ({ code: "hotline", message: text }));
  };
}

/** The hotlines' texts, then the path of the question; whatever is thrown on it carries them. */
export async function* hotlinesFirst(
  warnings: readonly Warning[],
  path: AsyncGenerator<AnswerEvent, void>,
): AsyncGenerator<AnswerEvent, void> {
  for (const warning of warnings) yield { type: "warning", warning };
  try {
    yield* path;
  } catch (error) {
    throw withWarnings(error, warnings);
  }
}
