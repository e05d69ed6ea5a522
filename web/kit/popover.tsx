import { type ReactNode, type ToggleEvent, useId } from "react";
import { QuietButton } from "./message.tsx";

export interface PopoverProps {
  readonly label: ReactNode;
  /** Accessible name, for buttons whose label is not unique on the page. */
  readonly name?: string;
  readonly className?: string;
  /** Renders the contents. A button with the props `closing` closes the popover. */
  readonly children: (closing: { readonly popoverTarget: string; readonly popoverTargetAction: "hide" }) => ReactNode;
}

/** A button that opens a box. Escape or a click outside closes the box. */
export function Popover({ label, name, className = "quiet-button", children }: PopoverProps) {
  const id = useId();
  return (
    <>
      <button type="button" className={className} aria-label={name} popoverTarget={id}>
        {label}
      </button>
      <div id={id} popover="auto" className="popover" onToggle={focusFirst}>
        {children({ popoverTarget: id, popoverTargetAction: "hide" })}
      </div>
    </>
  );
}

function focusFirst({ currentTarget, newState }: ToggleEvent<HTMLDivElement>): void {
  if (newState === "open") currentTarget.querySelector("button")?.focus();
}

/** A term with its explanation in a popover. */
export function Explained({ label, title, text }: { readonly label: string; readonly title: string; readonly text: string }) {
  return (
    <Popover label={label} className="explained">
      {() => (
        <>
          <strong>{title}</strong>
          <p>{text}</p>
        </>
      )}
    </Popover>
  );
}

export interface AskedTwiceProps extends Pick<PopoverProps, "name" | "className"> {
  readonly label: string;
  /** Label of the button that confirms the action. It must say what is lost. */
  readonly confirm: string;
  readonly onConfirm: () => void;
}

/**
 * A button for an action that cannot be undone. A first click asks for confirmation. The focus is then on “Keep”, so that
 * pressing Enter twice does no harm.
 */
export function AskedTwice({ confirm, onConfirm, ...button }: AskedTwiceProps) {
  return (
    <Popover {...button}>
      {(closing) => (
        <div className="row">
          <QuietButton {...closing}>Keep</QuietButton>
          <button type="button" className="quiet-button is-danger" {...closing} onClick={onConfirm}>
            {confirm}
          </button>
        </div>
      )}
    </Popover>
  );
}
