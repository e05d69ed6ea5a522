import { type KeyboardEvent, type SyntheticEvent, useEffect, useId, useRef, useState } from "react";
import type { WireAnswer } from "../../src/client/index.ts";
import { messageOf } from "../app/api.ts";
import { formatRoute } from "../app/route.ts";
import { useAccount } from "../app/use-account.ts";
import { formatDate } from "../format.ts";
import { Alert, QuietButton } from "../kit/message.tsx";
import { Popover } from "../kit/popover.tsx";

type Verdict = "up" | "down";

interface FeedbackProps {
  /** 1-based number of the turn; it keeps labels unique when a page shows several answers. */
  readonly number: number;
  readonly answer: WireAnswer;
}

type State =
  | { readonly type: "open" }
  | { readonly type: "sending"; readonly verdict: Verdict }
  | { readonly type: "kept"; readonly verdict: Verdict; readonly reason: boolean }
  | { readonly type: "failed"; readonly verdict: Verdict; readonly message: string };

const REASON_CHARACTERS = 500;

/** Asks whether the answer was right. Sends a thumb at once; after “No” it offers a field for the reason. */
export function Feedback({ number, answer: { id: answerId, session_id: session, domain } }: FeedbackProps) {
  const { api } = useAccount();
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
      const optional = { ...(session === null ? {} : { session_id: session }), ...(text === undefined ? {} : { reason: text }) };
      await api.feedback({ id: answerId, verdict, domain, ...optional });
      setState({ type: "kept", verdict, reason: text !== undefined });
      return true;
    } catch (error) {
      setState({ type: "failed", verdict, message: messageOf(error) });
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
      <div className="row">
        <span>Was this answer correct?</span>
        <QuietButton aria-pressed={chosen === "up"} aria-disabled={sending} onClick={() => rate("up")}>
          <Thumb /> Yes
        </QuietButton>
        <button
          ref={down}
          type="button"
          className="quiet-button is-down"
          aria-pressed={chosen === "down"}
          aria-disabled={sending}
          onClick={() => rate("down")}
        >
          <Thumb /> No
        </button>
        <span role="status" className="muted">
          {state.type === "kept" ? describeKept(state.verdict, state.reason) : ""}
        </span>
      </div>
      <Alert text={state.type === "failed" ? `Not saved: ${state.message}` : null} />
      {telling ? (
        <form className="stack feedback-form" onSubmit={tell} onKeyDown={onKey}>
          <label htmlFor={`${id}-reason`}>What is wrong? (optional)</label>
          <textarea
            ref={field}
            id={`${id}-reason`}
            className="field"
            rows={2}
            maxLength={REASON_CHARACTERS}
            value={reason}
            aria-describedby={`${id}-note`}
            onChange={(event) => setReason(event.target.value)}
          />
          <p id={`${id}-note`} className="muted">
            Numbers, e-mail addresses and postal addresses are removed before your reason is stored. Do not enter names.
          </p>
          <div className="row">
            <button type="submit" className="quiet-button" disabled={reason.trim() === ""}>
              Send
            </button>
            <QuietButton onClick={close}>Skip</QuietButton>
          </div>
        </form>
      ) : null}
    </section>
  );
}

function describeKept(verdict: Verdict, reason: boolean): string {
  if (verdict === "up") return "Thank you. The answer was rated as correct.";
  return reason ? "Thank you. Your reason was saved for review." : "Thank you. Your rating was saved for review.";
}

/** A drawn thumb, because emoji differ between systems; the style sheet flips it for “No”. */
function Thumb() {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
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

export interface AnswerActionsProps {
  readonly answer: WireAnswer;
  readonly busy: boolean;
  /** Asks again for a longer answer; `null` hides the button. */
  readonly onMore: (() => void) | null;
  readonly onRetry: () => void;
}

export function AnswerActions({ answer, busy, onMore, onRetry }: AnswerActionsProps) {
  const { roles } = useAccount();
  const [said, setSaid] = useState("");
  const base = () => `${window.location.origin}${window.location.pathname}`;
  const copy = (text: string, what: string) =>
    navigator.clipboard === undefined
      ? setSaid("This browser allows copying only over HTTPS or on this machine.")
      : navigator.clipboard.writeText(text).then(
          () => setSaid(`${what} copied.`),
          () => setSaid(`${what} could not be copied. Allow this page to use the clipboard.`),
        );
  return (
    <div className="row actions">
      <a className="quiet-button" href={formatRoute({ room: "why", id: answer.id })}>
        Why this answer
      </a>
      {roles.includes("review") ? (
        <a className="quiet-button" href={formatRoute({ room: "review", id: answer.id })}>
          Review or correct
        </a>
      ) : null}
      {onMore === null ? null : (
        <QuietButton disabled={busy} onClick={onMore}>
          More detail
        </QuietButton>
      )}
      <QuietButton onClick={() => copy(copiedText(answer), "Answer with its sources")}>Copy with sources</QuietButton>
      <Popover label="More">
        {(closing) => (
          <div className="stack">
            <QuietButton {...closing} onClick={() => copy(`${base()}${formatRoute({ room: "answer", id: answer.id })}`, "Link")}>
              Copy a link to this answer
            </QuietButton>
            <QuietButton {...closing} disabled={busy} onClick={onRetry}>
              Ask again
            </QuietButton>
            <QuietButton {...closing} onClick={() => window.print()}>
              Print
            </QuietButton>
          </div>
        )}
      </Popover>
      <span role="status" className="muted">
        {said}
      </span>
    </div>
  );
}

/** Formats an answer as plain text for the clipboard: sentences with citation numbers, then each source with its location. */
export function copiedText({ question, sentences, citations, refusal, warnings }: WireAnswer): string {
  if (refusal !== null) return `${question}\n\n${refusal.message}\n${refusal.note}`.trim();
  const noteOf = ({ message }: WireAnswer["warnings"][number]) => `Note: ${message}`;
  const text = sentences
    .flatMap(({ text, citations: cited }, i) => [
      `${text} ${cited.map((n) => `[${n}]`).join("")}`.trim(),
      ...warnings.filter(({ sentence }) => sentence === i).map(noteOf),
    ])
    .join("\n");
  const notes = warnings.filter(({ sentence }) => sentence === undefined).map(noteOf);
  const sources = citations.map(({ n, title, quote, url, as_of: date, page, original }) => {
    const place = [page === null || page === undefined ? "" : `page ${page}`, date === null ? "" : `as of ${formatDate(date)}`];
    return `[${n}] ${[title, ...place].filter((part) => part !== "").join(", ")}: “${quote}” ${url ?? fileOf(original)}`;
  });
  return [question, text, ...(notes.length === 0 ? [] : [notes.join("\n")]), `Sources\n${sources.join("\n")}`].join("\n\n");
}

function fileOf({ path, part }: WireAnswer["citations"][number]["original"]): string {
  return part === undefined ? path : `${path}, ${part}`;
}
