export type Range = Readonly<{ start: number; end: number }>;

/** A part of a text. `over`: the ranges that contain it. */
type Piece<T> = Readonly<{ start: number; text: string; over: readonly T[] }>;

/** Cuts a text where ranges begin or end. @param from offset of the text in the document; the ranges count from its start */
export function cutText<T extends Range>(text: string, from: number, ranges: readonly T[]): Piece<T>[] {
  const to = from + text.length;
  const inside = ranges.filter(({ start, end }) => start < to && end > from);
  const cuts = [from, to, ...inside.flatMap(({ start, end }) => [start, end])].filter((at) => at >= from && at <= to);
  const places = [...new Set(cuts)].sort((a, b) => a - b);
  return places.slice(0, -1).map((start, i) => {
    const end = places[i + 1] ?? to;
    return { start, text: text.slice(start - from, end - from), over: inside.filter((one) => one.start <= start && one.end >= end) };
  });
}
