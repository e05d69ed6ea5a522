import { binomialTail } from "../evidence/calibration.ts";

/** Confidence of a labelled question and whether answering it was wrong. */
export interface LabelledScore {
  readonly score: number;
  readonly wrong: boolean;
}

/** Candidate thresholds, strictest first: fixed in advance, as the test requires. */
const THRESHOLDS = Array.from({ length: 99 }, (_, i) => (99 - i) / 100);
/** Significance level: probability that the true risk exceeds the chosen one. */
export const DELTA = 0.05;
/**
 * Minimum share of questions that the strictest tested threshold answers. With the bare minimum number of answers, none could be wrong,
 * and no number of labels would help: on halves of clapnq, whose most confident answers include errors, a threshold for a risk of .3 is
 * chosen in 186 of 200 splits instead of 19. Where few answers satisfy the risk, it costs choices (`simulateChoice`, risk .05: 844 of
 * 1,000 draws instead of 916).
 */
const LEAST_ANSWERED = 0.2;

export type ChosenThreshold =
  | { readonly type: "chosen"; readonly threshold: number; readonly answered: number; readonly wrong: number }
  /**
   * `needed`: error-free answers that demonstrate the risk. `missing`: minimum number of further labelled questions for a choice, if all
   * are answered correctly with the highest confidence. `least`: minimum answers at the strictest tested threshold.
   */
  | { readonly type: "too-few"; readonly needed: number; readonly missing: number; readonly least: number };

/** Returns the number of error-free answers that demonstrate a risk of at most `risk`: (1 − risk)^n ≤ δ. */
export function leastLabels(risk: number, delta = DELTA): number {
  return Math.ceil(Math.log(delta) / Math.log(1 - risk));
}

/**
 * Chooses the lowest threshold with risk (share wrong among the answered) at most `risk` at confidence 1 − δ, by fixed-sequence testing
 * from the strictest threshold (Angelopoulos et al., "Learn then Test", 2021, section 2.2). Each null hypothesis "the risk is higher" is
 * tested with the exact binomial tail; the first one not rejected ends the sequence. Thresholds with too few answers are skipped, which
 * depends on scores alone, not on errors.
 * Guarantee: at most a share δ of labelled sets drawn alike leads to a threshold whose risk on questions drawn alike exceeds `risk`. It
 * requires independent questions and fewer errors at higher scores: with 300 labels that err three at a time and a risk just above .1, 11
 * % of 4,000 sets break it instead of 3 %. The measured share of errors is not the guaranteed one.
 * @throws RangeError when `risk` or `delta` is not between 0 and 1
 */
export function chooseThreshold(labelled: readonly LabelledScore[], risk: number, delta = DELTA): ChosenThreshold {
  for (const [name, value] of Object.entries({ risk, delta }))
    if (!(value > 0 && value < 1)) throw new RangeError(`${name} must be a share between 0 and 1, not ${value}.`);
  const counts = countAnswered(labelled);
  const needed = leastLabels(risk, delta);
  /** Minimum number of answers at a tested threshold. */
  const least = (all: number) => Math.max(needed, Math.ceil(LEAST_ANSWERED * all));
  /** @param more additional error-free answers at every threshold */
  const testInSequence = (more: number): Count | null => {
    let chosen: Count | null = null;
    for (const count of counts) {
      if (count.answered + more < least(labelled.length + more)) continue;
      if (binomialTail(count.wrong, count.answered + more, risk) > delta) break;
      chosen = count;
    }
    return chosen;
  };
  const chosen = testInSequence(0);
  if (chosen !== null) return { type: "chosen", ...chosen };
  let missing = 1;
  while (testInSequence(missing) === null) missing++;
  return { type: "too-few", needed, missing, least: least(labelled.length) };
}

type Count = ReturnType<typeof countAnswered>[number];

/** Counts answers and errors at each threshold. */
function countAnswered(labelled: readonly LabelledScore[]) {
  const sorted = [...labelled].sort((a, b) => b.score - a.score);
  let [answered, wrong] = [0, 0];
  return THRESHOLDS.map((threshold) => {
    for (let next = sorted[answered]; next !== undefined && next.score >= threshold; next = sorted[answered]) {
      answered++;
      wrong += Number(next.wrong);
    }
    return { threshold, answered, wrong };
  });
}
