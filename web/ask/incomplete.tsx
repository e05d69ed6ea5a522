import type { Failure, TurnStatus } from "./conversation/state.ts";

export interface IncompleteProps {
  readonly status: TurnStatus;
  /** Sentences that were shown before the end. */
  readonly shown: number;
  readonly busy: boolean;
  readonly onRetry: () => void;
}

/** Why an answer did not come to its end, and what to do. What was shown stays above and is called incomplete. */
export function Incomplete({ status, shown, busy, onRetry }: IncompleteProps) {
  if (status.type === "running" || status.type === "answered") return null;
  const { heading, text } = describeEnd(status);
  return (
    <section className={status.type === "failed" ? "incomplete is-failed" : "incomplete"}>
      <h3>
        {heading}
        {shown > 0 ? <span className="tag">incomplete answer</span> : null}
      </h3>
      <p>{text}</p>
      {shown > 0 ? <p>The sentences above were checked before they were shown, but more may be missing.</p> : null}
      <button type="button" className="quiet-button" disabled={busy} onClick={onRetry}>
        Ask again
      </button>
    </section>
  );
}

function describeEnd(status: Exclude<TurnStatus, { readonly type: "running" | "answered" }>): { heading: string; text: string } {
  switch (status.type) {
    case "stopped":
      return { heading: "Stopped", text: "You stopped this answer." };
    case "interrupted":
      return {
        heading: "Interrupted",
        text: "The page was closed, reloaded or turned to another conversation before this answer came to its end.",
      };
    case "failed":
      return describeFailure(status.failure);
  }
}

function describeFailure({ code, message, status }: Failure): { heading: string; text: string } {
  switch (code) {
    case "unreachable":
      return {
        heading: "The server cannot be reached",
        text: "Check that it is running and that you are online, then ask again.",
      };
    case "stream_cut":
      return {
        heading: "The connection was cut",
        text: "It ended before the answer did. Ask again; if this repeats, look at the server's log.",
      };
    default:
      if ((status !== null && status < 500) || code.startsWith("question_"))
        return { heading: "The question was not accepted", text: message };
      return { heading: "The answer failed", text: message };
  }
}
