import type { Loaded } from "../app/use-loaded.ts";
import { QuietButton } from "./message.tsx";

export interface StateLineProps {
  readonly state: Loaded<unknown>;
  /** Name of what is loaded, such as "the queue". */
  readonly what: string;
  readonly onRetry: () => void;
}

/** Codes of errors for which another API key may help. */
const KEY_CODES: ReadonlySet<string> = new Set([
  "key_missing",
  "key_wrong",
  "role_missing",
  "admin_off",
  "admin_token_wrong",
  "scope_denied",
]);

/** Shows that something is being loaded, or the error. Renders nothing when it is loaded. */
export function StateLine({ state, what, onRetry }: StateLineProps) {
  if (state.type === "ready") return null;
  if (state.type === "loading") {
    return (
      <p role="status" className="room-wait">
        Loading {what}…
      </p>
    );
  }
  return (
    <div className="message is-warning" role="alert">
      <p>{state.message}</p>
      {KEY_CODES.has(state.code) ? (
        <p>Sign in with a key that has the required role.</p>
      ) : (
        <QuietButton onClick={onRetry}>Try again</QuietButton>
      )}
    </div>
  );
}
