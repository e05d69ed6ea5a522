import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useState } from "react";

export interface DialogFrameProps {
  readonly trigger: string;
  readonly title: string;
  readonly children: (close: () => void) => ReactNode;
}

/** A dialog with its trigger button; open when mounted. */
export function DialogFrame({ trigger, title, children }: DialogFrameProps) {
  const [open, setOpen] = useState(true);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className="quiet-button">{trigger}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title className="dialog-title">{title}</Dialog.Title>
          {children(() => setOpen(false))}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
