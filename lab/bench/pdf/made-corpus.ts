import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseFile } from "../../../src/ingest/parse.ts";
import { type MadePdf, makePdf, type PdfMadeBlock, type PdfMadeOptions } from "../../../src/ingest/testing/made-pdf.ts";
import { markdownFiles } from "../../sets/markdown-files.ts";

/** How pages may look: columns, running heads, turned pages, ligatures, words cut at line ends. */
const LAYOUTS: Readonly<Record<string, PdfMadeOptions & { readonly isRuled: boolean }>> = {
  "one column": { isRuled: false },
  "one column, ruled tables, heads": { isRuled: true, hasRunningHeads: true },
  "one column, ligatures, hyphens": { isRuled: true, hasLigatures: true, hasHyphens: true, isJustified: true },
  "two columns": { isRuled: false, columns: 2 },
  "two columns, ruled tables": { isRuled: true, columns: 2, hasOutline: true },
  "two columns, justified, hyphens, heads": { isRuled: false, columns: 2, isJustified: true, hasHyphens: true, hasRunningHeads: true },
  "turned, outline": { isRuled: false, isRotated: true, hasOutline: true },
  "turned, two columns, ligatures": { isRuled: true, isRotated: true, columns: 2, hasLigatures: true },
};
/** Blocks of one file: some pages. */
const MOST_BLOCKS = 90;
/** Every paragraph of so many has a footnote. */
const NOTE_EVERY = 9;
/** Words in a narrow cell of a made table. */
const CELL_CHARACTERS = 24;

export interface MadeFile extends MadePdf {
  readonly name: string;
  readonly layout: string;
}

/** PDFs made of markdown documents, `texts` documents in each layout: what they say, and where each word stands, is known. */
export function* makeCorpus(corpus: string, texts: number): Generator<MadeFile, void> {
  const chosen = chooseDocuments(corpus, texts);
  for (const [layout, { isRuled, ...options }] of Object.entries(LAYOUTS)) {
    for (const { path, source } of chosen)
      yield { ...makePdf(blocksOf(path, source, isRuled), options), name: `${path}, ${layout}`, layout };
  }
}

/** Documents with tables first, spread over the folder, the longest of each part. */
function chooseDocuments(corpus: string, count: number): { readonly path: string; readonly source: string }[] {
  const all = markdownFiles(corpus).map((path) => ({ path, source: readFileSync(join(corpus, path), "utf8") }));
  if (all.length < count) throw new Error(`${corpus} holds ${all.length} markdown files: ${count} are asked for`);
  const part = all.length / count;
  return Array.from({ length: count }, (_, i) => {
    const some = all.slice(Math.floor(i * part), Math.floor((i + 1) * part));
    const weight = ({ source }: { readonly source: string }) =>
      Math.min(source.length, 20_000) + 1_000 * Math.min(20, source.match(/^\|/gm)?.length ?? 0);
    return some.toSorted((a, b) => weight(b) - weight(a))[0] ?? (some[0] as (typeof all)[number]);
  });
}

function blocksOf(path: string, source: string, isRuled: boolean): PdfMadeBlock[] {
  const [document] = parseFile({ path, bytes: Buffer.from(source) });
  if (document === undefined) return [];
  const made: PdfMadeBlock[] = [];
  let rows: string[][] = [];
  const endTable = () => {
    if (rows.length > 1) made.push({ type: "table", isRuled, rows });
    rows = [];
  };
  for (const [i, { type, start, end, level }] of document.blocks.slice(0, MOST_BLOCKS).entries()) {
    const text = plain(document.text.slice(start, end));
    if (type === "table-row") {
      const cells = text.split("|").map((cell) => cell.trim().slice(0, CELL_CHARACTERS).trim());
      // A made table has the same cells, all filled, in every row.
      if (cells.length > 1 && cells.length <= 4 && cells.every((cell) => cell !== "") && (rows[0] ?? cells).length === cells.length)
        rows.push(cells);
      continue;
    }
    endTable();
    if (text === "") continue;
    if (type === "heading") made.push({ type, level: level === 1 ? 1 : 2, text: text.slice(0, 60).trim() });
    else if (i % NOTE_EVERY === NOTE_EVERY - 1) made.push({ type: "paragraph", text, note: `Said of part ${i} in the source.` });
    else made.push({ type: "paragraph", text });
  }
  endTable();
  return made;
}

/** The signs that the made font has. */
function plain(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\u2010-\u2015]/g, "-")
    .replace(/[^\x20-\x7e|]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}
