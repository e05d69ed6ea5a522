import type { Passage, PassageDocument, StoredDocument, TextRange } from "../shared/types.ts";
import { headingPathAt, unitAt, unitsIn } from "./units.ts";

/** What of a document a passage needs; a stored document fits, and one that was read again from its file. */
export type PassageSource = PassageDocument & Pick<StoredDocument, "text" | "units">;

/** Where a passage stands and what it scored. */
export interface PassagePlace extends Pick<Passage, "sid" | "chunkId" | "window" | "scores"> {
  readonly range: TextRange;
  /** What lies outside is named by no unit; `null`: the whole document may be. */
  readonly bounds: TextRange | null;
  /** Headings above the passage; absent: they are read from the document. */
  readonly headingPath?: readonly string[] | undefined;
}

/** A stretch of a document as a passage; `null` when nothing stands there. */
export function readPassage(document: PassageSource, { range, bounds, headingPath, ...place }: PassagePlace): Passage | null {
  const units = unitsIn(document, range, bounds ?? undefined);
  if (units.length === 0) return null;
  const end = Math.min(bounds?.end ?? Number.POSITIVE_INFINITY, document.text.length);
  return {
    ...place,
    ...(bounds === null ? {} : { bounds: { start: bounds.start, end } }),
    document: fingerprintOf(document),
    headingPath: headingPath ?? headingPathAt(document, range.start),
    range,
    text: document.text.slice(range.start, range.end),
    units,
  };
}

function fingerprintOf(document: PassageSource): PassageDocument {
  return {
    id: document.id,
    path: document.path,
    title: document.title,
    url: document.url,
    asOf: document.asOf,
    authority: document.authority,
    version: document.version,
    originalHash: document.originalHash,
    normaliser: document.normaliser,
    blocks: document.blocks,
    sourceMap: document.sourceMap,
    pages: document.pages ?? null,
    ...(document.reading === undefined ? {} : { reading: document.reading }),
  };
}

/** The last heading at or above the window of a passage that was found; `null` when there is none. */
export function headingOf(passage: Passage): string | null {
  const unit = unitAt(passage, passage.window.start) ?? passage.units[0];
  return (unit?.headingPath ?? passage.headingPath).at(-1) ?? null;
}
