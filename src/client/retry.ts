import pRetry from "p-retry";
import { ApiError, ClientError, RetryExhaustedError, TimeoutError } from "./errors.ts";

/** Further tries after one that failed. */
export const DEFAULT_RETRIES = 2;
/** Milliseconds before the second try; doubled for each further one, and up to twice as long by chance, so that many clients do not come back at once. */
export const DEFAULT_BACKOFF_MS = 300;
/** Longest wait in milliseconds that a server may ask for: whoever has to wait longer is told so at once. */
export const MAX_WAIT_MS = 30_000;

/** Statuses that pass by themselves: too early, too many, or something between here and the server that is down for a moment. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

export interface RetryOptions {
  /** @default 2 */
  readonly retries: number;
  /** @default 300 */
  readonly backoffMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs `attempt` again after what passes by itself, no sooner than the server asks for.
 * @throws RetryExhaustedError after the last of several tries; whatever else `attempt` throws as it is
 */
export async function withRetries<T>(attempt: () => Promise<T>, { retries, backoffMs, signal }: RetryOptions): Promise<T> {
  let tried = 0;
  const counted = () => {
    tried++;
    return attempt();
  };
  try {
    return await pRetry(counted, {
      ...{ retries, minTimeout: backoffMs, maxTimeout: MAX_WAIT_MS, factor: 2, randomize: true },
      ...(signal === undefined ? {} : { signal }),
      shouldRetry: ({ error }) => passes(error),
      onFailedAttempt: async ({ error, retriesLeft, retryDelay }) => {
        if (retriesLeft > 0 && passes(error)) await sleep(msAsked(error) - retryDelay, signal);
      },
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (tried > 1 && error instanceof ClientError && passes(error)) throw new RetryExhaustedError(error, tried);
    throw error;
  }
}

function passes(error: Error): boolean {
  if (!(error instanceof ClientError) || msAsked(error) > MAX_WAIT_MS) return false;
  if (error instanceof ApiError) return PASSING.has(error.status ?? 0) || error.code === "idempotency_in_progress";
  return error instanceof TimeoutError || error.code === "unreachable";
}

/** What the server said with `Retry-After`; 0: nothing. */
function msAsked(error: Error): number {
  if (!(error instanceof ClientError)) return 0;
  const { retry_after_s: seconds } = error.data;
  return typeof seconds === "number" ? seconds * 1000 : 0;
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", leave);
      resolve();
    }, ms);
    signal?.addEventListener("abort", leave, { once: true });
  });
}
