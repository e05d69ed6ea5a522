import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { PACKAGE_ROOT } from "../../package.ts";
import { ModelError, messageOf } from "../../shared/errors.ts";
import { sha256Hex } from "../../text/hash.ts";

/** Weights that the scores of the checks depend on. */
const CHECKING_WEIGHTS = ["encoder.bin", "entailment.json", "reader.bin"] as const;

/** Returns the SHA-256 (hex) of each of these weights files, by file name. */
export function hashWeights(): Record<string, string> {
  return Object.fromEntries(
    CHECKING_WEIGHTS.map((name) => [name, sha256Hex(readFileSync(join(PACKAGE_ROOT, "src/models/weights", name)))]),
  );
}

/** A weights file, with texts for its error. */
export interface WeightsFile<T> {
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
