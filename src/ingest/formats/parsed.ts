import { valuesIn } from "../../language/values.ts";
import type { Block, DocumentMetadata, OriginalUnit, PlaceData, ReadingNotice } from "../../shared/types.ts";
import { tokenize } from "../../text/tokens.ts";
import type { WrittenBlocks } from "../block-writer.ts";

/**
 * Joins the texts, blocks and source maps of separately parsed parts, with empty lines between the parts. `sourceStart`
 * is the offset of a part in the source of the whole document (default: 0).
 */
export function joinWritten(parts: readonly Readonly<{ written: WrittenBlocks; sourceStart?: number }>[]): WrittenBlocks {
  const texts: string[] = [];
  const blocks: Block[] = [];
  const sourceMap: number[] = [];
  let length = 0;
  for (const { written, sourceStart = 0 } of parts) {
    if (written.text === "") continue;
    if (length > 0) {
      texts.push("\n\n");
      length += 2;
    }
    const first = blocks.length;
    for (const block of written.blocks)
      blocks.push({ ...shiftedBy(block, length), header: block.header < 0 ? block.header : block.header + first });
    // A segment is two offsets in the text and two in the source.
    for (const [i, offset] of written.sourceMap.entries()) sourceMap.push(offset + (i % 4 < 2 ? length : sourceStart));
    texts.push(written.text);
    length += written.text.length;
  }
  return { text: texts.join(""), blocks, sourceMap };
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function shiftedBy(block: Block, by: number): Block {
  const { start, end, runIn, sectionEnd } = block;
  return {
    ...{ ...block, start: start + by, end: end + by },
    ...(runIn === undefined ? {} : { runIn: runIn + by }),
    ...(sectionEnd === undefined ? {} : { sectionEnd: sectionEnd + by }),
  };
}

/** The document that a format reads from a file, or from one entry of the file. */
export interface FormatResult extends WrittenBlocks {
  readonly metadata: DocumentMetadata;
  /** Access label that the document states; absent or `null` if it states none. The same applies to `tenant`. */
  readonly access?: string | null;
  readonly tenant?: string | null;
  /** Id of the document within its file; absent if the file is a single document. */
  readonly entryId?: string;
  /** Name of the format of a file inside the file, such as an attachment; absent for the file's own format. */
  readonly format?: string;
  /** Offset in the text at which each page begins; absent or `null` without pages. */
  readonly pages?: readonly number[] | null;
  /** Unit of the offsets of the original in the source map. @default "utf16" */
  readonly unit?: OriginalUnit;
  /** Encoding of the bytes; absent or `null` if the file is not text. */
  readonly encoding?: string | null;
  readonly places?: PlaceData | null;
  readonly notices?: readonly ReadingNotice[];
}

/** Maximum length of a title, in characters. */
const MAX_TITLE = 300;

/**
 * Returns the heading that is the title of the text, or `null`: the first heading of the highest level. If several
 * headings have this level, the first of them is the title only at level 1; at lower levels, they are chapter titles.
 * Headings in collapsible sections are ignored.
 * @param name name of the file. If given, the first of several level-1 headings is the title only if it shares a word
 * with the name and no other level-1 heading does
 */
export function titleOf({ text, blocks }: WrittenBlocks, name: string | null = null): string | null {
  const headings = blocks.filter(({ type, sectionEnd }) => type === "heading" && sectionEnd === undefined);
  const top = headings.reduce((least, { level }) => Math.min(least, level), Number.POSITIVE_INFINITY);
  const [heading, ...beside] = headings.filter(({ level }) => level === top);
  if (heading === undefined || (beside.length > 0 && top > 1)) return null;
  const namesOf = ({ start, end }: Block) => text.slice(start, Math.min(end, start + MAX_TITLE));
  const title = namesOf(heading);
  const words = new Set(tokenize((name ?? "").replaceAll("_", " ")));
  const isNamed = (one: string) => tokenize(one).some((word) => words.has(word));
  const others = beside.map(namesOf).filter((one) => one !== title);
  return name === null || others.length === 0 || (isNamed(title) && !others.some(isNamed)) ? title : null;
}

/**
 * Maximum length of a line that states the date of a document. `DATED_AMONG` is the number of blocks at the start that
 * may contain it.
 */
const MAX_DATED = 60;
const DATED_AMONG = 5;

/** Returns the first paragraphs of a text, which may state its date. */
export function topLines({ text, blocks }: WrittenBlocks): string[] {
  const first = blocks.slice(0, DATED_AMONG).filter(({ type }) => type === "paragraph");
  return first.map(({ start, end }) => text.slice(start, Math.min(end, start + MAX_DATED + 1)));
}

/** Returns the date in the first short line that contains exactly one date, e.g. "Updated 14 January 2026". */
export function statedDay(lines: readonly string[]): string | null {
  for (const line of lines) {
    // Every date contains a digit. This test is faster than `valuesIn`.
    if (line.length > MAX_DATED || /[!?]$/.test(line) || !/\p{N}/u.test(line)) continue;
    const days = valuesIn(line).filter(({ kind }) => kind === "date");
    const [day] = days;
    // "Until 31 December" states the end of a period, not the date of the document.
    if (days.length === 1 && day !== undefined && day.bound !== "most") return isoDayOf(String(day.low));
  }
  return null;
}

/** Returns the day (`YYYY-MM-DD`) of an ISO date with or without a time; `null` for any other text. */
export function isoDayOf(value: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}(?:[T ].*)?$/.test(value)) return null;
  const day = value.slice(0, 10);
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) ? day : null;
}

/** Returns metadata with the title, the given values and `null` for all others. */
export function plainMetadata(title: string, known: Partial<DocumentMetadata> = {}): DocumentMetadata {
  const nothing = { description: null, url: null, asOf: null, authority: null, topic: null, subtopic: null, type: null };
  return { ...nothing, ...known, title: title.trim().slice(0, MAX_TITLE) };
}
