import { join } from "node:path";
import { z } from "zod";
import { readNamedWeights, readWeights, shippedWeights } from "../models/weights/read-weights.ts";
import { chanceOf, namedScorerSchema } from "../models/weights/scorer.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { measureEvidence, SUFFICIENCY_FEATURES } from "./sufficiency-features.ts";
import type { EvidenceView, WordSpace } from "./sufficiency-view.ts";

const modelSchema = namedScorerSchema(Object.keys(SUFFICIENCY_FEATURES)).and(
  z.object({
    threshold: z.object({
      minimum: z.number().min(0).max(1),
      rule: z.string(),
      set: z.string(),
      answered: z.number(),
      answerable: z.number(),
      unanswerable_answered: z.number(),
      unanswerable: z.number(),
      /** Unanswerable questions among those answered at the threshold. */
      risk: z.number(),
      /** The same with the threshold chosen without the question that it judges. */
      risk_cross_fitted: z.number(),
    }),
  }),
);

const weightsSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  date: z.string(),
  /** SHA-256 of the measured features that it was learned from. */
  data: z.string(),
  models: z.object({ vectors: modelSchema, words: modelSchema }),
});
export interface SufficiencyWeights extends z.infer<typeof weightsSchema> {
  /** Names these very weights: the recipe and the hash of the file. */
  readonly id: string;
}
export type SufficiencyModel = z.infer<typeof modelSchema>;

const NAMES = { code: "sufficiency_corrupt", whose: "the gate's weights", recipe: "sufficiency" };

/**
 * Weights as they ship, with the threshold and what was measured at it; made by `lab/train/sufficiency`.
 * @throws ModelError `sufficiency_corrupt` when the file is missing or not what it should be
 */
export function readSufficiencyWeights(path: string = shippedWeights("sufficiency.json")): SufficiencyWeights {
  return readNamedWeights({ path, schema: weightsSchema, ...NAMES });
}

const foldsSchema = z.object({ folds: z.array(modelSchema).min(2) });

/**
 * Weights with vectors, each learned without one fold of the marked questions: a figure on those questions takes the weights that never saw them.
 * @throws ModelError `sufficiency_corrupt` when the file is missing or not what it should be
 */
export function readFoldWeights(path: string = join(PACKAGE_ROOT, "lab/train/sufficiency/folds.json")): readonly SufficiencyModel[] {
  return readWeights({ path, schema: foldsSchema, ...NAMES }).weights.folds;
}

/** What a gate that judges by sufficiency is given. */
export interface SufficiencyParts {
  readonly weights: SufficiencyWeights;
  readonly space: WordSpace;
  /** Id of the encoder whose cosines the weights were learned on; with another one the weights without vectors are used. */
  readonly encoder: string;
}

/** How likely the evidence as a whole answers the question. */
export interface Sufficiency {
  /** 0–1. */
  readonly probability: number;
  /** From here on the question is answered. */
  readonly minimum: number;
  /** What is said of it in the answer: the probability, or what a calibration makes of it. */
  readonly confidence: number;
  /** Was the minimum fitted on labelled questions of the domain? */
  readonly calibrated: boolean;
  /** Which weights judged. */
  readonly model: "vectors" | "words";
  /** One line for people. */
  readonly reason: string;
}

/** Chance that the evidence answers the question; `null` where nothing was found. */
export function judgeSufficiency(
  view: EvidenceView,
  { weights, encoder }: Pick<SufficiencyParts, "weights" | "encoder">,
  ranker: string | null,
): Sufficiency | null {
  if (view.passages.length === 0) return null;
  const name = ranker === encoder ? "vectors" : "words";
  const model = weights.models[name];
  const probability = chanceOf(measureEvidence(view, model.features), model);
  const { minimum, risk_cross_fitted: risk, set } = model.threshold;
  const unknown = view.terms.filter(({ known }) => !known).length;
  const strange = unknown === 0 ? "" : `; ${unknown} of ${view.terms.length} words of the question stand in no document`;
  const reason = `${percent(probability)} likely that the passages answer${strange}; answers from ${percent(minimum)} (on ${set} ${percent(risk)} of what is then answered has no answer in the documents)`;
  return { probability, minimum, confidence: probability, calibrated: false, model: name, reason };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
