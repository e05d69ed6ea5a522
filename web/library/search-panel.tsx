import { type SyntheticEvent, useId, useState } from "react";
import type { WireSearch } from "../../src/client/index.ts";
import { type Api, messageOf } from "../app/api.ts";
import { formatRoute } from "../app/route.ts";
import { formatCount } from "../format.ts";
import { Scores } from "../kit/controls.tsx";
import { formatShare } from "../kit/figures.ts";
import { Alert } from "../kit/message.tsx";

export interface SearchPanelProps {
  readonly api: Pick<Api, "search">;
  readonly domain: string | null;
  readonly tenant: string | null;
}

/** Number of passages to request. */
const PASSAGES = 10;

const SCORES = {
  fused: "in all",
  dense: "meaning",
  bm25: "words",
  reading: "reader",
  cross: "cross-encoder",
} as const;
type ScoreName = keyof typeof SCORES;

/** Scores that only some methods produce: hidden if no passage has one. */
const RARE: readonly ScoreName[] = ["cross"];

type Found =
  | { readonly type: "none" }
  | { readonly type: "searching" }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "found"; readonly query: string; readonly search: WireSearch };

/** Searches the documents and shows the passages with each score, without writing an answer. */
export function SearchPanel({ api, domain, tenant }: SearchPanelProps) {
  const [query, setQuery] = useState("");
  const [found, setFound] = useState<Found>({ type: "none" });
  const id = useId();

  async function search(event: SyntheticEvent) {
    event.preventDefault();
    setFound({ type: "searching" });
    try {
      const scope = { ...(domain === null ? {} : { domain }), ...(tenant === null ? {} : { tenant }) };
      setFound({ type: "found", query, search: await api.search({ query, limit: PASSAGES, reading: true, ...scope }) });
    } catch (error) {
      setFound({ type: "failed", message: messageOf(error) });
    }
  }

  return (
    <section aria-label="Search with scores">
      <h2>Search with scores</h2>
      <form className="filters" onSubmit={search}>
        <label htmlFor={id}>Words or a question</label>
        <input id={id} type="search" className="field" value={query} maxLength={500} onChange={(event) => setQuery(event.target.value)} />
        <button type="submit" className="quiet-button" disabled={query.trim() === "" || found.type === "searching"}>
          Search
        </button>
      </form>
      {found.type === "searching" ? <p role="status">Searching…</p> : null}
      <Alert text={found.type === "failed" ? found.message : null} />
      {found.type === "found" ? <Passages {...found} {...{ domain, tenant }} /> : null}
    </section>
  );
}

export function Passages({ search, query, domain, tenant }: Found & { type: "found" } & Omit<SearchPanelProps, "api">) {
  const { passages, encoder, reader, warnings } = search;
  const names = (Object.keys(SCORES) as ScoreName[]).filter(
    (name) => !RARE.includes(name) || passages.some(({ scores }) => scores[name] !== null),
  );
  return (
    <>
      <p role="status" className="muted">
        {passages.length === 0
          ? `Nothing was found for “${query}”. Use words that occur in the documents.`
          : `${formatCount(passages.length, "passage")}.`}
        {encoder === null ? " Ranked by words only, because no encoder is configured." : ` Ranked by words and meaning (${encoder}).`}
        {reader === null || passages.length === 0
          ? ""
          : " The cross-encoder’s score says how well the best sentence of a passage answers the question; it does not change the order."}
      </p>
      {warnings.map(({ code, message }) => (
        <p key={`${code} ${message}`} className="message is-warning">
          {message}
        </p>
      ))}
      <ol className="weighed">
        {passages.map(({ sid, title, page, heading_path: headings, text, start, end, scores, document_id, document_version: version }) => (
          <li key={`${sid} ${document_id} ${start}`}>
            <p>
              <a
                href={formatRoute({
                  ...{ room: "read", document: document_id, start, end, version, quote: text },
                  ...{ domain, tenant },
                })}
              >
                {title}
              </a>{" "}
              <span className="muted">
                {[...headings.filter((heading) => heading !== title), ...(page === null ? [] : [`page ${page}`])].join(" › ")}
              </span>
            </p>
            <p className="passage-cut">{text}</p>
            <Scores scores={names.map((name) => [SCORES[name], scoreOf(scores[name])])} />
          </li>
        ))}
      </ol>
    </>
  );
}

function scoreOf(score: number | null): string | null {
  return score === null ? null : formatShare(score);
}
