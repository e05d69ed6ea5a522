import { useState } from "react";
import type { WireAnswer, WireDocument } from "../../src/client/index.ts";
import { documentPath, formatRoute, queryOf } from "../app/route.ts";
import { useFetched } from "../app/use-account.ts";
import { formatCount } from "../format.ts";
import { cutText, type Range } from "../kit/cut-text.ts";
import { formatShare } from "../kit/figures.ts";
import { StateLine } from "../kit/message.tsx";

export type PassagesProps = Readonly<{ answer: WireAnswer; tenant: string | null }>;

type Weighed = WireAnswer["evidence"][number];

const VERDICTS = { verified: "answers", uncertain: "may answer", rejected: "does not answer" } as const;
const SCORES = [
  ["final", "combined"],
  ["rel", "relevance"],
  ["consistency", "consistency"],
  ["agreement", "agreement"],
  ["cross", "reranker"],
] as const;

/** Lists the passages of the evidence with their verdicts, scores, reasons and texts. */
export function Passages({ answer, tenant }: PassagesProps) {
  const { evidence } = answer;
  if (evidence.length === 0) return <p>No passage was scored.</p>;
  const rows = [...evidence].sort((a, b) => b.final - a.final);
  return (
    <>
      <p>{formatCount(evidence.length, "passage")} scored, best first.</p>
      <ol className="stack">
        {rows.map((one) => (
          <li key={one.sid} className="card">
            <Passage weighed={one} {...{ answer, tenant }} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Passage({ weighed, answer, tenant }: PassagesProps & { readonly weighed: Weighed }) {
  const [open, setOpen] = useState(false);
  const { title, heading_path: headings, verdict, reason, document_id: document, document_version: version, start, end } = weighed;
  const place = { document, start, end, version, quote: null, domain: answer.domain, tenant };
  const known = document !== undefined;
  return (
    <>
      <p>
        <span className={`verdict is-${verdict}`}>{VERDICTS[verdict]}</span>{" "}
        {known ? <a href={formatRoute({ room: "read", ...place })}>{title}</a> : <strong>{title}</strong>}{" "}
        <span className="muted">{(headings ?? []).filter((heading) => heading !== title).join(" › ")}</span>
      </p>
      <ul className="scores">
        {SCORES.map(([name, label]) => (
          <li key={name}>
            <span className="muted">{label}</span> {weighed[name] === null ? "not scored" : formatShare(weighed[name])}
          </li>
        ))}
      </ul>
      <p className="muted">{reason}</p>
      {known ? (
        <details className="outline" onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Text of the passage</summary>
          {open ? <Read {...{ weighed, answer, tenant }} /> : null}
        </details>
      ) : null}
    </>
  );
}

/** Shows the text of a passage. Marked are the quotes in the answer and the window that matched the question best. */
function Read({ weighed, answer: { domain, citations }, tenant }: PassagesProps & { readonly weighed: Weighed }) {
  const { document_id: id, document_version: version } = weighed;
  const [state, reload] = useFetched<WireDocument>(`${documentPath(id)}?${queryOf({ domain, tenant })}`);
  if (state.type !== "ready") return <StateLine state={state} what="the passage" onRetry={reload} />;
  if (state.value.version !== version)
    return <p className="message">The document has changed since; its current text differs from the one used then.</p>;
  const quoted = citations.filter((one) => one.document_id === id && one.document_version === version);
  const { start: from, end: to } = weighed;
  return (
    <>
      <p className="passage-read">
        {cutText<Stretch>(state.value.text.slice(from, to), from, [...quoted, weighed.window]).map(({ start, text, over }) => {
          const cites = over.flatMap(({ n }) => n ?? []);
          return cites.length > 0 ? (
            <mark key={start} title={`Quoted as ${cites.map((n) => `[${n}]`).join(" ")}`}>
              {text}
            </mark>
          ) : (
            <span key={start} className={over.length > 0 ? "is-fitting" : undefined}>
              {text}
            </span>
          );
        })}
      </p>
      <p className="muted">Highlighted: quotes in the answer. Underlined: the part that matched the question best.</p>
    </>
  );
}

/** A quote with its citation number, or the best window. */
type Stretch = Range & { readonly n?: number };
