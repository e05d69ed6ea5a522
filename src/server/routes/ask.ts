import type { Context } from "hono";
import { SourceboundError } from "../../shared/errors.ts";
import type { AnswerEvent } from "../../shared/events.ts";
import { askRequestSchema, askResponseSchema, eventToWire } from "../../wire/index.ts";
import { narrow } from "../access/caller.ts";
import { endpoint, type Services } from "../endpoint.ts";
import { describeFailure, goneResponse } from "../error-response.ts";
import { LEAVES_NO_TRACE } from "../idempotency.ts";

export const askEndpoints = {
  ask: endpoint({
    ...{ method: "POST", path: "/v1/ask", opens: "ask", idempotent: true },
    what: "Answers a question; with `accept: text/event-stream` as Server-Sent Events.",
    body: { schema: askRequestSchema, hotlines: true },
    gives: { status: 200, schema: askResponseSchema, events: true },
    handle: async ({ context, caller, body, signal: gone }, services) => {
      const { engine, sessions, write } = services;
      const { question, session_id, user_id = null, selection, filters = null, ...asked } = body;
      const abort = new AbortController();
      const streams = wantsEvents(context.req.header("accept"));
      const signal = streams ? AbortSignal.any([abort.signal, gone]) : gone;
      sessions.assertOpen(caller, session_id);
      if (body.privacy === "ephemeral") context.set(LEAVES_NO_TRACE, true);
      const events = engine.ask(question, {
        ...asked,
        ...narrow(caller, body),
        // Of a session that begins here nothing has to be read.
        ...(session_id === undefined ? { sessionId: sessions.issue(), turns: [] } : { sessionId: session_id }),
        selection: selection === undefined ? null : { documentId: selection.document_id, start: selection.start, end: selection.end },
        ...{ filters, userId: user_id, signal },
      });
      if (streams) return streamAnswer({ context, events, signal, abort, encode: encodeEvents, encodeError: encodeErrorEvent }, services);
      return answeredOrGone(signal, async () => {
        for await (const event of events) {
          if (event.type === "answer") return context.body(write(event.answer), 200, { "content-type": "application/json" });
        }
        throw new Error(NO_ANSWER);
      });
    },
  }),
};

const NO_ANSWER = "the engine ended without an answer";

function wantsEvents(accept: string | undefined): boolean {
  return accept?.split(",").some((type) => type.split(";", 1)[0]?.trim().toLowerCase() === "text/event-stream") ?? false;
}

async function* encodeEvents(events: AsyncIterable<AnswerEvent>): AsyncGenerator<string, boolean> {
  let isAnswered = false;
  for await (const event of events) {
    const { event: name, data } = eventToWire(event);
    yield encodeEvent(name, data);
    isAnswered ||= event.type === "answer";
  }
  return isAnswered;
}

function encodeErrorEvent(error: object): string {
  return encodeEvent("error", error);
}

/** Does the work; what fails because the asker has left is nobody's failure. */
export async function answeredOrGone(signal: AbortSignal, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) return goneResponse();
    throw error;
  }
}

export interface StreamedAnswer {
  readonly context: Context;
  readonly events: AsyncGenerator<AnswerEvent, void>;
  readonly signal: AbortSignal;
  /** Aborted when the reader goes away. */
  readonly abort: AbortController;
  /** Frames of the events; returns whether an answer was among them. */
  readonly encode: (events: AsyncIterable<AnswerEvent>) => AsyncGenerator<string, boolean>;
  readonly encodeError: (error: object) => string;
}

/** An answer as a stream of frames. It is held back until the question is admitted, so that a request that is refused gets its HTTP status. */
export function streamAnswer(streamed: StreamedAnswer, { log, limits }: Pick<Services, "log" | "limits">): Promise<Response> {
  const { context, events, signal, abort } = streamed;
  return answeredOrGone(signal, async () => {
    const held = await readUntilAdmitted(events);
    const frames = framesOf(streamed, held, log);
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

async function* framesOf(
  { events, signal, encode, encodeError }: StreamedAnswer,
  held: readonly AnswerEvent[],
  log: Services["log"],
): AsyncGenerator<string, void> {
  try {
    const isAnswered = yield* encode(chain(held, events));
    if (!isAnswered && !signal.aborted) throw new Error(NO_ANSWER);
  } catch (error) {
    if (signal.aborted && !(error instanceof SourceboundError)) return;
    yield encodeError(describeFailure(error, log).body.error);
  }
}

/** Ends `rest` even when the reader goes away among the held events. */
async function* chain<T>(held: readonly T[], rest: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    yield* held;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/**
 * One Server-Sent Event (https://html.spec.whatwg.org/multipage/server-sent-events.html). JSON holds no raw line breaks; U+0085, U+2028
 * and U+2029 are escaped as well, because some parsers split lines at them.
 */
export function encodeEvent(event: string, data: unknown): string {
  const json = JSON.stringify(data).replace(/[\u0085\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `event: ${event}\ndata: ${json}\n\n`;
}

/** One event without a name, as OpenAI's API sends them. */
export function encodeData(data: unknown): string {
  return encodeEvent("message", data).replace(/^event: message\n/, "");
}

/** A comment: keeps the connection open and is no event. */
const HEARTBEAT_FRAME = ": heartbeat\n\n";

interface FrameStreamOptions {
  /** Milliseconds between heartbeats. */
  readonly heartbeatMs: number;
  /** Called once when the reader goes away before the end. */
  readonly onCancel: () => void;
}

/** Frames as a byte stream, with heartbeats while the source is silent. The source is read only as fast as the reader takes. */
function streamFrames(frames: AsyncGenerator<string, void>, { heartbeatMs, onCancel }: FrameStreamOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let heartbeat: NodeJS.Timeout | undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // A reader that takes nothing gets nothing more: heartbeats would pile up for as long as it stays.
      heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(HEARTBEAT_FRAME));
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
      // Runs the clean-up of a source that waits to be read; its outcome interests nobody any more.
      frames.return().catch(() => {});
    },
  });
}
