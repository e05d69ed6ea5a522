import type { DocumentMetadata } from "../../types.ts";
import type { WrittenBlocks } from "../block-writer.ts";

/** What a format makes of a file or entry, before it becomes a document. */
export interface FormatResult extends WrittenBlocks {
  readonly metadata: DocumentMetadata;
  readonly access: string | null;
  readonly tenant: string | null;
  /** Where each page begins in the text; absent or `null`: the format or the file has none. */
  readonly pages?: readonly number[] | null;
}

/** Longer first headings are cut when they serve as title, in characters. */
const MAX_TITLE = 300;

/** The text of the first heading, or `null`. */
export function titleOf({ text, blocks }: WrittenBlocks): string | null {
  const heading = blocks.find((block) => block.type === "heading");
  return heading === undefined ? null : text.slice(heading.start, Math.min(heading.end, heading.start + MAX_TITLE));
}
