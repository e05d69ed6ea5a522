import type { ReadRequest } from "../../../src/reader/reader.ts";
import type { PieceView } from "../../../src/write/piece-view.ts";
import { textOf } from "../../../src/write/pieces.ts";

/** Characters of a title, of what else stands above, and of the piece with the sentence that it refers to: some 120 tokens together. */
const MAX_TITLE = 80;
const MAX_ABOVE = 120;
const MAX_TEXT = 420;

/** What the reader is asked of a piece. It was trained on exactly this (`lab/train/reader`). */
export function readingRequest(question: string, view: PieceView): ReadRequest {
  const { piece, evidence } = view;
  const { passage } = evidence;
  const title = passage.document.title.slice(0, MAX_TITLE);
  // What stands last is nearest to the piece.
  const above = piece.above.replaceAll("\n", " › ").slice(-MAX_ABOVE);
  const before = piece.type === "sentence" ? piece.context.map((range) => textOf(passage, range)) : [];
  const text = [...before, view.text].join(" ").replace(/\s+/gu, " ").trim().slice(0, MAX_TEXT);
  return { question, head: [title, above].filter((part) => part !== "").join(" › "), passage: text };
}
