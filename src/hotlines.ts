import { withWarnings } from "./errors.ts";
import type { AnswerEvent } from "./events.ts";
import { callsFor } from "./language/phrases.ts";
import type { Warning } from "./types.ts";

/** What a domain says first to whoever writes in an emergency. */
export interface Hotline {
  readonly name: string;
  readonly text: string;
  readonly when: readonly string[];
}

/** Texts of the hotlines that a message calls for, however it is written and whether or not it can be a question. */
export function hotlinesFor(message: string, hotlines: readonly Hotline[]): Warning[] {
  return hotlines.filter(({ when }) => callsFor(message, when)).map(({ text }) => ({ code: "hotline", message: text }));
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
