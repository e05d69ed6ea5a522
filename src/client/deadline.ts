import { TimeoutError } from "./errors.ts";

/** A signal that aborts on a timeout or when the caller aborts. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** The caller's signal. */
  readonly outer: AbortSignal | undefined;
  /** Returns the error to throw: the abort reason, the timeout, or the failure itself. */
  reasonOr(failure: () => unknown): unknown;
  /** Restarts the timeout after received data. */
  touch(): void;
  end(): void;
}

/** @param ms time without a `touch`; 0: unlimited */
export function createDeadline(ms: number, outer: AbortSignal | undefined): Deadline {
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
    ...{ signal: abort.signal, outer, touch },
    reasonOr: (failure) => (abort.signal.aborted ? abort.signal.reason : failure()),
    end() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", leave);
    },
  };
}
