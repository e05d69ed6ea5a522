import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../package.ts";
import { ModelError, messageOf } from "../../shared/errors.ts";
import { sha256Hex } from "../../text/hash.ts";

const numbers = z.array(z.number());

/** Slope and offset of the logistic curve from score to probability. */
const curveSchema = z.tuple([z.number().positive(), z.number()]);

/** Schema of the linear models in this folder. Some models extend it. `isComplete` checks the lengths of the lists. */
export const scorerSchema = z.object({
  /**
   * Mean of each feature over the training rows. It is subtracted, so that a missing feature counts as the mean.
   * @default 0 for each
   */
  fill: numbers.optional(),
  /** Divisor of each feature. @default 1 for each */
  scale: z.array(z.number().positive()).optional(),
  linear: numbers,
  /** @default 0 */
  bias: z.number().optional(),
  /** @default [1, 0] */
  chance: curveSchema.optional(),
});

type Scorer = z.infer<typeof scorerSchema>;

/**
 * Returns the schema of a scorer whose features have names.
 * @param known the names of features that this version can compute
 */
export function namedScorerSchema(known: readonly string[]) {
  const name = z.string().refine((one) => known.includes(one), {
    error: ({ input }) => `this version cannot compute the feature "${String(input)}"`,
  });
  const names = z
    .array(name)
    .min(1)
    .refine((features) => new Set(features).size === features.length, { message: "a feature occurs twice" });
  return scorerSchema.extend({ features: names }).refine(isComplete, "fill, scale and linear must have one number per feature");
}

/** Returns whether the lists of a scorer have one entry per feature. */
export function isComplete({ fill, scale, linear, features }: Scorer & { readonly features?: readonly string[] }): boolean {
  return [fill, scale, features].every((list) => list === undefined || list.length === linear.length);
}

/** Returns `bias + Σ linear·x`, where x = (value − fill) / scale, or 0 for a missing value. */
export function scoreOf(values: ArrayLike<number | null>, { linear, fill, scale, bias = 0 }: Scorer): number {
  const x = (i: number) => ((values[i] ?? fill?.[i] ?? 0) - (fill?.[i] ?? 0)) / (scale?.[i] ?? 1);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += x(i) * (linear[i] as number);
  return bias + sum;
}

/** Returns σ(slope · score + offset), a probability from 0 to 1. */
export function probabilityOf(values: ArrayLike<number | null>, scorer: Scorer): number {
  return probabilityOfScore(scoreOf(values, scorer), scorer);
}

export function probabilityOfScore(score: number, { chance: [slope, offset] = [1, 0] }: Pick<Scorer, "chance">): number {
  return 1 / (1 + Math.exp(-(slope * score + offset)));
}

/** Weights files on which the scores of the answer checks depend. */
const CHECKING_WEIGHTS = ["encoder.bin", "entailment.json", "reader.bin"] as const;

/** Returns the SHA-256 (hex) of each file of `CHECKING_WEIGHTS`, by file name. */
export function hashWeights(): Record<string, string> {
  return Object.fromEntries(
    CHECKING_WEIGHTS.map((name) => [name, sha256Hex(readFileSync(join(PACKAGE_ROOT, "src/models/weights", name)))]),
  );
}

/** A weights file, and the parts of its error message. */
interface WeightsFile<T> {
  readonly path: string;
  readonly schema: z.ZodType<T>;
  readonly code: string;
  /** Name in the error message, such as `the cache's weights`. */
  readonly whose: string;
  /** Returns a fault that the schema does not detect; `null` if there is none. @param text content of the file */
  readonly faultOf?: (weights: T, text: string) => string | null;
}

/**
 * Reads and validates a weights file.
 * @returns the weights, and the SHA-256 (hex) of the file
 * @throws ModelError with `code` when the file is missing or invalid
 */
export function readWeights<T>({ path, schema, code, whose, faultOf }: WeightsFile<T>): {
  readonly weights: T;
  readonly sha256: string;
} {
  const corrupt = (fault: string, cause?: unknown) => {
    const message = `The file ${path} with ${whose} cannot be used (${fault}). Reinstall Sourcebound`;
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

/** Reads weights that have a name. Adds an `id` of the form `<name>-<start of the file's hash>`. */
export function readNamedWeights<T extends { readonly name: string }>(of: WeightsFile<T>): T & { readonly id: string } {
  const { weights, sha256 } = readWeights(of);
  return { ...weights, id: `${weights.name}-${sha256.slice(0, 12)}` };
}

/** Returns the path of a weights file that is part of the package. */
export function shippedWeights(file: string): string {
  return join(PACKAGE_ROOT, "src/models/weights", file);
}
