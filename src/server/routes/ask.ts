import type { Context } from "hono";
import { SourceboundError } from "../../shared/errors.ts";
import { type AnswerEvent, answerIn } from "../../shared/events.ts";
import * as wire from "../../wire/index.ts";
import type { Line } from "../../writing/lines.ts";
import { nextLine } from "../../writing/render.ts";
import { narrow } from "../access/caller.ts";
import { endpoint, type Services } from "../endpoint.ts";
import { describeFailure, goneResponse } from "../error-response.ts";
import { LEAVES_NO_TRACE } from "../idempotency.ts";
import { decodeUtf8, JSON_LINES_TYPES } from "../read-request.ts";

export const askEndpoints = {
  ask: endpoint({
    ...{ method: "POST", path: "/v1/ask", opens: "ask", idempotent: true, ephemeral: true },
    what: "Answers a question; with `accept: text/event-stream` as Server-Sent Events.",
    body: { schema: wire.askRequestSchema },
    gives: { status: 200, schema: wire.askResponseSchema, events: true },
    handle: ({ context, caller, body, signal: gone }, services) => {
      const { engine, sessions, write } = services;
      const { question, session_id: session, user_id: userId = null } = body;
      sessions.assertOpen(caller, session);
      if (body.privacy === "ephemeral") context.set(LEAVES_NO_TRACE, true);
      const options = {
        ...{ ...wire.askOptions(body), ...narrow(caller, body), userId },
        // A session that was just created has no turns, so none need to be loaded.
        ...(session === undefined ? { sessionId: sessions.issue(), turns: [] } : { sessionId: session }),
      };
      const ask = (signal: AbortSignal) => engine.ask(question, { ...options, signal });
      if (wantsEvents(context.req.header("accept")))
        return streamAnswer(
          { context, ask, encode: encodeEvents(question), encodeError: (error) => encodeEvent("error", error) },
          services,
        );
      return answeredOrGone(gone, async () => context.body(write(await answerIn(ask(gone))), 200, { "content-type": "application/json" }));
    },
  }),
};

function wantsEvents(accept: string | undefined): boolean {
  return accept?.split(",").some((type) => type.split(";", 1)[0]?.trim().toLowerCase() === "text/event-stream") ?? false;
}

function encodeEvents(question: string): StreamedAnswer["encode"] {
  return async function* (events) {
    let isAnswered = false;
    let line: Line | undefined;
    for await (const event of events) {
      if (event.type === "sentence") line = nextLine(question, event.sentence, event.citations, line);
      const { event: name, data } = event.type === "sentence" ? wire.sentenceToWire(event, line) : wire.eventToWire(event);
      yield encodeEvent(name, data);
      isAnswered ||= event.type === "answer";
    }
    return isAnswered;
  };
}

/** Runs the work. Errors after the client has disconnected are ignored. */
export async function answeredOrGone(signal: AbortSignal, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) return goneResponse();
    throw error;
  }
}

interface StreamedAnswer {
  readonly context: Context;
  /** Asks the question. @param signal aborted when the client disconnects */
  readonly ask: (signal: AbortSignal) => AsyncGenerator<AnswerEvent, void>;
  /** Encodes events as frames. Returns whether the events included an answer. */
  readonly encode: (events: AsyncIterable<AnswerEvent>) => AsyncGenerator<string, boolean>;
  readonly encodeError: (error: object) => string;
}

/**
 * Streams an answer. The response starts only after the first event other than `admit-start`. A question that is
 * rejected before that event gets an HTTP error status. If a warning with a hotline was sent before the rejection, the
 * response has already started. The rejection is then an event of the stream.
 */
export function streamAnswer(
  { context, ask, encode, encodeError }: StreamedAnswer,
  { log, limits }: Pick<Services, "log" | "limits">,
): Promise<Response> {
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, context.req.raw.signal]);
  return answeredOrGone(signal, async () => {
    const events = ask(signal);
    const held = await readUntilAdmitted(events);
    const frames = (async function* () {
      try {
        const isAnswered = yield* encode(chain(held, events));
        if (!isAnswered && !signal.aborted) throw new Error("the engine ended without an answer");
      } catch (error) {
        if (!signal.aborted || error instanceof SourceboundError) yield encodeError(describeFailure(error, log).body.error);
      }
    })();
    context.header("Content-Type", "text/event-stream; charset=utf-8");
    context.header("Cache-Control", "no-cache, no-transform");
    context.header("X-Accel-Buffering", "no");
    return context.body(streamFrames(frames, { heartbeatMs: limits.heartbeatMs, onCancel: () => abort.abort() }));
  });
}

async function readUntilAdmitted(events: AsyncGenerator<AnswerEvent, void>): Promise<readonly AnswerEvent[]> {
  const held: AnswerEvent[] = [];
  for (;;) {
    const next = await events.next();
    if (next.done) return held;
    held.push(next.value);
    if (next.value.type !== "admit-start") return held;
  }
}

/** Yields `held`, then `rest`. Closes `rest` even if the client disconnects while `held` is sent. */
async function* chain<T>(held: readonly T[], rest: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    yield* held;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/**
 * Encodes a Server-Sent Event (https://html.spec.whatwg.org/multipage/server-sent-events.html). U+0085, U+2028 and U+2029 are escaped,
 * because some parsers split lines at them.
 */
export function encodeEvent(event: string, data: unknown): string {
  const json = JSON.stringify(data).replace(/[\u0085\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `event: ${event}\ndata: ${json}\n\n`;
}

/** Encodes an event without a name, as in OpenAI's API. */
export function encodeData(data: unknown): string {
  return encodeEvent("message", data).replace(/^event: message\n/, "");
}

/** A Server-Sent Events comment: it keeps the connection open without being an event. */
const HEARTBEAT_FRAME = ": heartbeat\n\n";

interface FrameStreamOptions {
  /** Text that keeps the connection open. @default a comment of an event stream */
  readonly heartbeat?: string;
  /** Milliseconds between heartbeats. */
  readonly heartbeatMs: number;
  /** Called once when the client disconnects before the end. */
  readonly onCancel: () => void;
}

/** Returns frames as a byte stream with regular heartbeats. The next frame is read only when the client can take it. */
function streamFrames(
  frames: AsyncGenerator<string, void>,
  { heartbeat: beat = HEARTBEAT_FRAME, heartbeatMs, onCancel }: FrameStreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let heartbeat: NodeJS.Timeout | undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // Send no heartbeats to a stalled client, because they would accumulate.
      heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(beat));
      }, heartbeatMs);
      heartbeat.unref();
    },
    async pull(controller) {
      const next = await frames.next();
      if (!next.done) {
        controller.enqueue(encoder.encode(next.value));
        return;
      }
      clearInterval(heartbeat);
      controller.close();
    },
    cancel() {
      clearInterval(heartbeat);
      onCancel();
      // End a paused generator, so that its `finally` blocks run. The client is gone, so ignore errors.
      frames.return().catch(() => {});
    },
  });
}

export const batchEndpoints = {
  batch: endpoint({
    ...{ method: "POST", path: "/v1/batch", opens: "ask" },
    what: "Answers many questions: JSON Lines in and out, each result as soon as it is known, in any order. If the connection breaks, send the questions without a result again.",
    body: { schema: wire.batchLineSchema, long: true, lines: true },
    gives: { status: 200, schema: wire.batchResultSchema, lines: true },
    handle: async ({ context, caller, signal: gone }, services) => {
      const { engine, guard, limits } = services;
      const { parallel, questions: most } = engine.config.batch;
      const questions = wire.readBatch(decodeUtf8(new Uint8Array(await context.req.arrayBuffer())), most);
      for (const question of questions) narrow(caller, question);
      const abort = new AbortController();
      const signal = AbortSignal.any([abort.signal, gone]);
      const ask = async (question: wire.BatchQuestion) => {
        // The request itself already counted as the first question.
        if (question !== questions[0]) await guard.admitAsker(context);
        return engine.answer(question.question, { ...wire.askOptions(question), ...narrow(caller, question), signal });
      };
      const outcomes = wire.askBatch(questions, ask, { parallel, signal });
      context.header("Content-Type", JSON_LINES_TYPES[0]);
      context.header("Cache-Control", "no-cache, no-transform");
      const lines = linesOf(outcomes, questions.length, services);
      return context.body(streamFrames(lines, { heartbeat: "\n", heartbeatMs: limits.heartbeatMs, onCancel: () => abort.abort() }));
    },
  }),
};

async function* linesOf(
  outcomes: ReturnType<typeof wire.askBatch>,
  total: number,
  { write, log }: Pick<Services, "write" | "log">,
): AsyncGenerator<string, void> {
  let done = 0;
  for await (const outcome of outcomes) {
    done++;
    const head = JSON.stringify({ id: outcome.id, done, total }).slice(0, -1);
    const result =
      "answer" in outcome
        ? `"answer":${write(outcome.answer)}`
        : `"error":${JSON.stringify(describeFailure(outcome.error, log).body.error)}`;
    yield `${head},${result}}\n`;
  }
}
