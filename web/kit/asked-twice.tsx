import { useEffect, useRef, useState } from "react";

export interface AskedTwiceProps {
  /** Label of the first button. */
  readonly label: string;
  /** Accessible name, where several buttons have the same label. */
  readonly name?: string;
  /** Label of the confirming button; it names the loss. */
  readonly confirm: string;
  readonly className?: string;
  readonly onConfirm: () => void;
}

/** A button for an irreversible action: the first press asks for confirmation. Escape or the other button cancels. */
export function AskedTwice({ label, name, confirm, className = "quiet-button", onConfirm }: AskedTwiceProps) {
  const [state, setState] = useState<"calm" | "asking" | "kept">("calm");
  const ask = useRef<HTMLButtonElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The pressed button is gone. The focus moves to the button that cancels, so that pressing Enter twice deletes nothing.
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
