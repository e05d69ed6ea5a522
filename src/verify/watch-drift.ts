import type { GateCalibration } from "./calibration.ts";

/** Chance that two samples of one distribution lie at least this far apart, below which they are said to differ: one look in a hundred is a false alarm. */
export const DRIFT_LEVEL = 0.01;
/** Questions compared, the latest. */
const DRIFT_QUESTIONS = 200;
/** Questions needed for a look: fewer show only that everything has changed. */
export const DRIFT_LEAST = 100;

interface Drift {
  /** Largest distance of the two distribution functions, 0–1. */
  readonly distance: number;
  readonly chance: number;
  readonly drifted: boolean;
}

/**
 * Have confidences moved since the calibration? Two-sample Kolmogorov–Smirnov test, exact and two-sided; ties make it cautious.
 * @returns `null` where there are too few questions to tell
 */
export function measureDrift(calibrated: readonly number[], recent: readonly number[]): Drift | null {
  if (recent.length < DRIFT_LEAST || calibrated.length === 0) return null;
  const distance = largestDistance(calibrated, recent);
  const chance = chanceOfDistance(distance, calibrated.length, recent.length);
  return { distance, chance, drifted: chance < DRIFT_LEVEL };
}

/** sup |F_a − F_b| of the empirical distribution functions. */
export function largestDistance(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [a, b].map((values) => [...values].sort((one, other) => one - other)) as [number[], number[]];
  let distance = 0;
  for (let i = 0, j = 0; i < x.length && j < y.length; ) {
    const at = Math.min(x[i] as number, y[j] as number);
    while (i < x.length && x[i] === at) i++;
    while (j < y.length && y[j] === at) j++;
    distance = Math.max(distance, Math.abs(i / x.length - j / y.length));
  }
  return distance;
}

/**
 * P(D ≥ distance) for samples of `m` and `n` of one continuous distribution: the share of lattice paths from (0, 0) to (m, n) that leave the band of that width,
 * counted along the columns (Hodges, "The significance probability of the Smirnov two-sample test", 1958).
 */
export function chanceOfDistance(distance: number, m: number, n: number): number {
  // Distances are multiples of 1/(mn): the band is drawn half a step below, so that rounding cannot move it.
  const band = (Math.ceil(distance * m * n - 1e-6) - 0.5) / (m * n);
  const inside = (i: number, j: number) => Math.abs(i / m - j / n) <= band;
  /** Share of the paths to (i, j) that stayed inside. */
  const shares: number[] = Array.from({ length: n + 1 }, (_, j) => (inside(0, j) ? 1 : 0));
  for (let j = 1; j <= n; j++) if (shares[j - 1] === 0) shares[j] = 0;
  for (let i = 1; i <= m; i++) {
    if (!inside(i, 0)) shares[0] = 0;
    for (let j = 1; j <= n; j++) shares[j] = inside(i, j) ? ((shares[j] as number) * i + (shares[j - 1] as number) * j) / (i + j) : 0;
  }
  return Math.min(1, Math.max(0, 1 - (shares[n] as number)));
}

/** Questions between two looks. */
export const DRIFT_EVERY = 50;

export interface DriftWatchParts {
  /** What the gate said of the latest questions, newest first. */
  readonly recent: (
    of: { readonly domain: string; readonly profile: string; readonly since: string },
    limit: number,
  ) => Promise<readonly number[]>;
  /** Told once when an alarm begins. */
  readonly warn: (message: string) => void;
}

/** Compares the confidences of the latest questions with those of the calibration in use, now and then. */
export class DriftWatch {
  private readonly parts: DriftWatchParts;
  private readonly looks = new Map<string, { left: number; message: string | null }>();

  constructor(parts: DriftWatchParts) {
    this.parts = parts;
  }

  /** Counts a question; looks on the first one and then every 50th. @returns what is to be said, `null` when nothing is */
  async question(calibration: GateCalibration): Promise<string | null> {
    const look = this.looks.get(calibration.name);
    if (look === undefined) return this.look(calibration);
    look.left--;
    return look.left > 0 ? look.message : this.look(calibration);
  }

  /** Looks now. */
  async look(calibration: GateCalibration): Promise<string | null> {
    const { name, domain, profile, date, chances } = calibration;
    const recent = await this.parts.recent({ domain, profile, since: date }, DRIFT_QUESTIONS);
    const drift = measureDrift(chances, recent);
    const message = drift?.drifted === true ? describe(calibration, recent, drift.distance, drift.chance) : null;
    if (message !== null && (this.looks.get(name)?.message ?? null) === null) this.parts.warn(message);
    this.looks.set(name, { left: DRIFT_EVERY, message });
    return message;
  }
}

function describe({ name, chances }: GateCalibration, recent: readonly number[], distance: number, chance: number): string {
  const p = chance < 0.001 ? "p < .001" : `p = ${chance.toFixed(3)}`;
  return `The confidences of the last ${recent.length} questions are not spread like those of calibration ${name} (median ${median(recent)} instead of ${median(chances)}; Kolmogorov–Smirnov distance ${distance.toFixed(2)}, ${p}): its risk may not hold for them. Label some of them and run \`sourcebound calibrate\` again.`;
}

function median(values: readonly number[]): string {
  return ([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0).toFixed(2);
}
