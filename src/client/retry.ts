import { createDeadline } from "./deadline.ts";
import { ApiError, ClientError, RetryExhaustedError, TimeoutError } from "./errors.ts";

/** Further tries after one that failed. */
export const DEFAULT_RETRIES = 2;
/** Milliseconds before the second try; doubled for each further one, and up to twice as long by chance, so that many clients do not come back at once. */
export const DEFAULT_BACKOFF_MS = 300;
/** Longest wait in milliseconds that a server may ask for: whoever has to wait longer is told so at once. */
const MAX_WAIT_MS = 30_000;

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
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (!passes(error)) throw error;
      if (tried > retries) throw tried > 1 ? new RetryExhaustedError(error, tried) : error;
      const backoff = Math.min(MAX_WAIT_MS, backoffMs * 2 ** (tried - 1) * (1 + Math.random()));
      await sleep(Math.max(backoff, msAsked(error)), signal);
    }
  }
}

function passes(error: unknown): error is ClientError {
  if (!(error instanceof ClientError) || msAsked(error) > MAX_WAIT_MS) return false;
  if (error instanceof ApiError) return PASSING.has(error.status ?? 0) || error.code === "idempotency_in_progress";
  return error instanceof TimeoutError || error.code === "unreachable";
}

/** What the server said with `Retry-After`; 0: nothing. */
function msAsked({ data: { retry_after_s: seconds } }: ClientError): number {
  return typeof seconds === "number" ? seconds * 1000 : 0;
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const pause = createDeadline(Math.max(1, ms), signal);
  await new Promise((resolve) => pause.signal.addEventListener("abort", resolve, { once: true }));
  pause.end();
  signal?.throwIfAborted();
}
