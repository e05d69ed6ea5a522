import { useEffect, useState } from "react";
import { messageOf } from "../app/api.ts";

/** Calls `act` at regular intervals. @param ms interval in milliseconds; `null`: paused */
export function useEvery(ms: number | null, act: () => void): void {
  useEffect(() => {
    if (ms === null) return;
    const timer = setInterval(act, ms);
    return () => clearInterval(timer);
  }, [ms, act]);
}

/** Result of an action, as a text for the user. */
type ActionResult = Readonly<{ failed: boolean; text: string }>;

/** Shows the result of an action, which screen readers read out. @param otherwise text before the first action */
export function ResultLine({ result, otherwise = "" }: { readonly result: ActionResult | null; readonly otherwise?: string }) {
  return (
    <p role={result?.failed ? "alert" : "status"} className={result?.failed ? "message is-warning" : "muted"}>
      {result?.text ?? otherwise}
    </p>
  );
}

/**
 * Stores the result of the last action as a text. `tell` waits for an action, stores `done` or the error message, and
 * returns the value of the action, or `null` if it failed.
 */
export function useActionResult() {
  const [result, setResult] = useState<ActionResult | null>(null);
  const tell = async <T,>(work: Promise<T>, done: string): Promise<{ readonly value: T } | null> => {
    try {
      const value = await work;
      setResult({ failed: false, text: done });
      return { value };
    } catch (error) {
      setResult({ failed: true, text: messageOf(error) });
      return null;
    }
  };
  return { result, setResult, tell };
}

/** Milliseconds after which the blob's memory is freed. By then the browser has saved it. */
const READ_MS = 10_000;

/** Saves a text as a file. */
export function download(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), READ_MS);
}
