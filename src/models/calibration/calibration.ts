import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../package.ts";
import type { Encoder } from "../encoder.ts";

/** Scores of an encoder on labelled pairs, as quantiles in equal steps from the minimum to the maximum. */
type Distribution = readonly number[];

/** Number of stored quantiles: steps of half a percent. */
const QUANTILES = 201;

/** @throws RangeError with fewer than two values */
export function distributionOf(values: readonly number[], quantiles: number = QUANTILES): Distribution {
  if (values.length < 2) throw new RangeError("A distribution needs at least two values.");
  const sorted = [...values].sort((a, b) => a - b);
  return Array.from({ length: quantiles }, (_, i) => at(sorted, i / (quantiles - 1)));
}

/**
 * Returns the threshold on `target` that the same share of labelled pairs passes as `threshold` on `source`: Q_target(F_source(θ)). Outside
 * the range of `source`, the distance to its end is kept. Monotonic in `threshold`.
 */
export function carryThreshold(threshold: number, source: Distribution, target: Distribution): number {
  const [lowest, highest] = [source[0] as number, source.at(-1) as number];
  if (threshold > highest) return (target.at(-1) as number) + (threshold - highest);
  if (threshold < lowest) return (target[0] as number) - (lowest - threshold);
  return at(target, shareBelow(threshold, source));
}

/** Returns the share of pairs below a score, 0–1; the middle of a run of equal quantiles. */
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

/** Returns the value at a share of a sorted list, by linear interpolation. */
function at(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const low = Math.floor(place);
  const [a, b] = [sorted[low] as number, sorted[Math.min(low + 1, sorted.length - 1)] as number];
  return a + (b - a) * (place - low);
}

/** The distribution of an encoder's raw cosines, made by `lab/train/calibration`. */
export const calibrationSchema = z.strictObject({
  /** The encoder's id, or the name of its model. */
  model: z.string().min(1),
  date: z.iso.date(),
  /** SHA-256 of the labelled pairs. */
  data_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sets: z.record(z.string(), z.strictObject({ questions: z.int(), pairs: z.int(), relevant: z.int() })),
  n: z.int().positive(),
  measured: z.strictObject({ auroc: z.number() }),
  /** 201 quantiles of the cosines of all pairs. */
  quantiles: z.array(z.number()).min(2),
});
export type Calibration = z.infer<typeof calibrationSchema>;

/**
 * Maps a model without a measured calibration to the model whose quantiles are used instead. This assumes that both use
 * about the same range, because both are trained contrastively on question–passage pairs. Every answer that depends on
 * it says so.
 */
const STAND_INS: Readonly<Record<string, string>> = { "text-embedding-3-small": "all-MiniLM-L6-v2" };

/** Loads the calibrations that ship with the program. */
export function loadCalibrations(folder: string = join(PACKAGE_ROOT, "src/models/weights/calibration")): readonly Calibration[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => calibrationSchema.parse(JSON.parse(readFileSync(join(folder, file), "utf8"))));
}

/** Returns the calibration of an encoder by its id, else by its model's name; `null` if there is none. */
export function calibrationOf(encoder: Pick<Encoder, "id" | "model">, calibrations: readonly Calibration[]): Calibration | null {
  return calibrations.find(({ model }) => model === encoder.id) ?? calibrations.find(({ model }) => model === encoder.model) ?? null;
}

/** A mapping between a source's model and the current encoder, for thresholds and cosines. */
export interface ScoreScale {
  /** `raw`: same model, or no inherited thresholds. `carried`: converted. `uncarried`: not converted, because a calibration is missing. */
  readonly type: "raw" | "carried" | "uncarried";
  /** Returns the threshold on the scale of this encoder's cosines. */
  readonly threshold: (source: number) => number;
  /** Returns the cosine on the scale of the source's model. */
  readonly score: (cosine: number) => number;
  /** Notice for the user; `null` if none is needed. */
  readonly note: string | null;
}

const same = (value: number) => value;
export const RAW_SCALE: ScoreScale = { type: "raw", threshold: same, score: same, note: null };

/** @param source name of the model that the thresholds were measured on; `null` if the thresholds are not cosines of another model */
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
    const note = `the thresholds were measured on ${source} and are applied to raw cosines of ${encoder.model ?? encoder.id}, because ${missing} has no calibration to convert them (lab/train/calibration makes one)`;
    return { type: "uncarried", threshold: same, score: same, note };
  }
  return {
    type: "carried",
    threshold: (value) => carryThreshold(value, from, to),
    score: (cosine) => carryThreshold(cosine, to, from),
    note: `thresholds of ${source} are converted to ${encoder.model ?? encoder.id} by quantile${standIn === null ? "" : ` (assuming that its cosines are distributed like those of ${standIn}, because it could not be measured)`}`,
  };
}
