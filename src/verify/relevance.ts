import { join } from "node:path";
import { z } from "zod";
import { readNamedWeights, readWeights, shippedWeights } from "../models/weights/read-weights.ts";
import { chanceOfScore, linearPartsOf, type NamedScorer, namedScorerSchema } from "../models/weights/scorer.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { IN_WORDS, measurePassages, RELEVANCE_FEATURES } from "./relevance-features.ts";
import type { SufficiencyParts } from "./sufficiency.ts";
import type { EvidenceView } from "./sufficiency-view.ts";

const modelSchema = namedScorerSchema(Object.keys(RELEVANCE_FEATURES));

const weightsSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  date: z.string(),
  /** SHA-256 of the measured features that it was learned from. */
  data: z.string(),
  /** Chance that one passage answers. */
  passage: modelSchema,
  /** Log-odds of the score: offset + relevance · log-odds of relevance + consistency · (1 − consistency) + agreement · (1 − agreement). */
  combine: z.object({
    offset: z.number(),
    relevance: z.number().positive(),
    consistency: z.number().max(0),
    agreement: z.number().max(0),
  }),
  cuts: z
    .object({
      verified: z.number().min(0).max(1),
      rejected: z.number().min(0).max(1),
      rule: z.string(),
      /** Share of the verified passages that answer, on passages that the weights never saw. */
      precision: z.number(),
      /** Share of the answering passages that are rejected, on the same. */
      lost: z.number(),
    })
    .refine(({ verified, rejected }) => rejected <= verified, { message: "the cut of rejected lies above the one of verified" }),
});
export type RelevanceModel = NamedScorer;
/** The learned chance that a passage answers, what makes a score of it, and the cuts of the score. */
export interface RelevanceWeights extends z.infer<typeof weightsSchema> {
  /** Names these very weights: the recipe and the hash of the file. */
  readonly id: string;
}

const NAMES = { code: "relevance_corrupt", whose: "the weights of relevance", recipe: "relevance" };

/**
 * Weights as they ship, with the cuts and what was measured at them; made by `lab/train/relevance`.
 * @throws ModelError `relevance_corrupt` when the file is missing or not what it should be
 */
export function readRelevanceWeights(path: string = shippedWeights("relevance.json")): RelevanceWeights {
  return readNamedWeights({ path, schema: weightsSchema, ...NAMES });
}

/**
 * Weights that were each learned without one fold of the marked questions: a figure on those questions takes the weights that never saw them.
 * @throws ModelError `relevance_corrupt` when the file is missing or not what it should be
 */
export function readRelevanceFolds(path: string = join(PACKAGE_ROOT, "lab/train/relevance/folds.json")): readonly RelevanceModel[] {
  return readWeights({ path, schema: z.object({ folds: z.array(modelSchema).min(2) }), ...NAMES }).weights.folds;
}

/** What a gate is given that judges all passages together and each of them. */
export interface LearnedParts extends SufficiencyParts {
  readonly relevance: RelevanceWeights;
}

/** How likely one passage answers the question. */
export interface Relevance {
  /** 0–1. */
  readonly probability: number;
  /** One line: what weighed most, for it and against it. */
  readonly reason: string;
}

/** What says which passages answer: learned weights, or the share of the question's words and why. */
export type PassageJudge =
  | { readonly type: "learned"; readonly weights: RelevanceWeights; readonly relevance: readonly Relevance[] }
  | { readonly type: "words"; readonly why: string | null };

/** For gates that learn nothing. */
export const BY_WORDS: PassageJudge = { type: "words", why: null };

/** The learned chance of every passage, in order; where the weights say nothing, why. */
export function judgePassages(
  view: EvidenceView,
  { relevance: weights, encoder }: Pick<LearnedParts, "relevance" | "encoder">,
  ranker: string | null,
): PassageJudge {
  if (ranker !== encoder)
    return { type: "words", why: ranker === null ? "no encoder ranked the passages" : `nothing was learned with ${ranker}` };
  return { type: "learned", weights, relevance: relevanceOf(view, weights.passage) };
}

/** σ(bias + Σ weight · (value − mean)) of every passage, in order. */
export function relevanceOf(view: EvidenceView, model: RelevanceModel): Relevance[] {
  return measurePassages(view, model.features).map((row) => {
    const parts = linearPartsOf(row, model);
    const probability = chanceOfScore(
      parts.reduce((sum, part) => sum + part, model.bias ?? 0),
      model,
    );
    return { probability, reason: `relevance ${probability.toFixed(2)}${explain(model.features, parts)}` };
  });
}

/**
 * The learned chance beside what the reader says of each passage: σ of the mean of both log odds (a logarithmic pool with equal weights: Genest and Zidek,
 * Statistical Science 1(1), 1986, section 3). Apart they err on different things: the learned chance knows the passages beside it, the reader what was said.
 * @param readings log odds by the reader; `null`: of that passage it says nothing, and the learned chance stands
 */
export function poolReadings(relevance: readonly Relevance[], readings: readonly (number | null)[]): Relevance[] {
  return relevance.map((own, i) => {
    const answer = readings[i] ?? null;
    if (answer === null) return own;
    const probability = sigmoid((logOddsOf(own.probability) + answer) / 2);
    return { probability, reason: `${probability.toFixed(2)} of the reader's ${sigmoid(answer).toFixed(2)} and ${own.reason}` };
  });
}

/** Groups of features that are named. */
const NAMED = 3;
/** Log-odds below which a group says nothing. */
const SAYS_SOMETHING = 0.1;

/** The groups of features that weighed most beside the average passage. */
function explain(features: RelevanceModel["features"], parts: readonly number[]): string {
  const groups = new Map<keyof typeof IN_WORDS, number>();
  for (const [i, name] of features.entries()) {
    const group = RELEVANCE_FEATURES[name]?.says;
    if (group !== undefined) groups.set(group, (groups.get(group) ?? 0) + (parts[i] as number));
  }
  const named = [...groups]
    .filter(([, part]) => Math.abs(part) >= SAYS_SOMETHING)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .slice(0, NAMED);
  const side = (which: (part: number) => boolean) => named.flatMap(([group, part]) => (which(part) ? [IN_WORDS[group]] : [])).join(", ");
  const [pro, against] = [side((part) => part > 0), side((part) => part < 0)];
  const sides = [pro === "" ? [] : [`for it ${pro}`], against === "" ? [] : [`against it ${against}`]].flat();
  return sides.length === 0 ? ": as the average passage" : `: ${sides.join("; ")}`;
}

/**
 * The learned combination of a passage's scores, 0–1; what is `null` counts nothing. Passages that say otherwise take a passage below uncertain only as far as
 * it would be without them: the outlier may be the newer rule.
 */
export function combineScores(
  {
    relevance,
    consistency,
    agreement,
  }: { readonly relevance: number; readonly consistency: number | null; readonly agreement: number | null },
  { combine, cuts }: Pick<RelevanceWeights, "combine" | "cuts">,
): number {
  const lacks = (score: number | null) => (score === null ? 0 : 1 - score);
  const logOdds = combine.offset + combine.relevance * logOddsOf(relevance) + combine.consistency * lacks(consistency);
  const alone = sigmoid(logOdds);
  return Math.max(sigmoid(logOdds + combine.agreement * lacks(agreement)), Math.min(alone, cuts.rejected));
}

function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/** Of a chance that is not quite 0 or 1. */
function logOddsOf(chance: number): number {
  const inside = Math.min(1 - 1e-9, Math.max(1e-9, chance));
  return Math.log(inside / (1 - inside));
}
