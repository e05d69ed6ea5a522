import { type InputHTMLAttributes, type ReactNode, useEffect, useId, useState } from "react";
import { messageOf } from "../app/api.ts";

/** Calls `act` at regular intervals. @param ms interval in milliseconds; `null`: paused */
export function useEvery(ms: number | null, act: () => void): void {
  useEffect(() => {
    if (ms === null) return;
    const timer = setInterval(act, ms);
    return () => clearInterval(timer);
  }, [ms, act]);
}

/** Result of an action, as a text for the user. */
interface ActionResult {
  readonly failed: boolean;
  readonly text: string;
}

/** Shows the result of an action, which screen readers read out. @param otherwise text before the first action */
export function ResultLine({ result, otherwise = "" }: { readonly result: ActionResult | null; readonly otherwise?: string }) {
  return (
    <p role={result?.failed ? "alert" : "status"} className={result?.failed ? "message is-warning" : "muted"}>
      {result?.text ?? otherwise}
    </p>
  );
}

export interface SelectFieldProps<T extends string> {
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

export interface TextFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function TextField({ label, onChange, ...input }: TextFieldProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input id={id} className="field" {...input} onChange={(event) => onChange(event.target.value)} />
    </>
  );
}

export function CheckField({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      {children}
    </label>
  );
}

/**
 * Stores the result of the last action as a text. `tell` waits for an action, stores `done` or the error message, and
 * returns the value of the action, or `null` if it failed.
 */
export function useActionResult() {
  const [result, setResult] = useState<ActionResult | null>(null);
  const tell = async <T,>(work: Promise<T>, done: string): Promise<{ readonly value: T } | null> => {
    try {
      const value = await work;
      setResult({ failed: false, text: done });
      return { value };
    } catch (error) {
      setResult({ failed: true, text: messageOf(error) });
      return null;
    }
  };
  return { result, setResult, tell };
}
