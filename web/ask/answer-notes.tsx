import type { ReactNode } from "react";
import type { WireAnswer } from "../../src/client/index.ts";
import { formatCount, formatDate } from "../format.ts";
import { Button, Explained } from "../kit/controls.tsx";
import { Linked } from "../kit/message.tsx";
import type { Turn, TurnStatus } from "./conversation/state.ts";
import { labelConfidence, labelLoss, labelWarning } from "./plain-words.ts";
import type { CitationStates } from "./use-citation-states.ts";

interface MessagesProps {
  readonly warnings: Turn["warnings"];
  readonly notices: Turn["notices"];
  readonly onAsk?: (question: string) => void;
}

/** Shows warnings about the answer, and notices, for example about skipped steps. */
export function Messages({ warnings, notices, onAsk }: MessagesProps) {
  if (warnings.length + notices.length === 0) return null;
  return (
    <ul className="stack" aria-label="Warnings and notices">
      {[...warnings, ...notices].map(({ code, message }, i) => {
        const instead = warnings[i]?.ask_instead;
        return (
          <li key={`${code} ${message}`} className={i < warnings.length ? "message is-warning" : "message"}>
            <strong>{code === "hotline" ? "Help is available" : "Note"}</strong>{" "}
            {code === "hotline" ? <WithLinks text={message} /> : labelWarning({ code, message })}{" "}
            {instead && onAsk ? <Button onClick={() => onAsk(instead)}>Search the original spelling</Button> : null}
          </li>
        );
      })}
    </ul>
  );
}

/** Matches URLs and phone numbers in a hotline's text, also short numbers: 5–6 digits, or 3 digits that begin with 1 or 9. */
const REACHABLE = /https?:\/\/[^\s)]+|\b(?:\+?\d[\d-]{7,}\d|\d{5,6}|[19]\d{2})\b/g;

/** Renders a text with its URLs and phone numbers as links. */
function WithLinks({ text }: { readonly text: string }) {
  const parts: ReactNode[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(REACHABLE)) {
    parts.push(text.slice(from, index));
    const isText = /\btext\s+$/i.test(text.slice(0, index));
    const href = found.startsWith("http") ? found : `${isText ? "sms" : "tel"}:${found}`;
    parts.push(<Linked key={index} text={found} href={href} />);
    from = index + found.length;
  }
  return [...parts, text.slice(from)];
}

/**
 * Shows confidence, number of sources, checked claims and origin of the answer in one line.
 * @param states current state of each quote, by citation number
 */
export function AnswerSummary({ answer, states }: { readonly answer: WireAnswer; readonly states: CitationStates }) {
  const { label, meaning } = labelConfidence(answer);
  const documents = new Set(answer.citations.map(({ document_id: id }) => id));
  const lost = answer.citations.filter(({ n }) => labelLoss(states.get(n)) !== null).length;
  // A person wrote a reviewer's answer, so it has no confidence to show.
  const isCurated = answer.cache_mode === "curated";
  return (
    <div className="summary">
      {answer.refusal !== null || isCurated ? null : (
        <span>
          <Explained label={label} title="How reliable is this?" text={meaning} />
        </span>
      )}
      {answer.refusal === null ? (
        <span>{`${formatCount(answer.citations.length, "quote")} from ${formatCount(documents.size, "document")}`}</span>
      ) : null}
      {answer.refusal === null ? <span>{describeClaims(answer)}</span> : null}
      {lost === 0 ? null : <span className="doubt">{`${formatCount(lost, "quote")} changed or deleted since`}</span>}
      {answer.cache_mode === "miss" ? null : (
        <span>
          <Explained
            label={isCurated ? "Written by a reviewer" : "From an earlier answer"}
            title="Where this comes from"
            text={describeMemory(answer)}
          />
        </span>
      )}
    </div>
  );
}

function describeMemory({ cache_mode: mode, cached }: WireAnswer): string {
  const since = cached === undefined ? "" : ` on ${formatDate(cached.stored_at.slice(0, 10))}`;
  if (mode === "curated") return `A reviewer wrote this answer${since}. It was checked against the documents, like every answer.`;
  const asked = cached?.question ? ` The question was: “${cached.question}”.` : "";
  return `An equivalent question was answered before${since}.${asked} The answer was checked again against the current documents.`;
}

/** Says how the sentences were made. A model's sentence is never called supported, because the checks miss faults. */
function describeClaims({ claims, model }: WireAnswer): string {
  if (claims.length === 0) return "no sentence was checked";
  const passed = claims.filter(({ status }) => status === "supported").length;
  if (passed < claims.length) return `${passed} of ${claims.length} sentences passed the checks`;
  if (model === "extractive") return "quoted word for word";
  return model === "reviewer" ? "every sentence passed the checks" : "checks found no fault, but miss some: compare the quotes";
}

type IncompleteProps = Readonly<{ status: TurnStatus; shown: number; busy: boolean; onRetry: () => void }>;

/**
 * Explains why an answer is incomplete, with a button to ask again. Its sentences so far stay visible above.
 * @param shown number of sentences that were shown before the answer broke off
 */
export function Incomplete({ status, shown, busy, onRetry }: IncompleteProps) {
  if (status.type === "running" || status.type === "answered") return null;
  const [heading, text] = describeEnd(status);
  return (
    <section className={status.type === "failed" ? "incomplete is-failed" : "incomplete"}>
      <h3>
        {heading}
        {shown > 0 ? <span className="tag">incomplete answer</span> : null}
      </h3>
      <p>{text}</p>
      {shown > 0 ? <p>The sentences above were checked before they were shown, but the rest is missing.</p> : null}
      <Button disabled={busy} onClick={onRetry}>
        Ask again
      </Button>
    </section>
  );
}

function describeEnd(status: Exclude<TurnStatus, { readonly type: "running" | "answered" }>): readonly [heading: string, text: string] {
  if (status.type === "stopped") return ["Stopped", "You stopped this answer."];
  if (status.type === "interrupted") return ["Interrupted", "The page was closed, reloaded or switched before the answer was complete."];
  const { code, message, status: http } = status.failure;
  if (code === "unreachable")
    return ["The server cannot be reached", "Check that the server is running and that you are online, then ask again."];
  if (code === "stream_cut")
    return [
      "Connection lost",
      "The connection closed before the answer was complete. Ask again. If it happens again, check the server log.",
    ];
  const refused = (http !== null && http < 500) || code.startsWith("question_");
  return [refused ? "The question was rejected" : "The answer failed", message];
}
