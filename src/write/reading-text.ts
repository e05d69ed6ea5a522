import type { Evidence } from "../types.ts";
import { type Piece, textOf } from "./pieces.ts";

/** Characters of a title, of what else stands above, and of the piece with the sentence that it refers to: some 120 tokens together. */
const MAX_TITLE = 80;
const MAX_ABOVE = 120;
const MAX_TEXT = 420;

export interface ReadablePiece {
  readonly piece: Piece;
  readonly evidence: Pick<Evidence, "passage">;
}

/** What the reader reads of a piece: its title and headings on a line of their own, then the piece with what it refers to. */
export function readingText({ piece, evidence }: ReadablePiece): string {
  const { passage } = evidence;
  const title = passage.document.title.slice(0, MAX_TITLE);
  // What stands last is nearest to the piece.
  const above = piece.above.replaceAll("\n", " › ").slice(-MAX_ABOVE);
  const before = piece.type === "sentence" ? piece.context.map((range) => textOf(passage, range)) : [];
  const text = [...before, textOf(passage, piece.range)].join(" ").replace(/\s+/gu, " ").trim().slice(0, MAX_TEXT);
  return [[title, above].filter((part) => part !== "").join(" › "), text].join("\n");
}
