import { messageOf, SourceboundError } from "../shared/errors.ts";
import type { ChatModel } from "./chat.ts";
import type { Encoder } from "./encoder.ts";

/** The statistics of one call to a model or an encoder, without text. */
export interface WatchedCall {
  readonly kind: "chat" | "embeddings";
  readonly model: string;
  readonly ms: number;
  /** Error code; `null`: the call succeeded, or the consumer stopped early. */
  readonly failure: string | null;
}

export type CallListener = (call: WatchedCall) => void;

/** Creates the listeners for calls. */
export function createCallWatch() {
  const listeners = new Set<CallListener>();
  return {
    tell: (call: WatchedCall) => {
      for (const listener of listeners) listener(call);
    },
    /** @returns a function that stops the notifications */
    watch: (listener: CallListener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Wraps a model so that each call is reported. */
export function watchModel(model: ChatModel, tell: CallListener): ChatModel {
  return {
    id: model.id,
    async *stream(prompt, options) {
      const finish = begin("chat", model.id, tell);
      let failure: string | null = null;
      try {
        yield* model.stream(prompt, options);
      } catch (error) {
        failure = codeOf(error);
        throw error;
      } finally {
        finish(failure);
      }
    },
  };
}

/** Wraps an encoder so that each call is reported. */
export function watchEncoder(encoder: Encoder, tell: CallListener): Encoder {
  const { id, model, batch } = encoder;
  return {
    id,
    ...(model === undefined ? {} : { model }),
    ...(batch === undefined ? {} : { batch }),
    async embed(texts, options) {
      const finish = begin("embeddings", model ?? id, tell);
      let failure: string | null = null;
      try {
        return await encoder.embed(texts, options);
      } catch (error) {
        failure = codeOf(error);
        throw error;
      } finally {
        finish(failure);
      }
    },
  };
}

function begin(kind: WatchedCall["kind"], model: string, tell: CallListener) {
  const from = performance.now();
  return (failure: string | null) => tell({ kind, model, ms: performance.now() - from, failure });
}

/** Returns an error code. An endpoint's message is not safe to report, because it may repeat the request. */
function codeOf(error: unknown): string {
  if (error instanceof SourceboundError) return error.code;
  return messageOf(error).includes("abort") ? "aborted" : "unexpected";
}
