import { Component, type ReactNode, Suspense } from "react";
import { messageOf } from "../app/api.ts";
import type { Loaded } from "../app/use-account.ts";
import { Button } from "./controls.tsx";

/** Shows an error, which screen readers read out. Renders nothing for `null`. */
export function Alert({ text }: { readonly text: string | null }) {
  return text === null ? null : (
    <p role="alert" className="message is-warning">
      {text}
    </p>
  );
}

/** A link, or plain text if there is no URL. Links to web pages open a new tab. */
export function Linked({ text, href }: { readonly text: string; readonly href: string | null }) {
  if (href === null) return text;
  return (
    <a href={href} target={href.startsWith("http") ? "_blank" : undefined} rel="noopener noreferrer nofollow">
      {text}
    </a>
  );
}

/** A tag for text that was read by OCR. */
export function Recognised() {
  return <span className="tag">read by OCR, may be wrong</span>;
}

type StateLineProps = Readonly<{ state: Loaded<unknown>; what: string; onRetry: () => void }>;

/** Codes of errors for which another API key may help. */
const KEY_CODES: ReadonlySet<string> = new Set([
  ...["key_missing", "key_wrong", "role_missing", "admin_off"],
  ...["admin_token_wrong", "scope_denied"],
]);

/**
 * Shows that something is being loaded, or the error. Renders nothing when it is loaded.
 * @param what name of what is loaded, such as "the queue"
 */
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
      {KEY_CODES.has(state.code) ? <p>Sign in with a key that has the required role.</p> : <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** Error boundary: shows an error instead of its children. The rest of the page keeps working. */
class Failed extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <div className="message is-warning" role="alert">
        <p>This part of the page could not be loaded: {messageOf(this.state.error)}</p>
        <Button onClick={() => window.location.reload()}>Reload the page</Button>
      </div>
    );
  }
}

/** Wraps a part of the page whose code is loaded on demand. Shows a text while it loads, or the error. */
export function Opening({ children }: { readonly children: ReactNode }) {
  return (
    <Failed>
      <Suspense fallback={<p className="room-wait">Loading…</p>}>{children}</Suspense>
    </Failed>
  );
}
