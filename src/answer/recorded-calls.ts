import { ModelError } from "../errors.ts";
import type { ChatEvent, ChatModel, ChatPrompt } from "../models/chat.ts";
import { sha256Hex } from "../text/hash.ts";

/** Models that write; `null`: quotes alone answer. */
export type Models = { readonly small: ChatModel; readonly large: ChatModel } | null;

/** One call of a model, as it went. */
export interface RecordedCall {
  readonly model: string;
  /** SHA-256 (hex) of the prompt. */
  readonly prompt: string;
  /** The prompt itself; absent: recorded before it was kept. */
  readonly sent?: ChatPrompt;
  readonly text: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** What it failed with behind the text; `null`: it ended by itself, or was not listened to any longer. */
  readonly failure: { readonly code: string; readonly message: string } | null;
}

/** The same models, every call of which is written down. */
export function recordModels(models: Models, calls: RecordedCall[]): Models {
  return models === null ? null : { small: recordModel(models.small, calls), large: recordModel(models.large, calls) };
}

function recordModel(model: ChatModel, calls: RecordedCall[]): ChatModel {
  return {
    id: model.id,
    async *stream(prompt, options) {
      const at = calls.length;
      let call: RecordedCall = {
        ...{ model: model.id, prompt: hashOf(prompt), sent: prompt, text: "" },
        ...{ inputTokens: null, outputTokens: null, failure: null },
      };
      calls.push(call);
      const keep = (more: Partial<RecordedCall>) => {
        call = { ...call, ...more };
        calls[at] = call;
      };
      try {
        for await (const event of model.stream(prompt, options)) {
          if (event.type === "text") keep({ text: call.text + event.text });
          else keep({ inputTokens: event.inputTokens, outputTokens: event.outputTokens });
          yield event;
        }
      } catch (error) {
        if (error instanceof ModelError) keep({ failure: { code: error.code, message: error.message } });
        throw error;
      }
    },
  };
}

/** Models that say again what was recorded, each prompt once in its turn. A prompt that was not recorded fails: nothing is known of what it would get. */
export function playbackModels(
  named: { readonly small: string; readonly large: string } | null,
  calls: () => readonly RecordedCall[] | null,
): Models {
  if (named === null) return null;
  const used = new WeakSet<RecordedCall>();
  const play = (id: string): ChatModel => ({
    id,
    async *stream(prompt): AsyncGenerator<ChatEvent, void> {
      const wanted = hashOf(prompt);
      const call = calls()?.find((one) => one.prompt === wanted && one.model === id && !used.has(one));
      if (call === undefined) throw new ModelError("model_not_recorded", "What the model would say to this prompt is not recorded.");
      used.add(call);
      if (call.text !== "") yield { type: "text", text: call.text };
      if (call.failure !== null) throw new ModelError(call.failure.code, call.failure.message);
      yield { type: "end", inputTokens: call.inputTokens, outputTokens: call.outputTokens };
    },
  });
  return { small: play(named.small), large: play(named.large) };
}

function hashOf({ system, user }: ChatPrompt): string {
  return sha256Hex(JSON.stringify([system, user]));
}
