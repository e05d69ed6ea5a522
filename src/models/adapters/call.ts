import { setTimeout as sleep } from "node:timers/promises";
import pRetry from "p-retry";
import { ModelError, messageOf } from "../../shared/errors.ts";

export interface EndpointOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Maximum milliseconds until the first byte, and between two parts of a stream. */
  readonly timeoutMs: number;
  /** Maximum retries. Timeouts, broken connections, invalid replies and the statuses 408, 409, 429 and 5xx are retried. */
  readonly retries: number;
  /** Maximum tokens of a chat model's reply, including its reasoning. Absent: the endpoint's limit. */
  readonly replyTokens?: number;
  /** Milliseconds before the first retry; doubled before each further retry. @default 500 */
  readonly backoffMs?: number;
}

/** Default milliseconds before the first retry: long enough for a busy server, short enough for a waiting user. */
export const DEFAULT_BACKOFF_MS = 500;
/** Maximum characters quoted from an endpoint's message. */
const MESSAGE_CHARACTERS = 200;

/** A failed call. Its message is safe to show: it never contains the API key, and quotes only the beginning of a reply. */
export class CallFailure extends Error {
  readonly retryable: boolean;
  readonly retryAfterMs: number;
  /** HTTP status of the failure; `null`: the failure has another cause. */
  readonly status: number | null;

  constructor(message: string, { retryable = true, retryAfterMs = 0, status = null }: Partial<Omit<CallFailure, keyof Error>> = {}) {
    super(message);
    this.status = status;
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Repeats a call until it succeeds or the retries are used up. Does not retry after a `ModelError`, or if the `retry-after`
 * of the endpoint exceeds the timeout, because a user is waiting.
 */
export function withRetries<T>(call: () => Promise<T>, options: EndpointOptions, signal: AbortSignal | undefined): Promise<T> {
  return pRetry(
    async () => {
      try {
        return await call();
      } catch (cause) {
        signal?.throwIfAborted();
        throw cause instanceof ModelError ? cause : toFailure(cause, options.apiKey);
      }
    },
    {
      retries: options.retries,
      minTimeout: options.backoffMs ?? DEFAULT_BACKOFF_MS,
      factor: 2,
      ...(signal === undefined ? {} : { signal }),
      shouldRetry: ({ error }) => error instanceof CallFailure && error.retryable && error.retryAfterMs <= options.timeoutMs,
      onFailedAttempt: async ({ error, retriesLeft }) => {
        if (error instanceof CallFailure && error.retryAfterMs <= options.timeoutMs && retriesLeft > 0)
          await sleep(error.retryAfterMs, undefined, { signal });
      },
    },
  );
}

/** Converts a thrown value to a `CallFailure`. An error inside a stream is thrown as the endpoint's data, not as an `Error`. */
export function toFailure(cause: unknown, apiKey: string): CallFailure {
  if (cause instanceof CallFailure) return cause;
  const { message } = typeof cause === "object" && cause !== null ? (cause as { message?: unknown }) : {};
  return new CallFailure(shownText(typeof message === "string" ? message : messageOf(cause), apiKey, MESSAGE_CHARACTERS));
}

/** Creates the failure for an HTTP status. @param advice what to do; absent: chosen by the status */
export function httpFailure({ status, headers }: Response, message: string, apiKey: string, advice?: string): CallFailure {
  const wait = headers.get("retry-after") ?? "";
  const waits = wait === "" ? "" : ` (retry after: ${shownText(wait, apiKey, 40)})`;
  const summary = `HTTP ${status}: ${shownText(message, apiKey, MESSAGE_CHARACTERS)}${waits}`;
  const hint = advice ?? (status === 401 || status === 403 ? "Check the API key" : "");
  const retryable = status >= 500 || [408, 409, 429].includes(status);
  const text = hint === "" ? summary : `${summary.replace(/\.$/, "")}. ${hint}`;
  return new CallFailure(text, { status, retryable, retryAfterMs: retryAfter(wait) });
}

/** Converts a `retry-after` header, in seconds or as a date, to milliseconds from now. Returns 0 if it is empty or invalid. */
function retryAfter(value: string): number {
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** Returns an endpoint's text on one line, cut to `characters`, without the API key and without control or invisible characters. */
export function shownText(text: string, apiKey: string, characters: number): string {
  const redacted = apiKey === "" ? text : text.replaceAll(apiKey, "[key]");
  return redacted
    .replaceAll(/[\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, characters);
}

/**
 * Creates a signal that aborts when a sender is silent for too long. Call `start` when the receiver begins to wait for
 * data, and `stop` when data arrive. Only the time between them counts.
 * @param silenceMs maximum duration of one wait
 * @param totalMs maximum duration of all waits together
 */
export function createWatchdog(silenceMs: number, totalMs: number) {
  const controller = new AbortController();
  let left = totalMs;
  let begun = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: controller.signal,
    start() {
      clearTimeout(timer);
      begun = performance.now();
      const ms = Math.min(silenceMs, left);
      const said = left < silenceMs ? `no complete response within ${totalMs} ms` : `no response within ${silenceMs} ms`;
      timer = setTimeout(() => controller.abort(new Error(said)), ms);
    },
    stop() {
      clearTimeout(timer);
      left = Math.max(0, left - (performance.now() - begun));
    },
  };
}

/**
 * Starts a time limit. `expired` returns whether the time ran out while `signal` was not aborted. The result keeps a
 * reference to the timeout signal, which could otherwise be garbage-collected before it fires.
 */
export function startDeadline(signal: AbortSignal, timeoutMs: number) {
  const timeout = AbortSignal.timeout(timeoutMs);
  return { signal: AbortSignal.any([signal, timeout]), expired: () => timeout.aborted && !signal.aborted };
}
