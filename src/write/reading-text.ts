import { quoteText } from "../reader/quote-text.ts";
import type { Evidence } from "../types.ts";
import { type Piece, textOf } from "./pieces.ts";

export interface ReadablePiece {
  readonly piece: Piece;
  readonly evidence: Pick<Evidence, "passage">;
}

/** What the reader reads of a piece: its title and headings on a line of their own, then the piece with what it refers to. */
export function readingText({ piece, evidence }: ReadablePiece): string {
  const { passage } = evidence;
  const before = piece.type === "sentence" ? piece.context.map((range) => textOf(passage, range)) : [];
  return quoteText(passage.document.title, piece.above.split("\n"), [...before, textOf(passage, piece.range)].join(" "));
}
