/** Aborts what takes too long. Its clock stands still while the reader, not the sender, is at work. */
export interface Watchdog {
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
