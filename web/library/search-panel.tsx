import { type SyntheticEvent, useCallback, useState } from "react";
import type { WireSearch } from "../../src/client/index.ts";
import { formatRoute, placeOf, type Scope } from "../app/route.ts";
import { useAccount } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import { formatCount } from "../format.ts";
import { Scores, TextField } from "../kit/controls.tsx";
import { StateLine } from "../kit/state-line.tsx";

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

interface Found {
  readonly query: string;
  readonly search: WireSearch;
}

/** Searches the documents and shows the passages with each score, without writing an answer. */
export function SearchPanel() {
  const { api, domain, tenant } = useAccount();
  const [query, setQuery] = useState("");
  const [asked, setAsked] = useState<{ readonly query: string } | null>(null);
  const load = useCallback(async (): Promise<Found | null> => {
    if (asked === null) return null;
    const scope = { ...(domain === null ? {} : { domain: domain.name }), ...(tenant === null ? {} : { tenant }) };
    return { ...asked, search: await api.search({ ...asked, limit: PASSAGES, reading: true, ...scope }) };
  }, [api, asked, domain, tenant]);
  const [state, reload] = useLoaded(load);

  function search(event: SyntheticEvent) {
    event.preventDefault();
    setAsked({ query });
  }

  return (
    <section aria-label="Search with scores">
      <h2>Search with scores</h2>
      <form className="filters" onSubmit={search}>
        <TextField type="search" label="Words or a question" value={query} maxLength={500} onChange={setQuery} />
        <button type="submit" className="quiet-button" disabled={query.trim() === "" || state.type === "loading"}>
          Search
        </button>
      </form>
      <StateLine state={state} what="the passages" onRetry={reload} />
      {state.type === "ready" && state.value !== null ? <Passages {...state.value} domain={domain?.name ?? null} tenant={tenant} /> : null}
    </section>
  );
}

export function Passages({ search, query, domain, tenant }: Found & Scope) {
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
      <ol className="stack">
        {passages.map((passage) => {
          const { sid, title, page, heading_path: headings, text, start, scores, document_id } = passage;
          return (
            <li key={`${sid} ${document_id} ${start}`} className="card">
              <p>
                <a href={formatRoute(placeOf(passage, text, { domain, tenant }))}>{title}</a>{" "}
                <span className="muted">
                  {[...headings.filter((heading) => heading !== title), ...(page === null ? [] : [`page ${page}`])].join(" › ")}
                </span>
              </p>
              <p className="source-quote">{text}</p>
              <Scores scores={names.map((name) => [SCORES[name], scores[name]])} />
            </li>
          );
        })}
      </ol>
    </>
  );
}
