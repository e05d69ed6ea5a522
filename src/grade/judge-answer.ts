import { literally } from "../text/literally.ts";
import type { Answer } from "../types.ts";
import { readableText } from "../write/render.ts";

export interface JudgedAnswer {
  readonly answered: boolean;
  /** The answer as people read it. */
  readonly text: string;
  /** Does the text hold every key value? `null`: the question has none. */
  readonly keyValuesHeld: boolean | null;
  readonly goldQuoted: boolean;
  /** Answered, but a key value is missing, or without key values no quote overlaps a gold quote (DESIGN.md, section 10). */
  readonly wrong: boolean;
}

/** @param overlapsGold does the place that is cited overlap a gold quote? */
export function judgeAnswer(
  answer: Answer,
  keyValues: readonly string[],
  overlapsGold: (citation: Answer["citations"][number]) => boolean,
): JudgedAnswer {
  const answered = answer.status === "ok";
  const text = answer.sentences.map((sentence) => readableText(sentence, answer.citations)).join("\n");
  const keyValuesHeld = keyValues.length === 0 ? null : keyValues.every((value) => holdsToken(text, value));
  const goldQuoted = answer.citations.some(overlapsGold);
  return { answered, text, keyValuesHeld, goldQuoted, wrong: answered && (keyValuesHeld === null ? !goldQuoted : !keyValuesHeld) };
}

/** Does the text hold the value as whole tokens, in any case? White space and quote marks of any kind are equal. */
export function holdsToken(text: string, value: string): boolean {
  const plain = (one: string) => one.toLowerCase().replaceAll(/[’‘]/g, "'").replaceAll(/[“”]/g, '"').replaceAll(/\s+/g, " ");
  const escaped = literally(plain(value));
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, "u").test(plain(text));
}
