import { dot } from "../cross-encoder/reader.ts";
import { type Calibration, scaleFor } from "./calibration/calibration.ts";
import type { Encoder } from "./encoder.ts";

/**
 * Computes the cosine of two texts, converted by quantile to the scale of the model `source` if both models are
 * calibrated.
 * @param source model that the thresholds belong to; `null`: raw cosines
 */
export function createSimilarity(
  encoder: Pick<Encoder, "id" | "model" | "embed">,
  source: string | null,
  calibrations: readonly Calibration[],
) {
  const scale = scaleFor(source, encoder, calibrations);
  return {
    id: scale.type === "carried" ? `${encoder.id} (carried over from ${source})` : encoder.id,
    async similarity(question: string, answer: string): Promise<number | null> {
      const [a, b] = await encoder.embed([question, answer]);
      if (a === undefined || b === undefined || isZero(a) || isZero(b)) return null;
      return scale.score(dot(a, b));
    },
  };
}

/** Prefix of the ids of the embedded encoder. */
const EMBEDDED_ENCODER = "sourcebound-embedded-";

/** Measures the similarity of question and answer, with the minimum for a relevant answer. */
export function createRelevancy(
  { minimum, of, embedded }: { readonly minimum: number; readonly of: string; readonly embedded: number },
  encoder: Pick<Encoder, "id" | "model" | "embed">,
  calibrations: readonly Calibration[],
) {
  return encoder.id.startsWith(EMBEDDED_ENCODER)
    ? { ...createSimilarity(encoder, null, calibrations), minimum: embedded }
    : { ...createSimilarity(encoder, of, calibrations), minimum };
}

function isZero(vector: Float32Array): boolean {
  return vector.every((value) => value === 0);
}
