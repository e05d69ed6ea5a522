import { chanceOf } from "../models/weights/scorer.ts";
import type { Choice } from "./choose.ts";
import type { ChooserWeights } from "./chooser-weights.ts";
import { PIECE_FEATURES } from "./piece-features.ts";

/** Lead of a piece that has no competitor. */
const ALONE = 6;

/**
 * Chance that the best piece answers the question, from its score, its lead over the others, and what is known of the passages.
 * @param known values of the other features by name; a name that is absent or `null` counts as the mean of the training questions
 * @returns 0 to 1; 0 when there is no piece
 */
export function answerChance(
  { pieces }: Pick<Choice, "pieces">,
  known: ReadonlyMap<string, number | null>,
  { answer }: Pick<ChooserWeights, "answer">,
): number {
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
