import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { WireDocument } from "../../src/client/index.ts";
import type { Place } from "../app/route.ts";
import type { Account } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import type { PaneParts } from "../ask/ask-room.tsx";
import type { Turn } from "../ask/conversation/state.ts";
import { formatCount, formatDate, toHttpUrl } from "../format.ts";
import { Pane } from "../kit/pane.tsx";
import { StateLine } from "../kit/state-line.tsx";
import { AskSelection } from "./ask-selection.tsx";
import { DocumentText, type Highlight } from "./document-text.tsx";
import { type Located, locatePlace } from "./locate-place.ts";
import { readSelection, type TextStretch } from "./read-selection.ts";

export interface ReaderPaneProps extends PaneParts {
  readonly place: Place;
  readonly account: Pick<Account, "api">;
}

/** A whole document beside the answer. */
export default function ReaderPane({ place, account: { api }, turns, ask, running }: ReaderPaneProps) {
  const { document: id, domain, tenant } = place;
  const scope = new URLSearchParams({ ...(domain === null ? {} : { domain }), ...(tenant === null ? {} : { tenant }) });
  const path = `/v1/documents/${encodeURIComponent(id)}${scope.size === 0 ? "" : `?${scope}`}`;
  const [state, reload] = useLoaded(useCallback((signal) => api.get<WireDocument>(path, signal), [api, path]));
  const gone = state.type === "failed" && state.code === "unknown_document";
  return (
    <Pane title={state.type === "ready" ? state.value.title : "Document"}>
      {gone ? (
        <div className="message is-warning" role="alert">
          <p>
            <strong>Gone.</strong> This document was deleted, or is not open to you.
          </p>
          {place.quote === null ? null : <p>What was quoted: “{place.quote}”</p>}
        </div>
      ) : (
        <StateLine state={state} what="the document" onRetry={reload} />
      )}
      {state.type === "ready" ? <Opened key={state.value.version} document={state.value} {...{ place, turns, ask, running }} /> : null}
    </Pane>
  );
}

type OpenedProps = Omit<ReaderPaneProps, "account"> & { readonly document: WireDocument };

function Opened({ document, place, turns, ask, running }: OpenedProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState<TextStretch | null>(null);
  const located = useMemo(() => locatePlace(document, place), [document, place]);
  const highlights = useMemo(() => [...markOf(located), ...citedIn(turns, document)], [located, turns, document]);

  useEffect(() => {
    const target = scroller.current?.querySelector("mark.is-place");
    target?.scrollIntoView({ block: "center" });
  }, []);
  useEffect(() => {
    const look = () => {
      const found = scroller.current === null ? null : readSelection(scroller.current, window.getSelection());
      if (found !== null) setSelected(found);
    };
    window.document.addEventListener("selectionchange", look);
    return () => window.document.removeEventListener("selectionchange", look);
  }, []);

  const goToOffset = (start: number) => {
    const target = scroller.current?.querySelector<HTMLElement>(`[data-at="${start}"]`);
    target?.scrollIntoView({ block: "start" });
    target?.setAttribute("tabindex", "-1");
    target?.focus({ preventScroll: true });
  };

  return (
    <>
      <DocumentFacts document={document} />
      <PlaceLine located={located} place={place} />
      <Outline outline={document.outline} onGo={goToOffset} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className="document-text" ref={scroller} tabIndex={0} aria-label={`Text of ${document.title}`}>
        {document.text === "" ? <p>This document holds no text.</p> : <DocumentText document={document} highlights={highlights} />}
      </section>
      {selected === null ? null : (
        <AskSelection
          selected={selected}
          busy={running}
          onClose={() => setSelected(null)}
          onAsk={(question) => {
            const selection = { document_id: document.id, start: selected.start, end: selected.end };
            ask(question, { domain: document.domain, ...(document.tenant === null ? {} : { tenant: document.tenant }), selection });
            setSelected(null);
          }}
        />
      )}
    </>
  );
}

function DocumentFacts({ document: { as_of, url, path, pages, notices, format } }: { readonly document: WireDocument }) {
  const href = toHttpUrl(url);
  return (
    <div className="document-facts">
      <p className="muted">
        {as_of === null ? "No date stated" : `As of ${formatDate(as_of)}`} · <code>{path}</code>
        {format === null ? "" : ` · ${format}`}
        {pages === null ? "" : ` · ${formatCount(pages.length, "page")}`}
        {href === null ? null : (
          <>
            {" · "}
            <a href={href} target="_blank" rel="noopener noreferrer">
              Official page
            </a>
          </>
        )}
      </p>
      {notices.map(({ code, message }) => (
        <p key={`${code} ${message}`} className="message">
          {message}
        </p>
      ))}
    </div>
  );
}

function PlaceLine({ located, place }: { readonly located: Located; readonly place: Place }) {
  if (located.type === "moved") {
    return (
      <p className="message" role="status">
        <strong>Moved.</strong> The document has changed since; the quoted words are still there and marked.
      </p>
    );
  }
  if (located.type === "changed") {
    return (
      <p className="message is-warning" role="status">
        <strong>Changed.</strong> The quoted words do not stand in the document of today.
        {place.quote === null ? "" : ` They were: “${place.quote}”`}
      </p>
    );
  }
  return null;
}

function Outline({ outline, onGo }: { readonly outline: WireDocument["outline"]; readonly onGo: (start: number) => void }) {
  if (outline.length === 0) return null;
  return (
    <details className="outline">
      <summary>Outline ({formatCount(outline.length, "heading")})</summary>
      <nav aria-label="Outline">
        <ul>
          {outline.map(({ start, level, text }) => (
            <li key={start} className={`level-${level}`}>
              <button type="button" className="link-button" onClick={() => onGo(start)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  );
}

function markOf(located: Located): Highlight[] {
  if (located.type === "none" || located.type === "changed") return [];
  return [{ start: located.start, end: located.end, type: "place", label: "The quote" }];
}

/** What the answers of this conversation quote of the document, in the version that they saw. */
function citedIn(turns: readonly Turn[], { id, version }: WireDocument): Highlight[] {
  return turns.flatMap(({ question, citations }) =>
    citations
      .filter((citation) => citation.document_id === id && citation.document_version === version)
      .map(({ start, end, n }): Highlight => ({ start, end, type: "cited", label: `Source ${n} of “${question}”` })),
  );
}
