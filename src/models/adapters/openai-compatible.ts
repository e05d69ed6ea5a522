import { z } from "zod";
import { ModelError, messageOf } from "../../shared/errors.ts";
import type { ChatEvent, ChatModel, ChatOptions, ChatPrompt } from "../chat.ts";
import { type Encoder, normalizeVector } from "../encoder.ts";
import { parseJson } from "../read-json.ts";
import { CallFailure, createWatchdog, type EndpointOptions, toFailure, withRetries } from "./call.ts";
import { createThoughtFilter, isEventStream, postJson, readEvents, unexpectedReply } from "./endpoint.ts";

export type { EndpointOptions } from "./call.ts";

/** Maximum duration of a whole reply, as a multiple of the timeout. It limits slow streams. */
const TIMEOUTS_PER_ANSWER = 10;
/** Maximum number of texts per request in OpenAI's API. */
const TEXTS_PER_REQUEST = 2048;
/** Maximum estimated tokens per request, below OpenAI's limit of 300,000. */
const TOKENS_PER_REQUEST = 250_000;
/** Assumed bytes per token. The true values are higher (English about 4, Chinese 3), so no request exceeds the limit. */
const BYTES_PER_TOKEN = 2;
/** Dimensions of the vectors of known models. Other vectors, e.g. from a misconfigured proxy, are rejected. */
const KNOWN_DIMENSIONS: Readonly<Record<string, number>> = { "text-embedding-3-small": 1536, "text-embedding-3-large": 3072 };

/** Statuses with which endpoints reject an unknown parameter. */
const UNKNOWN_PARAMETER = new Set([400, 415, 422, 501]);

/**
 * Creates a chat model for an OpenAI-compatible endpoint. A failed call is retried if no text has arrived. The first calls
 * detect whether the endpoint supports JSON schemas, and which parameter limits the tokens.
 */
export function createChatModel(name: string, endpoint: EndpointOptions): ChatModel {
  const { replyTokens } = endpoint;
  /** Name of the parameter that limits tokens. Reasoning models reject `max_tokens`. */
  let limitName: "max_tokens" | "max_completion_tokens" = "max_tokens";
  let takesForms = true;
  const ask = ({ system, user }: ChatPrompt, { temperature, signal, form }: ChatOptions) => {
    const messages = Object.entries({ system, user }).map(([role, content]) => ({ role, content }));
    const limit = replyTokens === undefined ? {} : { [limitName]: replyTokens };
    const format = form === undefined ? {} : { response_format: { type: "json_schema", json_schema: { ...form, strict: true } } };
    const body = { model: name, messages, temperature, stream: true, stream_options: { include_usage: true }, ...limit, ...format };
    return firstOf(readStream(body, endpoint, signal));
  };
  /**
   * Opens a stream and waits for its first text. If the endpoint rejects `max_tokens`, sends `max_completion_tokens`
   * instead. If it rejects the JSON schema, leaves the schema out. Later calls do the same.
   */
  const open = async (prompt: ChatPrompt, options: ChatOptions): ReturnType<typeof ask> => {
    const asked = takesForms ? options : { ...options, form: undefined };
    try {
      return await ask(prompt, asked);
    } catch (cause) {
      const { status, message } = toFailure(cause, "");
      if (limitName === "max_tokens" && replyTokens !== undefined && message.includes("max_tokens")) {
        limitName = "max_completion_tokens";
        return open(prompt, asked);
      }
      if (asked.form === undefined || status === null || !UNKNOWN_PARAMETER.has(status)) throw cause;
      const opened = await open(prompt, { ...asked, form: undefined });
      takesForms = false;
      return opened;
    }
  };
  return {
    id: name,
    async *stream(prompt, options) {
      const { signal } = options;
      signal.throwIfAborted();
      let received = false;
      let events: AsyncGenerator<ChatEvent, void> | null = null;
      try {
        const opened = await withRetries(() => open(prompt, options), endpoint, signal);
        events = opened.events;
        received = true;
        yield opened.first;
        yield* events;
      } catch (cause) {
        signal.throwIfAborted();
        const failure = toFailure(cause, endpoint.apiKey);
        const message = `Model "${name}" at ${hostOf(endpoint.baseUrl)} failed: ${failure.message}`;
        throw new ModelError(received ? "model_cut" : "model_failed", message, { model: name }, { cause: failure });
      } finally {
        await events?.return();
      }
    },
  };
}

async function firstOf(events: AsyncGenerator<ChatEvent, void>) {
  const { done, value } = await events.next();
  if (done || value.type === "end") throw new CallFailure("the answer is empty");
  return { first: value, events };
}

const contentSchema = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.unknown() }))]);

const choiceSchema = z.object({
  delta: z.object({ content: contentSchema.nullish(), refusal: z.string().nullish() }).nullish(),
  finish_reason: z.string().nullish(),
});

const chunkSchema = z.object({
  error: z.unknown().optional(),
  choices: z.array(choiceSchema).default([]),
  usage: z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
});

async function* readStream(body: object, endpoint: EndpointOptions, signal: AbortSignal): AsyncGenerator<ChatEvent, void> {
  const { timeoutMs, replyTokens } = endpoint;
  const watchdog = createWatchdog(timeoutMs, timeoutMs * TIMEOUTS_PER_ANSWER);
  const thoughts = createThoughtFilter();
  let reason: string | null = null;
  let isRefused = false;
  let usage: z.infer<typeof chunkSchema>["usage"] = null;
  let head = "";
  let type = "";
  try {
    watchdog.start();
    const reply = await postJson("chat/completions", body, endpoint, AbortSignal.any([signal, watchdog.signal]));
    type = reply.headers.get("content-type") ?? "";
    watchdog.start();
    for await (const data of readEvents(reply, (text) => (head += text))) {
      watchdog.stop();
      if (data === "[DONE]") break;
      const { data: chunk } = chunkSchema.safeParse(parseJson(data));
      if (chunk === undefined) throw new CallFailure("a stream event has an unexpected format");
      if (chunk.error !== undefined && chunk.error !== null) throw chunk.error;
      usage = chunk.usage ?? usage;
      const [choice] = chunk.choices;
      reason = choice?.finish_reason ?? reason;
      const refusal = choice?.delta?.refusal ?? "";
      isRefused ||= refusal !== "";
      const text = thoughts.next(textOf(choice?.delta?.content) + refusal);
      if (text !== "") yield { type: "text", text };
      watchdog.start();
    }
    watchdog.stop();
    const rest = thoughts.end();
    if (rest !== "") yield { type: "text", text: rest };
    if (reason === null) throw new CallFailure("the stream ended before the answer was complete");
    if (reason !== "stop" || isRefused) throw new CallFailure(notWhole(isRefused ? "content_filter" : reason, replyTokens));
    const { prompt_tokens: input, completion_tokens: output } = usage ?? {};
    yield { type: "end", inputTokens: usage == null ? null : (input ?? 0), outputTokens: usage == null ? null : (output ?? 0) };
  } catch (cause) {
    if (watchdog.signal.aborted) throw new CallFailure(messageOf(watchdog.signal.reason));
    const isOther = head.trim() !== "" && !isEventStream(head);
    throw isOther ? unexpectedReply("a stream of events", { type, head }, endpoint.apiKey, "model.base_url") : cause;
  } finally {
    watchdog.stop();
  }
}

/** Returns the text of a message, without reasoning parts. */
function textOf(content: z.infer<typeof contentSchema> | null | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ type, text }) => (type === "text" && typeof text === "string" ? text : "")).join("");
}

function notWhole(reason: string, replyTokens: number | undefined): string {
  const limited = reason === "length" && replyTokens !== undefined;
  return `the answer is incomplete (${reason.replaceAll("_", "-")}${limited ? ` after at most ${replyTokens} tokens: raise model.reply_tokens` : ""})`;
}

/** Creates an encoder for an OpenAI-compatible endpoint. Vectors are scaled to length 1. */
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
        dimensions ||= vectors[0]?.length ?? 0;
        const other = vectors.find(({ length }) => length !== dimensions);
        if (other !== undefined) throw new CallFailure(`received vectors of ${other.length} dimensions, but expected ${dimensions}`);
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

/** Groups texts into requests within the limits of texts and tokens. A text above the token limit gets its own request. */
export function batchTexts(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let tokens = 0;
  for (const text of texts) {
    const more = Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
    const last = batches.at(-1);
    const isFull = last === undefined || last.length === TEXTS_PER_REQUEST || tokens + more > TOKENS_PER_REQUEST;
    if (isFull) batches.push([text]);
    else last.push(text);
    tokens = isFull ? more : tokens + more;
  }
  return batches;
}

const vectorsSchema = z.object({
  data: z.array(z.object({ embedding: z.array(z.number()), index: z.int().min(0).nullish().catch(null) })),
  usage: z.object({ prompt_tokens: z.number() }).nullish(),
});

async function requestVectors(name: string, texts: readonly string[], endpoint: EndpointOptions, signal: AbortSignal | undefined) {
  const timeout = AbortSignal.timeout(endpoint.timeoutMs);
  const body = { model: name, input: texts.map((text) => (text.trim() === "" ? " " : text)), encoding_format: "float" };
  try {
    const reply = await postJson("embeddings", body, endpoint, signal === undefined ? timeout : AbortSignal.any([signal, timeout]));
    const head = await reply.text();
    const parsed = vectorsSchema.safeParse(parseJson(head));
    if (!parsed.success) {
      const type = reply.headers.get("content-type") ?? "";
      throw unexpectedReply("JSON with vectors", { type, head }, endpoint.apiKey, "embeddings.base_url");
    }
    const { data, usage } = parsed.data;
    const vectors = inOrder(data).map(({ embedding }) => normalizeVector(Float32Array.from(embedding)));
    assertVectors(vectors, texts.length);
    return { vectors, tokens: usage?.prompt_tokens ?? null };
  } catch (cause) {
    if (timeout.aborted) throw new CallFailure(`no response within ${endpoint.timeoutMs} ms`);
    throw cause;
  }
}

/** Sorts vectors by `index`, because an endpoint may return them in another order. Without valid indexes, keeps the order. */
function inOrder<Entry extends { readonly index?: number | null | undefined }>(data: readonly Entry[]): readonly Entry[] {
  const places = data.flatMap(({ index }) => index ?? []);
  const isWhole = new Set(places).size === data.length && places.every((place) => place < data.length);
  return isWhole ? data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)) : data;
}

function assertVectors(vectors: readonly Float32Array[], expected: number): void {
  if (vectors.length !== expected) throw new CallFailure(`received ${vectors.length} vectors for ${expected} texts`);
  const dimensions = vectors[0]?.length ?? 0;
  if (vectors.some((vector) => vector.length === 0 || vector.length !== dimensions || !vector.every(Number.isFinite)))
    throw new CallFailure("received vectors of different dimensions or with values that are not finite");
}

function hostOf(url: string): string {
  return new URL(url).host;
}
