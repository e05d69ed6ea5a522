/** A signal that also aborts when its time is up. */
export interface Deadline {
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
