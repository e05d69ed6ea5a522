/** What a session came to: a sum over its questions, and how many they were. */
export interface Observed {
  readonly sum: number;
  readonly questions: number;
}

/** A figure per question with the variance of its estimate. */
export interface Estimate {
  readonly mean: number;
  /** Of the mean; sessions are what varies, not questions. */
  readonly variance: number;
  readonly sessions: number;
}

export interface Difference {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/**
 * A ratio of sums over sessions, with the variance that the delta method gives it: questions of one session are not independent, sessions are.
 * Source: Deng, Knoblich, Lu 2018, "Applying the Delta Method in Metric Analytics", section 3.2.
 * @returns `null` for fewer than two sessions
 */
export function estimateRatio(sessions: readonly Observed[]): Estimate | null {
  const k = sessions.length;
  const total = sessions.reduce((sum, { questions }) => sum + questions, 0);
  if (k < 2 || total === 0) return null;
  const mean = sessions.reduce((sum, one) => sum + one.sum, 0) / total;
  const perSession = total / k;
  // var(x) − 2R·cov(x, n) + R²·var(n) is the variance of x − R·n, whose mean is 0.
  const squares = sessions.reduce((sum, one) => sum + (one.sum - mean * one.questions) ** 2, 0) / (k - 1);
  return { mean, variance: squares / (k * perSession ** 2), sessions: k };
}

/** Difference `b − a` with an interval that holds with chance 1 − alpha, where it is looked at once, at a size that was set before. */
export function fixedDifference(a: Estimate, b: Estimate, alpha: number): Difference {
  const half = normalQuantile(1 - alpha / 2) * Math.sqrt(a.variance + b.variance);
  return around(b.mean - a.mean, half);
}

/**
 * Difference `b − a` with an interval that holds with chance 1 − alpha at every look together, however often one looks.
 * Source: Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas 2021, "Time-uniform central limit theory and asymptotic confidence sequences", theorem 2.2,
 * for each side with alpha / 2 (union bound), tightest at `planned` sessions by their equation for rho.
 */
export function anytimeDifference(a: Estimate, b: Estimate, alpha: number, planned: number): Difference {
  return around(b.mean - a.mean, anytimeHalf(a, alpha / 2, planned) + anytimeHalf(b, alpha / 2, planned));
}

function anytimeHalf({ variance, sessions: t }: Estimate, alpha: number, planned: number): number {
  const rho2 = (-2 * Math.log(alpha) + Math.log(-2 * Math.log(alpha) + 1)) / planned;
  const spread = variance * t;
  return Math.sqrt(((spread * 2 * (t * rho2 + 1)) / (t * t * rho2)) * Math.log(Math.sqrt(t * rho2 + 1) / alpha));
}

function around(difference: number, half: number): Difference {
  return { difference, low: difference - half, high: difference + half };
}

/** Chance below which counts of an assignment count as broken: they are looked at often (Fabijan et al. 2019, "Diagnosing Sample Ratio Mismatch"). */
const MISMATCH_ALPHA = 0.0005;

/** Do counts differ from their shares by more than chance makes them? Each by the normal test of a share, with the level divided among them. */
export function isMismatched(counts: readonly { readonly count: number; readonly share: number }[]): boolean {
  const n = counts.reduce((sum, { count }) => sum + count, 0);
  const limit = normalQuantile(1 - MISMATCH_ALPHA / (2 * counts.length));
  return counts.some(({ count, share }) => {
    if (share === 0 || share === 1) return share === 0 ? count > 0 : count < n;
    return Math.abs(count - n * share) > limit * Math.sqrt(n * share * (1 - share));
  });
}

/** Quantile of the standard normal distribution, to 7 digits. Source: Wichura 1988, algorithm AS 241, PPND7. */
export function normalQuantile(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    const above = ((59.10937472 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179;
    return (q * above) / (((67.1875636 * r + 78.757757664) * r + 17.895169469) * r + 1);
  }
  const tail = Math.sqrt(-Math.log(Math.min(p, 1 - p)));
  const far = tail > 5;
  const r = tail - (far ? 5 : 1.6);
  const size = far
    ? (((0.017337203997 * r + 0.42868294337) * r + 3.081226386) * r + 6.657905115) / ((0.012258202635 * r + 0.24197894225) * r + 1)
    : (((0.17023821103 * r + 1.3067284816) * r + 2.75681539) * r + 1.4234372777) / ((0.12021132975 * r + 0.7370016425) * r + 1);
  return q < 0 ? -size : size;
}
