/** Embeds texts as vectors of length 1. Every implementation runs the contract suite in `src/testing`. */
export interface Encoder {
  /** Identifies the model. Vectors of encoders with different ids are never compared. */
  readonly id: string;
  /** Public name of the model, by which thresholds and prices are known; absent if it has none. */
  readonly model?: string;
  /**
   * Maximum number of texts per call. Small calls report progress often, and a crash loses little work. Absent: the number
   * in the configuration.
   */
  readonly batch?: number;
  /**
   * Returns one vector per text, in order. All have the same dimension, finite values, and length 1; the vector of a text
   * without content is all zeros.
   * @throws ModelError after retries
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
}

export interface EmbedOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Called with the number of tokens that an endpoint charges for, or `null` if the endpoint does not report it. Local
   * encoders never call it.
   */
  readonly onUsage?: ((tokens: number | null) => void) | undefined;
}

/** Encoders of a domain. `serve` is in use. `prepare` replaces it once `prepare` has computed all vectors of the domain. */
export interface EncoderChoice {
  readonly serve: Encoder | null;
  readonly prepare: Encoder | null;
  /** Records that `encoder` is in use from now on. */
  readonly activate: (encoder: Encoder) => Promise<void>;
}

/** Scales a vector to length 1 in place and returns it; a zero vector stays zero. */
export function normalizeVector(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) return vector;
  const scale = 1 / Math.sqrt(sum);
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) * scale;
  return vector;
}
