import { z } from "zod";
import { readNamedWeights, shippedWeights } from "../models/weights/read-weights.ts";
import { namedScorerSchema } from "../models/weights/scorer.ts";
import type { QuestionPart } from "../shared/types.ts";
import type { AskedQuestion, PieceView } from "./piece-view.ts";

/** A candidate with what the first stage measures of it. */
export interface MeasuredPiece {
  readonly view: PieceView;
  /** Cosines of the question with the candidate alone, and with the candidate below its title and headings. */
  readonly cosine: { readonly own: number; readonly headed: number };
  /** Retrieval score of its passage as a share of the best passage's. */
  readonly fused: number;
  /** Share of the question's words in the candidate before or behind it, the larger. */
  readonly beside: number;
}

/** The cheap features by which candidates are chosen for the cross-encoder. */
export const FIRST_STAGE_FEATURES: Readonly<Record<string, (piece: MeasuredPiece) => number>> = {
  own: ({ view }) => view.own,
  heading: ({ view }) => view.fromHeading,
  cosine: ({ cosine }) => cosine.own,
  "cosine.headed": ({ cosine }) => cosine.headed,
  fused: ({ fused }) => fused,
  lacks: ({ view }) => view.lacks,
  beside: ({ beside }) => beside,
  length: ({ view }) => Math.log(1 + (view.text.match(/\S+/gu)?.length ?? 0)),
  list: ({ view }) => Number(view.piece.type === "list"),
};

/** A candidate and its scores. */
export interface ScoredPiece {
  readonly view: PieceView;
  /** Log odds by the first stage. */
  readonly first: number;
  /** Log odds by the cross-encoder that it answers; `null`: it was not among those that the cross-encoder scored. */
  readonly cross: number | null;
  /** What candidates are ordered by. */
  readonly score: number;
  /** Chance that it answers, 0 to 1. */
  readonly chance: number;
  /** The candidate right behind it, which answers together with it: both are quoted. */
  readonly followedBy?: PieceView;
  /** Of a message that asks several things, one that the best candidate does not answer: this does. */
  readonly answersPart?: true;
}

/** Features of one candidate after the cross-encoder. */
export const CANDIDATE_FEATURES: Readonly<Record<string, (piece: Pick<ScoredPiece, "first" | "cross">) => number | null>> = {
  cross: ({ cross }) => cross,
  first: ({ first }) => first,
};

/** Features of the confidence, all of the best candidate. */
export const CONFIDENCE_FEATURES: Readonly<Record<string, (best: ScoredPiece) => number | null>> = {
  cross: ({ cross }) => cross,
  first: ({ first }) => first,
  lacks: ({ view }) => view.lacks,
  // The cross-encoder says less of a row than of a sentence.
  row: ({ view }) => Number(view.piece.type === "row"),
};

/** Values of the named features. */
export function measure<T>(
  of: T,
  names: readonly string[],
  features: Readonly<Record<string, (of: T) => number | null>>,
): (number | null)[] {
  return names.map((name) => features[name]?.(of) ?? null);
}

const share = z.number().min(0).max(1);

const weightsSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  date: z.string(),
  /** SHA-256 of the measured candidates that it was learned from. */
  data: z.string(),
  /** Name and hash of the cross-encoder that the scores below were learned with: no other one is asked. */
  reader: z.object({ name: z.string(), hash: z.string() }),
  first: namedScorerSchema(Object.keys(FIRST_STAGE_FEATURES)),
  candidate: namedScorerSchema(Object.keys(CANDIDATE_FEATURES)),
  confidence: namedScorerSchema(Object.keys(CONFIDENCE_FEATURES)),
  threshold: z.object({
    /** From this confidence on the question is answered. */
    minimum: share,
    /** How it was chosen, in words. */
    rule: z.string(),
  }),
});

export interface RankingWeights extends z.infer<typeof weightsSchema> {
  /** Names these very weights: the recipe and the hash of the file. */
  readonly id: string;
}

/**
 * Weights as they ship; made by `lab/train/ranking`.
 * @throws ModelError `ranking_corrupt` when the file is missing or not what it should be
 */
export function readRankingWeights(path: string = shippedWeights("ranking.json")): RankingWeights {
  return readNamedWeights({ path, schema: weightsSchema, code: "ranking_corrupt", whose: "the weights of ranking", recipe: "ranking" });
}

/** What may be quoted of the evidence for one question, best first. */
export interface Choice {
  readonly asked: AskedQuestion;
  readonly pieces: readonly ScoredPiece[];
  /** Of a message that asks several things, those that nothing in it answers; absent: none. */
  readonly open?: readonly OpenPart[];
}

/** One of several things asked that is not answered. */
export interface OpenPart {
  readonly part: QuestionPart;
  /** Nothing of what was found comes near. */
  readonly isNothing: boolean;
}
