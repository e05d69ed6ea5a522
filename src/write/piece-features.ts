import type { PieceView } from "./piece-view.ts";

/** One piece of a passage beside a question, with all that was measured of it. */
export interface MeasuredPiece {
  readonly view: PieceView;
  /** Does the question want a list or steps? */
  readonly wantsList: boolean;
  /** Does it ask for a kind of value? */
  readonly wantsValue: boolean;
  /** Chance by the embedded reranker that the piece answers; `null`: it was not asked. */
  readonly relevance: number | null;
  /** Cosines of the question with the piece, and with the piece below what stands above it; `null`: no encoder. */
  readonly cosine: { readonly own: number; readonly headed: number } | null;
  /** Share of the question's words in the pieces before and behind it, the larger. */
  readonly beside: number;
  /** The best of all pieces and passages of this question. */
  readonly best: {
    readonly own: number;
    readonly whole: number;
    readonly over: number;
    readonly relevance: number | null;
    readonly cosine: number | null;
    readonly rerank: number | null;
  };
}

type Feature = (piece: MeasuredPiece) => number | null;

export function logit(chance: number): number {
  const kept = Math.min(1 - 1e-4, Math.max(1e-4, chance));
  return Math.log(kept / (1 - kept));
}

/** Every feature, by name. What is `null` counts as the mean of the training pieces. */
export const PIECE_FEATURES: Readonly<Record<string, Feature>> = {
  own: ({ view }) => view.own,
  heading: ({ view }) => view.fromHeading,
  title: ({ view }) => view.fromTitle,
  whole: ({ view }) => view.own + view.fromHeading + view.fromTitle,
  value: ({ view, wantsValue }) => (wantsValue ? Number(view.values.size > 0) : null),
  "value.beside": ({ view, wantsValue }) => (wantsValue ? Number(view.values.size > 0) * view.own : null),
  relevance: ({ relevance }) => (relevance === null ? null : logit(relevance)),
  rerank: ({ view }) => (view.evidence.passage.scores.rerank === null ? null : logit(view.evidence.passage.scores.rerank)),
  "rerank.behind": ({ view, best }) =>
    view.evidence.passage.scores.rerank === null || best.rerank === null
      ? null
      : logit(view.evidence.passage.scores.rerank) - logit(best.rerank),
  dense: ({ view }) => view.evidence.passage.scores.dense,
  fused: ({ view }) => view.evidence.passage.scores.fused,
  "own.behind": ({ view, best }) => view.own - best.own,
  "whole.behind": ({ view, best }) => view.own + view.fromHeading + view.fromTitle - best.whole,
  "relevance.behind": ({ relevance, best }) =>
    relevance === null || best.relevance === null ? null : logit(relevance) - logit(best.relevance),
  cosine: ({ cosine }) => cosine?.own ?? null,
  "cosine.headed": ({ cosine }) => cosine?.headed ?? null,
  "cosine.behind": ({ cosine, best }) => (cosine === null || best.cosine === null ? null : cosine.headed - best.cosine),
  lacks: ({ view }) => view.lacks,
  "passage.lacks": ({ view }) => view.passageLacks,
  "value.lacks": ({ view, wantsValue }) => Number(wantsValue && view.values.size === 0),
  "value.one": ({ view, wantsValue }) => Number(wantsValue && view.values.size > 0 && view.own > 0),
  beside: ({ beside }) => beside,
  rank: ({ view }) => 1 / (1 + view.rank),
  "rank.first": ({ view }) => Number(view.rank === 0),
  heads: ({ view }) => Number(view.fromHeading >= 0.4),
  window: ({ view }) =>
    Number(view.piece.range.start < view.evidence.passage.window.end && view.piece.range.end > view.evidence.passage.window.start),
  row: ({ view }) => Number(view.piece.type === "row"),
  item: ({ view }) => Number(view.piece.type === "item"),
  list: ({ view }) => Number(view.piece.type === "list"),
  "list.wanted": ({ view, wantsList }) => Number(view.piece.type === "list" && wantsList),
  length: ({ view }) => Math.log(1 + (view.text.match(/\S+/gu)?.length ?? 0)),
  short: ({ view }) => Math.max(0, 6 - (view.text.match(/\S+/gu)?.length ?? 0)) / 6,
  long: ({ view }) => Math.max(0, Math.log((view.text.match(/\S+/gu)?.length ?? 0) / 60)),
  numbers: ({ view, wantsValue }) => Number(wantsValue && /\d/u.test(view.text)),
  "numbers.held": ({ view }) => view.numbers,
  "title.named": ({ view }) => view.named.title,
  "headings.named": ({ view }) => view.named.headings,
  "label.named": ({ view }) => view.named.label,
  "label.none": ({ view }) => Number(view.named.label === null),
  over: ({ view }) => view.over,
  "over.behind": ({ view, best }) => view.over - best.over,
  asks: ({ view }) => Number(view.text.trimEnd().endsWith("?")),
};

/** Values of the named features; `null` where one measures nothing. */
export function measurePiece(piece: MeasuredPiece, names: readonly string[]): (number | null)[] {
  return names.map((name) => (PIECE_FEATURES[name] as Feature)(piece));
}
