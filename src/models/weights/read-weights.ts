import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { PACKAGE_ROOT } from "../../package.ts";
import { ModelError, messageOf } from "../../shared/errors.ts";
import { sha256Hex } from "../../text/hash.ts";

/** Files that the scores of the checks come from. */
const CHECKING_WEIGHTS = ["encoder.bin", "entailment.json", "reader.bin"] as const;

/** SHA-256 (hex) of each file of weights that the checks read, by name. */
export function hashWeights(): Record<string, string> {
  return Object.fromEntries(
    CHECKING_WEIGHTS.map((name) => [name, sha256Hex(readFileSync(join(PACKAGE_ROOT, "src/models/weights", name)))]),
  );
}

/** What a file of weights is, for the error that it cannot be used. */
export interface WeightsFile<T> {
  /** Of the file. */
  readonly path: string;
  readonly schema: z.ZodType<T>;
  /** Code of the error. */
  readonly code: string;
  /** Whose weights they are: `the gate's weights`. */
  readonly whose: string;
  /** Folder of `lab/train` that makes them. */
  readonly recipe: string;
  /** What else is wrong with them; `null`: nothing. Is given the text of the file too. */
  readonly faultOf?: (weights: T, text: string) => string | null;
}

/**
 * Weights as they stand in a file.
 * @returns the weights, and the SHA-256 of the file in hex
 * @throws ModelError with `code` when the file is missing or not what it should be
 */
export function readWeights<T>({ path, schema, code, whose, recipe, faultOf }: WeightsFile<T>): {
  readonly weights: T;
  readonly sha256: string;
} {
  const corrupt = (what: string, cause?: unknown) => {
    const message = `${whose} ${path} cannot be read (${what}): reinstall the package, or make them again with lab/train/${recipe}`;
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

/** Weights that name themselves, with an `id` of these very ones: their name and the hash of the file. */
export function readNamedWeights<T extends { readonly name: string }>(of: WeightsFile<T>): T & { readonly id: string } {
  const { weights, sha256 } = readWeights(of);
  return { ...weights, id: `${weights.name}-${sha256.slice(0, 12)}` };
}

/** Path of a file of weights that ships. */
export function shippedWeights(file: string): string {
  return join(PACKAGE_ROOT, "src/models/weights", file);
}
