import { z } from "zod";
import { ModelError, messageOf } from "../../errors.ts";
import type { ChatEvent, ChatModel, ChatPrompt } from "../chat.ts";
import { type Encoder, normalizeVector } from "../encoder.ts";
import { CallFailure, type EndpointOptions, toFailure, withRetries } from "./call.ts";
import { createReplyHead } from "./reply-head.ts";
import { createWatchdog } from "./watchdog.ts";

export type { EndpointOptions } from "./call.ts";

/** A whole answer may take this many timeouts: a stream that only drips is as good as none. */
const TIMEOUTS_PER_ANSWER = 10;
/** Texts in one request (OpenAI's limit). */
const TEXTS_PER_REQUEST = 2048;
/** Tokens of all texts in one request, with room below OpenAI's limit of 300,000. */
const TOKENS_PER_REQUEST = 250_000;
/** Bytes of UTF-8 per token, taken low so that no request is too large: English has about 4, Chinese 3. */
const BYTES_PER_TOKEN = 2;
/** Dimensions of models that are known by name; a proxy that gives others is refused. */
const KNOWN_DIMENSIONS: Readonly<Record<string, number>> = { "text-embedding-3-small": 1536, "text-embedding-3-large": 3072 };

/**
 * A chat model behind any OpenAI-compatible endpoint. The AI SDK is loaded on first use: answers from quotes never pay for it.
 * Tries again as long as nothing of the answer was passed on.
 */
export function createChatModel(name: string, options: EndpointOptions): ChatModel {
  const limit: TokenLimit = { field: "max_tokens" };
  return {
    id: name,
    async *stream(prompt, { temperature, signal }) {
      signal.throwIfAborted();
      let received = false;
      let events: AsyncGenerator<ChatEvent, void> | null = null;
      try {
        const opened = await withRetries(() => openStream({ name, prompt, temperature, limit }, options, signal), options, signal);
        events = opened.events;
        received = true;
        yield opened.first;
        yield* events;
      } catch (cause) {
        signal.throwIfAborted();
        const failure = toFailure(cause, options.apiKey);
        const message = `Model "${name}" at ${hostOf(options.baseUrl)} failed: ${failure.message}`;
        throw new ModelError(received ? "model_cut" : "model_failed", message, { model: name }, { cause: failure });
      } finally {
        await events?.return();
      }
    },
  };
}

/** How an endpoint calls the most tokens of a reply: models that think refuse the older name. */
interface TokenLimit {
  field: "max_tokens" | "max_completion_tokens";
}

interface ChatCall {
  readonly name: string;
  readonly prompt: ChatPrompt;
  readonly temperature: number;
  readonly limit: TokenLimit;
}

/** A stream whose first piece of text has come. An endpoint that refuses the name of the limit is asked once more by the other, and so from then on. */
async function openStream(call: ChatCall, options: EndpointOptions, signal: AbortSignal) {
  const { limit } = call;
  try {
    return await firstOf(readStream(call, options, signal));
  } catch (cause) {
    const refused =
      limit.field === "max_tokens" && options.replyTokens !== undefined && toFailure(cause, "").message.includes("max_tokens");
    if (!refused) throw cause;
    limit.field = "max_completion_tokens";
    return await firstOf(readStream(call, options, signal));
  }
}

async function firstOf(events: AsyncGenerator<ChatEvent, void>) {
  const { done, value } = await events.next();
  if (done || value.type === "end") throw new CallFailure("the answer was empty");
  return { first: value, events };
}

async function* readStream(
  { name, prompt: { system, user }, temperature, limit }: ChatCall,
  { baseUrl, apiKey, timeoutMs, replyTokens }: EndpointOptions,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void> {
  const { extractReasoningMiddleware, streamText, wrapLanguageModel } = await import("ai");
  const reply = createReplyHead(apiKey, "model.base_url");
  const provider = await openProvider(baseUrl, apiKey, reply.fetch, (body) =>
    replyTokens === undefined ? body : { ...body, [limit.field]: replyTokens },
  );
  const watchdog = createWatchdog(timeoutMs, timeoutMs * TIMEOUTS_PER_ANSWER);
  const left = new AbortController();
  const { fullStream } = streamText({
    model: wrapLanguageModel({ model: provider(name), middleware: extractReasoningMiddleware({ tagName: "think" }) }),
    system,
    prompt: user,
    temperature,
    maxRetries: 0,
    abortSignal: AbortSignal.any([signal, watchdog.signal, left.signal]),
    onError: () => undefined,
  });
  try {
    watchdog.start();
    for await (const part of fullStream) {
      watchdog.stop();
      if (part.type === "text-delta" && part.text !== "") yield { type: "text", text: part.text };
      else if (part.type === "error") throw part.error;
      else if (part.type === "abort") throw new CallFailure(messageOf(watchdog.signal.reason));
      else if (part.type === "finish") {
        if (part.finishReason !== "stop") throw new CallFailure(notWhole(part.finishReason, replyTokens));
        yield { type: "end", inputTokens: part.totalUsage.inputTokens ?? null, outputTokens: part.totalUsage.outputTokens ?? null };
        return;
      }
      watchdog.start();
    }
    throw new CallFailure("the stream ended before the answer did");
  } catch (cause) {
    if (watchdog.signal.aborted) throw new CallFailure(messageOf(watchdog.signal.reason));
    throw (reply.isNoStream() ? reply.describe("a stream of events") : null) ?? cause;
  } finally {
    watchdog.stop();
    left.abort();
  }
}

function notWhole(reason: string, replyTokens: number | undefined): string {
  const limited = reason === "length" && replyTokens !== undefined;
  return `the answer is not whole (${reason}${limited ? ` after at most ${replyTokens} tokens: model.reply_tokens` : ""})`;
}

/** Vectors from any OpenAI-compatible endpoint; scaled to length 1. */
export function createApiEncoder(name: string, options: EndpointOptions): Encoder {
  const { baseUrl, apiKey } = options;
  let dimensions = KNOWN_DIMENSIONS[name] ?? 0;
  return {
    model: name,
    id: `${hostOf(baseUrl)}${new URL(baseUrl).pathname.replace(/\/+$/, "")}/${name}`,
    async embed(texts, { signal, onUsage } = {}) {
      signal?.throwIfAborted();
      const vectors: Float32Array[] = [];
      try {
        for (const part of batchTexts(texts)) {
          const made = await withRetries(() => requestVectors(name, part, options, signal), options, signal);
          vectors.push(...made.vectors);
          onUsage?.(made.tokens);
        }
        if (vectors.length === 0) return [];
        assertVectors(vectors, texts.length);
        if (dimensions === 0) dimensions = vectors[0]?.length ?? 0;
        if (vectors[0]?.length !== dimensions)
          throw new CallFailure(`vectors of ${vectors[0]?.length} dimensions came back; ${dimensions} were expected`);
        return vectors;
      } catch (cause) {
        signal?.throwIfAborted();
        const failure = toFailure(cause, apiKey);
        const message = `Encoder "${name}" at ${hostOf(baseUrl)} failed: ${failure.message}`;
        throw new ModelError("encoder_failed", message, { model: name }, { cause: failure });
      }
    },
  };
}

/** Texts in order, cut into requests that stay below the limits of count and tokens; a text that is too long goes alone. */
export function batchTexts(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let tokens = 0;
  for (const text of texts) {
    const more = Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
    const last = batches.at(-1);
    if (last === undefined || last.length === TEXTS_PER_REQUEST || tokens + more > TOKENS_PER_REQUEST) {
      batches.push([text]);
      tokens = more;
    } else {
      last.push(text);
      tokens += more;
    }
  }
  return batches;
}

async function requestVectors(
  name: string,
  texts: readonly string[],
  { baseUrl, apiKey, timeoutMs }: EndpointOptions,
  signal: AbortSignal | undefined,
): Promise<{ vectors: Float32Array[]; tokens: number | null }> {
  const { embedMany } = await import("ai");
  const reply = createReplyHead(apiKey, "embeddings.base_url");
  const provider = await openProvider(baseUrl, apiKey, reply.fetch);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const { embeddings, responses, usage } = await embedMany({
      model: provider.embeddingModel(name),
      values: texts.map((text) => (text.trim() === "" ? " " : text)),
      maxRetries: 0,
      abortSignal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const vectors = inOrder(embeddings, responses?.[0]?.body).map((values) => normalizeVector(Float32Array.from(values)));
    assertVectors(vectors, texts.length);
    return { vectors, tokens: Number.isFinite(usage.tokens) ? usage.tokens : null };
  } catch (cause) {
    if (timeout.aborted) throw new CallFailure(`no answer within ${timeoutMs} ms`);
    throw cause instanceof CallFailure ? cause : (reply.describe("JSON with vectors") ?? cause);
  }
}

const indexedSchema = z.object({ data: z.array(z.object({ index: z.int().min(0) })) });

/** Vectors in the order of the texts: an endpoint may answer in another and say so by `index`, which the SDK passes over. */
function inOrder(embeddings: readonly number[][], body: unknown): readonly number[][] {
  const parsed = indexedSchema.safeParse(body);
  if (!parsed.success || parsed.data.data.length !== embeddings.length) return embeddings;
  const places = parsed.data.data.map(({ index }) => index);
  if (new Set(places).size !== places.length || Math.max(...places) >= places.length) return embeddings;
  const ordered: number[][] = [];
  places.forEach((place, i) => {
    ordered[place] = embeddings[i] as number[];
  });
  return ordered;
}

function assertVectors(vectors: readonly Float32Array[], expected: number): void {
  if (vectors.length !== expected) throw new CallFailure(`${vectors.length} vectors came back for ${expected} texts`);
  const dimensions = vectors[0]?.length ?? 0;
  if (vectors.some((vector) => vector.length === 0 || vector.length !== dimensions || !vector.every(Number.isFinite))) {
    throw new CallFailure("vectors of different dimension or with values that are not finite came back");
  }
}

type Body = Record<string, unknown>;

async function openProvider(
  baseURL: string,
  apiKey: string,
  fetchReply: typeof fetch,
  transformRequestBody: (body: Body) => Body = (body) => body,
) {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({
    name: "endpoint",
    baseURL,
    includeUsage: true,
    transformRequestBody,
    fetch: fetchReply,
    ...(apiKey === "" ? {} : { apiKey }),
  });
}

function hostOf(url: string): string {
  return new URL(url).host;
}
