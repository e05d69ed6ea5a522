import { type ReactNode, useEffect, useId, useState } from "react";
import { messageOf } from "../app/api.ts";

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

/** Announces the outcome of an action; shows `otherwise` before the first one. */
export function SaidLine({ said, otherwise = "" }: { readonly said: Said | null; readonly otherwise?: string }) {
  return (
    <p role={said?.failed ? "alert" : "status"} className={said?.failed ? "message is-warning" : "muted"}>
      {said?.text ?? otherwise}
    </p>
  );
}

export interface SelectFieldProps {
  readonly label: string;
  readonly value: string | number;
  /** Values with their labels. */
  readonly options: readonly (readonly [value: string, title: string])[];
  readonly onChange: (value: string) => void;
}

export function SelectField({ label, value, options, onChange }: SelectFieldProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <select id={id} className="field" value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </>
  );
}

/** A search field with its label. */
export function SearchField({ label, value, onChange }: Omit<SelectFieldProps, "options">) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input id={id} type="search" className="field" value={value} onChange={(event) => onChange(event.target.value)} />
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

/** Holds the outcome of the last action. `tell` awaits an action, records success or the error, and returns whether it succeeded. */
export function useSaid() {
  const [said, setSaid] = useState<Said | null>(null);
  const tell = async (work: Promise<unknown>, done: string) => {
    const outcome = await work.then(
      () => ({ failed: false, text: done }),
      (error: unknown) => ({ failed: true, text: messageOf(error) }),
    );
    setSaid(outcome);
    return !outcome.failed;
  };
  return { said, setSaid, tell };
}

/** Named scores; `null`: not scored. */
export function Scores({ scores }: { readonly scores: readonly (readonly [label: string, score: string | null])[] }) {
  return (
    <ul className="scores">
      {scores.map(([label, score]) => (
        <li key={label}>
          <span className="muted">{label}</span> {score ?? "not scored"}
        </li>
      ))}
    </ul>
  );
}
