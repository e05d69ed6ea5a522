import { chanceOf } from "../models/weights/scorer.ts";
import type { Choice, ScoredPiece } from "./choice.ts";
import type { ChooserWeights } from "./chooser-weights.ts";
import { logit, PIECE_FEATURES } from "./piece-features.ts";
import { measureBestReading } from "./reading-features.ts";

/** Lead of a piece that has no competitor. */
const ALONE = 6;

/** The chance that what would be shown first answers, and the figures of the reading that it is made of; `null`: nothing was read. */
export interface AnswerChance {
  /** 0 to 1. */
  readonly chance: number;
  /** By `READ_ANSWER_FEATURES`. */
  readonly readings: Readonly<Record<string, number | null>> | null;
}

/**
 * Chance that the best piece, with what follows it, answers the question: what a glance says, and, where the best pieces were read, what reading says beside it.
 * @param known values of the other features by name; a name that is absent or `null` counts as the mean of the training questions
 * @returns chance 0 when there is no piece
 */
export function answerChance(
  { pieces, glance }: Pick<Choice, "pieces" | "glance">,
  known: ReadonlyMap<string, number | null>,
  { answer, read_answer: scorer }: Pick<ChooserWeights, "answer" | "read_answer">,
): AnswerChance {
  const chance = glanceChance(glance ?? pieces, known, answer);
  const [first, second] = pieces;
  if (glance === null || first === undefined || first.reading === null) return { chance, readings: null };
  const readings: Readonly<Record<string, number | null>> = {
    glance: logit(chance),
    score: first.score,
    // Alone among what was read it is ahead of nobody, and above nobody: that says nothing, least of all that it answers. What was not read has a score of another kind.
    "score.ahead": second === undefined || second.reading === null ? null : first.score - second.score,
    row: Number(first.view.piece.type === "row"),
    ...measureBestReading(pieces.flatMap(({ reading }) => reading ?? [])),
  };
  const values = scorer.features.map((name) => readings[name] ?? null);
  return { chance: chanceOf(values, scorer), readings };
}

/** By the score at a glance, its lead over the others, and what is known of the passages. */
function glanceChance(pieces: readonly ScoredPiece[], known: ReadonlyMap<string, number | null>, answer: ChooserWeights["answer"]): number {
  const scores = pieces.map(({ score }) => score);
  const [first] = pieces;
  const best = scores[0];
  if (first === undefined || best === undefined) return 0;
  const own = new Map<string, number | null>([
    ...Object.entries(PIECE_FEATURES).map(([name, measure]) => [`piece.${name}`, measure(first.measured)] as const),
    ["score", best],
    ["score.ahead", best - (scores[1] ?? best - ALONE)],
    ["score.crowd", Math.log(scores.reduce((sum, score) => sum + Math.exp(score - best), 0))],
  ]);
  const values = answer.features.map((name) => own.get(name) ?? known.get(name) ?? null);
  return chanceOf(values, answer);
}
