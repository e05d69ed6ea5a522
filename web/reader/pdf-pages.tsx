import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy } from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import { useCallback, useEffect, useRef, useState } from "react";
import type { WireCitation, WireDocument } from "../../src/client/index.ts";
import { messageOf } from "../app/api.ts";
import { useAccount, useLoaded } from "../app/use-account.ts";
import { StateLine } from "../kit/message.tsx";
import { Near } from "../kit/near.tsx";
import { showInPane } from "../kit/pane.tsx";
import { numbered } from "../kit/table.tsx";

/** Path of the files that the PDF library loads by name: fonts, character maps and decoders. */
const ASSETS = "/pdf/";

/**
 * Starts the worker of the PDF library. The page's content security policy allows a script only if a Trusted Types policy
 * approves its URL. This function creates a policy that approves only the worker.
 */
function startWorker(): Worker {
  const createScriptURL = (url: string) => {
    if (url !== workerUrl) throw new TypeError("only the worker of the PDF library is loaded");
    return url;
  };
  const policy = window.trustedTypes?.createPolicy("sourcebound-pdf", { createScriptURL });
  return new Worker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: "module" });
}

/** Opens a PDF. Scripts, forms and links in it are ignored. */
function openPdf(bytes: ArrayBuffer): Promise<PDFDocumentProxy> {
  GlobalWorkerOptions.workerPort ??= startWorker();
  return getDocument({
    ...{ data: new Uint8Array(bytes), enableXfa: false, useWasm: false, stopAtErrors: false, verbosity: 0 },
    ...{ cMapUrl: `${ASSETS}cmaps/`, standardFontDataUrl: `${ASSETS}standard_fonts/`, wasmUrl: `${ASSETS}wasm/` },
  }).promise;
}

type PagePlace = NonNullable<WireDocument["places"]>[number] | NonNullable<WireCitation["original"]["pages"]>[number];

/** Boxes to highlight on pages: the linked place (`place`), or a quote in an answer (`cited`). */
export type PageMark = Readonly<{ type: "place" | "cited"; label: string; pages: readonly PagePlace[] }>;

interface PdfPagesProps {
  /** Path of the file in the API. */
  readonly path: string;
  readonly title: string;
  readonly marks: readonly PageMark[];
}

/** Shows the pages of a PDF. The boxes of quoted words come from ingestion. */
export default function PdfPages({ path, title, marks }: PdfPagesProps) {
  const { api } = useAccount();
  const [state, reload] = useLoaded(useCallback(async (signal) => openPdf(await api.bytes(path, signal)), [api, path]));
  const file = state.type === "ready" ? state.value : null;
  useEffect(() => () => void file?.loadingTask.destroy(), [file]);
  const first = marks.find(({ type }) => type === "place")?.pages[0]?.page ?? null;
  if (file === null) return <StateLine state={state} what="the pages" onRetry={reload} />;
  return (
    <div className="pdf-pages">
      {Array.from({ length: file.numPages }, (_, i) => i + 1).map((number) => (
        <Near key={number} height={PAGE_PX} eager={number === first || (first === null && number === 1)} label={`Page ${number}`}>
          <PdfPage {...{ file, number, title, marks }} isWanted={number === first} />
        </Near>
      ))}
    </div>
  );
}

/** Height in pixels of the placeholder for a page that is not drawn yet. */
const PAGE_PX = 700;
/** Maximum width in device pixels at which a page is drawn. It is sharp on a high-density screen. */
const MOST_PX = 2_400;

interface PdfPageProps extends Pick<PdfPagesProps, "title" | "marks"> {
  readonly file: PDFDocumentProxy;
  readonly number: number;
  /** True to scroll the page into view. */
  readonly isWanted: boolean;
}

function PdfPage({ file, number, title, marks, isWanted }: PdfPageProps) {
  const whole = useRef<HTMLElement>(null);
  const [drawn, setDrawn] = useState(false);
  const [failed, setFailed] = useState<string | null>(null);
  const here = marks.flatMap(({ type, label, pages }) =>
    pages.filter(({ page }) => page === number).map((place) => ({ type, label, place })),
  );
  const draw = useCallback(
    (canvas: HTMLCanvasElement | null) => {
      if (canvas === null) return;
      const stopped = new AbortController();
      drawPage(file, number, canvas, stopped.signal).then(
        () => setDrawn(true),
        (error: unknown) => stopped.signal.aborted || setFailed(messageOf(error)),
      );
      return () => stopped.abort();
    },
    [file, number],
  );
  useEffect(() => {
    if (isWanted && drawn) showInPane(whole.current?.querySelector(".page-mark.is-place"), "center");
  }, [isWanted, drawn]);
  return (
    <figure className="pdf-page" ref={whole}>
      <figcaption className="page-number">Page {number}</figcaption>
      {failed === null ? null : <p className="message is-warning">This page cannot be displayed: {failed}. Its text is under “Text”.</p>}
      <div className="pdf-sheet">
        <canvas ref={draw} role="img" aria-label={`Page ${number} of ${title}; its text is under “Text”`} />
        {drawn ? here.map((mark) => <Marks key={`${mark.type} ${mark.label}`} {...mark} />) : null}
      </div>
    </figure>
  );
}

/** Draws boxes over a page. They are given in points from its upper left corner, and drawn in percent of its size. */
function Marks({ type, label, place }: Omit<PageMark, "pages"> & { readonly place: PagePlace }) {
  const { width, height, boxes } = place;
  if (boxes === undefined || width === undefined || height === undefined) return null;
  const share = (of: number, whole: number) => `${(100 * of) / whole}%`;
  return numbered(boxes).map(({ place: at, item: box }) => {
    const place = { left: share(box.x, width), top: share(box.y, height) };
    const size = { width: share(box.width, width), height: share(box.height, height) };
    return <span key={at} className={`page-mark is-${type}`} title={label} style={{ ...place, ...size }} />;
  });
}

async function drawPage(file: PDFDocumentProxy, number: number, canvas: HTMLCanvasElement, signal: AbortSignal): Promise<void> {
  const page = await file.getPage(number);
  const natural = page.getViewport({ scale: 1 });
  const wanted = canvas.parentElement?.clientWidth ?? natural.width;
  const scale = Math.min(MOST_PX, wanted * window.devicePixelRatio) / natural.width;
  const viewport = page.getViewport({ scale });
  signal.throwIfAborted();
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  const task = page.render({ canvas, viewport });
  signal.addEventListener("abort", () => task.cancel(), { once: true });
  await task.promise;
}
