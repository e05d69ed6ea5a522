export interface CutPiece {
  /** Where it begins in what the spans count. */
  readonly start: number;
  readonly piece: string;
  readonly isInside: boolean;
}

/** A text cut where spans begin and end; spans that lie elsewhere, overlap or make no sense leave it whole. */
export function cutAt(text: string, from: number, spans: readonly { readonly start: number; readonly end: number }[]): CutPiece[] {
  const pieces: CutPiece[] = [];
  let at = from;
  const add = (to: number, isInside: boolean) => {
    if (to > at) pieces.push({ start: at, piece: text.slice(at - from, to - from), isInside });
    at = Math.max(at, to);
  };
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    if (start < at || end <= start || end > from + text.length) continue;
    add(start, false);
    add(end, true);
  }
  add(from + text.length, false);
  return pieces;
}
