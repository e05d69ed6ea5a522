import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { createNearMaker, type NearMaker } from "./near-maker.ts";

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
