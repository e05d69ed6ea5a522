import type { ChatEvent, ChatModel, ChatPrompt } from "../models/chat.ts";
import { waitFor } from "./fake-ask-engine.ts";

/** A text to stream, a pause in milliseconds, or an error that ends the stream. */
export type ChatStep = string | number | Error;

export interface FakeChatOptions {
  readonly id?: string;
  /** Token counts in the last event of every stream. */
  readonly usage?: { readonly inputTokens: number | null; readonly outputTokens: number | null };
}

export interface ChatCall {
  readonly prompt: ChatPrompt;
  readonly temperature: number;
}

export interface FakeChatModel extends ChatModel {
  readonly calls: readonly ChatCall[];
  /** Number of open streams. */
  readonly open: number;
}

/**
 * Creates a model that runs one script per call. After the last script, every further call runs the last one again.
 * @example fakeChatModel([["Tinnitus is rated ", 5, "at 10 percent [1]."], [new Error("down")]])
 */
export function fakeChatModel(scripts: readonly (readonly ChatStep[])[], options: FakeChatOptions = {}): FakeChatModel {
  const { id = "fake-model", usage = { inputTokens: null, outputTokens: null } } = options;
  const calls: ChatCall[] = [];
  let open = 0;
  return {
    id,
    calls,
    get open() {
      return open;
    },
    async *stream(prompt, { temperature, signal }): AsyncGenerator<ChatEvent, void> {
      signal.throwIfAborted();
      const script = scripts[Math.min(calls.push({ prompt, temperature }), scripts.length) - 1] ?? [];
      open++;
      try {
        for (const step of script) {
          if (step instanceof Error) throw step;
          if (typeof step === "number") await waitFor(step, signal);
          else yield { type: "text", text: step };
          signal.throwIfAborted();
        }
        yield { type: "end", ...usage };
      } finally {
        open--;
      }
    },
  };
}
