import { chanceOf } from "../models/weights/scorer.ts";
import type { Choice, ScoredPiece } from "./choose.ts";
import type { ChooserWeights } from "./chooser-weights.ts";
import { logit, PIECE_FEATURES } from "./piece-features.ts";

/** Lead of a piece that has no competitor. */
const ALONE = 6;

/**
 * Chance that the best piece answers the question: what a glance says, and, where the best pieces were read, what reading says beside it.
 * @param known values of the other features by name; a name that is absent or `null` counts as the mean of the training questions
 * @returns 0 to 1; 0 when there is no piece
 */
export function answerChance(
  { pieces, glance }: Pick<Choice, "pieces" | "glance">,
  known: ReadonlyMap<string, number | null>,
  { answer, read_answer: reading }: Pick<ChooserWeights, "answer" | "read_answer">,
): number {
  const chance = glanceChance(glance ?? pieces, known, answer);
  const [first, second] = pieces;
  if (glance === null || first === undefined) return chance;
  const cosines = pieces.flatMap(({ view, reading }) => (reading === null || view === first.view ? [] : [reading]));
  const cosine = first.reading ?? 0;
  const own: Readonly<Record<string, number>> = {
    glance: logit(chance),
    score: first.score,
    "score.ahead": Math.min(ALONE, first.score - (second?.score ?? first.score - ALONE)),
    reading: cosine,
    "reading.ahead": cosines.length === 0 ? 0 : cosine - Math.max(...cosines),
    "reading.best": Math.max(cosine, ...cosines),
    same: Number(glance[0]?.view === first.view),
  };
  return chanceOf(
    reading.features.map((name) => own[name] ?? null),
    reading,
  );
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
