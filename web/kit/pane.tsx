import { type ReactNode, type RefObject, useEffect, useId, useRef } from "react";
import { goTo } from "../app/route.ts";
import { Button } from "./controls.tsx";

const close = () => goTo({ room: "ask" });

/**
 * A pane beside the conversation; on a narrow screen it covers the conversation. Escape closes it and moves the focus to the
 * link that opened it.
 */
export function Pane({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const cameFrom = useRef<Element | null>(null);
  useEffect(() => {
    cameFrom.current ??= document.activeElement;
    heading.current?.focus({ preventScroll: true });
    return () => {
      // Move the focus back, unless another element got it when the pane closed.
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && cameFrom.current instanceof HTMLElement) cameFrom.current.focus({ preventScroll: true });
    };
  }, []);
  const pane = useRef<HTMLElement>(null);
  useEscape(pane, close);
  return (
    <section className="pane" aria-label={title} ref={pane}>
      <div className="pane-head">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <Button onClick={close}>Close</Button>
      </div>
      {children}
    </section>
  );
}

/** Scrolls an element of the pane into view. The conversation beside it does not scroll. */
export function showInPane(target: Element | null | undefined, block: "center" | "start"): void {
  if (!target) return;
  const { scrollX: left, scrollY: top } = window;
  target.scrollIntoView({ block });
  const pane = target.closest(".pane");
  // On a narrow screen the pane is part of the page and scrolls with it.
  const scrollsAlone = pane !== null && getComputedStyle(pane).overflowY !== "visible";
  if (scrollsAlone) window.scrollTo({ left, top, behavior: "instant" });
}

/** Calls a handler when Escape is pressed inside an element. If elements with handlers are nested, only the innermost reacts. */
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

/** A view other than Ask. */
export function RoomPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <main className="room-page" aria-labelledby={id}>
      <h1 id={id} className="room-title">
        {title}
      </h1>
      {children}
    </main>
  );
}
