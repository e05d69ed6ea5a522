import { Component, type ReactNode, Suspense } from "react";
import { messageOf } from "../app/api.ts";
import { QuietButton } from "./message.tsx";

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
        <QuietButton onClick={() => window.location.reload()}>Reload the page</QuietButton>
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
