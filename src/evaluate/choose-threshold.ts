/** A labelled question: how confident the gate was, and whether answering it was wrong. */
export interface LabelledScore {
  readonly score: number;
  readonly wrong: boolean;
}

/** Thresholds that are tried, strictest first: fixed before any label is seen, as the test asks. */
const THRESHOLDS = Array.from({ length: 99 }, (_, i) => (99 - i) / 100);
/** Chance that the risk is above the one asked for although the test says otherwise. */
export const DELTA = 0.05;

export type ChosenThreshold =
  | { readonly type: "chosen"; readonly threshold: number; readonly answered: number; readonly wrong: number }
  /** `missing`: answered questions without an error that would be needed beside those answered already. */
  | { readonly type: "too-few"; readonly needed: number; readonly missing: number };

/** Questions that have to be answered without an error to show a risk of at most `risk`: (1 − risk)^n ≤ δ. */
export function leastLabels(risk: number, delta = DELTA): number {
  return Math.ceil(Math.log(delta) / Math.log(1 - risk));
}

/**
 * The lowest threshold whose risk (share wrong among the answered) is at most `risk` with confidence 1 − δ, by fixed-sequence testing from the strictest on
 * (Angelopoulos et al., "Learn then Test", 2021, section 2.2): each hypothesis "the risk is higher" is tested with the exact binomial tail, and the first that
 * stands ends the sequence. Thresholds at which too few are answered for any label to decide are no part of it: their number depends on scores alone.
 * @throws RangeError when `risk` or `delta` is not between 0 and 1
 */
export function chooseThreshold(labelled: readonly LabelledScore[], risk: number, delta = DELTA): ChosenThreshold {
  for (const [name, value] of Object.entries({ risk, delta }))
    if (!(value > 0 && value < 1)) throw new RangeError(`${name} is a share between 0 and 1, not ${value}.`);
  const needed = leastLabels(risk, delta);
  let chosen: ChosenThreshold | null = null;
  for (const threshold of THRESHOLDS) {
    const answered = labelled.filter(({ score }) => score >= threshold);
    if (answered.length < needed) continue;
    const wrong = answered.filter((one) => one.wrong).length;
    if (binomialTail(wrong, answered.length, risk) > delta) break;
    chosen = { type: "chosen", threshold, answered: answered.length, wrong };
  }
  return chosen ?? { type: "too-few", needed, missing: Math.max(0, needed - longestCleanRun(labelled)) };
}

/** Chance of at most `k` successes in `n` tries: Σ C(n, i) p^i (1 − p)^(n − i). */
export function binomialTail(k: number, n: number, p: number): number {
  let term = n * Math.log1p(-p);
  let sum = Math.exp(term);
  for (let i = 1; i <= k; i++) {
    term += Math.log((n - i + 1) / i) + Math.log(p) - Math.log1p(-p);
    sum += Math.exp(term);
  }
  return Math.min(1, sum);
}

/** Questions answered, most confident first, before the first error. */
function longestCleanRun(labelled: readonly LabelledScore[]): number {
  const sorted = [...labelled].sort((a, b) => b.score - a.score || Number(b.wrong) - Number(a.wrong));
  const first = sorted.findIndex(({ wrong }) => wrong);
  return first < 0 ? sorted.length : first;
}
