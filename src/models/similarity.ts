import { dot } from "../cross-encoder/reader.ts";
import { type Calibration, scaleFor } from "./calibration/calibration.ts";
import type { Encoder } from "./encoder.ts";

/**
 * Creates a scorer of the cosine similarity of two texts. If both the encoder and the model `source` have a calibration,
 * it converts the cosine to the scale of `source`.
 * @param source model on which the thresholds were measured; `null`: cosines are not converted
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

/** Prefix of the embedded encoder's ids. */
const EMBEDDED_ENCODER = "sourcebound-embedded-";

/**
 * Creates a scorer of the similarity of question and answer, with the minimum similarity of a relevant answer.
 * @param thresholds `minimum` was measured on the model `of`, `embedded` on the embedded encoder
 */
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
