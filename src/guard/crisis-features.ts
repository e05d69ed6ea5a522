/** Places for hashed words and pairs of words beside the encoder's vector. */
export const HASHED_FEATURES = 1024;
/** Weight of what is hashed against the vector: the vector carries meaning over to wordings never seen, the pairs tell "end it" from "end my lease". */
const HASHED_WEIGHT = 0.35;

/**
 * What the crisis finder sees of a message: its vector, and its words and pairs of neighbours hashed.
 * @param vector of the message, unit length
 */
export function crisisFeatures(message: string, vector: Float32Array): Float64Array {
  const features = new Float64Array(vector.length + HASHED_FEATURES);
  features.set(vector);
  const words =
    message
      .toLowerCase()
      .replaceAll(/['’]/g, "")
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const pieces = words.flatMap((word, i) => [word, `${words[i - 1] ?? "^"} ${word}`]);
  const share = HASHED_WEIGHT / Math.sqrt(Math.max(1, pieces.length));
  for (const piece of pieces) {
    const at = vector.length + (hash(piece) % HASHED_FEATURES);
    features[at] = (features[at] ?? 0) + share;
  }
  return features;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}
