import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

/** Renders parts of a long list when they come near the screen, one per frame. */
interface NearMaker {
  /** Calls `make` once, when the element is near the screen. Returns a function that stops watching. */
  watch(element: Element, make: () => void): () => void;
  close(): void;
}

/** Distance from the screen, in pixels, within which a part is rendered. */
const AROUND_PX = 1_200;

/**
 * Creates the one observer for all parts. Scrolling has priority: a part that has left the area before its turn is skipped, and parts
 * closest to the middle of the screen come first.
 */
function createNearMaker(): NearMaker {
  const watched = new Map<Element, () => void>();
  const near = new Set<Element>();
  const margin = `${AROUND_PX}px 0px`;
  let frame: number | null = null;

  const makeOne = () => {
    frame = null;
    const [element] = near;
    if (element === undefined) return;
    make(element);
    plan();
  };
  const make = (element: Element) => {
    const act = watched.get(element);
    forget(element);
    act?.();
  };
  const plan = () => {
    if (frame === null && near.size > 0) frame = requestAnimationFrame(makeOne);
  };
  const forget = (element: Element) => {
    observer.unobserve(element);
    watched.delete(element);
    near.delete(element);
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of [...entries].sort((a, b) => fromMiddle(a) - fromMiddle(b))) {
        if (isIntersecting) near.add(target);
        else near.delete(target);
      }
      plan();
    },
    { rootMargin: margin, scrollMargin: margin },
  );
  // Printing needs every part, and starts as soon as this handler returns.
  const makeAll = () => flushSync(() => [...watched.keys()].forEach(make));
  window.addEventListener("beforeprint", makeAll);

  return {
    watch(element, act) {
      watched.set(element, act);
      observer.observe(element);
      return () => forget(element);
    },
    close() {
      observer.disconnect();
      if (frame !== null) cancelAnimationFrame(frame);
      window.removeEventListener("beforeprint", makeAll);
    },
  };
}

function fromMiddle({ boundingClientRect: { top, bottom }, rootBounds }: IntersectionObserverEntry): number {
  const middle = rootBounds === null ? 0 : (rootBounds.top + rootBounds.bottom) / 2;
  return Math.abs((top + bottom) / 2 - middle);
}

const Maker = createContext<NearMaker | null>(null);

/** A container of `Near` parts. */
export function NearParts({ children }: { readonly children: ReactNode }) {
  const [maker, setMaker] = useState<NearMaker | null>(null);
  useEffect(() => {
    const made = createNearMaker();
    setMaker(made);
    return () => made.close();
  }, []);
  return <Maker value={maker}>{children}</Maker>;
}

export interface NearProps {
  /** Height in pixels until the part is rendered. */
  readonly height: number;
  /** Rendered at once, wherever it is. */
  readonly eager: boolean;
  /** Placeholder text. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** A part that is rendered when it comes near the screen, and stays rendered. */
export function Near({ height, eager, label, children }: NearProps) {
  const maker = useContext(Maker);
  const [near, setNear] = useState(eager);
  const place = useRef<HTMLDivElement>(null);
  // A part that was eager once stays rendered.
  if (eager && !near) setNear(true);
  const made = near || eager;
  useEffect(() => {
    if (made || maker === null || place.current === null) return;
    return maker.watch(place.current, () => setNear(true));
  }, [made, maker]);
  if (made) return children;
  return (
    <div ref={place} className="near" style={{ height }}>
      {label}
    </div>
  );
}
