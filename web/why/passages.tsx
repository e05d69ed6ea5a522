import { useMemo, useState } from "react";
import type { WireAnswer, WireDocument } from "../../src/client/index.ts";
import { documentPath, formatRoute, queryOf } from "../app/route.ts";
import { useFetched } from "../app/use-account.ts";
import { formatCount } from "../format.ts";
import { cutText, type Range } from "../kit/cut-text.ts";
import { formatShare } from "../kit/figures.ts";
import { StateLine } from "../kit/state-line.tsx";

export interface PassagesProps {
  readonly answer: WireAnswer;
  readonly tenant: string | null;
}

type Weighed = WireAnswer["evidence"][number];

const VERDICTS = { verified: "answers", uncertain: "may answer", rejected: "does not answer" } as const;
const SCORES = [
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
  const { title, heading_path: headings, verdict, reason, final, document_id: document, document_version: version, start, end } = weighed;
  const place = { document, start, end, version, quote: null, domain: answer.domain, tenant };
  const known = document !== undefined;
  return (
    <>
      <p>
        <span className={`verdict is-${verdict}`}>{VERDICTS[verdict]}</span>{" "}
        {known ? <a href={formatRoute({ room: "read", ...place })}>{title}</a> : <strong>{title}</strong>}{" "}
        <span className="muted">{(headings ?? []).filter((heading) => heading !== title).join(" › ")}</span>
      </p>
      <Scores scores={[["combined", final], ...SCORES.map(([name, label]) => [label, weighed[name]] as const)]} />
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
  const pieces = useMemo(() => {
    if (state.type !== "ready" || state.value.version !== version) return null;
    const quoted = citations.filter((one) => one.document_id === id && one.document_version === version);
    return cutPassage(state.value.text, weighed, quoted);
  }, [state, weighed, citations, id, version]);
  if (state.type !== "ready") return <StateLine state={state} what="the passage" onRetry={reload} />;
  if (pieces === null) return <p className="message">The document has changed since; its current text differs from the one used then.</p>;
  return (
    <>
      <p className="passage-read">
        {pieces.map(({ start, text, cites, fits }) =>
          cites.length > 0 ? (
            <mark key={start} title={`Quoted as ${cites.map((n) => `[${n}]`).join(" ")}`}>
              {text}
            </mark>
          ) : (
            <span key={start} className={fits ? "is-fitting" : undefined}>
              {text}
            </span>
          ),
        )}
      </p>
      <p className="muted">Highlighted: quotes in the answer. Underlined: the part that matched the question best.</p>
    </>
  );
}

type Stretch = Range & { /** Citation number; `null` for the best window. */ readonly n: number | null };

/** Cuts a passage where its quotes or its best window begin or end. */
function cutPassage(text: string, { start, end, window }: Range & { readonly window: Range }, quotes: readonly Stretch[]) {
  const pieces = cutText<Stretch>(text.slice(start, end), start, [...quotes, { ...window, n: null }]);
  return pieces.map(({ over, ...piece }) => ({
    ...piece,
    cites: over.flatMap(({ n }) => n ?? []),
    fits: over.some(({ n }) => n === null),
  }));
}

/** Shows scores with their labels; `null`: not scored. */
function Scores({ scores }: { readonly scores: readonly (readonly [label: string, score: number | null])[] }) {
  return (
    <ul className="scores">
      {scores.map(([label, score]) => (
        <li key={label}>
          <span className="muted">{label}</span> {score === null ? "not scored" : formatShare(score)}
        </li>
      ))}
    </ul>
  );
}
