import { mean } from "../grade/metrics.ts";
import { createRandom } from "../grade/random.ts";
import { applyIsotonic, fitIsotonic, type IsotonicMap } from "../models/calibration/calibration.ts";

/** An answer with the chance that the gate gave it. */
export interface JudgedChance {
  readonly chance: number;
  readonly wrong: boolean;
  /** Questions about one page are fitted and tested together. */
  readonly cluster: string;
}

const SEED = 1;
/** Answered questions from which on a map is tried, and of them right and wrong ones: below that its steps are single questions. */
const MAP_LABELS = { answered: 50, each: 10 };
const MAP_FOLDS = 5;

export interface FittedMap {
  readonly fitted: IsotonicMap | null;
  /** What the map makes of each question when it was fitted without its page. */
  readonly crossFitted: readonly number[] | null;
  readonly why: string;
}

/** The chance of a right answer by isotonic regression; only where, cross-fitted, it has the lower Brier score (Brier 1950) than the gate's chance itself. */
export function fitConfidenceMap(answered: readonly JudgedChance[]): FittedMap {
  const right = answered.filter(({ wrong }) => !wrong).length;
  const fewest = Math.min(right, answered.length - right);
  if (answered.length < MAP_LABELS.answered || fewest < MAP_LABELS.each)
    return {
      fitted: null,
      crossFitted: null,
      why: `needs ${MAP_LABELS.answered} answers, ${MAP_LABELS.each} of them right and ${MAP_LABELS.each} wrong; there are ${right} right and ${answered.length - right} wrong`,
    };
  const folds = foldsOf(answered);
  const crossFitted = answered.map((one, i) => applyIsotonic(mapOf(answered.filter((_, j) => folds[j] !== folds[i])), one.chance));
  const brier = (scores: readonly number[]) => mean(scores.map((score, i) => (score - Number(!answered[i]?.wrong)) ** 2)) as number;
  const [before, after] = [brier(answered.map(({ chance }) => chance)), brier(crossFitted)];
  const why = `Brier score ${after.toFixed(3)} cross-fitted, ${before.toFixed(3)} without it`;
  return after < before ? { fitted: mapOf(answered), crossFitted, why } : { fitted: null, crossFitted: null, why };
}

/** Isotonic, but never certain: k answers of k right are (k + 1)/(k + 2) likely right (Laplace's rule of succession). */
function mapOf(answered: readonly JudgedChance[]): IsotonicMap {
  const { scores, probabilities } = fitIsotonic(answered.map(({ chance, wrong }) => ({ score: chance, relevant: !wrong })));
  const at = answered.map(({ chance }) => applyIsotonic({ scores, probabilities }, chance));
  const most = 1 - 1 / (at.filter((one) => one === 1).length + 2);
  const least = 1 / (at.filter((one) => one === 0).length + 2);
  return { scores, probabilities: probabilities.map((one) => Math.min(most, Math.max(least, one))) };
}

/** Folds that keep a page's questions together. */
function foldsOf(answered: readonly JudgedChance[]): number[] {
  const random = createRandom(SEED);
  const folds = new Map<string, number>();
  return answered.map(({ cluster }) => {
    const fold = folds.get(cluster) ?? Math.floor(random() * MAP_FOLDS);
    folds.set(cluster, fold);
    return fold;
  });
}
