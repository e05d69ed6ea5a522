import { ModelError } from "../shared/errors.ts";

export interface ChatPrompt {
  readonly system: string;
  readonly user: string;
}

export type ChatEvent =
  | { readonly type: "text"; readonly text: string }
  /** Last event of a stream that was not cut. A count is `null` if the endpoint did not report it. */
  | { readonly type: "end"; readonly inputTokens: number | null; readonly outputTokens: number | null };

/** Replaces every `{{name}}` in the template. Does not replace `{{name}}` inside inserted values. */
export function fillSlots(template: string, slots: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => slots[name] ?? whole);
}

/** Throws the abort reason if the caller cancelled. Does not throw if only the model's time limit expired (`limitModel`). */
export function throwIfLeft(signal: AbortSignal): void {
  if (!(signal.reason instanceof ModelError)) signal.throwIfAborted();
}

/** The structure of a reply, as a JSON schema. */
export interface ReplyForm {
  /** Name of the schema: letters and underscores. */
  readonly name: string;
  /** Schema of an object that every OpenAI-compatible endpoint accepts: all properties are required, no others are allowed. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ChatOptions {
  readonly temperature: number;
  readonly signal: AbortSignal;
  /** Requested structure of the reply. A model without structured output ignores it and replies with text. */
  readonly form?: ReplyForm | undefined;
}

/** A chat model. Every implementation runs the contract suite in `src/testing`. */
export interface ChatModel {
  readonly id: string;
  /**
   * Streams the answer to one prompt.
   * @throws ModelError when the endpoint cannot be reached after retries, returns an error, or the stream is cut
   */
  stream(prompt: ChatPrompt, options: ChatOptions): AsyncGenerator<ChatEvent, void>;
}
