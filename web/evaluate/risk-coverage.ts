/** What a run says of one question, as far as the curve needs it. */
export interface Judged {
  readonly shown: boolean;
  readonly right: boolean;
  readonly confidence: number | null;
}

/** If only answers of at least this confidence were shown. */
export interface CoveragePoint {
  readonly threshold: number;
  /** Answers that would be shown. */
  readonly shown: number;
  /** Of those: wrong. */
  readonly wrong: number;
  /** Share of all answers of the run that would be shown. */
  readonly coverage: number;
  /** Share of the shown that is wrong. */
  readonly risk: number;
}

/** Risk against coverage over the shown answers, surest first; answers of equal confidence are shown together. Those without one are never shown. */
export function riskCoverage(items: readonly Judged[]): CoveragePoint[] {
  const answers = items.filter(({ shown }) => shown);
  const sure = answers
    .flatMap(({ confidence, right }) => (confidence === null ? [] : [{ confidence, right }]))
    .sort((a, b) => b.confidence - a.confidence);
  const points: CoveragePoint[] = [];
  let wrong = 0;
  for (const [i, { confidence, right }] of sure.entries()) {
    if (!right) wrong++;
    if (sure[i + 1]?.confidence === confidence) continue;
    points.push({ threshold: confidence, shown: i + 1, wrong, coverage: (i + 1) / answers.length, risk: wrong / (i + 1) });
  }
  return points;
}

/** What a threshold would do: the last point that it lets through; `null`: nothing would be shown. */
export function pointAt(points: readonly CoveragePoint[], threshold: number): CoveragePoint | null {
  return points.findLast((point) => point.threshold >= threshold) ?? null;
}
