import { TimeoutError } from "./errors.ts";

/** A signal that ends work that takes too long, or that the caller ends. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** The caller's. */
  readonly outer: AbortSignal | undefined;
  /** What failed work is told as: the reason with which the caller ended it, that its time ran out, or what it failed with. */
  reasonOr(failure: () => unknown): unknown;
  /** Something came: the time begins anew. */
  touch(): void;
  end(): void;
}

/** @param ms time without a `touch`; 0: as long as it takes */
export function createDeadline(ms: number, outer: AbortSignal | undefined): Deadline {
  const abort = new AbortController();
  const leave = () => abort.abort(outer?.reason);
  if (outer?.aborted === true) leave();
  outer?.addEventListener("abort", leave, { once: true });
  const late = new TimeoutError("timeout", "The server said nothing for too long: ask again, or allow more time with timeoutMs.");
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
