import pRetry from "p-retry";
import { messageOf } from "../../shared/errors.ts";

export interface EndpointOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Milliseconds until the first byte, and between two parts of a stream. */
  readonly timeoutMs: number;
  /** Retries after timeouts, broken connections, invalid replies, 408, 409, 429 and 5xx. */
  readonly retries: number;
  /** Maximum tokens of a reply of a model that writes, reasoning included. Absent: the endpoint's limit. */
  readonly replyTokens?: number;
  /** Milliseconds before the first retry; doubles each time. @default 500 */
  readonly backoffMs?: number;
}

/** Milliseconds before the first retry: long enough for a busy server, short enough for a waiting user. */
export const DEFAULT_BACKOFF_MS = 500;
/** Maximum characters quoted from an endpoint's message. */
const MESSAGE_CHARACTERS = 200;

/** A failed call. Its message is safe to show: it never contains the key, and only the beginning of an HTML page. */
export class CallFailure extends Error {
  readonly retryable: boolean;
  readonly retryAfterMs: number;

  constructor(message: string, { retryable = true, retryAfterMs = 0 }: { retryable?: boolean; retryAfterMs?: number } = {}) {
    super(message);
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Repeats a call until it succeeds or the retries are used up. A `retry-after` above the timeout ends it, because a user waits. */
export function withRetries<T>(call: () => Promise<T>, options: EndpointOptions, signal: AbortSignal | undefined): Promise<T> {
  return pRetry(
    async () => {
      try {
        return await call();
      } catch (cause) {
        signal?.throwIfAborted();
        throw toFailure(cause, options.apiKey);
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
          await pause(error.retryAfterMs, signal);
      },
    },
  );
}

/** Converts a thrown value to a `CallFailure`. Errors inside a stream are data from the endpoint, not `Error` objects. */
export function toFailure(cause: unknown, apiKey: string): CallFailure {
  if (cause instanceof CallFailure) return cause;
  const { message } = typeof cause === "object" && cause !== null ? (cause as { message?: unknown }) : {};
  return new CallFailure(shownText(typeof message === "string" ? message : messageOf(cause), apiKey, MESSAGE_CHARACTERS));
}

export function httpFailure({ status, headers }: Response, message: string, apiKey: string): CallFailure {
  return new CallFailure(`HTTP ${status}: ${shownText(message, apiKey, MESSAGE_CHARACTERS)}`, {
    retryable: status >= 500 || [408, 409, 429].includes(status),
    retryAfterMs: retryAfter(headers.get("retry-after") ?? ""),
  });
}

/** Returns the milliseconds of a `retry-after` header in seconds or as a date; 0 without one. */
function retryAfter(value: string): number {
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** Returns an endpoint's text on one line, shortened, without the key and without control or invisible characters. */
export function shownText(text: string, apiKey: string, characters: number): string {
  const told = apiKey === "" ? text : text.replaceAll(apiKey, "[key]");
  return told
    .replaceAll(/[\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, characters);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Aborts a stalled sender. The clock runs only while the consumer waits for data. */
interface Watchdog {
  readonly signal: AbortSignal;
  /** Starts waiting for the sender. */
  start(): void;
  /** Stops waiting, because data arrived. */
  stop(): void;
}

/**
 * @param silenceMs maximum of a single wait
 * @param totalMs maximum of all waits together
 */
export function createWatchdog(silenceMs: number, totalMs: number): Watchdog {
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

/** A signal with a time limit. */
interface Deadline {
  readonly signal: AbortSignal;
  /** Whether the time ran out, rather than the given signal aborting. */
  expired(): boolean;
  /** Stops the timer; call it when the limited work has ended. */
  clear(): void;
}

/** Starts a deadline. Holds its timer, because `AbortSignal.any` with `AbortSignal.timeout` may be collected before it fires (Node 20). */
export function startDeadline(signal: AbortSignal, timeoutMs: number): Deadline {
  const controller = new AbortController();
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    controller.abort(new Error(`the time limit of ${timeoutMs} ms is over`));
  }, timeoutMs);
  const stop = () => controller.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return {
    signal: controller.signal,
    expired: () => expired && !signal.aborted,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    },
  };
}
