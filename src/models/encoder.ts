/** Embeds texts as unit vectors. Every implementation runs the contract suite in `src/testing`. */
export interface Encoder {
  /** Identifies the model; vectors of different ids are never compared. */
  readonly id: string;
  /** The maker's name of the model, for known thresholds and prices; absent if it has none. */
  readonly model?: string;
  /** Maximum texts per call, so that progress is visible and a crash loses little; the configured number if absent. */
  readonly batch?: number;
  /**
   * Returns one vector per text, in order: of equal dimension, finite, of length 1 (all zeros for a text without content).
   * @throws ModelError after retries
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
}

export interface EmbedOptions {
  readonly signal?: AbortSignal;
  /** Called with the tokens that an endpoint charges for; `null` if it does not count. Local encoders never call it. */
  readonly onUsage?: (tokens: number | null) => void;
}

/** The active encoder of a domain, and the one that replaces it once its index is complete. */
export interface EncoderChoice {
  readonly serve: Encoder | null;
  readonly prepare: Encoder | null;
  /** Records that the encoder of `prepare` is active from now on. */
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
