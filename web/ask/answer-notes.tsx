import { lazy, type ReactNode } from "react";
import { type Disagreement, joinConflicts, type WireAnswer } from "../../src/client/index.ts";
import { formatCount, formatDate, toHttpUrl } from "../format.ts";
import type { ExplainedProps } from "../kit/explained-popover.tsx";
import { Late } from "../kit/late.tsx";
import type { Failure, Turn, TurnStatus } from "./conversation/state.ts";
import { confidenceInWords, lossInWords, warningInWords } from "./plain-words.ts";
import type { CitationState } from "./use-citation-states.ts";

const load = () => import("../kit/explained-popover.tsx");
const ExplainedPopover = lazy(load);

/** Words whose meaning is one click away. */
export function Explained(props: ExplainedProps) {
  return (
    <Late className="explained" label={props.label} opens="dialog" load={() => void load()}>
      <ExplainedPopover {...props} />
    </Late>
  );
}

interface MessagesProps {
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
function WithLinks({ text }: { readonly text: string }) {
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

export interface WebListProps {
  readonly web: NonNullable<WireAnswer["web"]>;
}

const SAYS = { confirmed: "says so", contradicted: "says otherwise" } as const;

/** What the web said of uncertain passages: beside the answer, and marked as no source of it. */
export function WebList({ web }: WebListProps) {
  const pages = web.flatMap(({ sid, pages: found }) => found.map((page) => ({ sid, ...page })));
  const silent = web.filter((said) => said.pages.length === 0);
  if (web.length === 0) return null;
  return (
    <section className="conflict web-evidence">
      <h3>On the web, not a source of this answer</h3>
      <ul>
        {pages.map(({ sid, url, title, verdict, quote, retrieved_at }) => (
          <li key={`${sid} ${url}`}>
            <span className="conflict-value">{SAYS[verdict]}</span>
            <q className="conflict-quote">{quote}</q>
            <WebSource url={url} title={title} />
            <span className="conflict-date">read on {formatDate(retrieved_at.slice(0, 10))}</span>
          </li>
        ))}
        {silent.map(({ sid, reason }) => (
          <li key={sid}>
            <span className="conflict-value">{sid}</span> {reason}
          </li>
        ))}
      </ul>
    </section>
  );
}

function WebSource({ url, title }: { readonly url: string; readonly title: string }) {
  const address = toHttpUrl(url);
  return (
    <span className="conflict-source">
      {address === null ? (
        title
      ) : (
        <a href={address} target="_blank" rel="noopener noreferrer nofollow">
          {title}
        </a>
      )}
    </span>
  );
}

export interface ConflictListProps {
  /** Number of the question in its conversation. */
  readonly number: number;
  readonly conflicts: WireAnswer["conflicts"];
}

/** Sources that differ, side by side, each matter once. */
export function ConflictList({ number, conflicts }: ConflictListProps) {
  return joinConflicts(conflicts).map((one, i) => (
    <section key={keyOf(one)} className="conflict" aria-label={`Conflict ${i + 1} of answer ${number}`}>
      <h3>{one.heading}</h3>
      <ul>
        {one.sides.map((side) => {
          const url = toHttpUrl(side.url);
          return (
            <li key={`${side.document_id} ${side.start} ${side.value}`}>
              {side.value === null ? null : <span className="conflict-value">{side.value}</span>}
              <q className="conflict-quote">{side.quote}</q>
              <span className="conflict-source">
                {url === null ? (
                  side.title
                ) : (
                  <a href={url} target="_blank" rel="noopener noreferrer">
                    {side.title}
                  </a>
                )}
              </span>
              <span className="conflict-date">{side.as_of === null ? "no date stated" : `as of ${formatDate(side.as_of)}`}</span>
            </li>
          );
        })}
      </ul>
      <p>
        {one.decidedBy === null
          ? `Nothing here decides which holds: check ${one.sides.length === 2 ? "both" : "all"}.`
          : decidedBy(one, one.decidedBy)}
      </p>
    </section>
  ));
}

function keyOf({ sides }: Disagreement): string {
  return sides.map(({ document_id, start, value }) => `${document_id} ${start} ${value}`).join(" ");
}

function decidedBy({ sides }: Disagreement, rule: NonNullable<Disagreement["decidedBy"]>): string {
  const holding = new Set(sides.filter(({ holds }) => holds).map(({ value, title }) => value ?? title));
  const reason = rule === "newer" ? "the newer source holds" : `a source of kind "${rule}" holds`;
  return `Decided by a declared rule, ${reason}: ${[...holding].join(", ")}`;
}

interface SeeAlsoProps {
  readonly seeAlso: NonNullable<WireAnswer["see_also"]>;
}

/** Where to read on. Nothing in the answer rests on it. */
export function SeeAlso({ seeAlso: { title, heading, url } }: SeeAlsoProps) {
  const href = toHttpUrl(url);
  return (
    <p className="see-also">
      See also:{" "}
      {href === null ? (
        title
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer">
          {title}
        </a>
      )}
      {heading === null || heading === title ? null : ` – ${heading}`}
    </p>
  );
}

interface AnswerSummaryProps {
  readonly answer: WireAnswer;
  /** What became of its quotes since, by number. */
  readonly states: ReadonlyMap<number, CitationState>;
}

/** One line: how sure it is, what the answer rests on, and whether it was made for this question. */
export function AnswerSummary({ answer, states }: AnswerSummaryProps) {
  const { label, meaning } = confidenceInWords(answer);
  const lost = answer.citations.filter(({ n }) => lossInWords(states.get(n)?.state) !== null).length;
  // A person has judged what a reviewer wrote.
  const isJudged = answer.refusal === null && answer.cache_mode !== "curated";
  return (
    <div className="summary">
      {isJudged ? (
        <span>
          <Explained label={label} title="How sure is this?">
            <p>{meaning}</p>
          </Explained>
        </span>
      ) : null}
      {answer.refusal === null ? <span>{describeSources(answer)}</span> : null}
      {answer.refusal === null ? <span>{describeClaims(answer.claims)}</span> : null}
      {lost === 0 ? null : <span className="doubt">{`${formatCount(lost, "quote")} changed or gone since`}</span>}
      {answer.cache_mode === "miss" ? null : (
        <span>
          <Explained label={answer.cache_mode === "curated" ? "Written by a reviewer" : "Answered before"} title="Where this comes from">
            <p>{describeMemory(answer)}</p>
          </Explained>
        </span>
      )}
    </div>
  );
}

function describeMemory({ cache_mode: mode, cached }: WireAnswer): string {
  const since = cached === undefined ? "" : ` on ${formatDate(cached.stored_at.slice(0, 10))}`;
  if (mode === "curated") return `A reviewer wrote this answer${since}. It is bound to the documents like every other.`;
  const asked = cached?.question ? ` The question was: “${cached.question}”.` : "";
  return `The same was asked before${since}.${asked} The answer was checked again on today's documents.`;
}

function describeSources({ citations }: WireAnswer): string {
  const documents = new Set(citations.map(({ document_id }) => document_id)).size;
  return `${formatCount(citations.length, "quote")} from ${formatCount(documents, "document")}`;
}

function describeClaims(claims: WireAnswer["claims"]): string {
  if (claims.length === 0) return "nothing was checked";
  const supported = claims.filter(({ status }) => status === "supported").length;
  if (supported === claims.length) return "every sentence checked";
  return `${supported} of ${claims.length} sentences carried by their source`;
}

interface IncompleteProps {
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
