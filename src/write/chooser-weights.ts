import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ModelError, messageOf } from "../errors.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { sha256Hex } from "../text/hash.ts";
import { PIECE_FEATURES } from "./piece-features.ts";

const linearSchema = z
  .object({
    features: z.array(z.string()).min(1),
    /** What a feature counts as where it is `null`: its mean over the training rows. */
    fill: z.array(z.number()),
    weights: z.array(z.number()),
    bias: z.number(),
  })
  .refine(({ features, fill, weights }) => fill.length === features.length && weights.length === features.length, {
    message: "features, fill and weights differ in length",
  });
export type Linear = z.infer<typeof linearSchema>;

const weightsSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  date: z.string(),
  /** SHA-256 of the measured pieces that it was learned from. */
  data: z.string(),
  /** Score of a piece. */
  piece: linearSchema.refine(({ features }) => features.every((name) => Object.hasOwn(PIECE_FEATURES, name)), {
    message: "names a feature of pieces that this version does not measure",
  }),
  /** Slope and offset of the logistic curve from score to chance that the piece answers. */
  chance: z.tuple([z.number().positive(), z.number()]),
  /** Log odds that the best piece answers, from what all pieces and passages of the question say. */
  answer: linearSchema,
  threshold: z.object({
    /** From this chance on the question is answered. */
    minimum: z.number().min(0).max(1),
    rule: z.string(),
    measured: z.string(),
    /** Share wrong among what is shown at the threshold, on domains that it was not chosen on. */
    risk: z.number().min(0).max(1),
  }),
});
export interface ChooserWeights extends z.infer<typeof weightsSchema> {
  /** Names these very weights: the recipe and the hash of the file. */
  readonly id: string;
}

/**
 * Weights as they ship; made by `lab/train/chooser`.
 * @throws ModelError `chooser_corrupt` when the file is missing or not what it should be
 */
export function readChooserWeights(path: string = join(PACKAGE_ROOT, "src/models/weights/chooser.json")): ChooserWeights {
  try {
    const file = readFileSync(path, "utf8");
    const weights = weightsSchema.parse(JSON.parse(file));
    return { ...weights, id: `${weights.name}-${sha256Hex(file).slice(0, 12)}` };
  } catch (cause) {
    const message = `the chooser's weights ${path} cannot be read (${messageOf(cause)}): reinstall the package, or make them again with lab/train/chooser`;
    throw new ModelError("chooser_corrupt", message, { path }, { cause });
  }
}

/** `bias + Σ weight·value`, a missing value counting as the mean. */
export function linearScore(values: readonly (number | null)[], { fill, weights, bias }: Linear): number {
  return values.reduce<number>((sum, value, i) => sum + (weights[i] as number) * (value ?? (fill[i] as number)), bias);
}
