import { z } from "zod";
import { binomialTail } from "./binomial-tail.ts";
import type { Sufficiency } from "./sufficiency.ts";

const share = z.number().min(0).max(1);
const count = z.int().min(0);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** A figure with its 95 % interval. */
const measured = z.strictObject({ value: share, low: share, high: share });

/** A threshold of the gate, fitted on labelled questions of one domain; `sourcebound calibrate` writes it. */
export const gateCalibrationSchema = z
  .strictObject({
    format: z.literal("sourcebound-gate-calibration-1"),
    name: z.string().min(1),
    date: z.iso.datetime(),
    /** Version of the program that wrote it. */
    version: z.string(),
    domain: z.string().min(1),
    profile: z.string().min(1),
    /** What confidence and answers depend on besides documents and questions: with anything else the threshold says nothing. */
    settings: sha256.describe("SHA-256 of the profile's retrieval, gate, writing and checks"),
    encoder: z.string().nullable().describe("Id of the encoder that ranked; null: words alone did"),
    weights: z.strictObject({ id: z.string(), model: z.enum(["vectors", "words"]) }),
    writer: z.string(),
    documents: z.strictObject({ count, windows: count, revision: count, sha256 }),
    labels: z.strictObject({ sha256, n: count, answerable: count, unanswerable: z.record(z.string(), count) }),
    risk: share,
    delta: share,
    threshold: share,
    /** At the threshold, on the labelled questions themselves: what holds is the bound `risk`, with confidence 1 − `delta`. */
    measured: z.strictObject({
      answered: count,
      wrong: count,
      risk: measured,
      coverage: share,
      answered_answerable: count,
      reached: count.describe("Labelled questions whose chance reaches the threshold, answered or not"),
    }),
    aurc: measured,
    calibration_error: measured,
    /** Earlier versions fitted a map from the chance to a confidence. It is read and not used. */
    map: z.unknown().optional(),
    /** Chance of every labelled question that had one, rising: the threshold is checked against them. */
    chances: z.array(share).min(1),
  })
  .refine(({ chances }) => rises(chances), { message: "chances do not rise" })
  .superRefine((artifact, context) => {
    const fault = faultOf(artifact);
    if (fault !== null) context.addIssue({ code: "custom", message: fault });
  });
export type GateCalibration = z.infer<typeof gateCalibrationSchema>;

type Counted = Pick<GateCalibration, "labels" | "measured" | "chances" | "threshold" | "risk" | "delta">;

/** What was counted must bear out what is promised: a threshold or a risk that was changed by hand has not been tested. `null`: it does. */
function faultOf({ labels, measured, chances, threshold, risk, delta }: Counted): string | null {
  const { answered, wrong, answered_answerable: right, reached } = measured;
  const unanswerable = Object.values(labels.unanswerable).reduce((sum, n) => sum + n, 0);
  if (labels.answerable + unanswerable !== labels.n || chances.length > labels.n) return "labels do not add up";
  if (wrong > answered || right > answered || answered > reached) return "measured counts do not add up";
  if (chances.filter((chance) => chance >= threshold).length !== reached) return "threshold is not the one that was measured";
  if (answered === 0 || binomialTail(wrong, answered, risk) > delta + 1e-9)
    return `${wrong} wrong of ${answered} answers do not show a risk of at most ${percent(risk)} with ${percent(1 - delta)} confidence`;
  return null;
}

/** What the gate of one question depends on. */
export interface GateFacts {
  readonly domain: string;
  readonly profile: string;
  readonly settings: string;
  readonly writer: string;
  readonly weights: string;
}

/** Which threshold holds for a question. */
export type GateThreshold =
  /** The one that ships with the weights. */
  | { readonly type: "shipped" }
  /** The one that the configuration names. */
  | { readonly type: "set"; readonly minimum: number }
  /** Everything is answered: how a calibration asks. */
  | { readonly type: "none" }
  | { readonly type: "unusable"; readonly name: string; readonly why: string }
  | { readonly type: "calibrated"; readonly calibration: GateCalibration };

/**
 * How many times more or fewer windows than the calibration's make an index another one: most of what may be asked of it, or most of what was labelled, is not in the
 * other. A share alone, of small indexes too: from 4 windows to 9 is as much that no label asked for, and to calibrate so few again is soon done.
 */
export const MOST_WINDOW_FACTOR = 2;

/** The index that a question is asked of. */
export interface AskedIndex {
  /** Id of the encoder that ranks; `null`: words alone do. */
  readonly ranker: string | null;
  readonly windows: number;
}

/** Why a calibration says nothing about this gate; `null` when it fits. */
export function misfitOf(calibration: GateCalibration, facts: GateFacts): string | null {
  const { domain, profile, settings, writer, weights } = calibration;
  if (domain !== facts.domain) return `it is of domain "${domain}"`;
  if (profile !== facts.profile) return `it is of profile "${profile}"`;
  if (weights.id !== facts.weights) return `it was made with other weights of the gate (${weights.id}; here ${facts.weights})`;
  if (writer !== facts.writer) return `its answers were written by ${writer}, here by ${facts.writer}`;
  if (settings !== facts.settings) return `the settings of profile "${profile}" have changed since`;
  return null;
}

/** Why a calibration says nothing about questions to this index; `null` when it fits. */
export function indexMisfitOf(
  { encoder, documents }: Pick<GateCalibration, "encoder" | "documents">,
  { ranker, windows }: AskedIndex,
): string | null {
  if (ranker !== encoder) return `passages were ranked by ${ranker ?? "words alone"}, in the calibration by ${encoder ?? "words alone"}`;
  const isAnother = windows * MOST_WINDOW_FACTOR < documents.windows || windows > documents.windows * MOST_WINDOW_FACTOR;
  return isAnother ? `the index has ${windows} windows, in the calibration it had ${documents.windows}` : null;
}

/**
 * The judgement of one question at the threshold that holds for it.
 * @returns with `misfit` why the calibration was not used for this question
 */
export function applyThreshold(
  judged: Sufficiency,
  threshold: GateThreshold,
  index: AskedIndex,
): Sufficiency & { readonly misfit: string | null } {
  if (threshold.type === "none") return { ...judged, minimum: 0, misfit: null };
  if (threshold.type === "set") {
    const reason = `${percent(judged.probability)} likely that the best quote answers; answered from ${percent(threshold.minimum)}, as the configuration has it`;
    return { ...judged, minimum: threshold.minimum, reason, misfit: null };
  }
  if (threshold.type !== "calibrated") return { ...judged, misfit: threshold.type === "unusable" ? threshold.why : null };
  const { calibration } = threshold;
  const { model } = calibration.weights;
  const misfit =
    indexMisfitOf(calibration, index) ??
    (judged.model === model ? null : `the gate judged with its weights for ${judged.model}, in the calibration for ${model}`);
  if (misfit !== null) return { ...judged, misfit };
  const { risk, delta, labels } = calibration;
  return {
    ...judged,
    minimum: calibration.threshold,
    confidence: judged.probability,
    calibrated: true,
    reason: `${percent(judged.probability)} likely that the passages answer; answers from ${percent(calibration.threshold)} (fitted on ${labels.n} labelled questions: at most ${percent(risk)} of the answers to such questions wrong, with ${percent(1 - delta)} confidence)`,
    misfit: null,
  };
}

function rises(values: readonly number[]): boolean {
  return values.every((value, i) => i === 0 || value >= (values[i - 1] as number));
}

export function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}
