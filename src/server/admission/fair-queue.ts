import { RequestError } from "../../shared/errors.ts";

export interface FairQueueOptions {
  /** Maximum number of concurrent tasks. */
  readonly atOnce: number;
  /** Maximum number of waiting tasks in all lanes together. At most half of them may be in one lane. */
  readonly most: number;
  readonly timeoutMs: number;
}

/** A queue that serves lanes in turn, and each lane in order of arrival. */
export type FairQueue = ReturnType<typeof createFairQueue>;

/** Starts a waiting task. */
type Waiting = () => void;

/** Weight of a finished task in the running mean of durations. */
const MEAN_SHARE = 0.1;
/** Maximum `retry_after_s`, in seconds. */
const MAX_RETRY_S = 60;

export function createFairQueue({ atOnce, most, timeoutMs }: FairQueueOptions) {
  /** Waiting tasks by lane, next lane first. Empty lanes are removed. */
  const lanes = new Map<string, Waiting[]>();
  let running = 0;
  let waiting = 0;
  let meanMs = 0;

  const begin = () => {
    running++;
    const begunAt = performance.now();
    let isDone = false;
    return () => {
      if (isDone) return;
      isDone = true;
      running--;
      const took = performance.now() - begunAt;
      meanMs = meanMs === 0 ? took : meanMs + MEAN_SHARE * (took - meanMs);
      giveTurn();
    };
  };
  const giveTurn = () => {
    const [next] = lanes;
    if (next === undefined || running >= atOnce) return;
    const [lane, [first, ...rest]] = next;
    lanes.delete(lane);
    if (rest.length > 0) lanes.set(lane, rest);
    waiting--;
    first?.();
  };
  const leave = (lane: string, one: Waiting) => {
    const left = (lanes.get(lane) ?? []).filter((other) => other !== one);
    if (left.length === 0) lanes.delete(lane);
    else lanes.set(lane, left);
    waiting--;
  };
  const retryS = () => Math.min(MAX_RETRY_S, Math.max(1, Math.ceil(((waiting + 1) * meanMs) / atOnce / 1000)));

  return {
    counts: () => ({ running, waiting }),
    /**
     * Waits for a turn. Returns a function that ends the task; calling it again has no effect.
     * @throws RequestError `busy`, `too_many_waiting`, with `retry_after_s`; the signal's abort reason
     */
    async enter(lane: string, signal?: AbortSignal): Promise<() => void> {
      signal?.throwIfAborted();
      if (running < atOnce && waiting === 0) return begin();
      if (waiting >= most) throw busy(retryS());
      if ((lanes.get(lane)?.length ?? 0) >= Math.ceil(most / 2)) {
        const message = `Too many of your questions are already waiting. Retry in ${retryS()} s, or send fewer at once.`;
        throw new RequestError("too_many_waiting", message, { retry_after_s: retryS() });
      }
      return new Promise((resolve, reject) => {
        const settle = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", gone);
        };
        const one: Waiting = () => {
          settle();
          resolve(begin());
        };
        const giveUp = (reason: unknown) => {
          settle();
          leave(lane, one);
          reject(reason);
        };
        const gone = () => giveUp(signal?.reason);
        const timer = setTimeout(() => giveUp(busy(retryS())), timeoutMs);
        signal?.addEventListener("abort", gone, { once: true });
        waiting++;
        lanes.set(lane, [...(lanes.get(lane) ?? []), one]);
      });
    },
  };
}

function busy(seconds: number): RequestError {
  const message = `Server busy. Retry in ${seconds} s.`;
  return new RequestError("busy", message, { retry_after_s: seconds });
}
