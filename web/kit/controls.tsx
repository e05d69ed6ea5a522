import { type InputHTMLAttributes, type ReactNode, useEffect, useId, useState } from "react";
import { messageOf } from "../app/api.ts";
import { formatShare } from "./figures.ts";

/** Calls `act` repeatedly. @param ms interval in milliseconds; `null`: paused */
export function useEvery(ms: number | null, act: () => void): void {
  useEffect(() => {
    if (ms === null) return;
    const timer = setInterval(act, ms);
    return () => clearInterval(timer);
  }, [ms, act]);
}

/** Outcome of an action. */
interface Said {
  readonly failed: boolean;
  readonly text: string;
}

/** Announces the outcome of an action. Shows `otherwise` before the first action. */
export function SaidLine({ said, otherwise = "" }: { readonly said: Said | null; readonly otherwise?: string }) {
  return (
    <p role={said?.failed ? "alert" : "status"} className={said?.failed ? "message is-warning" : "muted"}>
      {said?.text ?? otherwise}
    </p>
  );
}

export interface SelectFieldProps<T extends string> {
  readonly label: ReactNode;
  readonly value: string | number;
  /** Values with their labels. */
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
 * Holds the outcome of the last action. `tell` awaits an action, records success or the error, and returns the result,
 * or `null` if it failed.
 */
export function useSaid() {
  const [said, setSaid] = useState<Said | null>(null);
  const tell = async <T,>(work: Promise<T>, done: string): Promise<{ readonly value: T } | null> => {
    try {
      const value = await work;
      setSaid({ failed: false, text: done });
      return { value };
    } catch (error) {
      setSaid({ failed: true, text: messageOf(error) });
      return null;
    }
  };
  return { said, setSaid, tell };
}

/** Named scores; `null`: not scored. */
export function Scores({ scores }: { readonly scores: readonly (readonly [label: string, score: number | null])[] }) {
  return (
    <ul className="scores">
      {scores.map(([label, score]) => (
        <li key={label}>
          <span className="muted">{label}</span> {score === null ? "not scored" : formatShare(score)}
        </li>
      ))}
    </ul>
  );
}
