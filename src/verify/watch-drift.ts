import type { GateCalibration } from "./calibration.ts";
import { DRIFT_QUESTIONS, measureDrift } from "./drift.ts";

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
