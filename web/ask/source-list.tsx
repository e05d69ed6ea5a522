import type { WireCitation } from "../../src/client/index.ts";
import { formatDate } from "../format.ts";
import { PassageView } from "./passage-view.tsx";

export interface SourceListProps {
  readonly citations: readonly WireCitation[];
  readonly active: readonly number[];
  readonly open: number | null;
  readonly onOpen: (n: number | null) => void;
  readonly onPoint: (citations: readonly number[] | null) => void;
  /** Closes the passage and returns to where it was opened. */
  readonly onBack: () => void;
  readonly sourceId: (n: number) => string;
}

/** The headings under which the quote stands, and its page. */
function SourcePath({ heading_path: headings, page }: Pick<WireCitation, "heading_path" | "page">) {
  const place = [headings.join(" › "), page === undefined || page === null ? "" : `page ${page}`].filter((part) => part !== "").join(", ");
  return place === "" ? null : <span className="source-path">{place}</span>;
}

/** The numbered sources. Each opens to its passage with the exact quote marked. */
export function SourceList({ citations, active, open, onOpen, onPoint, onBack, sourceId }: SourceListProps) {
  return (
    <section className="sources" aria-label="Sources">
      <h3>Sources</h3>
      <ol>
        {citations.map((citation) => {
          const isOpen = open === citation.n;
          const isActive = active.includes(citation.n);
          return (
            <li
              key={citation.n}
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
                  <span className="source-title">{citation.title}</span>
                  <SourcePath {...citation} />
                  {isOpen ? null : <span className="source-quote">{citation.quote}</span>}
                  {citation.as_of === null ? null : <span className="source-date">As of {formatDate(citation.as_of)}</span>}
                </span>
              </button>
              <div id={sourceId(citation.n)}>{isOpen ? <PassageView citation={citation} onBack={onBack} /> : null}</div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
