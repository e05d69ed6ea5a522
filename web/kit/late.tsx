import { type ReactNode, Suspense, useState } from "react";

export interface LateProps {
  readonly className: string;
  readonly label: ReactNode;
  /** What it opens. */
  readonly opens: "dialog" | "menu";
  /** Begins to load what it opens: called as soon as somebody comes near it. */
  readonly load: () => void;
  /** A lazy part that draws the same button itself, and begins open. */
  readonly children: ReactNode;
}

/** A button whose part is loaded when it is first wanted: the first view does without it. */
export function Late({ className, label, opens, load, children }: LateProps) {
  const [wanted, setWanted] = useState(false);
  const button = (
    <button
      type="button"
      className={className}
      aria-haspopup={opens}
      aria-expanded={false}
      onPointerEnter={load}
      onFocus={load}
      onClick={() => setWanted(true)}
    >
      {label}
    </button>
  );
  return wanted ? <Suspense fallback={button}>{children}</Suspense> : button;
}
