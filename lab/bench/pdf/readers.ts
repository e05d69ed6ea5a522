import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { extractText, getDocumentProxy } from "unpdf";
import { z } from "zod";
import { messageOf } from "../../../src/errors.ts";
import { PACKAGE_ROOT } from "../../../src/package.ts";

/** A library that takes the text out of a PDF. */
export interface PdfLibrary {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Text of every page, in order. */
  pages(bytes: Uint8Array): Promise<readonly string[]>;
}

export interface MissingLibrary {
  readonly name: string;
  readonly reason: string;
}

const PEERS = join(PACKAGE_ROOT, "lab", "bench", "peers");
const versionSchema = z.object({ version: z.string() });
const peerSchema = z.object({
  peer: z.object({
    name: z.string(),
    package: z.string(),
    pages: z.custom<PdfLibrary["pages"]>((value) => typeof value === "function"),
  }),
});

/** Libraries of this install, and those of the peers that are installed. */
export async function openLibraries(): Promise<{ readonly libraries: readonly PdfLibrary[]; readonly missing: readonly MissingLibrary[] }> {
  const libraries: PdfLibrary[] = [
    { name: "unpdf", package: "unpdf", version: versionIn(PACKAGE_ROOT, "unpdf"), pages: pagesByUnpdf },
    { name: "pdfjs-dist", package: "pdfjs-dist", version: versionIn(PACKAGE_ROOT, "pdfjs-dist"), pages: pagesByPdfjs },
  ];
  const missing: MissingLibrary[] = [];
  const folder = join(PEERS, "pdf");
  for (const file of existsSync(folder) ? readdirSync(folder).sort() : []) {
    try {
      const { peer } = peerSchema.parse(await import(pathToFileURL(join(folder, file)).href));
      libraries.push({ ...peer, version: versionIn(PEERS, peer.package) });
    } catch (error) {
      missing.push({ name: file.replace(".mjs", ""), reason: messageOf(error).split("\n")[0] ?? "" });
    }
  }
  return { libraries, missing };
}

function versionIn(root: string, name: string): string {
  return versionSchema.parse(JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8"))).version;
}

async function pagesByUnpdf(bytes: Uint8Array): Promise<readonly string[]> {
  const document = await getDocumentProxy(bytes);
  try {
    return (await extractText(document, { mergePages: false })).text;
  } finally {
    await document.loadingTask.destroy();
  }
}

/** Two versions of one library look for their worker under the same global name: each gets its own while it reads. */
async function pagesByPdfjs(bytes: Uint8Array): Promise<readonly string[]> {
  const others: unknown = Reflect.get(globalThis, WORKER);
  Reflect.set(globalThis, WORKER, await import(WORKER_ENTRY));
  try {
    return await readPagesByPdfjs(bytes);
  } finally {
    Reflect.set(globalThis, WORKER, others);
  }
}

const WORKER = "pdfjsWorker";
/** The package describes no types of it. */
const WORKER_ENTRY: string = "pdfjs-dist/legacy/build/pdf.worker.mjs";

async function readPagesByPdfjs(bytes: Uint8Array): Promise<readonly string[]> {
  const { getDocument, VerbosityLevel } = await import("pdfjs-dist/legacy/build/pdf.mjs");
  const loading = getDocument({ data: bytes, verbosity: VerbosityLevel.ERRORS, useSystemFonts: true });
  const document = await loading.promise;
  const pages: string[] = [];
  try {
    for (let number = 1; number <= document.numPages; number++) {
      const { items } = await (await document.getPage(number)).getTextContent();
      pages.push(items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join(""));
    }
    return pages;
  } finally {
    await loading.destroy();
  }
}
