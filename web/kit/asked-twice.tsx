import { useEffect, useRef, useState } from "react";

export interface AskedTwiceProps {
  /** On the button that asks. */
  readonly label: string;
  /** Said of the button where its label alone would not tell which of several it is. */
  readonly name?: string;
  /** On the button that does it: says what is lost. */
  readonly confirm: string;
  readonly className?: string;
  readonly onConfirm: () => void;
}

/** A button for what cannot be taken back: the first press asks, the second one does it. Escape or the other button keeps things. */
export function AskedTwice({ label, name, confirm, className = "quiet-button", onConfirm }: AskedTwiceProps) {
  const [state, setState] = useState<"calm" | "asking" | "kept">("calm");
  const ask = useRef<HTMLButtonElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that was pressed is gone: the keyboard goes on where it stood, and Enter twice deletes nothing.
    if (state === "asking") keep.current?.focus();
    if (state === "kept") ask.current?.focus();
  }, [state]);
  if (state !== "asking")
    return (
      <button type="button" ref={ask} className={className} aria-label={name} onClick={() => setState("asking")}>
        {label}
      </button>
    );
  return (
    <>
      <button
        type="button"
        className="quiet-button is-danger"
        onClick={() => {
          setState("calm");
          onConfirm();
        }}
      >
        {confirm}
      </button>
      <button
        type="button"
        ref={keep}
        className="quiet-button"
        onClick={() => setState("kept")}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          setState("kept");
        }}
      >
        Keep
      </button>
    </>
  );
}
