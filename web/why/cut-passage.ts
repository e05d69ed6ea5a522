interface Range {
  readonly start: number;
  readonly end: number;
}

export interface PassagePiece extends Range {
  readonly text: string;
  /** Numbers of the citations that quote it. */
  readonly cites: readonly number[];
  /** It lies in the stretch that fitted the question best. */
  readonly fits: boolean;
}

/** A passage of a document's text, cut where quotes of it and its best stretch begin and end. */
export function cutPassage(
  text: string,
  passage: Range & { readonly window: Range },
  quotes: readonly (Range & { readonly n: number })[],
): PassagePiece[] {
  const { start, end, window } = passage;
  const inside = quotes.filter((quote) => quote.start < end && quote.end > start);
  const cuts = [start, end, window.start, window.end, ...inside.flatMap((quote) => [quote.start, quote.end])];
  const places = [...new Set(cuts.filter((at) => at >= start && at <= end))].sort((a, b) => a - b);
  return places.slice(0, -1).map((from, i) => {
    const to = places[i + 1] ?? end;
    const covers = (range: Range) => range.start <= from && range.end >= to;
    return { start: from, end: to, text: text.slice(from, to), cites: inside.filter(covers).map(({ n }) => n), fits: covers(window) };
  });
}
