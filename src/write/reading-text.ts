import { headedText } from "../reader/headed-text.ts";
import type { PieceView } from "./piece-view.ts";
import { textOf } from "./pieces.ts";

/** What the reader reads of a piece: its title and headings on a line of their own, then the piece with what it refers to. */
export function readingText({ piece, evidence }: Pick<PieceView, "piece" | "evidence">): string {
  const { passage } = evidence;
  const before = piece.type === "sentence" ? piece.context.map((range) => textOf(passage, range)) : [];
  const text = [...before, textOf(passage, piece.range)].join(" ");
  return headedText({ title: passage.document.title, above: piece.above.replaceAll("\n", " › "), text });
}
