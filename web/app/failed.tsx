import { Component, type ReactNode } from "react";
import { messageOf } from "./api.ts";

/** What broke is said in its place; the rest of the page goes on. */
export class Failed extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <div className="message is-warning" role="alert">
        <p>This part of the page could not be shown: {messageOf(this.state.error)}</p>
        <button type="button" className="quiet-button" onClick={() => window.location.reload()}>
          Load the page again
        </button>
      </div>
    );
  }
}
