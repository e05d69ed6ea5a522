import { ModelError, messageOf } from "../../errors.ts";
import type { ChatEvent, ChatModel } from "../chat.ts";
import { type Encoder, normalizeVector } from "../encoder.ts";

export interface EndpointOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Until the first byte, and between two pieces of a stream. */
  readonly timeoutMs: number;
  /** Tries after the first; on 408, 409, 429 and 5xx, with exponential backoff that honours `retry-after`. */
  readonly retries: number;
}

/** A chat model behind any OpenAI-compatible endpoint. The AI SDK is loaded on first use: answers from quotes never pay for it. */
export function createChatModel(name: string, { baseUrl, apiKey, timeoutMs, retries }: EndpointOptions): ChatModel {
  return {
    id: name,
    async *stream({ system, user }, { temperature, signal }) {
      const { streamText } = await import("ai");
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const provider = createOpenAICompatible({
        name: "endpoint",
        baseURL: baseUrl,
        includeUsage: true,
        ...(apiKey === "" ? {} : { apiKey }),
      });
      const watchdog = createWatchdog(timeoutMs);
      try {
        const { fullStream } = streamText({
          model: provider(name),
          system,
          prompt: user,
          temperature,
          maxRetries: retries,
          abortSignal: AbortSignal.any([signal, watchdog.signal]),
          onError: () => undefined,
        });
        let ended: ChatEvent | null = null;
        for await (const part of fullStream) {
          watchdog.feed();
          if (part.type === "text-delta") yield { type: "text", text: part.text };
          else if (part.type === "error") throw part.error;
          else if (part.type === "abort") throw new Error(`no answer within ${timeoutMs} ms`);
          else if (part.type === "finish") {
            if (part.finishReason === "other" || part.finishReason === "error") throw new Error("the stream ended before the answer did");
            ended = { type: "end", inputTokens: part.totalUsage.inputTokens ?? null, outputTokens: part.totalUsage.outputTokens ?? null };
          }
        }
        if (ended === null) throw new Error("the stream ended before the answer did");
        yield ended;
      } catch (cause) {
        signal.throwIfAborted();
        const why = watchdog.signal.aborted ? `no answer within ${timeoutMs} ms` : describe(cause);
        throw new ModelError("model_failed", `Model "${name}" at ${hostOf(baseUrl)} failed: ${why}`, { model: name }, { cause });
      } finally {
        watchdog.stop();
      }
    },
  };
}

/** Vectors from any OpenAI-compatible endpoint; scaled to length 1. */
export function createApiEncoder(name: string, { baseUrl, apiKey, timeoutMs, retries }: EndpointOptions): Encoder {
  return {
    id: `${hostOf(baseUrl)}/${name}`,
    async embed(texts, { signal } = {}) {
      if (texts.length === 0) return [];
      const { embedMany } = await import("ai");
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const provider = createOpenAICompatible({ name: "endpoint", baseURL: baseUrl, ...(apiKey === "" ? {} : { apiKey }) });
      const timeout = AbortSignal.timeout(timeoutMs * (retries + 1));
      try {
        const { embeddings } = await embedMany({
          model: provider.textEmbeddingModel(name),
          values: texts.map((text) => (text.trim() === "" ? " " : text)),
          maxRetries: retries,
          abortSignal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        });
        const vectors = embeddings.map((values) => normalizeVector(Float32Array.from(values)));
        assertVectors(vectors, texts.length);
        return vectors;
      } catch (cause) {
        signal?.throwIfAborted();
        const why = timeout.aborted ? `no answer within ${timeoutMs * (retries + 1)} ms` : describe(cause);
        throw new ModelError("encoder_failed", `Encoder "${name}" at ${hostOf(baseUrl)} failed: ${why}`, { model: name }, { cause });
      }
    },
  };
}

/** Aborts when it is not fed for `ms` milliseconds. */
function createWatchdog(ms: number): { signal: AbortSignal; feed(): void; stop(): void } {
  const controller = new AbortController();
  const bite = () => controller.abort(new Error(`no answer within ${ms} ms`));
  let timer = setTimeout(bite, ms);
  return {
    signal: controller.signal,
    feed() {
      clearTimeout(timer);
      timer = setTimeout(bite, ms);
    },
    stop: () => clearTimeout(timer),
  };
}

function assertVectors(vectors: readonly Float32Array[], expected: number): void {
  if (vectors.length !== expected) throw new Error(`${vectors.length} vectors came back for ${expected} texts`);
  const dimensions = vectors[0]?.length ?? 0;
  if (dimensions === 0 || vectors.some((vector) => vector.length !== dimensions || !vector.every(Number.isFinite))) {
    throw new Error("vectors of different dimension or with values that are not finite came back");
  }
}

/** The innermost message that says something: the SDK wraps the last failure of its retries. */
function describe(cause: unknown): string {
  if (typeof cause === "object" && cause !== null && "lastError" in cause) return describe(cause.lastError);
  const status = typeof cause === "object" && cause !== null && "statusCode" in cause ? `HTTP ${String(cause.statusCode)}: ` : "";
  return `${status}${messageOf(cause)}`;
}

function hostOf(url: string): string {
  return new URL(url).host;
}
