import { Fragment, type Ref, useEffect, useRef } from "react";
import type { WireCitation, WireRefusal } from "../../src/client/index.ts";
import { formatDate, formatNumber, toHttpUrl } from "../format.ts";
import { CellRow, isRow } from "../kit/cell-row.tsx";
import { cutText } from "../kit/cut-text.ts";
import { QuietButton, Recognised } from "../kit/message.tsx";
import { useEscape } from "../kit/pane.tsx";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import type { CitationLinks } from "./citation-links.ts";
import type { CitationState } from "./use-citation-states.ts";

export interface SourceListProps extends Omit<CitationLinks, "onOpen"> {
  readonly citations: readonly WireCitation[];
  /** Number of the turn, from 1. */
  readonly number: number;
  readonly onOpen: (n: number | null) => void;
  /** Closes the passage. Then the focus is on the citation from which it was opened. */
  readonly onBack: () => void;
  /** Current state of each quote, by citation number. A missing entry means that the state is unknown. */
  readonly states: ReadonlyMap<number, CitationState>;
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
              <DateLine date={quotes[0]?.as_of ?? null} />
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

function DateLine({ date }: { readonly date: string | null }) {
  return <span className="muted">{date === null ? "no date stated" : `As of ${formatDate(date)}`}</span>;
}

/** The headings above the quote, and its page. */
function SourcePath({ heading_path: headings, page }: Pick<WireCitation, "heading_path" | "page">) {
  const place = [headings.join(" › "), page === undefined || page === null ? "" : `page ${page}`].filter((part) => part !== "").join(", ");
  return place === "" ? null : <span className="muted">{place}</span>;
}

const STATES = { moved: "moved", changed: "changed since", gone: "gone" } as const;

function StateTag({ state }: { readonly state: CitationState | null }) {
  return state === null || state.state === "same" ? null : <span className="tag">{STATES[state.state]}</span>;
}

function StateNote({ state }: { readonly state: CitationState | null }) {
  if (state === null || state.state === "same") return null;
  if (state.state === "gone")
    return <p className="message is-warning">Gone: the document was deleted or no longer contains a similar text.</p>;
  if (state.state === "moved") return <p className="message">Moved: the same text is now at another place{inTitle(state)}.</p>;
  return (
    <p className="message is-warning">
      Changed: the place{inTitle(state)} now says “{state.now?.quote}”
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
          {isOpen ? null : <q className="source-quote">{citation.quote}</q>}
        </span>
      </button>
      <div id={sourceId(citation.n)}>
        {isOpen ? <StateNote state={states.get(citation.n) ?? null} /> : null}
        {isOpen ? <PassageView citation={citation} onBack={onBack} onRead={() => onRead(citation)} /> : null}
      </div>
    </li>
  );
}

interface FilePlaceProps {
  readonly original: WireCitation["original"] | WireRefusal["nearest"][number]["original"];
}

/** Shows where a quote is in its file. In an archive, the offsets refer to the file inside it. */
export function FilePlace({ original: { path, part, start, end, time, speaker } }: FilePlaceProps) {
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

interface MarkedPassage {
  readonly before: string;
  readonly quote: string;
  readonly after: string;
}

/** Splits a passage into the quote and the texts before and after it; `null` if the quote is not at its stated offset. */
export function markQuote({ context, quote, quote_start }: Pick<WireCitation, "context" | "quote" | "quote_start">): MarkedPassage | null {
  const end = quote_start + quote.length;
  if (quote.length === 0 || context.slice(quote_start, end) !== quote) return null;
  return { before: context.slice(0, quote_start), quote, after: context.slice(end) };
}

interface PassageViewProps {
  readonly citation: WireCitation;
  readonly onBack: () => void;
  readonly onRead: () => void;
}

/** Shows the passage around a quote. It gets the focus and is scrolled into view; Escape closes it. */
export function PassageView({ citation, onBack, onRead }: PassageViewProps) {
  const whole = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLElement>(null);
  const mark = useRef<HTMLElement>(null);
  const marked = markQuote(citation);
  const url = toHttpUrl(citation.url);
  const { original } = citation;

  useEffect(() => {
    scroller.current?.focus({ preventScroll: true });
    if (scroller.current !== null && mark.current !== null) centre(scroller.current, mark.current);
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
      <dl className="passage-facts">
        <dt>File</dt>
        <dd>
          <FilePlace original={original} />
        </dd>
      </dl>
      <p className="row">
        {url === null ? null : (
          <a href={url} target="_blank" rel="noopener noreferrer">
            Official page<span aria-hidden="true"> ↗</span>
            <span className="visually-hidden"> (opens in a new tab)</span>
          </a>
        )}
        <QuietButton onClick={onRead}>Whole document</QuietButton>
        <QuietButton onClick={onBack}>Back to the answer</QuietButton>
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

/** Scrolls the passage so that the quote is in its middle. The page does not scroll. */
function centre(scroller: HTMLElement, mark: HTMLElement): void {
  const offset = mark.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  scroller.scrollTop += offset - Math.max(0, (scroller.clientHeight - mark.offsetHeight) / 2);
}
