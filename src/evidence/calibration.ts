import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { messageOf, systemCodeOf } from "../shared/errors.ts";
import { describeIssues } from "../text/validate.ts";
import type { Sufficiency } from "./gate.ts";

/** Milliseconds for which a folder is not looked at again: a calibration that is written beside a running server is used soon after. */
export const LOOK_AGAIN_MS = 2_000;

/** A calibration as it lies on the disk. */
export type FoundCalibration =
  | { readonly type: "found"; readonly calibration: GateCalibration }
  | { readonly type: "unreadable"; readonly name: string; readonly why: string };

/** Name of a calibration, which sorts by time. */
export function calibrationName({ domain, profile }: { readonly domain: string; readonly profile: string }, date: Date): string {
  return `${domain}.${profile}.${date
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "")}`;
}

/** Finds the newest calibration of a domain and profile, else the one that the domain pack brings; reads each file once. */
export class CalibrationFiles {
  private readonly folder: string;
  private readonly clock: () => number;
  private readonly looked = new Map<string, { readonly at: number; readonly found: FoundCalibration | null }>();
  private readonly read = new Map<string, { readonly state: string; readonly found: FoundCalibration }>();

  /**
   * @param folder of the calibrations that were made here
   * @param clock milliseconds, monotonic
   */
  constructor({ folder, clock }: { readonly folder: string; readonly clock: () => number }) {
    this.folder = folder;
    this.clock = clock;
  }

  /** @param shipped file of the domain pack; `null`: it brings none */
  find(domain: string, profile: string, shipped: string | null): FoundCalibration | null {
    const key = `${domain}.${profile}`;
    const known = this.looked.get(key);
    if (known !== undefined && this.clock() - known.at < LOOK_AGAIN_MS) return known.found;
    const found = this.look(`${key}.`, shipped);
    this.looked.set(key, { at: this.clock(), found });
    return found;
  }

  /** A folder that cannot be read holds no calibration that could be used, and no question fails for it. */
  private look(prefix: string, shipped: string | null): FoundCalibration | null {
    try {
      const path = this.newest(prefix) ?? shipped;
      return path === null ? null : this.readOnce(path);
    } catch (error) {
      return { type: "unreadable", name: basename(this.folder), why: `its folder cannot be read: ${messageOf(error)}` };
    }
  }

  private newest(prefix: string): string | null {
    const names = existsSync(this.folder) ? readdirSync(this.folder) : [];
    const name = names
      .filter((one) => one.startsWith(prefix) && one.endsWith(".json"))
      .sort()
      .at(-1);
    return name === undefined ? null : join(this.folder, name);
  }

  private readOnce(path: string): FoundCalibration {
    const state = stateOf(path);
    const known = this.read.get(path);
    if (known !== undefined && known.state === state) return known.found;
    const found = readCalibration(path);
    this.read.set(path, { state, found });
    return found;
  }
}

/** A calibration that cannot be read is no calibration: it is reported, and the shipped threshold holds. */
function readCalibration(path: string): FoundCalibration {
  const name = basename(path, ".json");
  try {
    const parsed = gateCalibrationSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    if (parsed.success) return { type: "found", calibration: parsed.data };
    const faults = describeIssues(parsed.error, gateCalibrationSchema).slice(0, 3).join("; ");
    return { type: "unreadable", name, why: `it is not valid: ${faults}` };
  } catch (error) {
    return { type: "unreadable", name, why: `it cannot be read: ${messageOf(error)}` };
  }
}

function stateOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    return systemCodeOf(error) ?? messageOf(error);
  }
}

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

/** The counts must support the promised risk: a threshold or a risk that was changed by hand has not been tested. `null`: it does. */
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
