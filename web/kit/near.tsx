import { type ReactNode, startTransition, useEffect, useRef, useState } from "react";

export interface NearProps {
  /** Pixels that it is taken to be high until it has been laid out. */
  readonly height: number;
  /** Made at once, wherever it lies. */
  readonly eager: boolean;
  /** Said while it is not made. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** Pixels around the screen within which a part is made. */
const AROUND_PX = 1_200;

/** A part of something long that is made when it comes near the screen, and stays. */
export function Near({ height, eager, label, children }: NearProps) {
  const [near, setNear] = useState(eager);
  const place = useRef<HTMLDivElement>(null);
  const made = near || eager;
  useEffect(() => {
    const element = place.current;
    if (made || element === null) return;
    const options = { rootMargin: `${AROUND_PX}px 0px`, scrollMargin: `${AROUND_PX}px 0px` };
    const observer = new IntersectionObserver((entries) => {
      // What is scrolled towards may come a frame later; the scrolling itself may not.
      if (entries.some(({ isIntersecting }) => isIntersecting)) startTransition(() => setNear(true));
    }, options);
    observer.observe(element);
    return () => observer.disconnect();
  }, [made]);
  // A print shows everything.
  useEffect(() => {
    if (made) return;
    const make = () => setNear(true);
    window.addEventListener("beforeprint", make);
    return () => window.removeEventListener("beforeprint", make);
  }, [made]);
  if (made) return children;
  return (
    <div ref={place} className="near" style={{ height }}>
      {label}
    </div>
  );
}
