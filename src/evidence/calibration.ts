import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { messageOf } from "../shared/errors.ts";
import { describeIssues } from "../text/validate.ts";
import type { Sufficiency } from "./gate.ts";

/** Milliseconds for which the lookup of a calibration file is cached, so that a running server soon uses a new file. */
export const LOOK_AGAIN_MS = 2_000;

export type FoundCalibration =
  | { readonly type: "found"; readonly calibration: GateCalibration }
  | { readonly type: "unreadable"; readonly name: string; readonly why: string };

/** Returns the name of a calibration. Names sort by time. */
export function calibrationName({ domain, profile }: { readonly domain: string; readonly profile: string }, date: Date): string {
  const time = date.toISOString().replace(/\.\d+Z$/, "Z");
  return `${domain}.${profile}.${time.replaceAll(":", "")}`;
}

/**
 * Returns a function that finds the newest calibration of a domain and profile. If there is none, it uses `shipped`, the
 * calibration file of the domain pack (`null`: the pack has none).
 * @param folder folder with the calibrations of this installation
 * @param clock monotonic time in milliseconds
 */
export function createCalibrationFinder(folder: string, clock: () => number) {
  const looked = new Map<string, { readonly at: number; readonly found: FoundCalibration | null }>();
  return (domain: string, profile: string, shipped: string | null): FoundCalibration | null => {
    const key = `${domain}.${profile}`;
    const known = looked.get(key);
    if (known !== undefined && clock() - known.at < LOOK_AGAIN_MS) return known.found;
    const found = findCalibration(folder, `${key}.`, shipped);
    looked.set(key, { at: clock(), found });
    return found;
  };
}

/** Looks up a calibration in the folder. An unreadable folder is reported and does not fail the question. */
function findCalibration(folder: string, prefix: string, shipped: string | null): FoundCalibration | null {
  try {
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const newest = names.filter((name) => name.startsWith(prefix) && name.endsWith(".json")).toSorted();
    const path = newest.length === 0 ? shipped : join(folder, newest.at(-1) as string);
    return path === null ? null : readCalibration(path);
  } catch (error) {
    return { type: "unreadable", name: basename(folder), why: `the folder cannot be read: ${messageOf(error)}` };
  }
}

/** Reads a calibration file. An invalid file is reported and ignored; then the shipped threshold applies. */
function readCalibration(path: string): FoundCalibration {
  const name = basename(path, ".json");
  try {
    const parsed = gateCalibrationSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    if (parsed.success) return { type: "found", calibration: parsed.data };
    const faults = describeIssues(parsed.error, gateCalibrationSchema).slice(0, 3).join("; ");
    return { type: "unreadable", name, why: `the file is not valid: ${faults}` };
  } catch (error) {
    return { type: "unreadable", name, why: `the file cannot be read: ${messageOf(error)}` };
  }
}

const share = z.number().min(0).max(1);
const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** A figure with its 95 % confidence interval. */
const measured = z.strictObject({ value: share, low: share, high: share });

/** Schema of a gate threshold fitted on labelled questions of one domain. `sourcebound calibrate` writes it. */
export const gateCalibrationSchema = z
  .strictObject({
    format: z.literal("sourcebound-gate-calibration-1"),
    name: z.string().min(1),
    date: z.iso.datetime(),
    /** Version of the program that wrote the file. */
    version: z.string(),
    domain: z.string().min(1),
    profile: z.string().min(1),
    /**
     * `settings`, `encoder`, `weights` and `writer` affect confidence and answers. If one of them differs today, the threshold is invalid.
     */
    settings: sha256.describe("SHA-256 of the settings for retrieving, refusing, writing and checking; if they change, calibrate again"),
    encoder: z.string().nullable().describe("Id of the encoder that ranked; null: BM25 only"),
    weights: z.strictObject({ id: z.string(), model: z.enum(["vectors", "words"]) }),
    writer: z.string(),
    documents: z.strictObject({ count, windows: count, revision: count, sha256 }),
    labels: z.strictObject({ sha256, n: count, answerable: count, unanswerable: z.record(z.string(), count) }),
    risk: share,
    delta: share,
    threshold: share,
    /**
     * Results at the threshold, measured on the same labelled questions on which it was fitted. The guarantee is `risk`: the
     * upper bound of the share of wrong answers, with confidence 1 − `delta`.
     */
    measured: z.strictObject({
      answered: count,
      wrong: count,
      risk: measured,
      coverage: share,
      answered_answerable: count,
      reached: count.describe("Labelled questions whose confidence reaches the threshold, answered or not"),
    }),
    aurc: measured,
    calibration_error: measured,
    /** Ignored. Earlier versions stored a map from raw to calibrated confidence here. */
    map: z.unknown().optional(),
    /** Confidence of every labelled question that has one, ascending. Used to verify the threshold. */
    chances: z.array(share).min(1),
  })
  .superRefine((artifact, context) => {
    const fault = faultOf(artifact);
    if (fault !== null) context.addIssue({ code: "custom", message: fault });
  });
export type GateCalibration = z.infer<typeof gateCalibrationSchema>;

/**
 * Returns why the counts do not support the stated risk, or `null` if they do. Detects a file whose threshold or risk
 * was edited.
 */
function faultOf({ labels, measured, chances, threshold, risk, delta }: GateCalibration): string | null {
  if (chances.some((chance, i) => chance < (chances[i - 1] ?? 0))) return "the confidence values are not in ascending order";
  const { answered, wrong, answered_answerable: right, reached } = measured;
  const unanswerable = Object.values(labels.unanswerable).reduce((sum, n) => sum + n, 0);
  if (labels.answerable + unanswerable !== labels.n || chances.length > labels.n) return "the counts of labelled questions do not add up";
  if (wrong > answered || right > answered || answered > reached) return "the measured counts of answers contradict each other";
  if (chances.filter((chance) => chance >= threshold).length !== reached) return "the threshold is not the one that was measured";
  if (answered === 0 || binomialTail(wrong, answered, risk) > delta + 1e-9)
    return `${wrong} wrong of ${answered} answers do not prove a risk of at most ${percent(risk)} with ${percent(1 - delta)} confidence`;
  return null;
}

/** Values of the current installation. A calibration applies only if it was made with equal values. */
export type GateFacts = Pick<GateCalibration, "domain" | "profile" | "settings" | "writer"> & { readonly weights: string };

/** Threshold that applies to a question. */
export type GateThreshold =
  /** The threshold that ships with the weights. */
  | { readonly type: "shipped" }
  /** The threshold from the configuration. */
  | { readonly type: "set"; readonly minimum: number }
  /** Every question is answered, whatever its confidence. A calibration run uses this. */
  | { readonly type: "none" }
  | { readonly type: "unusable"; readonly name: string; readonly why: string }
  | { readonly type: "calibrated"; readonly calibration: GateCalibration };

/**
 * Maximum ratio, in either direction, between the numbers of indexed windows today and in the calibration. At a larger
 * ratio, most of today's index was not calibrated, or most of the calibrated documents are gone. Small indexes have the
 * same limit, because calibrating them again is quick.
 */
const MOST_WINDOW_FACTOR = 2;

/** The index properties that decide whether a calibration fits. */
export interface AskedIndex {
  /** Id of the encoder that ranks, or `null` for ranking by words alone. */
  readonly ranker: string | null;
  readonly windows: number;
}

/** Returns why a calibration does not fit these settings, or `null` if it fits. */
export function misfitOf(calibration: GateCalibration, facts: GateFacts): string | null {
  const { domain, profile, settings, writer, weights } = calibration;
  if (domain !== facts.domain) return `it was made for domain "${domain}"`;
  if (profile !== facts.profile) return `it was made for profile "${profile}"`;
  if (weights.id !== facts.weights) return `the confidence was computed with other weights then (${weights.id}; now ${facts.weights})`;
  if (writer !== facts.writer) return `it was measured on answers written by ${writer}; now answers are written by ${facts.writer}`;
  if (settings !== facts.settings) return `the settings of profile "${profile}" have changed since it was made`;
  return null;
}

/** Returns why a calibration does not fit this index, or `null` if it fits. */
export function indexMisfitOf(
  { encoder, documents }: Pick<GateCalibration, "encoder" | "documents">,
  { ranker, windows }: AskedIndex,
): string | null {
  if (ranker !== encoder)
    return `passages are now ranked by ${ranker ?? "words only"}, but were ranked by ${encoder ?? "words only"} when it was made`;
  const isAnother = windows * MOST_WINDOW_FACTOR < documents.windows || windows > documents.windows * MOST_WINDOW_FACTOR;
  return isAnother ? `the number of indexed windows has changed too much: ${windows} now, ${documents.windows} when it was made` : null;
}

/**
 * Applies the threshold to the answerability of a question.
 * @returns the answerability with this threshold; `misfit` is why a calibration could not be used, or `null`
 */
export function applyThreshold(
  judged: Sufficiency,
  threshold: GateThreshold,
  index: AskedIndex,
): Sufficiency & { readonly misfit: string | null } {
  if (threshold.type === "none") return { ...judged, minimum: 0, misfit: null };
  if (threshold.type === "set") {
    const reason = `The confidence that the best quote answers the question is ${percent(judged.probability)}; the configured threshold is ${percent(threshold.minimum)}`;
    return { ...judged, minimum: threshold.minimum, reason, misfit: null };
  }
  if (threshold.type !== "calibrated") return { ...judged, misfit: threshold.type === "unusable" ? threshold.why : null };
  const { calibration } = threshold;
  const { model } = calibration.weights;
  const others = `the confidence was computed with the weights for ${judged.model}, but with those for ${model} when it was made`;
  const misfit = indexMisfitOf(calibration, index) ?? (judged.model === model ? null : others);
  if (misfit !== null) return { ...judged, misfit };
  const { risk, delta, labels } = calibration;
  return {
    ...judged,
    minimum: calibration.threshold,
    confidence: judged.probability,
    calibrated: true,
    reason: `The confidence that the best quote answers the question is ${percent(judged.probability)}; the threshold is ${percent(calibration.threshold)} (chosen on ${labels.n} labelled questions so that at most ${percent(risk)} of the answers to such questions are wrong, with ${percent(1 - delta)} confidence)`,
    misfit: null,
  };
}

export function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

/** Returns the probability of at most `k` successes in `n` trials: Σ C(n, i) p^i (1 − p)^(n − i). */
export function binomialTail(k: number, n: number, p: number): number {
  let term = n * Math.log1p(-p);
  let sum = Math.exp(term);
  for (let i = 1; i <= k; i++) {
    term += Math.log((n - i + 1) / i) + Math.log(p) - Math.log1p(-p);
    sum += Math.exp(term);
  }
  return Math.min(1, sum);
}
