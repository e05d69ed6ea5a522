import type { Context } from "hono";
import { SourceboundError, withWarnings } from "../../errors.ts";
import type { AnswerEvent } from "../../events.ts";
import type { Answer } from "../../types.ts";
import { eventToWire } from "../../wire/index.ts";
import { callerOf, narrow } from "../access/caller.ts";
import type { SessionIds } from "../access/session-ids.ts";
import type { AskEngine, ParsedAskRequest } from "../ask-engine.ts";
import { describeFailure } from "../error-response.ts";
import { goneResponse } from "../gone.ts";
import { LEAVES_NO_TRACE } from "../idempotency.ts";
import type { ServerLimits } from "../limits.ts";
import type { ServerLog } from "../log.ts";
import { readAskRequest } from "../read-ask-request.ts";
import { encodeEvent, streamFrames } from "../sse.ts";

export interface AskRouteOptions {
  readonly engine: AskEngine;
  readonly log: ServerLog;
  readonly limits: ServerLimits;
  readonly sessions: SessionIds;
  /** Writes answers as JSON. */
  readonly write: (answer: Answer) => string;
}

/** `POST /v1/ask`: one JSON answer, or Server-Sent Events when `Accept` names them. */
export async function ask(context: Context, options: AskRouteOptions): Promise<Response> {
  const request = await readRequest(new Uint8Array(await context.req.arrayBuffer()), options.engine);
  const streams = wantsEvents(context.req.header("accept"));
  const abort = new AbortController();
  const gone = context.req.raw.signal;
  const signal = streams ? AbortSignal.any([abort.signal, gone]) : gone;
  const caller = callerOf(context);
  options.sessions.assertOpen(caller, request.session_id);
  if (request.privacy === "ephemeral") context.set(LEAVES_NO_TRACE, true);
  const scope = narrow(caller, request);
  const events = options.engine.ask(request, { signal, scope });
  if (streams) return streamAnswer(context, events, signal, abort, options);
  try {
    const answer = await lastAnswer(events);
    return context.body(options.write(answer), 200, { "content-type": "application/json" });
  } catch (error) {
    if (signal.aborted) return goneResponse();
    throw error;
  }
}

/** An emergency is seen in a body that is no request, too. */
async function readRequest(body: Uint8Array, engine: AskEngine): Promise<ParsedAskRequest> {
  try {
    return readAskRequest(body);
  } catch (error) {
    throw withWarnings(error, await engine.hotlines(withoutEscapes(new TextDecoder().decode(body))));
  }
}

/** JSON as people would read it, however broken: many programs write every letter that is not ASCII as an escape. */
export function withoutEscapes(json: string): string {
  return json
    .replaceAll(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/\\[bfnrt]/g, " ")
    .replaceAll(/\\(["\\/])/g, "$1");
}

function wantsEvents(accept: string | undefined): boolean {
  return accept?.split(",").some((type) => type.split(";", 1)[0]?.trim().toLowerCase() === "text/event-stream") ?? false;
}

async function lastAnswer(events: AsyncIterable<AnswerEvent>) {
  for await (const event of events) {
    if (event.type === "answer") return event.answer;
  }
  throw new Error("the engine ended without an answer");
}

async function streamAnswer(
  context: Context,
  events: AsyncGenerator<AnswerEvent, void>,
  signal: AbortSignal,
  abort: AbortController,
  options: AskRouteOptions,
): Promise<Response> {
  const admitted = await readUntilAdmitted(events).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (admitted === null) return goneResponse();
  const frames = encodeAnswer(admitted, events, signal, options.log);
  context.header("Content-Type", "text/event-stream; charset=utf-8");
  context.header("Cache-Control", "no-cache, no-transform");
  context.header("X-Accel-Buffering", "no");
  return context.body(streamFrames(frames, { heartbeatMs: options.limits.heartbeatMs, onCancel: () => abort.abort() }));
}

/**
 * Holds the stream back until the question is admitted, so that a request that is refused at the door gets its HTTP status instead of
 * a stream that begins with an error.
 */
export async function readUntilAdmitted(events: AsyncGenerator<AnswerEvent, void>): Promise<readonly AnswerEvent[]> {
  const held: AnswerEvent[] = [];
  for (;;) {
    const next = await events.next();
    if (next.done) return held;
    held.push(next.value);
    if (next.value.type !== "admit-start") return held;
  }
}

async function* encodeAnswer(
  held: readonly AnswerEvent[],
  rest: AsyncGenerator<AnswerEvent, void>,
  signal: AbortSignal,
  log: ServerLog,
): AsyncGenerator<string, void> {
  let answered = false;
  try {
    for await (const event of chain(held, rest)) {
      const { event: name, data } = eventToWire(event);
      yield encodeEvent(name, data);
      answered ||= event.type === "answer";
    }
    if (!answered && !signal.aborted) throw new Error("the engine ended without an answer");
  } catch (error) {
    if (signal.aborted && !(error instanceof SourceboundError)) return;
    yield encodeEvent("error", describeFailure(error, log).body.error);
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
