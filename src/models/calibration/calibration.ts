import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../package.ts";
import type { Encoder } from "../encoder.ts";

/** Quantiles of an encoder's scores on labelled pairs: the first is the minimum, the last the maximum, in equal steps. */
type Distribution = readonly number[];

/** Number of stored quantiles: steps of half a percent. */
const QUANTILES = 201;

/** Computes the quantiles of the values. @throws RangeError with fewer than two values */
export function distributionOf(values: readonly number[], quantiles: number = QUANTILES): Distribution {
  if (values.length < 2) throw new RangeError("A distribution needs at least two values.");
  const sorted = [...values].sort((a, b) => a - b);
  return Array.from({ length: quantiles }, (_, i) => at(sorted, i / (quantiles - 1)));
}

/**
 * Converts a threshold from the scale of `source` to that of `target`: Q_target(F_source(θ)). The same share of labelled
 * pairs is above the threshold on both scales. A threshold outside the range of `source` keeps its distance to the end
 * of the range. The result increases with `threshold`.
 */
export function carryThreshold(threshold: number, source: Distribution, target: Distribution): number {
  const [lowest, highest] = [source[0] as number, source.at(-1) as number];
  if (threshold > highest) return (target.at(-1) as number) + (threshold - highest);
  if (threshold < lowest) return (target[0] as number) - (lowest - threshold);
  return at(target, shareBelow(threshold, source));
}

/** Returns the share of pairs below a score, from 0 to 1. If several quantiles equal the score, returns the middle of their shares. */
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

/** Returns the value of a sorted list at a share of its length, by linear interpolation. */
function at(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const low = Math.floor(place);
  const [a, b] = [sorted[low] as number, sorted[Math.min(low + 1, sorted.length - 1)] as number];
  return a + (b - a) * (place - low);
}

/** Schema of a calibration: the distribution of an encoder's raw cosines. `lab/train/calibration` writes it. */
export const calibrationSchema = z.strictObject({
  /** Id of the encoder, or name of its model. */
  model: z.string().min(1),
  date: z.iso.date(),
  /** SHA-256 of the labelled pairs. */
  data_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sets: z.record(z.string(), z.strictObject({ questions: z.int(), pairs: z.int(), relevant: z.int() })),
  n: z.int().positive(),
  measured: z.strictObject({ auroc: z.number() }),
  /** 201 quantiles of the cosines of all labelled pairs. */
  quantiles: z.array(z.number()).min(2),
});
export type Calibration = z.infer<typeof calibrationSchema>;

/**
 * Models without a measured calibration, each with the model whose quantiles are used instead. This assumes that both
 * models have cosines of about the same range, because both were trained contrastively on question–passage pairs. The
 * `note` of the resulting scale states this assumption.
 */
const STAND_INS: Readonly<Record<string, string>> = { "text-embedding-3-small": "all-MiniLM-L6-v2" };

/** Loads the calibrations that ship with the program. */
export function loadCalibrations(folder: string = join(PACKAGE_ROOT, "src/models/weights/calibration")): readonly Calibration[] {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".json")) : [];
  return files.sort().map((file) => calibrationSchema.parse(JSON.parse(readFileSync(join(folder, file), "utf8"))));
}

/** Returns the calibration of an encoder by its id, or else by the name of its model; `null` if there is none. */
export function calibrationOf(encoder: Pick<Encoder, "id" | "model">, calibrations: readonly Calibration[]): Calibration | null {
  return calibrations.find(({ model }) => model === encoder.id) ?? calibrations.find(({ model }) => model === encoder.model) ?? null;
}

/** Conversion between the scales of two models: the source model, on which thresholds were measured, and the current encoder. */
export interface ScoreScale {
  /**
   * `raw`: no conversion is needed, because the models are the same or there is no source model. `carried`: values are
   * converted. `uncarried`: values are not converted, because a calibration is missing.
   */
  readonly type: "raw" | "carried" | "uncarried";
  /** Converts a threshold of the source model to the scale of this encoder's cosines. */
  readonly threshold: (source: number) => number;
  /** Converts a cosine of this encoder to the scale of the source model. */
  readonly score: (cosine: number) => number;
  /** Notice for the user; `null` if none is needed. */
  readonly note: string | null;
}

const same = (value: number) => value;
export const RAW_SCALE: ScoreScale = { type: "raw", threshold: same, score: same, note: null };

/**
 * Returns the conversion between a source model and an encoder.
 * @param source name of the model on which the thresholds were measured; `null`: the thresholds need no conversion
 */
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
    const note = `the similarity thresholds of this profile were chosen for the encoder ${source}. They are used unchanged for ${encoder.model ?? encoder.id}, because no conversion is known for ${missing}, and may be too strict or too lax`;
    return { type: "uncarried", threshold: same, score: same, note };
  }
  return {
    type: "carried",
    threshold: (value) => carryThreshold(value, from, to),
    score: (cosine) => carryThreshold(cosine, to, from),
    note: `the similarity thresholds of this profile were chosen for the encoder ${source} and are converted to ${encoder.model ?? encoder.id} by quantile${standIn === null ? "" : ` (${source} could not be measured; its cosines are assumed to be distributed like those of ${standIn})`}`,
  };
}
