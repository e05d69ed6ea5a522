import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

/** Makes the parts of something long that come near the screen, one in a frame. */
interface NearMaker {
  /** Calls `make` once, when the element has come near. Gives what ends the watch. */
  watch(element: Element, make: () => void): () => void;
  close(): void;
}

/** Pixels around the screen within which a part is made. */
const AROUND_PX = 1_200;

/**
 * One observer for all parts. Scrolling comes first: a part that has gone by before its turn came is left out, and what lies nearest to the
 * middle of the screen is made first.
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
  // A print shows everything, and begins as soon as this returns.
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

/** Something long whose parts are `Near`. */
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
  /** Pixels that it is taken to be high until it has been laid out. */
  readonly height: number;
  /** Made at once, wherever it lies. */
  readonly eager: boolean;
  /** Said while it is not made. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** A part of something long that is made when it comes near the screen, and stays. */
export function Near({ height, eager, label, children }: NearProps) {
  const maker = useContext(Maker);
  const [near, setNear] = useState(eager);
  const place = useRef<HTMLDivElement>(null);
  // Whoever was wanted at once stays too.
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
