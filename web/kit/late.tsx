import { type ReactNode, Suspense, startTransition, useState } from "react";
import { Failed } from "../app/failed.tsx";

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

/** A button whose part is loaded when it is first wanted: the first view does without it. It stays, with the focus, until the part is there. */
export function Late({ className, label, opens, load, children }: LateProps) {
  const [wanted, setWanted] = useState(false);
  const want = (next: boolean) => startTransition(() => setWanted(next));
  return (
    <Failed>
      <Suspense fallback={null}>
        {wanted ? (
          children
        ) : (
          <button
            type="button"
            className={className}
            aria-haspopup={opens}
            aria-expanded={false}
            onPointerEnter={load}
            onFocus={load}
            onClick={() => want(true)}
            // What has not come yet does not open any more.
            onKeyDown={({ key }) => {
              if (key === "Escape") want(false);
            }}
          >
            {label}
          </button>
        )}
      </Suspense>
    </Failed>
  );
}
