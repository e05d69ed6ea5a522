import { Fragment, type Ref, useEffect, useRef } from "react";
import type { WireCitation, WireRefusal } from "../../src/client/index.ts";
import { formatDate, formatNumber, toHttpUrl } from "../format.ts";
import { Button } from "../kit/controls.tsx";
import { cutText } from "../kit/cut-text.ts";
import { Recognised } from "../kit/message.tsx";
import { useEscape } from "../kit/pane.tsx";
import { CellRow, isRow, ScrollRegion } from "../kit/table.tsx";
import type { CitationState, CitationStates } from "./use-citation-states.ts";

/** State and handlers that connect citation numbers with sources. `active`: numbers of the highlighted citations. */
export interface CitationLinks {
  readonly active: readonly number[];
  /** Number of the citation whose passage is open; `null`: none. */
  readonly open: number | null;
  readonly onOpen: (n: number, from: HTMLElement) => void;
  readonly onPoint: (citations: readonly number[] | null) => void;
  readonly sourceId: (n: number) => string;
}

interface SourceListProps extends Omit<CitationLinks, "onOpen"> {
  readonly citations: readonly WireCitation[];
  /** Number of the turn, from 1. */
  readonly number: number;
  readonly onOpen: (n: number | null) => void;
  /** Closes the passage. Then the focus is on the citation from which it was opened. */
  readonly onBack: () => void;
  readonly states: CitationStates;
  readonly onRead: (citation: WireCitation) => void;
}

/** Lists the cited documents with their quotes. A click on a quote opens its passage, in which the quote is highlighted. */
export function SourceList({ citations, number, ...links }: SourceListProps) {
  const byDocument = Map.groupBy(citations, ({ document_id: id }) => id);
  return (
    <section className="sources" aria-label={`Sources (${number})`}>
      <h3>Sources</h3>
      <ol className="stack">
        {[...byDocument].map(([id, quotes]) => (
          <li key={id}>
            <p className="document-head">
              <strong>{quotes[0]?.title}</strong>
              <span className="muted">{quotes[0]?.as_of ? `As of ${formatDate(quotes[0].as_of)}` : "no date stated"}</span>
            </p>
            <ol className="stack">
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

const STATES = { same: null, moved: "moved", changed: "changed since", gone: "gone" } as const;

/** Says what became of a quote; `null`: it is still at its place. */
function describeState({ state, now }: CitationState): string | null {
  const title = now === null ? "" : `, in “${now.title}”`;
  if (state === "gone") return "Gone: the document was deleted or no longer contains a similar text.";
  if (state === "moved") return `Moved: the same text is now at another place${title}.`;
  return state === "same" ? null : `Changed: the place${title} now says “${now?.quote ?? ""}”`;
}

type QuoteProps = Omit<SourceListProps, "citations" | "number"> & { readonly citation: WireCitation };

function Quote({ citation, states, active, open, onOpen, onPoint, onBack, onRead, sourceId }: QuoteProps) {
  const { n, heading_path: headings, page, original, quote } = citation;
  const isOpen = open === n;
  const state = states.get(n);
  const tag = STATES[state?.state ?? "same"];
  const note = state === undefined ? null : describeState(state);
  const place = [headings.join(" › "), page === undefined || page === null ? "" : `page ${page}`].filter((part) => part !== "").join(", ");
  return (
    <li
      className={`source${active.includes(n) ? " is-active" : ""}${isOpen ? " is-open" : ""}`}
      onPointerEnter={() => onPoint([n])}
      onPointerLeave={() => onPoint(null)}
    >
      <Button className="source-head" aria-expanded={isOpen} aria-controls={sourceId(n)} onClick={() => onOpen(isOpen ? null : n)}>
        <span className="source-number">{n}</span>
        <span className="source-name">
          {tag === null ? null : <span className="tag">{tag}</span>}
          {place === "" ? null : <span className="muted">{place}</span>}
          {original.recognised === true ? <Recognised /> : null}
          {isOpen ? null : <q className="source-quote">{quote}</q>}
        </span>
      </Button>
      <div id={sourceId(n)}>
        {isOpen && note !== null ? <p className={state?.state === "moved" ? "message" : "message is-warning"}>{note}</p> : null}
        {isOpen ? <PassageView citation={citation} onBack={onBack} onRead={onRead} /> : null}
      </div>
    </li>
  );
}

type Original = WireCitation["original"] | WireRefusal["nearest"][number]["original"];

/** Shows where a quote is in its file. In an archive, the offsets refer to the file inside it. */
export function FilePlace({ original: { path, part, start, end, time, speaker } }: { readonly original: Original }) {
  return (
    <>
      <code>{path}</code>
      {time === undefined ? "" : `, ${speaker === undefined ? "" : `${speaker} `}at ${time}`}, characters {formatNumber(start)}–
      {formatNumber(end)}
      {part === undefined ? null : (
        <>
          {" of "}
          <code>{part}</code>
        </>
      )}
    </>
  );
}

type MarkedPassage = Readonly<{ before: string; quote: string; after: string }>;

/** Splits a passage into the quote and the texts before and after it; `null` if the quote is not at its stated offset. */
export function markQuote({ context, quote, quote_start }: Pick<WireCitation, "context" | "quote" | "quote_start">): MarkedPassage | null {
  const end = quote_start + quote.length;
  if (quote.length === 0 || context.slice(quote_start, end) !== quote) return null;
  return { before: context.slice(0, quote_start), quote, after: context.slice(end) };
}

/** Shows the passage around a quote. It gets the focus and is scrolled into view; Escape closes it. */
export function PassageView({ citation, onBack, onRead }: Pick<QuoteProps, "citation" | "onBack" | "onRead">) {
  const whole = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLElement>(null);
  const mark = useRef<HTMLElement>(null);
  const marked = markQuote(citation);
  const url = toHttpUrl(citation.url);
  const { original } = citation;

  useEffect(() => {
    scroller.current?.focus({ preventScroll: true });
    // Scroll the passage so that the quote is in its middle. Then scroll the page so that the passage is visible.
    if (scroller.current !== null && mark.current !== null) {
      const offset = mark.current.getBoundingClientRect().top - scroller.current.getBoundingClientRect().top;
      scroller.current.scrollTop += offset - Math.max(0, (scroller.current.clientHeight - mark.current.offsetHeight) / 2);
    }
    whole.current?.scrollIntoView({ block: "nearest" });
  }, []);
  useEscape(whole, onBack);

  return (
    <div className="passage" ref={whole}>
      <ScrollRegion className="passage-text" region={scroller} aria-label={`Passage of source ${citation.n}`}>
        {marked === null ? citation.context : <PassageLines passage={marked} mark={mark} />}
      </ScrollRegion>
      {marked === null ? (
        <p className="message is-warning">
          The quote is not at the stated place in this passage, so nothing is highlighted. The quote: “{citation.quote}”
        </p>
      ) : null}
      {original.recognised === true ? (
        <p className="message is-warning">
          This page is an image read by OCR, so letters and numbers may be wrong. Compare them with the page under “Whole document”.
        </p>
      ) : null}
      <p className="muted">
        <FilePlace original={original} />
      </p>
      <p className="row">
        {url === null ? null : (
          <a href={url} target="_blank" rel="noopener noreferrer">
            Official page<span aria-hidden="true"> ↗</span>
            <span className="visually-hidden"> (opens in a new tab)</span>
          </a>
        )}
        <Button onClick={() => onRead(citation)}>Whole document</Button>
        <Button onClick={onBack}>Back to the answer</Button>
      </p>
    </div>
  );
}

/** Shows the lines of a passage. Table rows are shown as cells. */
function PassageLines({ passage: { before, quote, after }, mark }: { readonly passage: MarkedPassage; readonly mark: Ref<HTMLElement> }) {
  const range = { start: before.length, end: before.length + quote.length };
  const pieces = (words: string, from: number) =>
    cutText(words, from, [range]).map(({ start, text, over }) =>
      over.length === 0 ? (
        text
      ) : (
        <mark key={start} ref={start === range.start ? mark : null}>
          {text}
        </mark>
      ),
    );
  let at = 0;
  return `${before}${quote}${after}`.split(/(?<=\n)/).map((line) => {
    const start = at;
    at += line.length;
    return isRow(line) ? <CellRow key={start} row={line} {...{ start, pieces }} /> : <Fragment key={start}>{pieces(line, start)}</Fragment>;
  });
}
