import { useCallback, useMemo, useState } from "react";
import type { WireAnswer, WireDocument } from "../../src/client/index.ts";
import type { Api } from "../app/api.ts";
import { formatRoute } from "../app/route.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCount, formatShare } from "../format.ts";
import { StateLine } from "../kit/state-line.tsx";

export interface PassagesProps {
  readonly answer: WireAnswer;
  readonly tenant: string | null;
  readonly api: Pick<Api, "get">;
}

type Weighed = WireAnswer["evidence"][number];

const VERDICTS = { verified: "answers", uncertain: "may answer", rejected: "does not answer" } as const;
const SCORES = { rel: "relevance", consistency: "consistency", agreement: "agreement", cross: "reranker" } as const;

/** Every passage that was weighed, with its scores, why it counts or not, and what was read of it. */
export function Passages({ answer, tenant, api }: PassagesProps) {
  const { evidence } = answer;
  if (evidence.length === 0) return <p>No passage was weighed.</p>;
  const rows = [...evidence].sort((a, b) => b.final - a.final);
  return (
    <>
      <p>{formatCount(evidence.length, "passage")} weighed, the strongest first.</p>
      <ol className="weighed">
        {rows.map((one) => (
          <li key={one.sid}>
            <Passage weighed={one} {...{ answer, tenant, api }} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Passage({ weighed, answer, tenant, api }: PassagesProps & { readonly weighed: Weighed }) {
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
      <ul className="scores">
        <li>
          <span className="muted">in all</span> {formatShare(final)}
        </li>
        {Object.entries(SCORES).map(([name, label]) => {
          const score = weighed[name as keyof typeof SCORES];
          return (
            <li key={name}>
              <span className="muted">{label}</span> {score === null ? "not scored" : formatShare(score)}
            </li>
          );
        })}
      </ul>
      <p className="muted">{reason}</p>
      {known ? (
        <details className="outline" onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>What was read</summary>
          {open ? <Read {...{ weighed, answer, tenant, api }} /> : null}
        </details>
      ) : null}
    </>
  );
}

/** The passage with what the answer quotes of it and the stretch that fitted best. */
function Read({ weighed, answer: { domain, citations }, tenant, api }: PassagesProps & { readonly weighed: Weighed }) {
  const { document_id: id, document_version: version } = weighed;
  const scope = new URLSearchParams({ domain, ...(tenant === null ? {} : { tenant }) });
  const path = `/v1/documents/${encodeURIComponent(id)}?${scope}`;
  const [state, reload] = useLoaded(useCallback((signal) => api.get<WireDocument>(path, signal), [api, path]));
  const pieces = useMemo(() => {
    if (state.type !== "ready" || state.value.version !== version) return null;
    const quoted = citations.filter((one) => one.document_id === id && one.document_version === version);
    return cutPassage(state.value.text, weighed, quoted);
  }, [state, weighed, citations, id, version]);
  if (state.type !== "ready") return <StateLine state={state} what="the passage" onRetry={reload} />;
  if (pieces === null) return <p className="message">The document has changed since: what was read then is not its text of today.</p>;
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
      <p className="muted">Marked: what the answer quotes. Underlined: the stretch that fitted the question best.</p>
    </>
  );
}

interface Range {
  readonly start: number;
  readonly end: number;
}

interface PassagePiece extends Range {
  readonly text: string;
  /** Numbers of the citations that quote it. */
  readonly cites: readonly number[];
  /** It lies in the stretch that fitted the question best. */
  readonly fits: boolean;
}

/** A passage of a document's text, cut where quotes of it and its best stretch begin and end. */
export function cutPassage(
  text: string,
  passage: Range & { readonly window: Range },
  quotes: readonly (Range & { readonly n: number })[],
): PassagePiece[] {
  const { start, end, window } = passage;
  const inside = quotes.filter((quote) => quote.start < end && quote.end > start);
  const cuts = [start, end, window.start, window.end, ...inside.flatMap((quote) => [quote.start, quote.end])];
  const places = [...new Set(cuts.filter((at) => at >= start && at <= end))].sort((a, b) => a - b);
  return places.slice(0, -1).map((from, i) => {
    const to = places[i + 1] ?? end;
    const covers = (range: Range) => range.start <= from && range.end >= to;
    return { start: from, end: to, text: text.slice(from, to), cites: inside.filter(covers).map(({ n }) => n), fits: covers(window) };
  });
}
