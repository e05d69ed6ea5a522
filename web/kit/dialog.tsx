import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { QuietButton } from "./message.tsx";

export interface DialogButtonProps {
  readonly label: string;
  readonly title: string;
  /** Renders the contents, only while the dialog is open. */
  readonly children: (close: () => void) => ReactNode;
}

/** A button that opens a modal dialog. */
export function DialogButton({ label, title, children }: DialogButtonProps) {
  const [open, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
  return (
    <>
      <QuietButton aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {label}
      </QuietButton>
      {open ? (
        <dialog ref={dialog} className="dialog" closedby="any" aria-labelledby={id} onClose={() => setOpen(false)}>
          <h2 id={id}>{title}</h2>
          {children(() => dialog.current?.close())}
        </dialog>
      ) : null}
    </>
  );
}
