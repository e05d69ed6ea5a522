import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../package.ts";
import type { Encoder } from "../encoder.ts";

/** Scores of an encoder on labelled pairs, as quantiles at equal steps from the lowest to the highest. */
type Distribution = readonly number[];

/** Quantiles stored: steps of half a percent. */
const QUANTILES = 201;

/** @throws RangeError with fewer than two values */
export function distributionOf(values: readonly number[], quantiles: number = QUANTILES): Distribution {
  if (values.length < 2) throw new RangeError("A distribution needs at least two values.");
  const sorted = [...values].sort((a, b) => a - b);
  return Array.from({ length: quantiles }, (_, i) => at(sorted, i / (quantiles - 1)));
}

/**
 * The threshold on `target` at which the same share of the labelled pairs passes as at `threshold` on `source` (DESIGN.md, section 4): Q_target(F_source(θ)).
 * Beyond the ends, where all or none pass, the distance to the end is kept. Rising in `threshold`.
 */
export function carryThreshold(threshold: number, source: Distribution, target: Distribution): number {
  const [lowest, highest] = [source[0] as number, source.at(-1) as number];
  if (threshold > highest) return (target.at(-1) as number) + (threshold - highest);
  if (threshold < lowest) return (target[0] as number) - (lowest - threshold);
  return at(target, shareBelow(threshold, source));
}

/** Share of pairs below a score, 0–1; in a run of equal quantiles its middle. */
export function shareBelow(score: number, distribution: Distribution): number {
  const last = distribution.length - 1;
  const first = distribution.findIndex((one) => one >= score);
  if (first === -1) return 1;
  const end = distribution.findLastIndex((one) => one <= score);
  if (end >= first) return (first + end) / 2 / last;
  if (first === 0) return 0;
  const [below, above] = [distribution[first - 1] as number, distribution[first] as number];
  return (first - 1 + (score - below) / (above - below)) / last;
}

/** Value at a share of a sorted list, between its neighbours by a straight line. */
function at(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const low = Math.floor(place);
  const [a, b] = [sorted[low] as number, sorted[Math.min(low + 1, sorted.length - 1)] as number];
  return a + (b - a) * (place - low);
}

/** What is known of an encoder's raw cosines; made by `lab/train/calibration`. */
export const calibrationSchema = z.strictObject({
  /** The encoder's id, or the name of its model: whatever its weights are called. */
  model: z.string().min(1),
  date: z.iso.date(),
  /** SHA-256 of the labelled pairs. */
  data_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sets: z.record(z.string(), z.strictObject({ questions: z.int(), pairs: z.int(), relevant: z.int() })),
  n: z.int().positive(),
  measured: z.strictObject({ auroc: z.number() }),
  /** Cosines of all pairs, 201 quantiles. */
  quantiles: z.array(z.number()).min(2),
});
export type Calibration = z.infer<typeof calibrationSchema>;

/**
 * Models whose cosines could not be measured here, and the one whose quantiles stand in for theirs. Assumption, not measurement: both are trained
 * contrastively on question–passage pairs and use about the same range; it is said in every answer that rests on it.
 */
const STAND_INS: Readonly<Record<string, string>> = { "text-embedding-3-small": "all-MiniLM-L6-v2" };

/** Calibrations that ship with the program. */
export function loadCalibrations(folder: string = join(PACKAGE_ROOT, "src/models/weights/calibration")): readonly Calibration[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => calibrationSchema.parse(JSON.parse(readFileSync(join(folder, file), "utf8"))));
}

/** The calibration of an encoder by its id, else by its model's name; `null` when it was never measured. */
export function calibrationOf(encoder: Pick<Encoder, "id" | "model">, calibrations: readonly Calibration[]): Calibration | null {
  return calibrations.find(({ model }) => model === encoder.id) ?? calibrations.find(({ model }) => model === encoder.model) ?? null;
}

/** How thresholds that a source measured on its own model are read with the encoder at hand. */
export interface ScoreScale {
  /** `raw`: same model, or a profile without inherited thresholds. `uncarried`: raw, because there is nothing to carry by. */
  readonly type: "raw" | "carried" | "uncarried";
  /** A threshold of the source on this encoder's cosines. */
  readonly threshold: (source: number) => number;
  /** A cosine of this encoder as the source's model would have given it. */
  readonly score: (cosine: number) => number;
  /** What is to be said of it; `null` when nothing is. */
  readonly note: string | null;
}

const same = (value: number) => value;
export const RAW_SCALE: ScoreScale = { type: "raw", threshold: same, score: same, note: null };

/** @param source name of the model on which the thresholds were measured; `null` when they are no cosines of another model */
export function scaleFor(
  source: string | null,
  encoder: Pick<Encoder, "id" | "model"> | null,
  calibrations: readonly Calibration[],
): ScoreScale {
  if (source === null || encoder === null || encoder.model === source) return RAW_SCALE;
  const standIn = STAND_INS[source] ?? null;
  const from = calibrations.find(({ model }) => model === (standIn ?? source))?.quantiles ?? null;
  const to = calibrationOf(encoder, calibrations)?.quantiles ?? null;
  if (from === null || to === null) {
    const missing = to === null ? (encoder.model ?? encoder.id) : source;
    const note = `the thresholds were measured on ${source} and apply to raw cosines of ${encoder.model ?? encoder.id}: ${missing} has no calibration to carry them by (lab/train/calibration makes one)`;
    return { type: "uncarried", threshold: same, score: same, note };
  }
  return {
    type: "carried",
    threshold: (value) => carryThreshold(value, from, to),
    score: (cosine) => carryThreshold(cosine, to, from),
    note: `thresholds of ${source} are carried over to ${encoder.model ?? encoder.id} by quantile${standIn === null ? "" : ` (assumption: its cosines are spread like those of ${standIn}; it could not be measured)`}`,
  };
}
