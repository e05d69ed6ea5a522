import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { goTo } from "../app/route.ts";

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

/** Scrolls a place of the pane into sight; the conversation beside it stays where one reads it. */
export function showInPane(target: Element | null | undefined, block: "center" | "start"): void {
  if (!target) return;
  const { scrollX: left, scrollY: top } = window;
  target.scrollIntoView({ block });
  const pane = target.closest(".pane");
  // On a narrow screen the pane is the page, and scrolls with it.
  const scrollsAlone = pane !== null && getComputedStyle(pane).overflowY !== "visible";
  if (scrollsAlone) window.scrollTo({ left, top, behavior: "instant" });
}

/** Calls back at Escape inside an element, once for the innermost that listens. */
export function useEscape(of: RefObject<HTMLElement | null>, onEscape: () => void): void {
  useEffect(() => {
    const element = of.current;
    if (element === null) return;
    const listen = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      onEscape();
    };
    element.addEventListener("keydown", listen);
    return () => element.removeEventListener("keydown", listen);
  }, [of, onEscape]);
}
