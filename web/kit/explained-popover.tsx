import { Popover } from "@base-ui/react/popover";
import type { ReactNode } from "react";

export interface ExplainedProps {
  /** The visible term. */
  readonly label: ReactNode;
  readonly title: string;
  /** The explanation. */
  readonly children: ReactNode;
}

/** A term with its explanation in a popover; open when mounted. */
export default function ExplainedPopover({ label, title, children }: ExplainedProps) {
  return (
    <Popover.Root defaultOpen>
      <Popover.Trigger className="explained">{label}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="floating" sideOffset={6} collisionPadding={12}>
          <Popover.Popup className="popover">
            <Popover.Title className="popover-title">{title}</Popover.Title>
            <Popover.Description render={<div />}>{children}</Popover.Description>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
