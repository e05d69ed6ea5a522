import type { WireCitation } from "../../src/client/index.ts";
import { formatDate } from "../format.ts";
import { Recognised } from "../kit/recognised.tsx";
import type { CitationLinks } from "./citation-links.ts";
import { PassageView } from "./passage-view.tsx";
import type { CitationState } from "./use-citation-states.ts";

export interface SourceListProps extends Omit<CitationLinks, "onOpen"> {
  readonly citations: readonly WireCitation[];
  /** Number of the question in its conversation. */
  readonly number: number;
  readonly onOpen: (n: number | null) => void;
  /** Closes the passage and returns to where it was opened. */
  readonly onBack: () => void;
  /** What became of quotes since, by number; absent: nothing is known. */
  readonly states: ReadonlyMap<number, CitationState>;
  /** Opens the document at the quote. */
  readonly onRead: (citation: WireCitation) => void;
}

/** The sources by document, each with its quotes; a quote opens to its passage with the exact words marked. */
export function SourceList({ citations, number, ...links }: SourceListProps) {
  const byDocument = Map.groupBy(citations, ({ document_id: id }) => id);
  return (
    <section className="sources" aria-label={`Sources (${number})`}>
      <h3>Sources</h3>
      <ol className="documents">
        {[...byDocument].map(([id, quotes]) => (
          <li key={id} className="document">
            <p className="document-head">
              <span className="source-title">{quotes[0]?.title}</span>
              <DateLine date={quotes[0]?.as_of ?? null} />
            </p>
            <ol>
              {quotes.map((citation) => (
                <Quote key={citation.n} citation={citation} {...links} />
              ))}
            </ol>
          </li>
        ))}
      </ol>
    </section>
  );
}

function DateLine({ date }: { readonly date: string | null }) {
  return <span className="source-date">{date === null ? "no date stated" : `As of ${formatDate(date)}`}</span>;
}

/** The headings under which the quote stands, and its page. */
function SourcePath({ heading_path: headings, page }: Pick<WireCitation, "heading_path" | "page">) {
  const place = [headings.join(" › "), page === undefined || page === null ? "" : `page ${page}`].filter((part) => part !== "").join(", ");
  return place === "" ? null : <span className="source-path">{place}</span>;
}

const STATES = { moved: "moved", changed: "changed since", gone: "gone" } as const;

function StateTag({ state }: { readonly state: CitationState | null }) {
  return state === null || state.state === "same" ? null : <span className="tag">{STATES[state.state]}</span>;
}

function StateNote({ state }: { readonly state: CitationState | null }) {
  if (state === null || state.state === "same") return null;
  if (state.state === "gone")
    return <p className="message is-warning">Gone: the document was deleted, or no longer says anything like it.</p>;
  if (state.state === "moved") return <p className="message">Moved: the same words stand elsewhere now{inTitle(state)}.</p>;
  return (
    <p className="message is-warning">
      Changed: in its place{inTitle(state)} stands now “{state.now?.quote}”
    </p>
  );
}

function inTitle({ now }: CitationState): string {
  return now === null ? "" : `, in “${now.title}”`;
}

type QuoteProps = Omit<SourceListProps, "citations" | "number"> & { readonly citation: WireCitation };

function Quote({ citation, states, active, open, onOpen, onPoint, onBack, onRead, sourceId }: QuoteProps) {
  const isOpen = open === citation.n;
  const isActive = active.includes(citation.n);
  return (
    <li
      className={`source${isActive ? " is-active" : ""}${isOpen ? " is-open" : ""}`}
      onPointerEnter={() => onPoint([citation.n])}
      onPointerLeave={() => onPoint(null)}
    >
      <button
        type="button"
        className="source-head"
        aria-expanded={isOpen}
        aria-controls={sourceId(citation.n)}
        onClick={() => onOpen(isOpen ? null : citation.n)}
      >
        <span className="source-number">{citation.n}</span>
        <span className="source-name">
          <StateTag state={states.get(citation.n) ?? null} />
          <SourcePath {...citation} />
          {citation.original.recognised === true ? <Recognised /> : null}
          {isOpen ? null : <span className="source-quote">{citation.quote}</span>}
        </span>
      </button>
      <div id={sourceId(citation.n)}>
        {isOpen ? <StateNote state={states.get(citation.n) ?? null} /> : null}
        {isOpen ? <PassageView citation={citation} onBack={onBack} onRead={() => onRead(citation)} /> : null}
      </div>
    </li>
  );
}
