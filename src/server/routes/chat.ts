import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import { RequestError, SourceboundError } from "../../errors.ts";
import type { AnswerEvent } from "../../events.ts";
import type { Answer, AnswerSentence, Citation, Turn } from "../../types.ts";
import { type ChatRequest, type ChatUsage, chatRequestSchema, textOf } from "../../wire/chat.ts";
import { answerToWire } from "../../wire/index.ts";
import { readableText } from "../../write/render.ts";
import { callerOf, narrow } from "../access/caller.ts";
import { describeFailure } from "../error-response.ts";
import { goneResponse } from "../gone.ts";
import type { Handlers } from "../mount.ts";
import { bodyOf, partOf } from "../read-request.ts";
import { encodeData, streamFrames } from "../sse.ts";
import { type AskRouteOptions, readUntilAdmitted } from "./ask.ts";
import { listReachable, type RoomsEngine } from "./rooms.ts";

/** Characters of one earlier message that are kept: it helps to understand a question and is no source. */
const TURN_CHARACTERS = 4_000;

/** OpenAI's API over the same path of a question: a domain is a model. */
export function chatHandlers(options: AskRouteOptions, rooms: RoomsEngine, now: () => Date = () => new Date()): Handlers {
  const begun = seconds(now());
  const models = async (context: Context) =>
    (await listReachable(rooms, callerOf(context), null)).domains.map(({ name }) => ({
      ...{ id: name, object: "model", created: begun, owned_by: "sourcebound" },
    }));
  return {
    chat: (context) => chat(context, options, now),
    models: async (context) => context.json({ object: "list", data: await models(context) }),
    model: async (context) => {
      const found = (await models(context)).find(({ id }) => id === partOf(context, "name"));
      if (found === undefined) throw new RequestError("unknown_model", "There is no such model: GET /v1/models lists them.");
      return context.json(found);
    },
  };
}

async function chat(context: Context, options: AskRouteOptions, now: () => Date): Promise<Response> {
  const request = await bodyOf(context, chatRequestSchema);
  const { question, turns } = conversationOf(request.messages);
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, context.req.raw.signal]);
  const scope = narrow(callerOf(context), { domain: request.model, tenant: request.tenant });
  const asked = { question, detail: "normal" as const, profile: request.profile, user_id: request.user ?? undefined };
  const events = options.engine.ask(asked, { signal, scope, turns });
  const head = { id: `chatcmpl-${randomUUID()}`, created: seconds(now()), model: request.model };
  if (request.stream !== true) {
    try {
      return context.json(await completion(head, events));
    } catch (error) {
      if (signal.aborted) return goneResponse();
      throw error;
    }
  }
  const held = await readUntilAdmitted(events).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (held === null) return goneResponse();
  const frames = chunks({ head, held, rest: events, withUsage: request.stream_options?.include_usage === true, signal, log: options.log });
  context.header("Content-Type", "text/event-stream; charset=utf-8");
  context.header("Cache-Control", "no-cache, no-transform");
  context.header("X-Accel-Buffering", "no");
  return context.body(streamFrames(frames, { heartbeatMs: options.limits.heartbeatMs, onCancel: () => abort.abort() }));
}

/** The last message of the user, and what was said before it as pairs. @throws RequestError `question_missing` */
function conversationOf(messages: ChatRequest["messages"]): { question: string; turns: Turn[] } {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const asked = messages[last];
  if (asked === undefined) throw new RequestError("question_missing", 'No message has the role "user": the last one is the question.');
  const turns: { question: string; answer: string }[] = [];
  for (const message of messages.slice(0, last)) {
    const text = textOf(message).slice(0, TURN_CHARACTERS);
    const open = turns.at(-1);
    if (message.role === "user") turns.push({ question: text, answer: "" });
    else if (message.role === "assistant" && open !== undefined) open.answer = open.answer === "" ? text : `${open.answer}\n${text}`;
  }
  return { question: textOf(asked), turns };
}

interface Head {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

async function completion(head: Head, events: AsyncIterable<AnswerEvent>) {
  const pieces: string[] = [];
  for await (const piece of piecesOf(events)) {
    if (typeof piece === "string") pieces.push(piece);
    else {
      const message = { role: "assistant", content: pieces.join(""), refusal: null };
      const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
      return { ...head, object: "chat.completion", choices, usage: usageOf(piece), sourcebound: answerToWire(piece) };
    }
  }
  throw new Error("the engine ended without an answer");
}

interface Streamed {
  readonly head: Head;
  readonly held: readonly AnswerEvent[];
  readonly rest: AsyncGenerator<AnswerEvent, void>;
  readonly withUsage: boolean;
  readonly signal: AbortSignal;
  readonly log: AskRouteOptions["log"];
}

async function* chunks({ head, held, rest, withUsage, signal, log }: Streamed): AsyncGenerator<string, void> {
  const frame = (delta: Record<string, unknown>, finish: "stop" | null, more: Record<string, unknown> = {}) =>
    encodeData({
      ...{ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] },
      ...(withUsage ? { usage: null } : {}),
      ...more,
    });
  try {
    yield frame({ role: "assistant", content: "" }, null);
    for await (const piece of piecesOf(chain(held, rest))) {
      if (typeof piece === "string") yield frame({ content: piece }, null);
      else {
        yield frame({}, "stop", { sourcebound: answerToWire(piece) });
        if (withUsage) yield encodeData({ ...head, object: "chat.completion.chunk", choices: [], usage: usageOf(piece) });
        yield "data: [DONE]\n\n";
        return;
      }
    }
    if (!signal.aborted) throw new Error("the engine ended without an answer");
  } catch (error) {
    if (signal.aborted && !(error instanceof SourceboundError)) return;
    yield encodeData({ error: { ...describeFailure(error, log).body.error, type: "server_error" } });
  } finally {
    await rest.return();
  }
}

async function* chain(held: readonly AnswerEvent[], rest: AsyncIterable<AnswerEvent>): AsyncGenerator<AnswerEvent, void> {
  yield* held;
  yield* rest;
}

/** The answer as text, piece by piece as it is made, then the answer itself: warnings, sentences with `[n]`, a refusal, the sources that are cited. */
async function* piecesOf(events: AsyncIterable<AnswerEvent>): AsyncGenerator<string | Answer, void> {
  let begun = false;
  const piece = (text: string, between: string) => {
    const whole = begun ? `${between}${text}` : text;
    begun = true;
    return whole;
  };
  const said = new Set<string>();
  const cited: Citation[] = [];
  let before: AnswerSentence | undefined;
  for await (const event of events) {
    if (event.type === "warning") {
      const { message, sentence } = event.warning;
      said.add(message);
      yield sentence === undefined ? piece(message, "\n\n") : piece(`(Not sure: ${message})`, "\n");
    } else if (event.type === "sentence") {
      const { sentence, citations, index } = event;
      cited.push(...citations);
      yield piece(
        `${readableText(sentence, cited, before)}${sentence.citations.map((n) => ` [${n}]`).join("")}`,
        index === 0 ? "\n\n" : "\n",
      );
      before = sentence;
    } else if (event.type === "answer") {
      for (const { message } of event.answer.warnings) if (!said.has(message)) yield piece(message, "\n\n");
      if (event.answer.refusal !== null) yield piece(event.answer.refusal.message, "\n\n");
      const sources = event.answer.citations.map(
        ({ n, title, url, quote }) => `[${n}] ${title}${url === null ? "" : `, ${url}`}: “${quote}”`,
      );
      if (sources.length > 0) yield piece(`Sources:\n${sources.join("\n")}`, "\n\n");
      yield event.answer;
      return;
    }
  }
}

function usageOf({ calls }: Answer): ChatUsage {
  const sum = (of: (call: Answer["calls"][number]) => number | null) => calls.reduce((total, call) => total + (of(call) ?? 0), 0);
  const prompt_tokens = sum(({ inputTokens }) => inputTokens);
  const completion_tokens = sum(({ outputTokens }) => outputTokens);
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
