import { type KeyboardEvent, type SyntheticEvent, useEffect, useId, useRef, useState } from "react";

export type Verdict = "up" | "down";

export interface FeedbackProps {
  /** Number of the question in its conversation: several answers can be rated on one page. */
  readonly number: number;
  /** Sends a verdict; throws what the page may show. */
  readonly onRate: (verdict: Verdict, reason?: string) => Promise<void>;
}

type State =
  | { readonly type: "open" }
  | { readonly type: "sending"; readonly verdict: Verdict }
  | { readonly type: "kept"; readonly verdict: Verdict; readonly reason: boolean }
  | { readonly type: "failed"; readonly verdict: Verdict; readonly message: string };

const REASON_CHARACTERS = 500;

/** Was the answer right? A thumb is sent at once; what was wrong may be told after it. */
export function Feedback({ number, onRate }: FeedbackProps) {
  const [state, setState] = useState<State>({ type: "open" });
  const [telling, setTelling] = useState(false);
  const [reason, setReason] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const down = useRef<HTMLButtonElement>(null);
  const id = useId();
  const chosen = state.type === "open" ? null : state.verdict;
  const sending = state.type === "sending";

  useEffect(() => {
    if (telling) field.current?.focus();
  }, [telling]);

  async function send(verdict: Verdict, text?: string): Promise<boolean> {
    if (sending) return false;
    setState({ type: "sending", verdict });
    try {
      await onRate(verdict, text);
      setState({ type: "kept", verdict, reason: text !== undefined });
      return true;
    } catch (error) {
      setState({ type: "failed", verdict, message: error instanceof Error ? error.message : String(error) });
      return false;
    }
  }

  async function rate(verdict: Verdict) {
    const kept = await send(verdict);
    setTelling(kept && verdict === "down");
  }

  async function tell(event: SyntheticEvent) {
    event.preventDefault();
    if (!(await send("down", reason.trim() === "" ? undefined : reason.trim()))) return;
    close();
  }

  function close() {
    setTelling(false);
    setReason("");
    down.current?.focus();
  }

  function onKey(event: KeyboardEvent) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  }

  return (
    <section className="feedback" aria-label={`Rate this answer (${number})`}>
      <div className="feedback-row">
        <span>Was this right?</span>
        <button type="button" className="thumb" aria-pressed={chosen === "up"} aria-disabled={sending} onClick={() => rate("up")}>
          <Thumb /> Yes
        </button>
        <button
          ref={down}
          type="button"
          className="thumb is-down"
          aria-pressed={chosen === "down"}
          aria-disabled={sending}
          onClick={() => rate("down")}
        >
          <Thumb /> No
        </button>
        <span role="status" className="feedback-status">
          {state.type === "kept" ? describeKept(state.verdict, state.reason) : ""}
        </span>
      </div>
      {state.type === "failed" ? (
        <p role="alert" className="message is-warning">
          Not kept: {state.message}
        </p>
      ) : null}
      {telling ? (
        <form className="feedback-form" onSubmit={tell} onKeyDown={onKey}>
          <label htmlFor={`${id}-reason`}>What is wrong? (optional)</label>
          <textarea
            ref={field}
            id={`${id}-reason`}
            rows={2}
            maxLength={REASON_CHARACTERS}
            value={reason}
            aria-describedby={`${id}-note`}
            onChange={(event) => setReason(event.target.value)}
          />
          <p id={`${id}-note`} className="feedback-note">
            Numbers, mail and addresses of persons are taken out before it is stored. Leave names out.
          </p>
          <div className="feedback-row">
            <button type="submit" className="thumb" disabled={reason.trim() === ""}>
              Send
            </button>
            <button type="button" className="thumb" onClick={close}>
              Skip
            </button>
          </div>
        </form>
      ) : null}
    </section>
  );
}

function describeKept(verdict: Verdict, reason: boolean): string {
  if (verdict === "up") return "Thank you. It is noted as right.";
  return reason ? "Thank you. Your reason is noted for review." : "Thank you. It is noted for review.";
}

/** Drawn, so that it looks the same everywhere; turned over for "no". */
function Thumb() {
  return (
    <svg className="thumb-icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path
        d="M5 7.2 8 1.8c1 0 1.7.8 1.6 1.8L9.3 6h3.4c.9 0 1.5.8 1.3 1.7l-1 4.6c-.1.7-.7 1.2-1.4 1.2H5zM2 7.2h3v6.3H2z"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.3"
        strokeLinejoin="round"
      />
    </svg>
  );
}
