import { Component, type ComponentType, lazy, type ReactNode, Suspense, startTransition, useState } from "react";
import { messageOf } from "../app/api.ts";
import { QuietButton } from "./message.tsx";

/** Error boundary: shows the error in place of its children; the rest of the page keeps working. */
export class Failed extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
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

/**
 * Creates a button whose component is loaded on first use, to keep the first download small. The button stays, with the focus, until the
 * component is loaded.
 *
 * @param load loads a component that renders the same button and is open when mounted
 * @param opens kind of the component, for `aria-haspopup`
 */
export function late<P extends object>(
  load: () => Promise<{ default: (props: P) => ReactNode }>,
  opens: "dialog" | "menu",
  labelOf: (props: P) => ReactNode,
  className = "quiet-button",
) {
  const Part: ComponentType<P> = lazy<ComponentType<P>>(load) as unknown as ComponentType<P>;
  return function Late(props: P) {
    const [wanted, setWanted] = useState(false);
    const want = (next: boolean) => startTransition(() => setWanted(next));
    const begin = () => void load();
    return (
      <Failed>
        <Suspense fallback={null}>
          {wanted ? (
            <Part {...props} />
          ) : (
            <button
              type="button"
              className={className}
              aria-haspopup={opens}
              aria-expanded={false}
              onPointerEnter={begin}
              onFocus={begin}
              onClick={() => want(true)}
              // Escape cancels the opening while the component loads.
              onKeyDown={({ key }) => {
                if (key === "Escape") want(false);
              }}
            >
              {labelOf(props)}
            </button>
          )}
        </Suspense>
      </Failed>
    );
  };
}

/** Shows a loading text and errors for a part of the page that is loaded when it is opened. */
export function Opening({ children }: { readonly children: ReactNode }) {
  return (
    <Failed>
      <Suspense fallback={<p className="room-wait">Loading…</p>}>{children}</Suspense>
    </Failed>
  );
}
