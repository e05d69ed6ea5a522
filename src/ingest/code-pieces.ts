import type { TextRange } from "../types.ts";
import { isVisible, visibleEnd } from "./visible.ts";

/** Text of a piece of code that ends a line. */
export const LINE_BREAK = "\n";
export interface CodePiece extends TextRange {
  readonly text?: string;
}

/** Pieces of code from the first to the last line that shows something, with the white space before its first letter. */
export function withoutBlankEnds(pieces: readonly CodePiece[], original: string): CodePiece[] {
  const hasVisible = ({ start, end, text }: CodePiece): boolean =>
    text === undefined ? isVisible(original, start, end) : isVisible(text, 0, text.length);
  const first = pieces.findIndex(hasVisible);
  if (first < 0) return [];
  return pieces.slice(first, pieces.findLastIndex(hasVisible) + 1).map((piece, i, kept) => {
    if (piece.text !== undefined) return piece;
    const content = original.slice(piece.start, piece.end);
    const blankLines = i === 0 ? (/^(?:[^\S\n]*\n)+/.exec(content)?.[0].length ?? 0) : 0;
    const end = i === kept.length - 1 ? visibleEnd(content) : content.length;
    return { start: piece.start + blankLines, end: piece.start + end };
  });
}
