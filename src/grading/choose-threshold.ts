import { binomialTail } from "../evidence/calibration.ts";

/** A labelled question: how confident the gate was, and whether answering it was wrong. */
export interface LabelledScore {
  readonly score: number;
  readonly wrong: boolean;
}

/** Thresholds that are tried, strictest first: fixed before any label is seen, as the test asks. */
const THRESHOLDS = Array.from({ length: 99 }, (_, i) => (99 - i) / 100);
/** Chance that the risk is above the one asked for although the test says otherwise. */
export const DELTA = 0.05;
/**
 * Share of the questions that the strictest threshold tested has to answer. Were it as few as could possibly decide, none of them might be wrong, and no number of
 * labels would help: on halves of clapnq, whose most confident answers err too, a threshold for a risk of .3 is chosen in 186 of 200 splits instead of 19. Where only
 * few answers hold the risk it costs choices (`simulateChoice`, risk .05: 844 of 1,000 draws instead of 916).
 */
const LEAST_ANSWERED = 0.2;

export type ChosenThreshold =
  | { readonly type: "chosen"; readonly threshold: number; readonly answered: number; readonly wrong: number }
  /**
   * `needed`: answers without a single error that show the risk. `missing`: the fewest further labelled questions with which a threshold would be chosen, if all are
   * answered more confidently than any other and without an error. `least`: answers that the strictest threshold tested has to have.
   */
  | { readonly type: "too-few"; readonly needed: number; readonly missing: number; readonly least: number };

/** Questions that have to be answered without an error to show a risk of at most `risk`: (1 − risk)^n ≤ δ. */
export function leastLabels(risk: number, delta = DELTA): number {
  return Math.ceil(Math.log(delta) / Math.log(1 - risk));
}

/**
 * The lowest threshold whose risk (share wrong among the answered) is at most `risk` with confidence 1 − δ, by fixed-sequence testing from the strictest on
 * (Angelopoulos et al., "Learn then Test", 2021, section 2.2): each hypothesis "the risk is higher" is tested with the exact binomial tail, and the first that
 * stands ends the sequence. Thresholds at which too few are answered are no part of it: their number depends on scores alone, not on what is wrong.
 *
 * What it promises: of labelled sets drawn like this one, at most a share δ leads to a threshold above which more than `risk` of the answers to questions drawn like
 * them are wrong. It holds where labelled questions are independent of each other and a higher score means no more errors; of 300 labels that err three at a time, at a risk just above .1, 11 % of 4,000 sets break it instead of 3 %. The share wrong among the labelled
 * questions themselves is what was counted, not what is promised.
 * @throws RangeError when `risk` or `delta` is not between 0 and 1
 */
export function chooseThreshold(labelled: readonly LabelledScore[], risk: number, delta = DELTA): ChosenThreshold {
  for (const [name, value] of Object.entries({ risk, delta }))
    if (!(value > 0 && value < 1)) throw new RangeError(`${name} is a share between 0 and 1, not ${value}.`);
  const counts = countAnswered(labelled);
  const needed = leastLabels(risk, delta);
  /** Answers from which on a threshold is tested. */
  const least = (all: number) => Math.max(needed, Math.ceil(LEAST_ANSWERED * all));
  /** @param more questions answered without an error beside those that were counted, at every threshold */
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

interface Count {
  readonly threshold: number;
  readonly answered: number;
  readonly wrong: number;
}

/** What is answered and wrong from each threshold on. */
function countAnswered(labelled: readonly LabelledScore[]): Count[] {
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
