import { statSync } from "node:fs";
import { watch } from "node:fs/promises";
import { systemCodeOf } from "../shared/errors.ts";

/** Milliseconds without further changes before a change counts, since programs write a file in several steps. */
const QUIET_MS = 500;

/**
 * Yields after each change in or below the folder, once `quietMs` have passed without another. Ends with `signal`. Watching starts with
 * the call, so changes before the first `next()` are not missed.
 */
export function changesIn(folder: string, signal: AbortSignal, quietMs = QUIET_MS): AsyncGenerator<void, void> {
  let wake: () => void = () => {};
  let isChanged = false;
  let failure: unknown = null;
  let timer: NodeJS.Timeout | undefined;
  const settle = () => {
    isChanged = true;
    wake();
  };
  const following = (async () => {
    // On a missing folder, Node.js 24 never settles; `statSync` throws instead.
    statSync(folder);
    for await (const _ of watch(folder, { recursive: true, signal })) {
      clearTimeout(timer);
      timer = setTimeout(settle, quietMs);
    }
  })().catch((error: unknown) => {
    failure = signal.aborted || systemCodeOf(error) === "ABORT_ERR" ? null : error;
    wake();
  });
  const onAbort = () => {
    clearTimeout(timer);
    wake();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return (async function* () {
    while (!signal.aborted) {
      if (!isChanged) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (isChanged || failure !== null || signal.aborted) resolve();
        });
      }
      if (failure !== null) throw failure;
      if (!isChanged) continue;
      isChanged = false;
      yield;
    }
    await following;
  })();
}
