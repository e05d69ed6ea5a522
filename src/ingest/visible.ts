import type { TextRange } from "../shared/types.ts";

/** Value of `CodePiece.text` for a line break. */
export const LINE_BREAK = "\n";
export interface CodePiece extends TextRange {
  readonly text?: string;
}

/** Removes blank lines at both ends of code ranges. Keeps the indentation of the first line. */
export function withoutBlankEnds(pieces: readonly CodePiece[], original: string): CodePiece[] {
  const hasVisible = ({ start, end, text = original.slice(start, end) }: CodePiece) => isVisible(text, 0, text.length);
  const first = pieces.findIndex(hasVisible);
  if (first < 0) return [];
  return pieces.slice(first, pieces.findLastIndex(hasVisible) + 1).map((piece, i, kept) => {
    if (piece.text !== undefined) return piece;
    const content = original.slice(piece.start, piece.end);
    const blank = i === 0 ? content.slice(0, content.search(VISIBLE)) : "";
    const blankLines = Math.max(blank.lastIndexOf("\n"), blank.lastIndexOf("\r")) + 1;
    const end = i === kept.length - 1 ? visibleEnd(content) : content.length;
    return { start: piece.start + blankLines, end: piece.start + end };
  });
}

const VISIBLE = /[^\s\p{Cc}\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;

/** Returns the end of the last visible character. White space, and characters that the normaliser removes, are not visible. */
export function visibleEnd(text: string): number {
  let end = text.length;
  while (end > 0) {
    const width = end > 1 && /[\uDC00-\uDFFF]/.test(text[end - 1] as string) ? 2 : 1;
    if (isVisible(text, end - width, end)) break;
    end -= width;
  }
  return end;
}

/** Checks whether a range contains a visible character: one that is not white space and that the normaliser keeps. */
export function isVisible(text: string, start: number, end: number): boolean {
  return VISIBLE.test(start === 0 && end === text.length ? text : text.slice(start, end));
}

/** Yields the lines of `text[start, end)` without their line breaks. */
export function* linesOf(text: string, start: number, end: number): Generator<TextRange & { readonly text: string }> {
  for (let at = start; at < end; ) {
    const newline = text.indexOf("\n", at);
    const lineEnd = newline < 0 || newline >= end ? end : newline;
    yield { start: at, end: lineEnd, text: text.slice(at, lineEnd) };
    at = lineEnd + 1;
  }
}
