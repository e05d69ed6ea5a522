import { messageOf, SourceboundError } from "../shared/errors.ts";
import type { ChatModel } from "./chat.ts";
import type { Encoder } from "./encoder.ts";

/** The statistics of one call to a model or an encoder, without text. */
export interface WatchedCall {
  readonly kind: "chat" | "embeddings";
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly begunAt: number;
  readonly ms: number;
  /** `null`: not counted. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
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
      let counted = { inputTokens: null as number | null, outputTokens: null as number | null };
      let failure: string | null = null;
      try {
        for await (const event of model.stream(prompt, options)) {
          if (event.type === "end") counted = { inputTokens: event.inputTokens, outputTokens: event.outputTokens };
          yield event;
        }
      } catch (error) {
        failure = codeOf(error);
        throw error;
      } finally {
        finish({ ...counted, failure });
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
    async embed(texts, options = {}) {
      const finish = begin("embeddings", model ?? id, tell);
      let inputTokens: number | null = null;
      let failure: string | null = null;
      const onUsage = (tokens: number | null) => {
        inputTokens = tokens === null ? inputTokens : (inputTokens ?? 0) + tokens;
        options.onUsage?.(tokens);
      };
      try {
        return await encoder.embed(texts, { ...options, onUsage });
      } catch (error) {
        failure = codeOf(error);
        throw error;
      } finally {
        finish({ inputTokens, outputTokens: null, failure });
      }
    },
  };
}

function begin(kind: WatchedCall["kind"], model: string, tell: CallListener) {
  const begunAt = Date.now();
  const from = performance.now();
  return (went: Pick<WatchedCall, "inputTokens" | "outputTokens" | "failure">) =>
    tell({ kind, model, begunAt, ms: performance.now() - from, ...went });
}

/** Returns an error code. An endpoint's message is not safe to report, because it may repeat the request. */
function codeOf(error: unknown): string {
  if (error instanceof SourceboundError) return error.code;
  return messageOf(error).includes("abort") ? "aborted" : "unexpected";
}
