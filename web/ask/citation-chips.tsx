import type { WireCitation } from "../../src/client/index.ts";
import type { CitationLinks } from "./citation-links.ts";

export interface CitationChipsProps extends CitationLinks {
  readonly citations: readonly WireCitation[];
  /** Numbers alone, where the source is told elsewhere. */
  readonly short: boolean;
}

/** The sources of a sentence: one chip for a document, a button for each of its quotes. */
export function CitationChips({ citations, short, open, onOpen, onPoint, sourceId }: CitationChipsProps) {
  const byDocument = Map.groupBy(citations, ({ document_id: id }) => id);
  return [...byDocument].map(([id, quotes]) => (
    <span key={id} className="chip">
      {short ? null : <span className="chip-title">{quotes[0]?.title}</span>}
      {quotes.map(({ n, title, page }) => (
        <button
          key={n}
          type="button"
          className="citation"
          aria-label={`Source ${n}: show the quote in ${title}${page === null || page === undefined ? "" : `, page ${page}`}`}
          aria-expanded={open === n}
          aria-controls={sourceId(n)}
          onClick={(event) => onOpen(n, event.currentTarget)}
          onFocus={() => onPoint([n])}
          onBlur={() => onPoint(null)}
        >
          {n}
        </button>
      ))}
    </span>
  ));
}
