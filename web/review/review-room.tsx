import { Tabs } from "@base-ui/react/tabs";
import { useCallback, useId, useState } from "react";
import type { WireHistory, WireQueueItem } from "../../src/client/index.ts";
import type { Api } from "../app/api.ts";
import { formatRoute } from "../app/route.ts";
import type { Account } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCount, formatDate, formatMoment } from "../format.ts";
import { ColumnHeads } from "../kit/column-heads.tsx";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { StateLine } from "../kit/state-line.tsx";
import { Reports } from "./reports.tsx";
import { ReviewCase } from "./review-case.tsx";
import { actionInWords, fitInWords, reasonsInWords, statusInWords } from "./review-words.ts";

/** What is done to one answer; the entry names it. */
const OF_AN_ANSWER: ReadonlySet<string> = new Set(["approve", "flag", "correct", "demote", "feedback"]);

interface AuditLogProps {
  readonly api: Pick<Api, "get">;
}

/** Who did what; each entry holds the hash of the one before it, so that a change shows. */
function AuditLog({ api }: AuditLogProps) {
  const [state, reload] = useLoaded(useCallback((signal) => api.get<WireHistory>("/v1/review/history?limit=50", signal), [api]));
  if (state.type !== "ready") return <StateLine state={state} what="the log" onRetry={reload} />;
  const { chain, rows } = state.value;
  return (
    <>
      <p className={chain.intact ? "muted" : "message is-warning"}>
        {chain.intact
          ? `Nobody has changed this log: each of its ${formatCount(chain.rows, "entry", "entries")} fits the one before it.`
          : `Somebody has changed this log: entry ${chain.broken_at} does not fit the one before it.`}
      </p>
      {rows.length === 0 ? (
        <p>Nothing was done yet.</p>
      ) : (
        <ScrollRegion className="answer-table" aria-label="Log of reviews">
          <table>
            <ColumnHeads names={["When", "Who", "What", "Of"]} />
            <tbody>
              {rows.map(({ seq, at, by, action, subject }) => (
                <tr key={seq}>
                  <td>
                    <time dateTime={at}>{formatMoment(at)}</time>
                  </td>
                  <td>{by}</td>
                  <td>{actionInWords(action)}</td>
                  <td>
                    {OF_AN_ANSWER.has(action) ? (
                      <a href={formatRoute({ room: "review", id: subject })}>the answer</a>
                    ) : (
                      <code>{subject}</code>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </>
  );
}

export interface ReviewRoomProps {
  /** The answer that is open; `null`: none. */
  readonly id: string | null;
  readonly account: Account;
}

const STATUSES = [
  ["", "All that wait"],
  ["unreviewed", "Not reviewed"],
  ["flagged", "Flagged"],
  ["approved", "Approved"],
] as const;
/** Questions of the queue that are listed. */
const LISTED = 100;

/** Answers that wait for a reviewer, the most pressing first, and what can be done with one. */
export default function ReviewRoom({ id, account }: ReviewRoomProps) {
  return (
    <main className="room-page" aria-labelledby="review-title">
      <h1 id="review-title" className="room-title">
        Review
      </h1>
      <Tabs.Root defaultValue="queue" className="tabs">
        <Tabs.List className="tab-list" aria-label="Parts of the review">
          {PARTS.map(([name, title]) => (
            <Tabs.Tab key={name} value={name} className="tab">
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="queue">
          <Queue id={id} account={account} />
        </Tabs.Panel>
        <Tabs.Panel value="reports">
          <Reports api={account.api} domain={account.domain?.name ?? null} />
        </Tabs.Panel>
        <Tabs.Panel value="log">
          <AuditLog api={account.api} />
        </Tabs.Panel>
      </Tabs.Root>
    </main>
  );
}

const PARTS = [
  ["queue", "Queue"],
  ["reports", "Reports and gaps"],
  ["log", "Who did what"],
] as const;

/** The queue beside the answer that is open. */
function Queue({ id, account }: ReviewRoomProps) {
  const { api, domain } = account;
  const [status, setStatus] = useState("");
  const [words, setWords] = useState("");
  const [why, setWhy] = useState("");
  const filter = useId();
  const path = queuePath(domain?.name, status);
  const [state, reload] = useLoaded(useCallback((signal) => api.get<{ items: readonly WireQueueItem[] }>(path, signal), [api, path]));
  const items = state.type === "ready" ? state.value.items : [];
  const reasons = [...new Set(items.flatMap((item) => reasonsInWords(item.why)))].sort();
  const found = items.filter(
    (item) => item.question.toLowerCase().includes(words.toLowerCase()) && (why === "" || reasonsInWords(item.why).includes(why)),
  );
  return (
    <div className="columns">
      <section aria-label="Queue">
        <div className="filters">
          <label htmlFor={`${filter}-status`}>Show</label>
          <select id={`${filter}-status`} className="field" value={status} onChange={(event) => setStatus(event.target.value)}>
            {STATUSES.map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
          <label htmlFor={`${filter}-words`}>Question holds</label>
          <input id={`${filter}-words`} type="search" className="field" value={words} onChange={(event) => setWords(event.target.value)} />
          {reasons.length === 0 ? null : (
            <>
              <label htmlFor={`${filter}-why`}>Because of</label>
              <select id={`${filter}-why`} className="field" value={why} onChange={(event) => setWhy(event.target.value)}>
                <option value="">anything</option>
                {reasons.map((reason) => (
                  <option key={reason}>{reason}</option>
                ))}
              </select>
            </>
          )}
        </div>
        <StateLine state={state} what="the queue" onRetry={reload} />
        {state.type !== "ready" ? null : (
          <p role="status" className="muted">
            {found.length === 0
              ? state.value.items.length === 0
                ? "Nothing waits here."
                : "No question fits these filters."
              : formatCount(found.length, "question")}
          </p>
        )}
        <ul className="queue">
          {found.map((item) => (
            <QueueItem key={item.id} item={item} open={item.id === id} />
          ))}
        </ul>
      </section>
      <section aria-label="Answer under review">
        {id === null ? <p className="muted">Choose a question to see its answer, its sources and what was thought of it.</p> : null}
        {id === null ? null : <ReviewCase key={id} id={id} api={api} onChanged={reload} />}
      </section>
    </div>
  );
}

function queuePath(domain: string | undefined, status: string): string {
  const query = new URLSearchParams({
    limit: String(LISTED),
    ...(domain === undefined ? {} : { domain }),
    ...(status === "" ? {} : { status }),
  });
  return `/v1/review?${query}`;
}

function QueueItem({ item, open }: { readonly item: WireQueueItem; readonly open: boolean }) {
  const { id, question, within, asked, why, status, confidence, review_status: review, created_at: at } = item;
  const fit = fitInWords(confidence, status);
  const facts = [
    ...(within === null ? [] : [`asked within ${within}`]),
    ...reasonsInWords(why),
    ...(fit === null ? [] : [fit]),
    ...[`asked ${asked === 1 ? "once" : formatCount(asked, "time")}`, statusInWords(review), formatDate(at.slice(0, 10))],
  ];
  return (
    <li>
      <a className="queue-item" href={formatRoute({ room: "review", id })} aria-current={open ? "true" : undefined}>
        <span>{question === "" ? "A question whose text is not kept" : question}</span>
        <span className="muted">{[...new Set(facts)].join(" · ")}</span>
      </a>
    </li>
  );
}
