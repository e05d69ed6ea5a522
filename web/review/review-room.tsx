import { useState } from "react";
import type { WireHistory, WireQueueItem } from "../../src/client/index.ts";
import { formatRoute, queryOf } from "../app/route.ts";
import { useAccount, useFetched } from "../app/use-account.ts";
import { formatCount, formatDate } from "../format.ts";
import { SelectField, TextField } from "../kit/controls.tsx";
import { formatMoment } from "../kit/figures.ts";
import { StateLine } from "../kit/message.tsx";
import { RoomPage } from "../kit/pane.tsx";
import { Tabbed } from "../kit/tabbed.tsx";
import { ScrollTable } from "../kit/table.tsx";
import { Reports } from "./reports.tsx";
import { ReviewCase, STATUSES } from "./review-case.tsx";

// Words for users, by the server's code. A code without an entry is shown unchanged.

/** Reasons why an answer waits for review. The queue can be filtered by them. */
const REASONS: Readonly<Record<string, string>> = {
  "thumbs down": "a user rated it wrong",
  "a source changed": "a source has changed since",
  flagged: "flagged as wrong",
  conflict: "sources disagree",
  warning: "shown with a warning",
  reported: "a report says what the documents lack",
  refused: "not answered",
};

const ACTIONS: Readonly<Record<string, string>> = {
  approve: "approved an answer",
  flag: "flagged an answer as wrong",
  correct: "corrected an answer",
  demote: "returned an answer to review, because a source changed",
  feedback: "rated an answer",
  forget: "deleted stored data",
  purge: "removed old entries of this log",
  create_key: "created a key",
  revoke_key: "revoked a key",
};

/** Describes why a question waits for review. Each reason occurs once. The confidence is left out: it is shown separately. */
export function labelReasons(why: readonly string[]): readonly string[] {
  const kinds = why
    .filter((one) => !one.startsWith("confidence"))
    .map((one) => one.replace(/^\d+ /, "").replace(/^(conflict|warning)s$/, "$1"));
  return [...new Set(kinds.map((kind) => REASONS[kind] ?? kind))];
}

/** Actions in the audit log that concern an answer. */
const OF_AN_ANSWER: ReadonlySet<string> = new Set(["approve", "flag", "correct", "demote", "feedback"]);

/** Shows the audit log. Each entry contains the hash of the previous one, so that later changes can be detected. */
function AuditLog() {
  const [state, reload] = useFetched<WireHistory>("/v1/review/history?limit=50");
  if (state.type !== "ready") return <StateLine state={state} what="the log" onRetry={reload} />;
  const { chain, rows } = state.value;
  return (
    <>
      <p className={chain.intact ? "muted" : "message is-warning"}>
        {chain.intact
          ? `The log is intact: all ${formatCount(chain.rows, "entry", "entries")} match their predecessors.`
          : `The log was tampered with: entry ${chain.broken_at} does not match the previous one.`}
      </p>
      {rows.length === 0 ? (
        <p>There are no entries yet.</p>
      ) : (
        <ScrollTable
          label="Audit log"
          columns={["When", "Who", "What", "Of"]}
          rows={rows.map(({ seq, at, by, action, subject }) => ({
            key: seq,
            cells: [
              <time key="at" dateTime={at}>
                {formatMoment(at)}
              </time>,
              by,
              ACTIONS[action] ?? action.replaceAll("_", " "),
              OF_AN_ANSWER.has(action) ? (
                <a key="of" href={formatRoute({ room: "review", id: subject })}>
                  the answer
                </a>
              ) : (
                <code key="of">{subject}</code>
              ),
            ],
          }))}
        />
      )}
    </>
  );
}

const SHOWN = [
  ["", "Needs review"],
  ["waiting", "All waiting"],
  ["unreviewed", "Not reviewed"],
  ["flagged", "Flagged"],
  ["approved", "Approved"],
] as const;
/** Maximum number of questions that are listed. */
const LISTED = 100;

/** Id of the answer that is open; `null`: none. */
type Open = { readonly id: string | null };

/** The Review view: answers to review, reports on gaps in the documents, and the audit log. */
export default function ReviewRoom({ id }: Open) {
  return (
    <RoomPage title="Review">
      <Tabbed
        label="Sections of the review"
        parts={[
          ["Queue", <Queue key="queue" id={id} />],
          ["Reports and gaps", <Reports key="reports" />],
          ["Audit log", <AuditLog key="log" />],
        ]}
      />
    </RoomPage>
  );
}

/** Shows the queue of answers to review, and the open answer beside it. */
function Queue({ id }: Open) {
  const { domain } = useAccount();
  const [status, setStatus] = useState("");
  const [words, setWords] = useState("");
  const [why, setWhy] = useState("");
  const path = `/v1/review?${queryOf({ limit: String(LISTED), domain: domain?.name, status: status === "waiting" ? null : status || null })}`;
  const [state, reload] = useFetched<{ items: readonly WireQueueItem[] }>(path);
  const items = (state.type === "ready" ? state.value.items : []).filter((item) => status !== "" || needsPerson(item));
  const reasons = [...new Set(items.flatMap((item) => labelReasons(item.why)))].sort();
  const choices = [["", "anything"] as const, ...reasons.map((one) => [one, one] as const)];
  const found = items
    .filter((item) => item.question.toLowerCase().includes(words.toLowerCase()))
    .filter((item) => why === "" || labelReasons(item.why).includes(why));
  return (
    <div className="columns">
      <section aria-label="Queue">
        <div className="filters">
          <SelectField label="Show" value={status} options={SHOWN} onChange={setStatus} />
          <TextField type="search" label="Question contains" value={words} onChange={setWords} />
          {reasons.length > 0 ? <SelectField label="Reason" value={why} options={choices} onChange={setWhy} /> : null}
        </div>
        <StateLine state={state} what="the queue" onRetry={reload} />
        {state.type !== "ready" ? null : (
          <p role="status" className="muted">
            {found.length === 0
              ? items.length === 0
                ? "No question waits for review."
                : "No question matches these filters."
              : formatCount(found.length, "question")}
          </p>
        )}
        <ul className="stack">
          {found.map((item) => (
            <QueueItem key={item.id} item={item} open={item.id === id} />
          ))}
        </ul>
      </section>
      <section aria-label="Answer under review">
        {id === null ? (
          <p className="muted">Select a question to see its answer, its sources and its ratings.</p>
        ) : (
          <ReviewCase key={id} id={id} onChanged={reload} />
        )}
      </section>
    </div>
  );
}

/** Minimum confidence of an answer that needs no review, if it has no other fault. */
const SURE = 0.9;

/** Entries of `why` that are no fault of the answer. They are in the tab “Reports and gaps”. */
const NO_FAULT: ReadonlySet<string> = new Set(["refused", "reported"]);

/** Returns whether a person must review an answer: it has a fault, such as a bad rating or a changed source, or a low confidence. */
function needsPerson({ why, status, confidence }: WireQueueItem): boolean {
  const faults = why.filter((one) => !NO_FAULT.has(one) && !one.startsWith("confidence"));
  return faults.length > 0 || (status === "ok" && (confidence === null || confidence < SURE));
}

function QueueItem({ item, open }: { readonly item: WireQueueItem; readonly open: boolean }) {
  const { id, question, within, asked, why, status, confidence, review_status: review, created_at: at } = item;
  const facts = [
    ...(within === null ? [] : [`limited to ${within}`]),
    ...labelReasons(why),
    ...(confidence === null || status !== "ok" ? [] : [`sources match: ${Math.round(confidence * 100)} of 100`]),
    ...[`asked ${asked === 1 ? "once" : formatCount(asked, "time")}`, STATUSES[review], formatDate(at.slice(0, 10))],
  ];
  return (
    <li>
      <a className="queue-item" href={formatRoute({ room: "review", id })} aria-current={open ? "true" : undefined}>
        <span>{question === "" ? "A question whose text was not stored" : question}</span>
        <span className="muted">{[...new Set(facts)].join(" · ")}</span>
      </a>
    </li>
  );
}
