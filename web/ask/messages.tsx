import type { ReactNode } from "react";
import type { Turn } from "./conversation/state.ts";
import { warningInWords } from "./plain-words.ts";

export interface MessagesProps {
  readonly warnings: Turn["warnings"];
  readonly notices: Turn["notices"];
  /** Asks another question. */
  readonly onAsk?: (question: string) => void;
}

/** Warnings about the answer, and what this build or profile left out. */
export function Messages({ warnings, notices, onAsk }: MessagesProps) {
  if (warnings.length + notices.length === 0) return null;
  return (
    <ul className="messages" aria-label="Warnings and notices">
      {warnings.map(({ code, message, ask_instead: instead }) => (
        <li key={`${code} ${message}`} className="message is-warning">
          <strong>{code === "hotline" ? "Help is there" : "Note"}</strong>{" "}
          {code === "hotline" ? <WithLinks text={message} /> : warningInWords({ code, message })}
          {instead === undefined || onAsk === undefined ? null : (
            <>
              {" "}
              <button type="button" className="quiet-button" onClick={() => onAsk(instead)}>
                Ask as written
              </button>
            </>
          )}
        </li>
      ))}
      {notices.map(({ code, message }) => (
        <li key={`${code} ${message}`} className="message">
          <strong>Note</strong> {warningInWords({ code, message })}
        </li>
      ))}
    </ul>
  );
}

/** Addresses, and numbers that are dialled, in a hotline's text: three digits, or as people write telephone numbers. */
const REACHABLE = /https?:\/\/[^\s)]+|\b(?:\+?\d[\d-]{7,}\d|\d{5,6}|[19]\d{2})\b/g;

/** A text whose addresses and numbers can be followed and called. */
export function WithLinks({ text }: { readonly text: string }) {
  const parts: ReactNode[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(REACHABLE)) {
    parts.push(text.slice(from, index));
    const isText = /\btext\s+$/i.test(text.slice(0, index));
    const href = found.startsWith("http") ? found : `${isText ? "sms" : "tel"}:${found}`;
    parts.push(
      <a key={index} href={href} {...(found.startsWith("http") ? { target: "_blank", rel: "noopener noreferrer" } : {})}>
        {found}
      </a>,
    );
    from = index + found.length;
  }
  return [...parts, text.slice(from)];
}
