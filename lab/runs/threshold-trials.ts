import { chooseThreshold, DELTA, type LabelledScore } from "../../src/calibrate/choose-threshold.ts";
import { createRandom, mean, type Random } from "../../src/grade/metrics.ts";
import { binomialTail } from "../../src/verify/calibration.ts";

export interface SimulatedChoice {
  readonly draws: number;
  readonly chosen: number;
  /** Draws whose threshold has a true risk of at most the one asked for; none chosen counts, for then nothing is promised. */
  readonly kept: number;
}

/** Labelled questions of one simulated set. */
export const SIMULATED_LABELS = 1000;

/**
 * How often the risk asked for is kept where the true one is known: a score u is uniform, and wrong with chance (1 − u)², so that answering from t on is wrong
 * with chance (1 − t)²/3.
 */
export function simulateChoice(risk: number, { draws = 1000, seed = 1, labels = SIMULATED_LABELS } = {}): SimulatedChoice {
  const random = createRandom(seed);
  let [chosen, kept] = [0, 0];
  for (let draw = 0; draw < draws; draw++) {
    const labelled = Array.from({ length: labels }, () => {
      const score = random();
      return { score, wrong: random() < (1 - score) ** 2 };
    });
    const choice = chooseThreshold(labelled, risk);
    if (choice.type === "chosen") chosen++;
    if (choice.type !== "chosen" || (1 - choice.threshold) ** 2 / 3 <= risk + 1e-9) kept++;
  }
  return { draws, chosen, kept };
}

/** A labelled question of a set; questions of one source never stand on both sides. */
export interface ClusteredScore extends LabelledScore {
  readonly cluster: string;
}

export interface SplitTrials {
  readonly splits: number;
  /** Splits in which the calibrating half had enough labels for a threshold at which the other half answers anything. */
  readonly chosen: number;
  /** Of those: the test half's share wrong is above the risk. */
  readonly above: number;
  /** Of those expected above the risk by the test half's size alone, if the true risk were that of all questions at the threshold. */
  readonly aboveByNoise: number;
  /** Of those: above it by more than noise, by the exact binomial test of the test half at 5 %. At most about 5 % of them if the risk is kept, and δ more where it is not. */
  readonly aboveBeyondNoise: number;
  readonly meanRisk: number | null;
  /** Questions that the test half answers, on average. */
  readonly meanAnswered: number | null;
  /** Standard deviation of a test half's share wrong if the true risk were the one asked for, on average. */
  readonly meanNoise: number | null;
  readonly meanCoverage: number | null;
}

/**
 * Calibrates on one half of a set and tests on the other, again and again. The halves of a split are not independent: what one has more of the other has less of, so
 * that a lucky calibrating half meets an unlucky testing half more often than two fresh samples would.
 */
export function repeatSplits(questions: readonly ClusteredScore[], risk: number, { splits = 200, seed = 1 } = {}): SplitTrials {
  const random = createRandom(seed);
  const trials = Array.from({ length: splits }, () => trySplit(questions, risk, random)).filter((trial) => trial !== null);
  const average = (of: (trial: Trial) => number) => mean(trials.map(of));
  return {
    splits,
    chosen: trials.length,
    above: trials.filter(({ wrong, answered }) => wrong > risk * answered).length,
    aboveByNoise: trials.reduce((sum, { answered, riskOfAll }) => sum + chanceAbove(risk, answered, riskOfAll), 0),
    aboveBeyondNoise: trials.filter(({ wrong, answered }) => wrong > 0 && 1 - binomialTail(wrong - 1, answered, risk) <= DELTA).length,
    meanRisk: average(({ wrong, answered }) => wrong / answered),
    meanAnswered: average(({ answered }) => answered),
    meanNoise: average(({ answered }) => Math.sqrt((risk * (1 - risk)) / answered)),
    meanCoverage: average(({ answered, asked }) => answered / asked),
  };
}

interface Trial {
  readonly asked: number;
  readonly answered: number;
  readonly wrong: number;
  /** Share wrong of all questions of the set at the threshold. */
  readonly riskOfAll: number;
}

function trySplit(questions: readonly ClusteredScore[], risk: number, random: Random): Trial | null {
  const sides = new Map<string, boolean>();
  const isTest = questions.map(({ cluster }) => {
    const side = sides.get(cluster) ?? random() < 0.5;
    sides.set(cluster, side);
    return side;
  });
  const choice = chooseThreshold(
    questions.filter((_, i) => isTest[i] === false),
    risk,
  );
  if (choice.type !== "chosen") return null;
  const reaching = questions.map((one, i) => ({ ...one, test: isTest[i] === true })).filter(({ score }) => score >= choice.threshold);
  const answered = reaching.filter(({ test }) => test);
  if (answered.length === 0) return null;
  const wrongOf = (some: readonly LabelledScore[]) => some.filter(({ wrong }) => wrong).length;
  return {
    asked: isTest.filter(Boolean).length,
    answered: answered.length,
    wrong: wrongOf(answered),
    riskOfAll: wrongOf(reaching) / reaching.length,
  };
}

/** Chance that more than the share `risk` of `n` are wrong if each is with chance `truth`. */
function chanceAbove(risk: number, n: number, truth: number): number {
  if (truth <= 0) return 0;
  return truth >= 1 ? 1 : 1 - binomialTail(Math.floor(risk * n + 1e-9), n, truth);
}
