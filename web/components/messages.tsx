import type { Turn } from "../conversation/state.ts";

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
          <strong>{code === "hotline" ? "Help is there" : "Warning"}</strong> {message}
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
          <strong>Note</strong> {message}
        </li>
      ))}
    </ul>
  );
}
