import { type ButtonHTMLAttributes, type InputHTMLAttributes, type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";

export function Button(props: ButtonHTMLAttributes<HTMLButtonElement>) {
  return <button type="button" className="quiet-button" {...props} />;
}

interface SelectFieldProps<T extends string> {
  readonly label: ReactNode;
  readonly value: string | number;
  /** Values to choose from, with their labels. */
  readonly options: readonly (readonly [value: T, title: string])[];
  readonly onChange: (value: T) => void;
}

export function SelectField<T extends string>({ label, value, options, onChange }: SelectFieldProps<T>) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <select id={id} className="field" value={value} onChange={(event) => onChange(event.target.value as T)}>
        {options.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </>
  );
}

type InputProps<T> = Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> & { readonly onChange: (value: T) => void };

export function TextField({ label, onChange, ...input }: InputProps<string> & { readonly label: string }) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input id={id} className="field" {...input} onChange={(event) => onChange(event.target.value)} />
    </>
  );
}

export function CheckField({ onChange, children, ...input }: InputProps<boolean>) {
  return (
    <label className="check">
      <input type="checkbox" {...input} onChange={(event) => onChange(event.target.checked)} />
      {children}
    </label>
  );
}

interface DialogButtonProps {
  /** Label of the button and title of the dialog. */
  readonly label: string;
  readonly title?: string;
  /** Renders the contents, only while the dialog is open. */
  readonly children: (close: () => void) => ReactNode;
}

/** A button that opens a modal dialog. */
export function DialogButton({ label, title = label, children }: DialogButtonProps) {
  const [open, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open ? (
        <dialog ref={dialog} className="dialog" closedby="any" aria-labelledby={id} onClose={() => setOpen(false)}>
          <h2 id={id}>{title}</h2>
          {children(() => dialog.current?.close())}
        </dialog>
      ) : null}
    </>
  );
}

interface PopoverProps {
  readonly label: ReactNode;
  /** Accessible name, for buttons whose label is not unique on the page. */
  readonly name?: string;
  readonly className?: string;
  /** Renders the contents. A button with the props `closing` closes the popover. */
  readonly children: (closing: { readonly popoverTarget: string; readonly popoverTargetAction: "hide" }) => ReactNode;
}

/** A button that opens a box, whose first button gets the focus. Escape or a click outside closes the box. */
export function Popover({ label, name, className = "quiet-button", children }: PopoverProps) {
  const id = useId();
  return (
    <>
      <Button className={className} aria-label={name} popoverTarget={id}>
        {label}
      </Button>
      <div
        id={id}
        popover="auto"
        className="popover"
        onToggle={({ currentTarget, newState }) => newState === "open" && currentTarget.querySelector("button")?.focus()}
      >
        {children({ popoverTarget: id, popoverTargetAction: "hide" })}
      </div>
    </>
  );
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

interface AskedTwiceProps extends Omit<PopoverProps, "children"> {
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
          <Button {...closing}>Keep</Button>
          <Button className="quiet-button is-danger" {...closing} onClick={onConfirm}>
            {confirm}
          </Button>
        </div>
      )}
    </Popover>
  );
}
