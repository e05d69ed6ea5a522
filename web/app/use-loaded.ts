import { useCallback, useEffect, useState } from "react";
import { ClientError } from "../../src/client/index.ts";
import { messageOf } from "./api.ts";

export type Loaded<T> =
  | { readonly type: "loading" }
  | { readonly type: "ready"; readonly value: T }
  | { readonly type: "failed"; readonly code: string; readonly message: string };

/**
 * Calls `load` and returns the state of the call, and a function that calls it again. The result of an older call is ignored.
 * @param known the result, if it is known already, so that the first call is skipped; `null`: not known
 */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, known: NoInfer<T> | null = null): readonly [Loaded<T>, () => void] {
  const [state, setState] = useState<Loaded<T>>(known === null ? { type: "loading" } : { type: "ready", value: known });
  const [attempt, setAttempt] = useState({ load, isKnown: known !== null });
  const due = attempt.load === load ? attempt : { load, isKnown: false };
  if (due !== attempt) setAttempt(due);
  useEffect(() => {
    if (due.isKnown) return;
    const abort = new AbortController();
    setState((before) => (before.type === "failed" ? { type: "loading" } : before));
    due.load(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setState({ type: "ready", value });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setState({ type: "failed", code: error instanceof ClientError ? error.code : "page_failed", message: messageOf(error) });
      },
    );
    return () => abort.abort();
  }, [due]);
  return [state, useCallback(() => setAttempt(({ load: same }) => ({ load: same, isKnown: false })), [])];
}
