import { Tabs } from "@base-ui/react/tabs";
import { lazy, Suspense, type SyntheticEvent, useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import type { WireDocument } from "../../src/client/index.ts";
import { goTo, type Place } from "../app/route.ts";
import type { Account } from "../app/use-account.ts";
import { useLoaded } from "../app/use-loaded.ts";
import type { PaneParts } from "../ask/ask-room.tsx";
import type { Turn } from "../ask/conversation/state.ts";
import { formatCount, formatDate, toHttpUrl } from "../format.ts";
import { Pane, showInPane } from "../kit/pane.tsx";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { StateLine } from "../kit/state-line.tsx";
import { DocumentText, type Highlight, readSelection, type TextStretch } from "./document-text.tsx";
import type { PageMark } from "./pdf-pages.tsx";

const PdfPages = lazy(() => import("./pdf-pages.tsx"));

export interface ReaderPaneProps extends PaneParts {
  readonly place: Place;
  readonly account: Pick<Account, "api">;
}

/** A whole document beside the answer. */
export default function ReaderPane({ place, account: { api }, turns, ask, running }: ReaderPaneProps) {
  const path = `/v1/documents/${encodeURIComponent(place.document)}?${scopeOf(place)}`;
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
      {state.type === "ready" ? (
        <Opened key={state.value.version} document={state.value} {...{ place, account: { api }, turns, ask, running }} />
      ) : null}
    </Pane>
  );
}

function scopeOf({ domain, tenant }: Place): string {
  return new URLSearchParams({ ...(domain === null ? {} : { domain }), ...(tenant === null ? {} : { tenant }) }).toString();
}

/** As in the style sheet: narrower, and what is opened hides the conversation. */
const OVER_CONVERSATION = "(max-width: 63.99rem)";

type OpenedProps = ReaderPaneProps & { readonly document: WireDocument };

/** The text, and where the file is a PDF its pages. */
function Opened(props: OpenedProps) {
  const { document, place, turns } = props;
  const located = useMemo(() => locatePlace(document, place), [document, place]);
  return (
    <>
      <DocumentFacts document={document} />
      <PlaceLine located={located} place={place} />
      {document.format !== "pdf" ? (
        <Text {...props} located={located} />
      ) : (
        <Tabs.Root defaultValue="text" className="tabs">
          <Tabs.List className="tab-list" aria-label="How the document is shown">
            <Tabs.Tab value="text" className="tab">
              Text
            </Tabs.Tab>
            <Tabs.Tab value="pages" className="tab">
              Pages
            </Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="text">
            <Text {...props} located={located} />
          </Tabs.Panel>
          <Tabs.Panel value="pages">
            <Pages {...{ document, place, turns, located }} api={props.account.api} />
          </Tabs.Panel>
        </Tabs.Root>
      )}
    </>
  );
}

interface PagesProps extends Pick<OpenedProps, "document" | "place" | "turns"> {
  readonly api: Account["api"];
  readonly located: Located;
}

function Pages({ document, place, turns, located, api }: PagesProps) {
  const scope = scopeOf(place);
  const range = located.type === "none" || located.type === "changed" ? null : `start=${located.start}&end=${located.end}`;
  const path = `/v1/documents/${encodeURIComponent(document.id)}`;
  const [state] = useLoaded(
    useCallback(
      (signal) => (range === null ? Promise.resolve(null) : api.get<WireDocument>(`${path}?${scope}&${range}`, signal)),
      [api, path, scope, range],
    ),
  );
  const places = state.type === "ready" ? (state.value?.places ?? []) : [];
  const marks = useMemo(
    (): PageMark[] => [{ type: "place", label: "The quote", pages: places }, ...citedOnPages(turns, document)],
    [places, turns, document],
  );
  if (state.type === "loading") return <StateLine state={state} what="where the quote stands" onRetry={() => {}} />;
  return (
    <Suspense fallback={<p className="room-wait">Opening…</p>}>
      <PdfPages api={api} path={`${path}/original?${scope}`} title={document.title} marks={marks} />
    </Suspense>
  );
}

function Text({ document, turns, ask, running, located }: OpenedProps & { readonly located: Located }) {
  const scroller = useRef<HTMLElement>(null);
  const [selected, setSelected] = useState<TextStretch | null>(null);
  const [sought, setSought] = useState<number | null>(null);
  const highlights = useMemo(() => [...markOf(located), ...citedIn(turns, document)], [located, turns, document]);

  useEffect(() => {
    showInPane(scroller.current?.querySelector("mark.is-place"), "center");
  }, []);
  useEffect(() => {
    const look = () => {
      const found = scroller.current === null ? null : readSelection(scroller.current, window.getSelection());
      if (found !== null) setSelected(found);
    };
    window.document.addEventListener("selectionchange", look);
    return () => window.document.removeEventListener("selectionchange", look);
  }, []);
  useEffect(() => {
    if (sought === null) return;
    const target = scroller.current?.querySelector<HTMLElement>(`[data-at="${sought}"]`);
    showInPane(target, "start");
    target?.setAttribute("tabindex", "-1");
    target?.focus({ preventScroll: true });
    setSought(null);
  }, [sought]);

  return (
    <>
      <Outline outline={document.outline} onGo={setSought} />
      <p className="muted">Select any words to ask about them alone.</p>
      <ScrollRegion className="document-text" region={scroller} aria-label={`Text of ${document.title}`}>
        {document.text === "" ? (
          <p>This document holds no text.</p>
        ) : (
          <DocumentText document={document} highlights={highlights} sought={sought} />
        )}
      </ScrollRegion>
      {selected === null ? null : (
        <AskSelection
          selected={selected}
          busy={running}
          onClose={() => setSelected(null)}
          onAsk={(question) => {
            const selection = { document_id: document.id, start: selected.start, end: selected.end };
            ask(question, { domain: document.domain, ...(document.tenant === null ? {} : { tenant: document.tenant }), selection });
            setSelected(null);
            // On a narrow screen the document stands over the conversation, where the answer comes.
            if (window.matchMedia(OVER_CONVERSATION).matches) goTo({ room: "ask" });
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
  return [{ start: located.start, end: located.end, type: "place", label: "The quote", turn: null }];
}

/** What the answers of this conversation quote of the document, in the version that they saw. */
function citedIn(turns: readonly Turn[], { id, version }: WireDocument): Highlight[] {
  return turns.flatMap(({ id: turn, question, citations }) =>
    citations
      .filter((citation) => citation.document_id === id && citation.document_version === version)
      .map(({ start, end, n }): Highlight => ({ start, end, type: "cited", turn, label: `Source ${n} of “${question}”` })),
  );
}

function citedOnPages(turns: readonly Turn[], { id, version }: WireDocument): PageMark[] {
  return turns.flatMap(({ question, citations }) =>
    citations
      .filter((citation) => citation.document_id === id && citation.document_version === version)
      .map(({ n, original }): PageMark => ({ type: "cited", label: `Source ${n} of “${question}”`, pages: original.pages ?? [] })),
  );
}

interface AskSelectionProps {
  readonly selected: TextStretch;
  readonly busy: boolean;
  readonly onAsk: (question: string) => void;
  readonly onClose: () => void;
}

/** Asks about the text that was selected, and searches nothing else. */
function AskSelection({ selected, busy, onAsk, onClose }: AskSelectionProps) {
  const [question, setQuestion] = useState("");
  const id = useId();
  const typed = question.trim();
  return (
    <form
      className="ask-selection"
      onSubmit={(event: SyntheticEvent) => {
        event.preventDefault();
        if (typed !== "" && !busy) onAsk(typed);
      }}
    >
      <p className="selected-text">“{selected.text}”</p>
      <label htmlFor={id}>Ask about this selection ({formatCount(selected.end - selected.start, "character")})</label>
      <input id={id} value={question} maxLength={500} onChange={(event) => setQuestion(event.target.value)} />
      <div className="dialog-row">
        <button type="submit" className="ask-button" disabled={busy || typed === ""}>
          Ask about it
        </button>
        <button type="button" className="quiet-button" onClick={onClose}>
          Leave it
        </button>
      </div>
    </form>
  );
}

/** Where a place of a link stands in the document of today. */
type Located =
  | { readonly type: "none" }
  /** As it was linked. */
  | { readonly type: "same"; readonly start: number; readonly end: number }
  /** The same words, elsewhere or in another version. */
  | { readonly type: "moved"; readonly start: number; readonly end: number }
  /** The words are not there any more, or stand at several places and none is the old one. */
  | { readonly type: "changed" };

/** @param place with `quote`, perhaps cut: the words that stood there; without `start` they are sought in the whole text */
export function locatePlace({ text, version }: Pick<WireDocument, "text" | "version">, place: Place): Located {
  const { start, end, quote } = place;
  if (start === null || end === null) return quote === null || quote === "" ? { type: "none" } : findQuote(text, quote);
  if (place.version === version || (place.version === null && quote === null)) {
    return end <= text.length && (quote === null || text.startsWith(quote, start)) ? { type: "same", start, end } : { type: "changed" };
  }
  if (quote === null || quote === "") return { type: "changed" };
  const length = end - start;
  const at = text.startsWith(quote, start) ? start : onlyPlace(text, quote);
  if (at === null || at + length > text.length) return { type: "changed" };
  return { type: "moved", start: at, end: at + length };
}

/** What stands at several places is at none of them: the document is shown from its beginning. */
function findQuote(text: string, quote: string): Located {
  const at = onlyPlace(text, quote);
  if (at !== null) return { type: "same", start: at, end: at + quote.length };
  return { type: text.includes(quote) ? "none" : "changed" };
}

function onlyPlace(text: string, quote: string): number | null {
  const first = text.indexOf(quote);
  return first < 0 || text.indexOf(quote, first + 1) >= 0 ? null : first;
}
