import { ApiError, ClientError, RetryExhaustedError, TimeoutError } from "./errors.ts";

/** Default number of retries after a failed attempt. */
export const DEFAULT_RETRIES = 2;
/** Milliseconds before the first retry; doubles each time, with random jitter of up to 100 %, so that clients do not retry in step. */
export const DEFAULT_BACKOFF_MS = 300;
/** Maximum wait in milliseconds that a server may request; a longer one fails at once. */
const MAX_WAIT_MS = 30_000;

/** Statuses of transient failures: too early, too many requests, or a temporary outage between client and server. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

export interface RetryOptions {
  /** @default 2 */
  readonly retries: number;
  /** @default 300 */
  readonly backoffMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Retries `attempt` after transient failures, but not before the time that the server requests.
 * @throws RetryExhaustedError after several attempts; other errors of `attempt` unchanged
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

/** Returns the wait that `Retry-After` requests, in milliseconds; 0 without a request. */
function msAsked({ data: { retry_after_s: seconds } }: ClientError): number {
  return typeof seconds === "number" ? seconds * 1000 : 0;
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const pause = createDeadline(Math.max(1, ms), signal);
  await new Promise((resolve) => pause.signal.addEventListener("abort", resolve, { once: true }));
  pause.end();
  signal?.throwIfAborted();
}

/** A signal that aborts after a timeout or when the caller aborts. */
export type Deadline = ReturnType<typeof createDeadline>;

/** @param ms time without a `touch`; 0: unlimited */
export function createDeadline(ms: number, outer: AbortSignal | undefined) {
  const abort = new AbortController();
  const leave = () => abort.abort(outer?.reason);
  if (outer?.aborted === true) leave();
  outer?.addEventListener("abort", leave, { once: true });
  const late = new TimeoutError("timeout", "The server did not respond in time. Ask again, or allow more time with timeoutMs.");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const touch = () => {
    clearTimeout(timer);
    if (ms > 0) timer = setTimeout(() => abort.abort(late), ms);
  };
  touch();
  return {
    signal: abort.signal,
    /** The caller's signal. */
    outer,
    /** Restarts the timeout after received data. */
    touch,
    /** Returns the error to throw: the abort reason, the timeout, or the failure itself. */
    reasonOr: (failure: () => unknown): unknown => (abort.signal.aborted ? abort.signal.reason : failure()),
    end() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", leave);
    },
  };
}
