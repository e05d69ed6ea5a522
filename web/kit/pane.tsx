import { type ReactNode, useEffect, useRef } from "react";
import { goTo } from "../app/use-route.ts";
import { useEscape } from "./use-escape.ts";

export interface PaneProps {
  readonly title: string;
  /** What is beside the title. */
  readonly head?: ReactNode;
  readonly children: ReactNode;
}

const close = () => goTo({ room: "ask" });

/** What stands beside the conversation; over it on a narrow screen. Escape closes it, and whoever came from a link is there again. */
export function Pane({ title, head, children }: PaneProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const cameFrom = useRef<Element | null>(null);
  useEffect(() => {
    cameFrom.current ??= document.activeElement;
    heading.current?.focus({ preventScroll: true });
    return () => focusAgain(cameFrom.current);
  }, []);
  const pane = useRef<HTMLElement>(null);
  useEscape(pane, close);
  return (
    <section className="pane" aria-label={title} ref={pane}>
      <div className="pane-head">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {head}
        <button type="button" className="quiet-button" onClick={close}>
          Close
        </button>
      </div>
      {children}
    </section>
  );
}

/** Gives the focus back that went with the pane; where it has gone elsewhere meanwhile, it stays. */
function focusAgain(from: Element | null): void {
  const isLost = document.activeElement === null || document.activeElement === document.body;
  if (isLost && from instanceof HTMLElement) from.focus({ preventScroll: true });
}
