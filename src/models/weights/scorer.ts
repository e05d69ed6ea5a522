import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../package.ts";
import { ModelError, messageOf } from "../../shared/errors.ts";
import { sha256Hex } from "../../text/hash.ts";

const numbers = z.array(z.number());

/** Boosted trees; each property lists the values of all nodes. A child below 0 is leaf `-1 - child`. */
const treesSchema = z.object({
  roots: numbers,
  feature: z.array(z.int().min(0)),
  threshold: numbers,
  left: numbers,
  right: numbers,
  /** 1: a missing value goes left. */
  missing: numbers,
  leaves: numbers,
});
export type Trees = z.infer<typeof treesSchema>;

/** Returns the sum of one leaf per tree; a value at or below the threshold goes left. */
function scoreTrees({ roots, feature, threshold, left, right, missing, leaves }: Trees, values: readonly (number | null)[]): number {
  let sum = 0;
  for (const root of roots) {
    let at = root;
    while (at >= 0) {
      const value = values[feature[at] as number] ?? null;
      const goesLeft = value === null ? missing[at] === 1 : value <= (threshold[at] as number);
      at = (goesLeft ? left : right)[at] as number;
    }
    sum += leaves[-1 - at] as number;
  }
  return sum;
}

/** Returns why the trees are invalid; `null` if they are valid: every child comes after its parent, so every walk ends. */
function faultOfTrees({ roots, feature, threshold, left, right, missing, leaves }: Trees, features: number): string | null {
  const size = feature.length;
  if ([threshold, left, right, missing].some((list) => list.length !== size)) return "its lists differ in length";
  if (feature.some((one) => one >= features)) return "a node refers to a missing feature";
  const isPlace = (child: number) => Number.isInteger(child);
  const isLeaf = (child: number) => isPlace(child) && child < 0 && -child <= leaves.length;
  const ends = (child: number, parent: number) => isLeaf(child) || (isPlace(child) && child > parent && child < size);
  if (roots.some((root) => !ends(root, -1))) return "a root node is missing";
  if (left.some((child, at) => !ends(child, at)) || right.some((child, at) => !ends(child, at))) return "a child node is missing";
  return null;
}

/** Slope and offset of the logistic curve from score to probability. */
const curveSchema = z.tuple([z.number().positive(), z.number()]);

/** The format of every linear and tree model in this folder. A model may extend it; `usableOn` sets its number of features. */
export const scorerSchema = z.object({
  /** Replaces a missing feature: its mean over the training rows. @default 0 for each */
  fill: numbers.optional(),
  /** Divisor of each feature. @default 1 for each */
  scale: z.array(z.number().positive()).optional(),
  linear: numbers.optional(),
  /** @default 0 */
  bias: z.number().optional(),
  /** Hyperbolic tangents of the standardised features. */
  hidden: z.array(z.object({ weights: numbers, bias: z.number(), out: z.number() })).optional(),
  trees: treesSchema.optional(),
  /** @default [1, 0] */
  chance: curveSchema.optional(),
});

type Scorer = z.infer<typeof scorerSchema>;

/** Returns the schema of a scorer with named features; `known` lists the names that this version computes. */
export function namedScorerSchema(known?: readonly string[]) {
  const name = z.string().refine((one) => known === undefined || known.includes(one), {
    error: ({ input }) => `this version does not measure ${String(input)}`,
  });
  const names = z
    .array(name)
    .min(1)
    .refine((features) => new Set(features).size === features.length, { message: "a feature occurs twice" });
  return scorerSchema.extend({ features: names }).superRefine(usableOn(({ features }) => features.length));
}
export type NamedScorer = Scorer & { readonly features: readonly string[] };

/** Refines a schema to scorers for a given number of features. */
export function usableOn<S extends Scorer>(featuresOf: (scorer: S) => number) {
  return (scorer: S, context: z.core.$RefinementCtx<S>): void => {
    const fault = faultOf(scorer, featuresOf(scorer));
    if (fault !== null) context.addIssue({ code: "custom", message: fault, input: scorer });
  };
}

/** Returns why a scorer does not fit the number of features; `null` if it fits. */
function faultOf({ fill, scale, linear, hidden, trees }: Scorer, features: number): string | null {
  if (linear === undefined && (fill !== undefined || scale !== undefined || hidden !== undefined))
    return "fill, scale and hidden require a linear part";
  const lists = [fill, scale, linear, ...(hidden ?? []).map(({ weights }) => weights)];
  if (lists.some((list) => list !== undefined && list.length !== features))
    return "fill, scale, linear and hidden must have one number per feature";
  if (linear === undefined && trees === undefined) return "it has neither a linear part nor trees";
  return trees === undefined ? null : faultOfTrees(trees, features);
}

/** `bias + Σ linear·x + Σ out·tanh(Σ weights·x + bias) + Σ leaf per tree`, x = (value − fill) / scale, or 0 for a missing value. */
export function scoreOf(values: readonly (number | null)[], scorer: Scorer): number {
  const { linear, hidden = [], trees, bias = 0 } = scorer;
  let score = bias;
  if (linear !== undefined) {
    const x = standardised(values, scorer);
    const dot = (by: readonly number[]) => x.reduce((sum, value, i) => sum + value * (by[i] as number), 0);
    score += dot(linear);
    for (const unit of hidden) score += unit.out * Math.tanh(dot(unit.weights) + unit.bias);
  }
  return trees === undefined ? score : score + scoreTrees(trees, values);
}

/** Returns σ(slope · score + offset), 0–1. */
export function chanceOf(values: readonly (number | null)[], scorer: Scorer): number {
  return chanceOfScore(scoreOf(values, scorer), scorer);
}

export function chanceOfScore(score: number, { chance: [slope, offset] = [1, 0] }: Pick<Scorer, "chance">): number {
  return 1 / (1 + Math.exp(-(slope * score + offset)));
}

function standardised(values: readonly (number | null)[], { fill, scale }: Scorer): number[] {
  return values.map((value, i) => (value === null ? 0 : (value - (fill?.[i] ?? 0)) / (scale?.[i] ?? 1)));
}

/** Weights that the scores of the checks depend on. */
const CHECKING_WEIGHTS = ["encoder.bin", "entailment.json", "reader.bin"] as const;

/** Returns the SHA-256 (hex) of each of these weights files, by file name. */
export function hashWeights(): Record<string, string> {
  return Object.fromEntries(
    CHECKING_WEIGHTS.map((name) => [name, sha256Hex(readFileSync(join(PACKAGE_ROOT, "src/models/weights", name)))]),
  );
}

/** A weights file, with texts for its error. */
interface WeightsFile<T> {
  readonly path: string;
  readonly schema: z.ZodType<T>;
  readonly code: string;
  /** Name in the error message, such as `the cache's weights`. */
  readonly whose: string;
  /** Folder of `lab/train` that produces the weights. */
  readonly recipe: string;
  /** Returns a further fault of the weights; `null` if there is none. Receives the file's text as well. */
  readonly faultOf?: (weights: T, text: string) => string | null;
}

/**
 * Reads and validates a weights file.
 * @returns the weights, and the SHA-256 (hex) of the file
 * @throws ModelError with `code` when the file is missing or invalid
 */
export function readWeights<T>({ path, schema, code, whose, recipe, faultOf }: WeightsFile<T>): {
  readonly weights: T;
  readonly sha256: string;
} {
  const corrupt = (what: string, cause?: unknown) => {
    const message = `${whose} ${path} cannot be read (${what}). Reinstall the package, or create them again with lab/train/${recipe}`;
    return new ModelError(code, message, { path }, { cause });
  };
  let weights: T;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
    weights = schema.parse(JSON.parse(text));
  } catch (cause) {
    throw corrupt(messageOf(cause), cause);
  }
  const fault = faultOf?.(weights, text) ?? null;
  if (fault !== null) throw corrupt(fault);
  return { weights, sha256: sha256Hex(text) };
}

/** Reads weights with a name, and adds an `id` of that name and the file's hash. */
export function readNamedWeights<T extends { readonly name: string }>(of: WeightsFile<T>): T & { readonly id: string } {
  const { weights, sha256 } = readWeights(of);
  return { ...weights, id: `${weights.name}-${sha256.slice(0, 12)}` };
}

/** Returns the path of a weights file that ships. */
export function shippedWeights(file: string): string {
  return join(PACKAGE_ROOT, "src/models/weights", file);
}
