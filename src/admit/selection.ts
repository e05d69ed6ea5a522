import { RequestError } from "../errors.ts";
import type { Selection, StoredDocument } from "../types.ts";

/**
 * Can anything be answered from what was selected?
 * @param document as far as the asker may see it; `undefined`: there is none
 * @throws RequestError `unknown_document`, `selection_invalid`
 */
export function assertSelection({ documentId, start, end }: Selection, document: Pick<StoredDocument, "text"> | undefined): void {
  if (document === undefined) {
    const message = `The selection names a document that is not here, "${documentId.slice(0, 100)}": it was deleted, or is not open to you. Give the id of one that is.`;
    throw new RequestError("unknown_document", message, { id: documentId });
  }
  const { length } = document.text;
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0)
    throw invalid(start, end, "is no range of whole numbers from 0", length);
  if (end <= start) throw invalid(start, end, "is empty: its end must lie behind its start", length);
  if (start >= length) throw invalid(start, end, `lies beyond the document, which has ${length} characters: select again`, length);
}

function invalid(start: number, end: number, reason: string, characters: number): RequestError {
  return new RequestError("selection_invalid", `The selection ${start}–${end} ${reason}.`, { start, end, characters });
}
