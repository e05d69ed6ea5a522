import type { QuestionPart } from "../types.ts";
import type { MeasuredPiece } from "./piece-features.ts";
import type { AskedQuestion, PieceView } from "./piece-view.ts";
import type { PieceReading } from "./reading-features.ts";

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
