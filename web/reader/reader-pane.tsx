import { lazy, Suspense, type SyntheticEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { WireDocument } from "../../src/client/index.ts";
import { documentPath, goTo, type Place, queryOf } from "../app/route.ts";
import { useAccount, useFetched, useLoaded } from "../app/use-account.ts";
import type { PaneParts } from "../ask/ask-room.tsx";
import type { Turn } from "../ask/conversation/state.ts";
import { formatCount, formatDate, toHttpUrl } from "../format.ts";
import { Button, TextField } from "../kit/controls.tsx";
import { Linked, StateLine } from "../kit/message.tsx";
import { Pane, showInPane } from "../kit/pane.tsx";
import { Tabbed } from "../kit/tabbed.tsx";
import { ScrollRegion } from "../kit/table.tsx";
import { DocumentText, type Highlight, readSelection, type TextStretch } from "./document-text.tsx";
import type { PageMark } from "./pdf-pages.tsx";
import { Summary } from "./summary.tsx";

const PdfPages = lazy(() => import("./pdf-pages.tsx"));

type ReaderPaneProps = PaneParts & { readonly place: Place };

/** A pane with a whole document, beside the conversation. */
export default function ReaderPane({ place, ...parts }: ReaderPaneProps) {
  const [state, reload] = useFetched<WireDocument>(`${documentPath(place.document)}?${scopeOf(place)}`);
  const gone = state.type === "failed" && state.code === "unknown_document";
  return (
    <Pane title={state.type === "ready" ? state.value.title : "Document"}>
      {gone ? (
        <div className="message is-warning" role="alert">
          <p>
            <strong>Gone.</strong> This document was deleted, or is not accessible to you.
          </p>
          {place.quote === null ? null : <p>The quoted text: “{place.quote}”</p>}
        </div>
      ) : (
        <StateLine state={state} what="the document" onRetry={reload} />
      )}
      {state.type === "ready" ? <Opened key={state.value.version} document={state.value} place={place} {...parts} /> : null}
    </Pane>
  );
}

function scopeOf({ domain, tenant }: Place): string {
  return queryOf({ domain, tenant });
}

/** Media query for windows in which the pane covers the conversation. It must equal the one in `media.css`. */
const OVER_CONVERSATION = "(max-width: 63.99rem)";

type OpenedProps = ReaderPaneProps & { readonly document: WireDocument };

/** Shows a document: its text and, for a PDF, its pages. */
function Opened(props: OpenedProps) {
  const { document, place } = props;
  const located = useMemo(() => locatePlace(document, place), [document, place]);
  const text = <Text key="text" {...props} located={located} />;
  return (
    <>
      <DocumentFacts document={document} />
      {located.type === "moved" ? (
        <p className="message" role="status">
          <strong>Moved.</strong> The document has changed; the quoted text still exists and is highlighted.
        </p>
      ) : null}
      {located.type === "changed" ? (
        <p className="message is-warning" role="status">
          <strong>Changed.</strong> The quoted text is no longer in the current document.
          {place.quote === null ? "" : ` It was: “${place.quote}”`}
        </p>
      ) : null}
      {document.format !== "pdf" || document.path.includes("#") ? (
        text
      ) : (
        <Tabbed
          label="How the document is shown"
          parts={[
            ["Text", text],
            ["Pages", <Pages key="pages" {...props} located={located} />],
          ]}
        />
      )}
    </>
  );
}

function Pages({ document, place, turns, located }: OpenedProps & { readonly located: Located }) {
  const { api } = useAccount();
  const scope = scopeOf(place);
  const path = documentPath(document.id);
  const asked = "start" in located ? `${path}?${scope}&start=${located.start}&end=${located.end}` : null;
  const [state] = useLoaded(useCallback(async (signal) => (asked === null ? null : api.get<WireDocument>(asked, signal)), [api, asked]));
  const places = state.type === "ready" ? (state.value?.places ?? []) : [];
  const marks = useMemo(
    (): PageMark[] => [{ type: "place", label: "The quote", pages: places }, ...citedIn(turns, document)],
    [places, turns, document],
  );
  if (state.type === "loading") return <StateLine state={state} what="the place of the quote" onRetry={() => {}} />;
  return (
    <Suspense fallback={<p className="room-wait">Loading…</p>}>
      <PdfPages path={`${path}/original?${scope}`} title={document.title} marks={marks} />
    </Suspense>
  );
}

function Text({ document, turns, ask, running, located }: OpenedProps & { readonly located: Located }) {
  const scroller = useRef<HTMLElement>(null);
  const [selected, setSelected] = useState<TextStretch | null>(null);
  const [sought, setSought] = useState<number | null>(null);
  const highlights = useMemo(() => {
    const place: Highlight[] = "start" in located ? [{ ...located, type: "place", label: "The quote", turn: null }] : [];
    return [...place, ...citedIn(turns, document)];
  }, [located, turns, document]);

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
      <details className="outline">
        <summary>Summary{document.outline.length === 0 ? "" : ` (${formatCount(document.outline.length, "heading")})`}</summary>
        <nav aria-label="Outline">
          <Summary document={document}>
            {(heading, start) => (
              <Button className="link-button" onClick={() => setSought(start)}>
                {heading}
              </Button>
            )}
          </Summary>
        </nav>
      </details>
      <p className="muted">Select text to ask about it.</p>
      <ScrollRegion className="document-text" region={scroller} aria-label={`Text of ${document.title}`}>
        {document.text === "" ? (
          <p>This document contains no text.</p>
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
            // On a narrow screen the pane covers the conversation, so close it to show the new answer.
            if (window.matchMedia(OVER_CONVERSATION).matches) goTo({ room: "ask" });
          }}
        />
      )}
    </>
  );
}

function DocumentFacts({ document: { id, title, as_of, url, path, pages, notices, format } }: { readonly document: WireDocument }) {
  const { choose } = useAccount();
  const href = toHttpUrl(url);
  return (
    <div>
      <p className="muted">
        {as_of === null ? "No date stated" : `As of ${formatDate(as_of)}`} · <code>{path}</code>
        {format === null ? "" : ` · ${format}`}
        {pages === null ? "" : ` · ${formatCount(pages.length, "page")}`}
        {href === null ? null : (
          <>
            {" · "}
            <Linked text="Official page" href={href} />
          </>
        )}
      </p>
      <p className="row">
        <Button onClick={() => choose([{ id, title }])}>Ask only this document</Button>
      </p>
      {notices.map(({ code, message }) => (
        <p key={`${code} ${message}`} className="message">
          {message}
        </p>
      ))}
    </div>
  );
}

/** Returns the quotes from the current version of the document in the answers of this conversation. */
function citedIn(turns: readonly Turn[], { id, version }: WireDocument) {
  return turns.flatMap(({ id: turn, question, citations }) =>
    citations
      .filter((citation) => citation.document_id === id && citation.document_version === version)
      .map(({ start, end, n, original: { pages = [] } }) => {
        return { start, end, type: "cited" as const, turn, label: `Source ${n} of “${question}”`, pages };
      }),
  );
}

interface AskSelectionProps {
  readonly selected: TextStretch;
  readonly busy: boolean;
  readonly onAsk: (question: string) => void;
  readonly onClose: () => void;
}

/** Form for a question that is answered only from the selected text. */
function AskSelection({ selected, busy, onAsk, onClose }: AskSelectionProps) {
  const [question, setQuestion] = useState("");
  const typed = question.trim();
  return (
    <form
      className="stack ask-selection"
      onSubmit={(event: SyntheticEvent) => {
        event.preventDefault();
        if (typed !== "" && !busy) onAsk(typed);
      }}
    >
      <q className="source-quote">{selected.text}</q>
      <TextField
        label={`Ask about this selection (${formatCount(selected.end - selected.start, "character")})`}
        {...{ value: question, maxLength: 500, onChange: setQuestion }}
      />
      <div className="row">
        <Button type="submit" className="ask-button" disabled={busy || typed === ""}>
          Ask about it
        </Button>
        <Button onClick={onClose}>Clear selection</Button>
      </div>
    </form>
  );
}

/** Where a linked quote is in the current document. `none`: the link has no quote, or its place is ambiguous. */
type Located =
  /** `changed`: the document does not contain the quote, or contains it several times, but not at the linked offset. */
  | { readonly type: "none" | "changed" }
  /** `same`: at the linked offsets. `moved`: the document has another version than the link, but contains the quote. */
  | { readonly type: "same" | "moved"; readonly start: number; readonly end: number };

/** Locates a linked quote in the document. If the link has no offsets, the whole text is searched for the quote. */
export function locatePlace({ text, version }: Pick<WireDocument, "text" | "version">, place: Place): Located {
  const { start, end, quote } = place;
  if (start === null || end === null) {
    if (quote === null) return { type: "none" };
    const at = onlyPlace(text, quote);
    if (at !== null) return { type: "same", start: at, end: at + quote.length };
    return { type: text.includes(quote) ? "none" : "changed" };
  }
  if (place.version === version || (place.version === null && quote === null)) {
    return end <= text.length && (quote === null || text.startsWith(quote, start)) ? { type: "same", start, end } : { type: "changed" };
  }
  if (quote === null) return { type: "changed" };
  const length = end - start;
  const at = text.startsWith(quote, start) ? start : onlyPlace(text, quote);
  if (at === null || at + length > text.length) return { type: "changed" };
  return { type: "moved", start: at, end: at + length };
}

/** Returns the offset of a quote that the text contains exactly once, otherwise `null`. */
function onlyPlace(text: string, quote: string): number | null {
  const first = text.indexOf(quote);
  return first < 0 || text.indexOf(quote, first + 1) >= 0 ? null : first;
}
