import { originalPlaceOf } from "../../text/original-place.ts";
import type { ParsedDocument } from "../parse.ts";
import type { MadePdf, MadeWord } from "./made-pdf.ts";

/** Counts from reading a generated PDF: what was tested, and what was read correctly. */
export interface PdfScore {
  readonly quotes: number;
  readonly found: number;
  readonly rightPage: number;
  /** Number of words in quotes that were found. `boxed` counts those whose centre lies in a box of their quote. */
  readonly words: number;
  readonly boxed: number;
  readonly cells: number;
  readonly rightCells: number;
  readonly characters: number;
  readonly lost: number;
}

const QUOTE_WORDS = 8;

/** Scores how a generated PDF was read: by quotes of eight words each, by table cells, and by missing characters. */
export function scorePdf(document: ParsedDocument, made: MadePdf): PdfScore {
  const flat = flatten(document.text);
  const score = { quotes: 0, found: 0, rightPage: 0, words: 0, boxed: 0, cells: 0, rightCells: 0 };
  let from = 0;
  for (const quote of quotesOf(made.words)) {
    score.quotes++;
    const wanted = squeeze(quote.map(({ text }) => text).join(" "));
    // The same text may occur twice, so try the next occurrence in reading order first.
    const next = flat.text.indexOf(wanted, from);
    const at = next >= 0 ? next : flat.text.indexOf(wanted);
    if (at < 0) continue;
    score.found++;
    const { length } = wanted;
    from = at;
    const range = { start: flat.offsets[at] ?? 0, end: (flat.offsets[at + length - 1] ?? 0) + 1 };
    const { pages = [] } = originalPlaceOf({ ...document, normaliser: "" }, range);
    if (pages[0]?.page === quote[0]?.page) score.rightPage++;
    for (const word of quote) {
      score.words++;
      const [x, y] = [word.x + word.width / 2, word.y + word.height / 2];
      const boxes = pages.find(({ page }) => page === word.page)?.boxes ?? [];
      if (boxes.some((box) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height)) score.boxed++;
    }
  }
  Object.assign(score, scoreCells(document, made.words));
  return { ...score, ...lostOf(document.text, made.words) };
}

/** Counts the characters of drawn words that are missing in `text`. A word that the PDF divides by a hyphen must be undivided there. */
export function lostOf(text: string, words: readonly MadeWord[]): { readonly characters: number; readonly lost: number } {
  const found = new Map<string, number>();
  for (const word of text.split(/[\s|]+/)) found.set(word, (found.get(word) ?? 0) + 1);
  let characters = 0;
  let lost = 0;
  const drawn = wholeWords(words);
  for (const word of drawn) {
    characters += word.length;
    const count = found.get(word) ?? 0;
    if (count === 0) lost += word.length;
    else found.set(word, count - 1);
  }
  return { characters, lost };
}

function wholeWords(words: readonly MadeWord[]): string[] {
  const whole: string[] = [];
  for (const [i, { text, y }] of words.entries()) {
    const before = words[i - 1];
    if (before !== undefined && /[a-z]-$/.test(before.text) && before.y !== y && whole.length > 0)
      whole.push((whole.pop() as string).slice(0, -1) + text);
    else whole.push(text);
  }
  return whole;
}

export function* quotesOf(words: readonly MadeWord[]): Generator<readonly MadeWord[]> {
  const running = words.filter(({ row }) => row === null);
  for (let i = 0; i < running.length; i += QUOTE_WORDS) {
    const block = running[i]?.block;
    const quote = running.slice(i, i + QUOTE_WORDS).filter((word) => word.block === block);
    if (quote.length > 2) yield quote;
  }
}

function scoreCells(document: ParsedDocument, words: readonly MadeWord[]): { readonly cells: number; readonly rightCells: number } {
  const cells = new Map<string, string[]>();
  for (const { text, block, row, column } of words) {
    if (row === null) continue;
    const key = `${block} ${row} ${column}`;
    cells.set(key, [...(cells.get(key) ?? []), text]);
  }
  const rows = document.blocks
    .filter(({ type }) => type === "table-row")
    .map(({ start, end }) =>
      document.text
        .slice(start, end)
        .split("|")
        .map((cell) => cell.trim()),
    );
  let rightCells = 0;
  for (const [key, text] of cells) {
    const [block = "", row = "", column = ""] = key.split(" ");
    const own = Array.from({ length: 20 }, (_, c) => cells.get(`${block} ${row} ${c}`)?.join(" ") ?? null);
    const wanted = text.join(" ");
    const matches = rows.some((found) => found[Number(column)] === wanted && own.every((cell, c) => cell === null || found[c] === cell));
    if (matches) rightCells++;
  }
  return { cells: cells.size, rightCells };
}

/** Removes white space, cell separators and hyphens. Returns the offset of each remaining character. */
function flatten(text: string): { readonly text: string; readonly offsets: readonly number[] } {
  const kept: string[] = [];
  const offsets: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (/[\s|-]/.test(char)) continue;
    kept.push(char);
    offsets.push(i);
  }
  return { text: kept.join(""), offsets };
}

export function squeeze(text: string): string {
  return text.replace(/[\s|-]/g, "");
}
