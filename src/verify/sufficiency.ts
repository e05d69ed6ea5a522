import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ModelError, messageOf } from "../errors.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { sha256Hex } from "../text/hash.ts";
import { measureEvidence, SUFFICIENCY_FEATURES } from "./sufficiency-features.ts";
import type { EvidenceView, WordSpace } from "./sufficiency-view.ts";

/** `[feature, threshold, missing left, left, right]` of a split, `[value]` of a leaf; a value of at most the threshold goes left. */
const nodeSchema = z.union([z.tuple([z.number(), z.number(), z.number(), z.number(), z.number()]), z.tuple([z.number()])]);

type Tree = readonly z.infer<typeof nodeSchema>[];

const modelSchema = z
  .object({
    features: z.array(z.enum(Object.keys(SUFFICIENCY_FEATURES))).min(1),
    /** What a feature counts as in the linear part where it is `null`: its mean over the training questions. */
    fill: z.array(z.number()),
    scale: z.array(z.number().positive()),
    linear: z.array(z.number()),
    bias: z.number(),
    trees: z.array(z.array(nodeSchema).min(1)),
    /** Slope and offset of the logistic curve from score to chance, fitted on cross-fitted scores. */
    chance: z.tuple([z.number().positive(), z.number()]),
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
  })
  .refine(({ features, fill, scale, linear }) => [fill, scale, linear].every(({ length }) => length === features.length), {
    message: "fill, scale and linear have one number for each feature",
  })
  .refine(({ trees, features }) => trees.every((tree) => isTree(tree, features.length)), {
    message: "a tree's node points at no feature, or at no later node",
  });

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

/**
 * Weights as they ship, with the threshold and what was measured at it; made by `lab/train/sufficiency`.
 * @throws ModelError `sufficiency_corrupt` when the file is missing or not what it should be
 */
export function readSufficiencyWeights(path: string = join(PACKAGE_ROOT, "src/models/weights/sufficiency.json")): SufficiencyWeights {
  return readWeights(path, weightsSchema, (weights, file) => ({ ...weights, id: `${weights.name}-${sha256Hex(file).slice(0, 12)}` }));
}

function readWeights<T, R>(path: string, schema: z.ZodType<T>, make: (weights: T, file: string) => R): R {
  try {
    const file = readFileSync(path, "utf8");
    return make(schema.parse(JSON.parse(file)), file);
  } catch (cause) {
    const message = `the gate's weights ${path} cannot be read (${messageOf(cause)}): reinstall the package, or make them again with lab/train/sufficiency`;
    throw new ModelError("sufficiency_corrupt", message, { path }, { cause });
  }
}

const foldsSchema = z.object({ folds: z.array(modelSchema).min(2) });

/**
 * Weights with vectors, each learned without one fold of the marked questions: a figure on those questions takes the weights that never saw them.
 * @throws ModelError `sufficiency_corrupt` when the file is missing or not what it should be
 */
export function readFoldWeights(path: string = join(PACKAGE_ROOT, "lab/train/sufficiency/folds.json")): readonly SufficiencyModel[] {
  return readWeights(path, foldsSchema, ({ folds }) => folds);
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

/** σ(slope · (linear part + Σ trees) + offset). */
export function chanceOf(values: readonly (number | null)[], model: SufficiencyModel): number {
  const [slope, offset] = model.chance;
  return 1 / (1 + Math.exp(-(slope * scoreOf(values, model) + offset)));
}

/** bias + Σ linear·(value − fill)/scale + Σ leaf of each tree; what is not known is its mean in the linear part and goes its own way in a tree. */
export function scoreOf(values: readonly (number | null)[], { fill, scale, linear, bias, trees }: SufficiencyModel): number {
  let score = bias;
  values.forEach((value, i) => {
    if (value !== null) score += ((linear[i] as number) * (value - (fill[i] as number))) / (scale[i] as number);
  });
  for (const tree of trees) score += leafOf(tree, values);
  return score;
}

function leafOf(tree: Tree, values: readonly (number | null)[]): number {
  let node = tree[0] as Tree[number];
  while (node.length === 5) {
    const [feature, threshold, missingLeft, left, right] = node;
    const value = values[feature] ?? null;
    node = tree[(value === null ? missingLeft === 1 : value <= threshold) ? left : right] as Tree[number];
  }
  return node[0];
}

/** Every split points at a feature and at nodes behind itself, so that each walk ends. */
function isTree(tree: Tree, features: number): boolean {
  return tree.every((node, at) => {
    if (node.length === 1) return true;
    const [feature, , , left, right] = node;
    const isPlace = (place: number) => Number.isInteger(place) && place > at && place < tree.length;
    return Number.isInteger(feature) && feature >= 0 && feature < features && isPlace(left) && isPlace(right);
  });
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
