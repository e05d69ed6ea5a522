import { useCallback, useEffect, useState } from "react";
import { ClientError } from "../../src/client/index.ts";
import { messageOf } from "./api.ts";

export type Loaded<T> =
  | { readonly type: "loading" }
  | { readonly type: "ready"; readonly value: T }
  | { readonly type: "failed"; readonly code: string; readonly message: string };

/** What a call gives; asked again by the function beside it. What an older call brings late is dropped. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>): readonly [Loaded<T>, () => void] {
  const [state, setState] = useState<Loaded<T>>({ type: "loading" });
  const [attempt, setAttempt] = useState({ load });
  const due = attempt.load === load ? attempt : { load };
  if (due !== attempt) setAttempt(due);
  useEffect(() => {
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
  return [state, useCallback(() => setAttempt(({ load: same }) => ({ load: same })), [])];
}
