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

/** A model that writes. Every implementation runs the contract suite in `src/testing`. */
export interface ChatModel {
  readonly id: string;
  /**
   * Streams the answer to one prompt.
   * @throws ModelError when the endpoint cannot be reached after retries, returns an error, or the stream is cut
   */
  stream(prompt: ChatPrompt, options: { readonly temperature: number; readonly signal: AbortSignal }): AsyncGenerator<ChatEvent, void>;
}
