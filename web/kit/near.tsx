import { type ReactNode, startTransition, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

/** Distance from the screen at which a part of a list is rendered. */
const AROUND = "1200px 0px";

export interface NearProps {
  /** Height in pixels of the placeholder that is shown before the part is rendered. */
  readonly height: number;
  /** True to render the part immediately, wherever it is. */
  readonly eager: boolean;
  /** Text of the placeholder. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** A part of a long list that is rendered when it comes near the screen, and stays rendered. */
export function Near({ height, eager, label, children }: NearProps) {
  const [near, setNear] = useState(eager);
  const place = useRef<HTMLDivElement>(null);
  // A part that was once rendered because of `eager` must stay rendered.
  if (eager && !near) setNear(true);
  useEffect(() => {
    if (near || place.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        // Use a transition, so that scrolling has priority over rendering.
        if (entries.at(-1)?.isIntersecting) startTransition(() => setNear(true));
      },
      { rootMargin: AROUND, scrollMargin: AROUND },
    );
    observer.observe(place.current);
    // Render synchronously: the browser prints when this handler returns.
    const makeAtOnce = () => flushSync(() => setNear(true));
    window.addEventListener("beforeprint", makeAtOnce);
    return () => {
      observer.disconnect();
      window.removeEventListener("beforeprint", makeAtOnce);
    };
  }, [near]);
  if (near || eager) return children;
  return (
    <div ref={place} className="near" style={{ height }}>
      {label}
    </div>
  );
}
