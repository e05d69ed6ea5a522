import type { DocumentMetadata, OriginalUnit, PlaceData, ReadingNotice } from "../../types.ts";
import type { WrittenBlocks } from "../block-writer.ts";

/** What a format makes of a file, or of one entry of it, before it becomes a document. */
export interface FormatResult extends WrittenBlocks {
  readonly metadata: DocumentMetadata;
  readonly access: string | null;
  readonly tenant: string | null;
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
