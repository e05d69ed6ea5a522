import type { Block, DocumentMetadata, OriginalUnit, PlaceData, ReadingNotice, SourceMapData } from "../../shared/types.ts";
import type { WrittenBlocks } from "../block-writer.ts";

/** A piece that was written on its own, and where its source begins in the whole. */
export interface JoinedPart {
  readonly written: WrittenBlocks;
  readonly sourceStart: number;
}

/** Pieces one after the other, separated by an empty line, as if they had been written together. `starts`: where each begins in the text. */
export function joinWritten(parts: readonly JoinedPart[]): WrittenBlocks & { readonly starts: readonly number[] } {
  const texts: string[] = [];
  const blocks: Block[] = [];
  const sourceMap: number[] = [];
  const starts: number[] = [];
  let length = 0;
  for (const { written, sourceStart } of parts) {
    if (length > 0 && written.text !== "") {
      texts.push("\n\n");
      length += 2;
    }
    starts.push(length);
    const first = blocks.length;
    for (const block of written.blocks) {
      const { header } = block;
      blocks.push({ ...shiftedBy(block, length), header: header < 0 ? header : header + first });
    }
    appendMap(sourceMap, written.sourceMap, length, sourceStart);
    texts.push(written.text);
    length += written.text.length;
  }
  return { text: texts.join(""), blocks, sourceMap, starts };
}

/** A block whose text stands `by` characters later. */
function shiftedBy<T extends Block>(block: T, by: number): T {
  const { start, end, runIn, sectionEnd } = block;
  return {
    ...{ ...block, start: start + by, end: end + by },
    ...(runIn === undefined ? {} : { runIn: runIn + by }),
    ...(sectionEnd === undefined ? {} : { sectionEnd: sectionEnd + by }),
  };
}

function appendMap(target: number[], map: SourceMapData, textStart: number, sourceStart: number): void {
  for (let i = 0; i < map.length; i += 4) {
    const [outStart = 0, outEnd = 0, start = 0, end = 0] = map.slice(i, i + 4);
    target.push(outStart + textStart, outEnd + textStart, start + sourceStart, end + sourceStart);
  }
}

/** What a format makes of a file, or of one entry of it, before it becomes a document. */
export interface FormatResult extends WrittenBlocks {
  readonly metadata: DocumentMetadata;
  /** Access label and tenant that the document states itself; absent or `null`: it states none. */
  readonly access?: string | null;
  readonly tenant?: string | null;
  /** Tells the documents of one file apart; absent: the file is one document. */
  readonly entryId?: string;
  /** Where each page begins in the text; absent or `null`: the format or the file has none. */
  readonly pages?: readonly number[] | null;
  /** What the source map leads to. @default "utf16" */
  readonly unit?: OriginalUnit;
  /** How the bytes were decoded; absent or `null`: the file is no text. */
  readonly encoding?: string | null;
  readonly places?: PlaceData | null;
  readonly notices?: readonly ReadingNotice[];
}

/** Longer first headings are cut when they serve as title, in characters. */
const MAX_TITLE = 300;

/**
 * The heading that names the whole text: the only one of the highest level, or the first where several are of level 1. `null` where several of a lower level
 * stand side by side: each names a chapter, none the text. What heads or stands in a section that a reader opens names no more than that.
 */
export function titleOf({ text, blocks }: WrittenBlocks): string | null {
  const headings = blocks.filter(({ type, sectionEnd }) => type === "heading" && sectionEnd === undefined);
  const top = headings.reduce((least, { level }) => Math.min(least, level), Number.POSITIVE_INFINITY);
  const [heading, ...beside] = headings.filter(({ level }) => level === top);
  if (heading === undefined || (beside.length > 0 && top > 1)) return null;
  return text.slice(heading.start, Math.min(heading.end, heading.start + MAX_TITLE));
}

/** What is known of a document that states nothing of itself but a title. */
export function plainMetadata(title: string, known: Partial<DocumentMetadata> = {}): DocumentMetadata {
  const nothing = { description: null, url: null, asOf: null, authority: null, topic: null, subtopic: null, type: null };
  return { ...nothing, ...known, title: title.trim().slice(0, MAX_TITLE) };
}
