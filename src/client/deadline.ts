/** A signal that ends work that takes too long, or that the caller ends. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Has the time run out? */
  readonly expired: boolean;
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
  let expired = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const touch = () => {
    clearTimeout(timer);
    if (ms === 0) return;
    timer = setTimeout(() => {
      expired = true;
      abort.abort();
    }, ms);
  };
  touch();
  return {
    signal: abort.signal,
    get expired() {
      return expired;
    },
    touch,
    end() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", leave);
    },
  };
}
