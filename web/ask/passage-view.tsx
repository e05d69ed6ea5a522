import { useEffect, useRef } from "react";
import type { WireCitation } from "../../src/client/index.ts";
import { toHttpUrl } from "../format.ts";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { useEscape } from "../kit/use-escape.ts";
import { FilePlace } from "./file-place.tsx";
import { markQuote } from "./mark-quote.ts";

export interface PassageViewProps {
  readonly citation: WireCitation;
  readonly onBack: () => void;
  /** Opens the whole document at the quote. */
  readonly onRead: () => void;
}

/** The passage around a quote, brought into view and focused when it opens. Escape goes back. */
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
        {marked === null ? (
          citation.context
        ) : (
          <>
            {marked.before}
            <mark ref={mark}>{marked.quote}</mark>
            {marked.after}
          </>
        )}
      </ScrollRegion>
      {marked === null ? (
        <p className="message is-warning">
          The quote does not stand in this passage where the citation says, so nothing is marked. The quote: “{citation.quote}”
        </p>
      ) : null}
      {original.recognised === true ? (
        <p className="message is-warning">
          This page is a picture whose words were read by OCR: letters and numbers may be wrong. Compare them with the page, under “Whole
          document”.
        </p>
      ) : null}
      <dl className="passage-facts">
        <dt>File</dt>
        <dd>
          <FilePlace original={original} />
        </dd>
      </dl>
      <p className="passage-links">
        {url === null ? null : (
          <a href={url} target="_blank" rel="noopener noreferrer">
            Official page<span aria-hidden="true"> ↗</span>
            <span className="visually-hidden"> (opens in a new tab)</span>
          </a>
        )}
        <button type="button" className="quiet-button" onClick={onRead}>
          Whole document
        </button>
        <button type="button" className="quiet-button" onClick={onBack}>
          Back to the answer
        </button>
      </p>
    </div>
  );
}

/** Scrolls inside the passage only, so that the quote stands in its middle. */
function centre(scroller: HTMLElement, mark: HTMLElement): void {
  const offset = mark.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  scroller.scrollTop += offset - Math.max(0, (scroller.clientHeight - mark.offsetHeight) / 2);
}
