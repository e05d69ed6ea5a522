import type { Box, CellPlace, OriginalPlace, PagePlace, PlaceData, StoredDocument, TextRange } from "../shared/types.ts";
import { firstIndex } from "./numbers.ts";
import { toOriginal } from "./source-map.ts";
import { pageAt } from "./units.ts";

/** The fields of a document that locate a range of its text in the original file. */
export type PlacedDocument = Pick<StoredDocument, "path" | "sourceMap" | "originalHash" | "normaliser" | "pages" | "reading">;

const WORD_FIELDS = 7;
const CELL_FIELDS = 4;
/** Stored units per point: the coordinates of boxes are stored in tenths of a point. */
const BOX_UNIT = 10;

/**
 * Maps a range of a document's normalised text to its place in the original file. The place is a range of characters.
 * If the format has them, it also names pages with boxes, table cells, a time, or a file inside the original.
 */
export function originalPlaceOf(document: PlacedDocument, range: TextRange): OriginalPlace {
  const { reading } = document;
  const place = toOriginal(document.sourceMap, range);
  const places = reading?.places ?? null;
  const part = places?.type === "parts" ? partAt(places.parts, place.start) : null;
  const offset = part?.[0] ?? 0;
  const pages = places?.type === "boxes" ? pagesWithBoxes(places, place) : pagesOf(document.pages ?? null, range);
  const cells = places?.type === "cells" ? cellsAt(places, place) : [];
  return {
    path: document.path,
    unit: reading?.unit ?? "utf16",
    start: place.start - offset,
    end: place.end - offset,
    sha256: document.originalHash,
    normaliser: document.normaliser,
    ...(reading === undefined || reading.encoding === null || reading.encoding === "utf-8" ? {} : { encoding: reading.encoding }),
    ...(pages.length === 0 ? {} : { pages }),
    ...(isRecognised(reading, pages, place) ? { recognised: true as const } : {}),
    ...(cells.length === 0 ? {} : { cells }),
    ...(places?.type === "times" ? timeAt(places.cues, place.start) : {}),
    ...(part === null ? {} : { part: part[1] }),
  };
}

/** Checks whether OCR produced text of the range. Sourcebound or the program that made the file may have run the OCR. */
function isRecognised(reading: PlacedDocument["reading"], pages: readonly PagePlace[], { start, end }: TextRange): boolean {
  const recognised = reading?.notices.filter(({ code }) => code === "recognised_text") ?? [];
  return recognised.some(
    ({ pages: read = [], ranges = [] }) =>
      pages.some(({ page }) => read.includes(page)) || ranges.some((to, i) => i % 2 === 1 && start < to && (ranges[i - 1] ?? 0) < end),
  );
}

/**
 * Formats a place for display, e.g. "p. 14, characters 310–342", "row 12, column 3 of Prices", "characters 10–25 of
 * chapter-1.xhtml" or "Ann Bell at 00:12:31".
 */
export function labelOriginal(place: Omit<OriginalPlace, "sha256" | "normaliser">): string {
  const { start, end, pages = [], cells = [], part, recognised, time, speaker } = place;
  const [first] = cells;
  if (first !== undefined) {
    const [rows, columns] = [cells.map(({ row }) => row), cells.map(({ column }) => column)];
    const inSheet = first.sheet === undefined ? "" : ` of ${first.sheet}`;
    return `${numbered(rows, "row", "rows")}, ${numbered(columns, "column", "columns")}${inSheet}`;
  }
  if (time !== undefined) return `${speaker === undefined ? "" : `${speaker} `}at ${time}`;
  const certainty = recognised === true ? ", read by OCR, may be wrong" : "";
  const characters = `characters ${start}–${end}${part === undefined ? "" : ` of ${part}`}${certainty}`;
  if (pages.length === 0) return characters;
  const printed = pages.flatMap((one) => one.printed ?? []);
  const labels = printed.length === 0 ? "" : ` (printed ${[...new Set([printed[0], printed.at(-1)])].join("–")})`;
  const numbers = pages.map(({ page }) => page);
  return `${numbered(numbers, "p.", "pp.")}${labels}, ${characters}`;
}

function numbered(numbers: readonly number[], one: string, several: string): string {
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  return first === last ? `${one} ${first}` : `${several} ${first}–${last}`;
}

function partAt(parts: readonly (readonly [number, string])[], at: number): readonly [number, string] | null {
  return parts.findLast(([start]) => start <= at) ?? parts[0] ?? null;
}

/** Returns the time and speaker of the last cue of a transcript that begins at or before the offset `at`. */
function timeAt(cues: (PlaceData & { type: "times" })["cues"], at: number): Pick<OriginalPlace, "time" | "speaker"> {
  const [, milliseconds, speaker] = cues[firstIndex(cues.length, (i) => (cues[i]?.[0] ?? 0) > at) - 1] ?? cues[0] ?? [0, 0, null];
  const seconds = Math.floor(milliseconds / 1_000);
  const time = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60].map((n) => String(n).padStart(2, "0")).join(":");
  return speaker === null ? { time } : { time, speaker };
}

/** Returns the pages of a range, without boxes. `starts` holds the start offset of each page; `null` without pages. */
function pagesOf(starts: readonly number[] | null, { start, end }: TextRange): PagePlace[] {
  const [first, last] = [pageAt(starts, start), pageAt(starts, Math.max(start, end - 1))];
  return first === null || last === null ? [] : Array.from({ length: last - first + 1 }, (_, i) => ({ page: first + i }));
}

function pagesWithBoxes({ words, sizes, printed }: PlaceData & { type: "boxes" }, range: TextRange): PagePlace[] {
  const byPage = new Map<number, Box[]>();
  for (const [start = 0, end = 0, page = 0, x = 0, y = 0, width = 0, height = 0] of recordsIn(words, WORD_FIELDS, range)) {
    const share = clipped(range, start, end);
    const box = { x: x + width * share.from, y, width: width * (share.to - share.from), height };
    const boxes = byPage.get(page);
    if (boxes === undefined) byPage.set(page, [box]);
    else addBox(boxes, box);
  }
  return [...byPage].map(([page, boxes]) => {
    const label = printed?.[page - 1] ?? "";
    return {
      page,
      ...(label === "" || label === String(page) ? {} : { printed: label }),
      width: (sizes[page * 2 - 2] ?? 0) / BOX_UNIT,
      height: (sizes[page * 2 - 1] ?? 0) / BOX_UNIT,
      boxes: boxes.map(inPoints),
    };
  });
}

/** Returns which share of the word `[from, to)` lies in the range, as two fractions of its width. Assumes equally wide letters. */
function clipped({ start, end }: TextRange, from: number, to: number): { readonly from: number; readonly to: number } {
  const length = Math.max(1, to - from);
  return { from: Math.max(0, start - from) / length, to: Math.min(length, Math.max(end, start + 1) - from) / length };
}

/** Adds the box of a word. Extends the last box instead if the word follows it closely on the same line. */
function addBox(boxes: Box[], box: Box): void {
  const last = boxes.at(-1) as Box;
  const overlap = Math.min(last.y + last.height, box.y + box.height) - Math.max(last.y, box.y);
  const isSameLine = overlap > Math.min(last.height, box.height) / 2 && box.x >= last.x && box.x - last.x - last.width < 2 * box.height;
  if (!isSameLine) boxes.push(box);
  else boxes[boxes.length - 1] = union(last, box);
}

function union(a: Box, b: Box): Box {
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  return { x, y, width: Math.max(a.x + a.width, b.x + b.width) - x, height: Math.max(a.y + a.height, b.y + b.height) - y };
}

function inPoints({ x, y, width, height }: Box): Box {
  const points = (value: number) => Math.round(value) / BOX_UNIT;
  return { x: points(x), y: points(y), width: points(width), height: points(height) };
}

function cellsAt({ cells, sheets }: PlaceData & { type: "cells" }, range: TextRange): CellPlace[] {
  return [...recordsIn(cells, CELL_FIELDS, range)].map(([start = 0, , row = 0, column = 0]) => {
    const sheet = partAt(sheets, start);
    return { row, column, ...(sheet === null ? {} : { sheet: sheet[1] }) };
  });
}

/**
 * Yields the records that overlap the range. `records` is a flat array with `fields` numbers per record. The first two
 * numbers of each record are its start and end.
 */
function* recordsIn(records: readonly number[], fields: number, { start, end }: TextRange): Generator<readonly number[]> {
  const first = firstIndex(records.length / fields, (i) => (records[i * fields + 1] ?? 0) > start);
  for (let at = first * fields; at < records.length && (records[at] ?? 0) < Math.max(end, start + 1); at += fields)
    yield records.slice(at, at + fields);
}
