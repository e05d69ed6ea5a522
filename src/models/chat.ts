import { ModelError } from "../shared/errors.ts";

export interface ChatPrompt {
  readonly system: string;
  readonly user: string;
}

export type ChatEvent =
  | { readonly type: "text"; readonly text: string }
  /** Last event of a stream that ends by itself. Counts are `null` if the endpoint did not report them. */
  | { readonly type: "end"; readonly inputTokens: number | null; readonly outputTokens: number | null };

/** Replaces every `{{name}}` once; braces in values stay unchanged. */
export function fillSlots(template: string, slots: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => slots[name] ?? whole);
}

/** Throws the reason of an abort, unless only the model's time limit ended (`limitModel`). */
export function throwIfLeft(signal: AbortSignal): void {
  if (!(signal.reason instanceof ModelError)) signal.throwIfAborted();
}

/** A JSON schema for a reply. */
export interface ReplyForm {
  /** Letters and underscores. */
  readonly name: string;
  /** An object schema that every OpenAI-compatible endpoint accepts: all properties required, no further ones. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ChatOptions {
  readonly temperature: number;
  readonly signal: AbortSignal;
  /** Requested form of the reply. A model that cannot keep to a form replies with text. */
  readonly form?: ReplyForm | undefined;
}

/** A model that writes. Every implementation runs the contract suite in `src/testing`. */
export interface ChatModel {
  readonly id: string;
  /**
   * Streams the answer to one prompt.
   * @throws ModelError when the endpoint cannot be reached after retries, returns an error, or the stream is cut
   */
  stream(prompt: ChatPrompt, options: ChatOptions): AsyncGenerator<ChatEvent, void>;
}
