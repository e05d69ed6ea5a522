export interface ChatPrompt {
  readonly system: string;
  readonly user: string;
}

export type ChatEvent =
  | { readonly type: "text"; readonly text: string }
  /** Always last of a stream that ended by itself. Token counts are `null` when the endpoint did not say. */
  | { readonly type: "end"; readonly inputTokens: number | null; readonly outputTokens: number | null };

/** A model that writes. Every implementation runs the same contract suite (`src/testing`). */
export interface ChatModel {
  readonly id: string;
  /**
   * Streams the answer to one prompt.
   * @throws ModelError when it cannot be reached after retries, answers with an error, or the stream is cut
   */
  stream(prompt: ChatPrompt, options: { readonly temperature: number; readonly signal: AbortSignal }): AsyncGenerator<ChatEvent, void>;
}
