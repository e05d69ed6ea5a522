import pRetry from "p-retry";
import { messageOf } from "../../shared/errors.ts";

export interface EndpointOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Until the first byte, and between two pieces of a stream. */
  readonly timeoutMs: number;
  /** Tries after the first: on timeouts, broken connections, answers that make no sense, 408, 409, 429 and 5xx. */
  readonly retries: number;
  /** Tokens of one reply of a model that writes at most; its thoughts count. Absent: as many as the endpoint gives. */
  readonly replyTokens?: number;
  /** Pause before the second try; doubles every time. @default 500 */
  readonly backoffMs?: number;
}

/** Pause before the second try, in milliseconds: long enough for a busy server, short enough for a reader who waits. */
export const DEFAULT_BACKOFF_MS = 500;
/** Characters of an endpoint's own message that are passed on. */
const MESSAGE_CHARACTERS = 200;

/** One failed call, in words that may be shown: never the key, of a page of HTML no more than how it begins. */
export class CallFailure extends Error {
  readonly retryable: boolean;
  readonly retryAfterMs: number;

  constructor(message: string, { retryable = true, retryAfterMs = 0 }: { retryable?: boolean; retryAfterMs?: number } = {}) {
    super(message);
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Makes a call until it succeeds or the tries are used up; a `retry-after` that is longer than the timeout ends it, for a reader waits. */
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

/** Whatever a call threw, as a `CallFailure`; an error that came inside a stream is data of the endpoint, not an `Error`. */
export function toFailure(cause: unknown, apiKey: string): CallFailure {
  if (cause instanceof CallFailure) return cause;
  const { message } = typeof cause === "object" && cause !== null ? (cause as { message?: unknown }) : {};
  return new CallFailure(shownText(typeof message === "string" ? message : messageOf(cause), apiKey, MESSAGE_CHARACTERS));
}

/** The failure of an endpoint that says itself that it failed. */
export function httpFailure({ status, headers }: Response, message: string, apiKey: string): CallFailure {
  return new CallFailure(`HTTP ${status}: ${shownText(message, apiKey, MESSAGE_CHARACTERS)}`, {
    retryable: status >= 500 || [408, 409, 429].includes(status),
    retryAfterMs: retryAfter(headers.get("retry-after") ?? ""),
  });
}

/** Milliseconds that the endpoint asks to wait, given in seconds or as a date; 0 when it says nothing. */
function retryAfter(value: string): number {
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** Text of an endpoint on one line, without the key and without characters that steer a terminal or hide, cut to so many. */
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

/** Aborts what takes too long. Its clock stands still while the reader, not the sender, is at work. */
interface Watchdog {
  readonly signal: AbortSignal;
  /** Starts waiting for the sender. */
  start(): void;
  /** The sender sent; stops waiting. */
  stop(): void;
}

/**
 * @param silenceMs waits longer than this abort
 * @param totalMs waits that add up to more than this abort
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
      const said = left < silenceMs ? `no end within ${totalMs} ms` : `no answer within ${silenceMs} ms`;
      timer = setTimeout(() => controller.abort(new Error(said)), ms);
    },
    stop() {
      clearTimeout(timer);
      left = Math.max(0, left - (performance.now() - begun));
    },
  };
}

/** A signal that also aborts when its time is up. */
interface Deadline {
  readonly signal: AbortSignal;
  /** Did the time run out, rather than the signal that was given abort? */
  expired(): boolean;
  /** Ends the timer; call it when what it limits has ended. */
  clear(): void;
}

/** `AbortSignal.any` with `AbortSignal.timeout` may be collected before it fires (Node 20); this one holds its timer. */
export function startDeadline(signal: AbortSignal, timeoutMs: number): Deadline {
  const controller = new AbortController();
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    controller.abort(new Error(`${timeoutMs} ms are over`));
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
