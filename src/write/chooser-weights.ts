import { z } from "zod";
import { readNamedWeights, shippedWeights } from "../models/weights/read-weights.ts";
import { namedScorerSchema } from "../models/weights/scorer.ts";
import type { QuestionPart } from "../types.ts";
import type { AskedQuestion, PieceView } from "./piece-view.ts";

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

/** What reading says of a piece. */
export interface PieceReading {
  /** Log odds that it answers, of question and piece read together. */
  readonly cross: number;
  /** Cosine of question and piece, each read alone; `null`: it is not among the most likely, and was not read alone. */
  readonly cosine: number | null;
}

/** Names of the features, and what of a reading each is. */
const READINGS: Readonly<Record<string, (reading: PieceReading) => number | null>> = {
  cross: ({ cross }) => cross,
  reading: ({ cosine }) => cosine,
};

/** What the score of a piece that was read is made of: what reading says of it beside what was measured at a glance. */
export const READING_FEATURES = [...Object.keys(READINGS), ...Object.keys(PIECE_FEATURES)];

/** Values of the named features of a piece that was read; `null` where one measures nothing. */
export function measureReading(piece: MeasuredPiece, reading: PieceReading, names: readonly string[]): (number | null)[] {
  return names.map((name) => (name in READINGS ? READINGS[name]?.(reading) : PIECE_FEATURES[name]?.(piece)) ?? null);
}

/**
 * What the chance of an answer takes from readings: log odds at a glance; score of the best piece, its lead, and whether it is a table's row; and of each figure of its
 * reading the value, and how far that lies above the mean of those read.
 */
export const READ_ANSWER_FEATURES = [
  "glance",
  "score",
  "score.ahead",
  "row",
  ...Object.keys(READINGS).flatMap((name) => [name, `${name}.above`]),
];

/** The figures of the first reading by name, and how far each lies above the mean of all that have it; that is `null` where there is no other. */
export function measureBestReading(readings: readonly PieceReading[]): Record<string, number | null> {
  const [first] = readings;
  if (first === undefined) return {};
  return Object.fromEntries(
    Object.entries(READINGS).flatMap(([name, of]) => {
      const value = of(first);
      const all = readings.flatMap((one) => of(one) ?? []);
      const above = value === null || all.length === 1 ? null : value - all.reduce((sum, one) => sum + one, 0) / all.length;
      return [
        [name, value],
        [`${name}.above`, above],
      ];
    }),
  );
}

/**
 * What the chance is made of that the piece right behind the best one answers too: log odds of the question read beside it, beside both together and beside the
 * best alone; the best one's chance; do both stand in one paragraph?
 */
export const FOLLOWING_FEATURES = ["following", "together", "best", "best.chance", "paragraph"] as const;

const weightsSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  date: z.string(),
  /** SHA-256 of the measured pieces that it was learned from. */
  data: z.string(),
  /** Score of a piece, and the chance that it answers. */
  piece: namedScorerSchema(Object.keys(PIECE_FEATURES)),
  /** Chance that the best piece answers, from what all pieces and passages of the question say at a glance. */
  answer: namedScorerSchema(),
  /** Name and hash of the reader that the two below were learned with: with another, nothing is read. */
  reader: z.object({ name: z.string(), hash: z.string() }),
  /** Score of a piece that was read, and the chance that it answers. */
  read: namedScorerSchema(READING_FEATURES),
  /** Chance that what would be shown answers where pieces were read. */
  read_answer: namedScorerSchema(READ_ANSWER_FEATURES),
  /** Chance that what follows the best piece answers too, and from which chance on it is quoted with it; `null`: it is not asked. */
  following: namedScorerSchema(FOLLOWING_FEATURES)
    .and(z.object({ minimum: z.number().min(0).max(1) }))
    .nullable(),
  threshold: z.object({
    /** From this chance on the question is answered. */
    minimum: z.number().min(0).max(1),
    /** How it was chosen, in words. */
    rule: z.string(),
  }),
});
export interface ChooserWeights extends z.infer<typeof weightsSchema> {
  /** Names these very weights: the recipe and the hash of the file. */
  readonly id: string;
}

/**
 * Weights as they ship; made by `lab/train/chooser`.
 * @throws ModelError `chooser_corrupt` when the file is missing or not what it should be
 */
export function readChooserWeights(path: string = shippedWeights("chooser.json")): ChooserWeights {
  const names = { code: "chooser_corrupt", whose: "the chooser's weights", recipe: "chooser" };
  return readNamedWeights({ path, schema: weightsSchema, ...names });
}

/** A piece that may answer. */
export interface ScoredPiece {
  readonly view: PieceView;
  readonly measured: MeasuredPiece;
  readonly score: number;
  /** Chance that it answers, 0 to 1. */
  readonly chance: number;
  /** What the reader says of question and piece; `null`: it was not read. */
  readonly reading: PieceReading | null;
  /** What stands right behind it and likely answers too: it is quoted with it. */
  readonly followedBy?: PieceView;
  /** Of a message that asks several things, one that the best piece does not answer: this does. */
  readonly answersPart?: true;
}

/** What may be quoted of the evidence for one question, best first. */
export interface Choice {
  readonly asked: AskedQuestion;
  readonly pieces: readonly ScoredPiece[];
  /** The same at a glance, before the best of them were read; `null`: nothing was read. */
  readonly glance: readonly ScoredPiece[] | null;
  /** Chance that what stands right behind the best one answers too, 0 to 1; `null`: it was not asked. */
  readonly followingChance: number | null;
  /** Of a message that asks several things, those that nothing in it answers; absent: none. */
  readonly open?: readonly OpenPart[];
}

/** One of several things asked that is not answered. */
export interface OpenPart {
  readonly part: QuestionPart;
  /** Nothing of what was found comes near. */
  readonly isNothing: boolean;
}
