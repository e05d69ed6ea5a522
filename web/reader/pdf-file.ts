import { GlobalWorkerOptions, getDocument, type PDFDocumentLoadingTask, type PDFPageProxy } from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";

/** A PDF that the browser has read. */
export interface PdfFile {
  readonly pages: number;
  page(number: number): Promise<PDFPageProxy>;
  close(): void;
}

/** Where the build puts what the library reads by name: fonts, character maps, decoders. */
const ASSETS = "/pdf/";

/** The policy of the page lets scripts run only from addresses that were vouched for: this one, and no other. */
function startWorker(): Worker {
  const policy = window.trustedTypes?.createPolicy("sourcebound-pdf", {
    createScriptURL(url: string) {
      if (url !== workerUrl) throw new TypeError("only the worker of the PDF library is loaded");
      return url;
    },
  });
  const url = policy?.createScriptURL(workerUrl) ?? workerUrl;
  return new Worker(url, { type: "module" });
}

/** Reads a PDF. Nothing of it is run: scripts, forms and links of it are not even read. */
export async function openPdf(bytes: ArrayBuffer): Promise<PdfFile> {
  GlobalWorkerOptions.workerPort ??= startWorker();
  const task: PDFDocumentLoadingTask = getDocument({
    ...{ data: new Uint8Array(bytes), enableXfa: false, useWasm: false, stopAtErrors: false, verbosity: 0 },
    ...{ cMapUrl: `${ASSETS}cmaps/`, standardFontDataUrl: `${ASSETS}standard_fonts/`, wasmUrl: `${ASSETS}wasm/` },
  });
  const file = await task.promise;
  return {
    pages: file.numPages,
    page: (number) => file.getPage(number),
    close: () => void task.destroy(),
  };
}
