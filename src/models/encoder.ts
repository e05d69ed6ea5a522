/** Turns texts into unit vectors. Every implementation runs the same contract suite (`src/testing`). */
export interface Encoder {
  /** Names the model; vectors of different ids are never compared. */
  readonly id: string;
  /** Name that its maker gave the model, for thresholds and prices that are known by it; absent: none is. */
  readonly model?: string;
  /** Texts in one call at most, so that progress is seen and a crash loses little; as configured when absent. */
  readonly batch?: number;
  /**
   * One vector per text, in order, all of one dimension, finite, of length 1 (or all zero for a text without content).
   * @throws ModelError after retries
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
}

export interface EmbedOptions {
  readonly signal?: AbortSignal;
  /** Told what an endpoint charges for; `null` when it does not count. Encoders on this machine never call it. */
  readonly onUsage?: (tokens: number | null) => void;
}

/** Scales to length 1, in place; a zero vector stays zero. Returns its argument. */
export function normalizeVector(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) return vector;
  const scale = 1 / Math.sqrt(sum);
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) * scale;
  return vector;
}
