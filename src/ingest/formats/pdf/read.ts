import { IngestError, messageOf } from "../../../shared/errors.ts";
import type { ReadingNotice } from "../../../shared/types.ts";
import type { Format, FormatSource } from "../format.ts";
import { type FormatResult, oneLine, plainMetadata, titleOf } from "../parsed.ts";
import { blocksOf, keyOf, type PdfBlock, styleOf } from "./blocks.ts";
import { furtherPartsOfItems, joinParted } from "./join-parted.ts";
import { fragmentsOf, linesOf, type PdfLine, toLine } from "./lines.ts";
import { readPage } from "./read-page.ts";
import { type Picture, RECOGNITION_PACKAGES, type RecognisedWord, type Recogniser, wordsOnPage } from "./recognise.ts";
import { type Grid, gridsOf, type Region, regionsOf } from "./regions.ts";
import { runningWords } from "./running.ts";
import { lettersOf, type PdfPage, type PdfWord } from "./words.ts";
import { writePdf } from "./write.ts";

/** Reads pages with the box of every word. Offsets refer to the extracted text. */
export const pdfFormat: Format = { name: "pdf", extensions: [".pdf"], version: 8, read: readPdf };

/** Maximum pages of a file. The longest laws have some thousands. */
const MAX_PAGES = 20_000;
const MAX_OUTLINE_ENTRIES = 20_000;
/** Maximum number of pixels of a picture that is recognised: an A3 page at 600 dpi. */
export const MAX_PICTURE_POINTS = 70_000_000;
/** Matches the printed label of a page. Longer labels are ignored, because every citation of the page would repeat them. */
const PAGE_LABEL = /^\P{Cc}{1,20}$/u;

type Library = typeof import("unpdf");
type PdfDocument = Awaited<ReturnType<Library["getDocumentProxy"]>>;

/**
 * Reads a PDF as text with headings, tables and the box of every word. Leaves out invisible text, and reports it and
 * pages without text. Runs no scripts and fetches nothing.
 */
export async function readPdf({ bytes, name, recogniser }: Pick<FormatSource, "bytes" | "name" | "recogniser">): Promise<FormatResult[]> {
  const { extractImages, getDocumentProxy, getResolvedPDFJS } = await import("unpdf");
  const library = await getResolvedPDFJS();
  let opened: PdfDocument | null = null;
  try {
    const document = await openPdf(getDocumentProxy, bytes);
    opened = document;
    const { numPages } = document;
    if (numPages > MAX_PAGES) {
      const message = `the file has ${numPages} pages; the limit is ${MAX_PAGES}: split it`;
      throw new IngestError("file_too_large", message, { pages: numPages });
    }
    const pages: PdfPage[] = [];
    const failed: number[] = [];
    const recognised: number[] = [];
    for (let number = 1; number <= numPages; number++) {
      try {
        const page = await document.getPage(number);
        const read = await readPage(page as unknown as Parameters<typeof readPage>[0], number, library.OPS);
        const isScan = read.isPicture && read.words.length === 0;
        const words = recogniser !== null && isScan ? await recognisePage(read, await extractImages(document, number), recogniser) : [];
        if (words.length > 0) recognised.push(number);
        pages.push(words.length > 0 ? { ...read, words } : read);
        page.cleanup();
      } catch {
        failed.push(number);
        pages.push({ number, width: 0, height: 0, words: [], rules: [], dots: [], isPicture: false, picture: null });
      }
    }
    const outline = await readOutline(document);
    const { title, author } = await readInformation(document);
    const { kept, notices } = withoutUnseen(pages, { failed, recognised });
    const pageOf = new Map(kept.flatMap(({ words, number }) => words.map((word) => [word, number] as const)));
    const { places, ...written } = writePdf(layOut(kept, outline), kept, pageOf);
    // A file with damaged page labels is read without them.
    const labels = await document.getPageLabels().catch(() => null);
    const printed = labels && { printed: labels.map((label) => (PAGE_LABEL.test(label) ? label : "")) };
    const metadata = plainMetadata(title ?? titleOf(written) ?? name, { description: author });
    return [{ ...written, places: { ...places, ...printed }, metadata, unit: "extracted_utf16", notices }];
  } finally {
    await opened?.loadingTask.destroy();
  }
}

async function openPdf(open: Library["getDocumentProxy"], bytes: Uint8Array): Promise<PdfDocument> {
  try {
    // The library takes ownership of the bytes, so it gets a copy. The original bytes are still needed for the hash.
    return await open(new Uint8Array(bytes), {
      verbosity: 0,
      isEvalSupported: false,
      stopAtErrors: false,
      useSystemFonts: false,
      disableFontFace: true,
    } as unknown as Parameters<typeof open>[1]);
  } catch (cause) {
    const isLocked = cause instanceof Error && cause.name === "PasswordException";
    if (isLocked) throw new IngestError("encrypted", "the PDF has a password: ingest a copy without one", {}, { cause });
    const message = `the PDF cannot be read (${messageOf(cause)}): it is damaged or truncated; print it to a new PDF`;
    throw new IngestError("bad_pdf", message, {}, { cause });
  }
}

async function recognisePage(page: PdfPage, pictures: readonly Picture[], recogniser: Recogniser): Promise<PdfWord[]> {
  const [largest] = pictures.toSorted((a, b) => b.width * b.height - a.width * a.height);
  if (largest === undefined || page.picture === null || largest.width * largest.height > MAX_PICTURE_POINTS) return [];
  return wordsOnPage(await recogniser.recognise(largest), largest, page.picture);
}

/**
 * Lays out the words recognised in a picture, like those of a scanned page. Returns the texts of the paragraphs, items
 * and rows.
 */
export function layOutPicture(words: readonly RecognisedWord[], size: Pick<Picture, "width" | "height">): string[] {
  const box = { x: 0, y: 0, right: size.width, bottom: size.height };
  const page = { ...size, number: 1, words: wordsOnPage(words, size, box), rules: [], dots: [], isPicture: true, picture: box };
  const { text, blocks } = writePdf(layOut([page], new Map()), [page], new Map(page.words.map((word) => [word, 1])));
  return blocks.map(({ start, end }) => text.slice(start, end));
}

/** Removes invisible text, except the text layer of scanned pages, and returns notices. */
function withoutUnseen(
  pages: readonly PdfPage[],
  { failed, recognised }: { readonly failed: readonly number[]; readonly recognised: readonly number[] },
): { kept: PdfPage[]; notices: ReadingNotice[] } {
  const hidden = new Map<number, number>();
  const scanned: number[] = [...recognised];
  const kept = pages.map((page) => {
    const isRead = page.isPicture && page.words.length > 0 && page.words.every((word) => word.hidden === "invisible" || word.isTurned);
    if (isRead) scanned.push(page.number);
    const words = isRead ? page.words : page.words.filter((word) => word.hidden === null);
    if (words.length < page.words.length) hidden.set(page.number, lettersOf(page.words) - lettersOf(words));
    return { ...page, words };
  });
  const notices: ReadingNotice[] = [];
  const note = (code: string, affected: readonly number[], message: string) => {
    if (affected.length > 0) notices.push({ code, message, pages: affected });
  };
  const empty = kept.filter(({ words, number }) => words.length === 0 && !failed.includes(number)).map(({ number }) => number);
  const advice = `Run text recognition on the file, or install ${RECOGNITION_PACKAGES.join(" and ")} beside this program, and ingest it again.`;
  const lacking = `${empty.length} of ${pages.length} pages have no text (${inWords(empty)}): they are pictures or blank. ${advice}`;
  note("pages_without_text", empty, lacking);
  note("pages_unreadable", failed, `pages that could not be read: ${inWords(failed)}`);
  const [unseen, letters] = [[...hidden.keys()], [...hidden.values()].reduce((sum, one) => sum + one, 0)];
  note("hidden_text", unseen, `${letters} invisible characters were left out (${inWords(unseen)})`);
  const doubt = `the text of ${scanned.length} scanned pages comes from text recognition and may be wrong (${inWords(scanned)})`;
  note("recognised_text", scanned, doubt);
  return { kept, notices };
}

/** Formats page numbers: "p. 3, 5–7". */
function inWords(pages: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const page of pages) {
    const last = ranges.at(-1);
    if (last !== undefined && page === last[1] + 1) last[1] = page;
    else ranges.push([page, page]);
  }
  const shown = ranges.slice(0, 20).map(([first, last]) => (first === last ? String(first) : `${first}–${last}`));
  return `p. ${shown.join(", ")}${ranges.length > 20 ? ", …" : ""}`;
}

function layOut(pages: readonly PdfPage[], outline: ReadonlyMap<string, number>): PdfBlock[] {
  const running = runningWords(pages);
  const laid = pages.map((page) => ({ page, regions: pageRegions(page, running) }));
  const lines = laid.flatMap(({ regions }) => regions.flatMap((region) => (region.type === "column" ? region.lines : region.rows.flat(2))));
  const style = styleOf(lines, outline);
  return furtherPartsOfItems(joinParted(laid.flatMap(({ page, regions }) => notesToTheirCalls(blocksOf(regions, page, style)))));
}

/** Lays out the text around drawn tables. In the reading order, each table is represented by one large word. */
function pageRegions(page: PdfPage, running: ReadonlySet<PdfWord>): Region[] {
  const words = page.words.filter((word) => !running.has(word));
  const upright = words.filter(({ isTurned }) => !isTurned);
  const grids = new Map(gridsOf(upright, page.rules).map((grid) => [standIn(grid), grid]));
  const standOf = new Map([...grids].flatMap(([stand, grid]) => [...grid.words].map((word) => [word, stand] as const)));
  const flow = grids.size === 0 ? upright : [...new Set(upright.map((word) => standOf.get(word) ?? word))];
  const regions = regionsOf(fragmentsOf(flow)).flatMap((region) => withTables(region, grids));
  const turned = words.filter(({ isTurned }) => isTurned);
  if (turned.length > 0) regions.push({ type: "column", lines: linesOf(turned.map((word) => fragmentsOf([word])[0] as PdfLine)) });
  return regions;
}

/** Returns a word that represents a table in the reading order. It has the position and size of the table. */
function standIn({ x, y, right, bottom, words }: Grid): PdfWord {
  const [first] = words;
  return { ...(first as PdfWord), text: "", x, y, right, bottom, baseline: bottom, run: -1, isMono: false };
}

function withTables(region: Region, grids: ReadonlyMap<PdfWord, Grid>): Region[] {
  const lines = region.type === "table" ? region.rows.flat(2) : region.lines;
  if (!lines.some(({ words }) => words.some((word) => grids.has(word)))) return [region];
  const regions: Region[] = [];
  let open: PdfLine[] = [];
  const flush = () => {
    if (open.length > 0) regions.push({ type: "column", lines: open });
    open = [];
  };
  for (const line of lines) {
    const tables = line.words.flatMap((word) => grids.get(word) ?? []);
    const rest = line.words.filter((word) => !grids.has(word));
    if (rest.length > 0) open.push(rest.length === line.words.length ? line : toLine(rest));
    if (tables.length === 0) continue;
    flush();
    for (const { region } of tables) regions.push(region);
  }
  flush();
  return regions;
}

/** Moves each footnote after the block that cites its number. Footnotes that no block cites go last. */
function notesToTheirCalls(blocks: readonly PdfBlock[]): PdfBlock[] {
  const notes = new Set(blocks.filter((block): block is PdfBlock & { type: "note" } => block.type === "note"));
  const out: PdfBlock[] = [];
  for (const block of blocks) {
    if (block.type === "note") continue;
    out.push(block);
    if (block.type === "table" || block.type === "code") continue;
    const raised = block.lines.flatMap(({ words, size }) => words.filter((word) => word.size < size * 0.85));
    const calls = new Set(raised.map(({ text }) => text.replace(/[.,;:]$/, "")));
    for (const note of notes) if (calls.has(note.lines[0]?.words[0]?.text ?? "") && notes.delete(note)) out.push(note);
  }
  return [...out, ...notes];
}

async function readOutline(document: PdfDocument): Promise<ReadonlyMap<string, number>> {
  const depths = new Map<string, number>();
  const visit = (items: readonly { readonly title: string; readonly items: readonly unknown[] }[] | null, depth: number) => {
    for (const item of items ?? []) {
      if (depths.size > MAX_OUTLINE_ENTRIES || depth > 20) return;
      const key = keyOf(item.title);
      if (key !== "" && !depths.has(key)) depths.set(key, depth);
      visit(item.items as Parameters<typeof visit>[0], depth + 1);
    }
  };
  try {
    visit(await document.getOutline(), 1);
  } catch {
    // The outline is not readable, so headings are recognised by letter size and bold type alone.
  }
  return depths;
}

async function readInformation(document: PdfDocument): Promise<{ readonly title: string | null; readonly author: string | null }> {
  try {
    const { info } = await document.getMetadata();
    const said = (key: string) => {
      const value = (info as Readonly<Record<string, unknown>>)[key];
      const text = typeof value === "string" ? oneLine(value) : "";
      // Ignore titles that programs set by default.
      return text === "" || /^(?:untitled|\(?anonymous\)?|unspecified|microsoft word - .*|.*\.(?:docx?|pdf|indd|tex))$/i.test(text)
        ? null
        : text;
    };
    return { title: said("Title"), author: said("Author") };
  } catch {
    return { title: null, author: null };
  }
}
