import { type ReactNode, startTransition, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

/** Margin around the screen. A part is rendered when it comes within this margin. */
const AROUND = "1200px 0px";

export interface NearProps {
  /** Height of the placeholder in pixels, until the part is rendered. */
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
  // A part that was rendered because of `eager` stays rendered.
  if (eager && !near) setNear(true);
  useEffect(() => {
    if (near || place.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        // Render in a transition, so that scrolling has priority.
        if (entries.at(-1)?.isIntersecting) startTransition(() => setNear(true));
      },
      { rootMargin: AROUND, scrollMargin: AROUND },
    );
    observer.observe(place.current);
    // For printing, every part must be rendered before this handler returns.
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
