import { Component, type ReactNode, Suspense, startTransition, useState } from "react";
import { messageOf } from "../app/api.ts";

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

export interface LateProps {
  readonly className: string;
  readonly label: ReactNode;
  /** What it opens. */
  readonly opens: "dialog" | "menu";
  /** Begins to load what it opens: called as soon as somebody comes near it. */
  readonly load: () => void;
  /** A lazy part that draws the same button itself, and begins open. */
  readonly children: ReactNode;
}

/** A button whose part is loaded when it is first wanted: the first view does without it. It stays, with the focus, until the part is there. */
export function Late({ className, label, opens, load, children }: LateProps) {
  const [wanted, setWanted] = useState(false);
  const want = (next: boolean) => startTransition(() => setWanted(next));
  return (
    <Failed>
      <Suspense fallback={null}>
        {wanted ? (
          children
        ) : (
          <button
            type="button"
            className={className}
            aria-haspopup={opens}
            aria-expanded={false}
            onPointerEnter={load}
            onFocus={load}
            onClick={() => want(true)}
            // What has not come yet does not open any more.
            onKeyDown={({ key }) => {
              if (key === "Escape") want(false);
            }}
          >
            {label}
          </button>
        )}
      </Suspense>
    </Failed>
  );
}
