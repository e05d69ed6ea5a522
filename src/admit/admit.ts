import { RequestError } from "../errors.ts";
import { injectionSignals } from "../guard/injection.ts";
import type { AskRequest, Question, Turn } from "../types.ts";
import { resolveFollowUp } from "./follow-up.ts";

export interface AdmitOptions {
  /** Characters at most, after trimming. */
  readonly maxCharacters: number;
}

/** Control characters other than tab and line breaks, and characters that hide or reorder text. */
const FORBIDDEN = /[\p{Cc}\u200B\u2028-\u202E\u2060-\u2069\uFEFF]/u;

/**
 * A request becomes a question; one that leans on earlier turns is made to stand alone. What is asked about a selection leans on the selection:
 * topics of earlier turns would be looked for in words that were chosen to be about something else.
 * @throws RequestError `question_empty`, `question_too_long`, `question_control_characters`
 */
export function admitQuestion(request: AskRequest, history: readonly Turn[], { maxCharacters }: AdmitOptions): Question {
  const { filters: _, turns: __, ...rest } = request;
  const text = request.question.replaceAll(/[\t\r\n]+/g, " ").trim();
  if (text === "") throw new RequestError("question_empty", "The question is empty: write what you want to know.");
  if (text.length > maxCharacters) {
    throw new RequestError(
      "question_too_long",
      `The question has ${text.length} characters; at most ${maxCharacters} are allowed. Shorten it to what you want to know.`,
      { characters: text.length, limit: maxCharacters },
    );
  }
  const at = text.search(FORBIDDEN);
  if (at >= 0 || !text.isWellFormed()) {
    const code = at >= 0 ? `U+${(text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, "0")} at ${at}` : "a broken character";
    throw new RequestError(
      "question_control_characters",
      `The question holds a control or invisible character (${code}): remove it and ask again.`,
    );
  }
  const resolved = request.selection === null ? resolveFollowUp(text, history).text : text;
  return { ...rest, text, resolved, history, injectionSignals: injectionSignals(text) };
}
