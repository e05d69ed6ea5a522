/** Maximum number of scored sentences per message. A message that is no question may have thousands. */
const MOST_SENTENCES = 60;

/** Returns the sentences of a message and, if there are several, the whole message. */
export function piecesOf(message: string): string[] {
  const sentences = message.split(/[.!?…\n]+/).filter((sentence) => /\p{L}/u.test(sentence));
  return sentences.length > 1 ? [...sentences.slice(0, MOST_SENTENCES), message.slice(0, 2_000)] : sentences;
}

/** Number of features from hashed words and word pairs. They follow the encoder's vector. */
const HASHED_FEATURES = 1024;
/**
 * Weight of the hashed features relative to the vector. The vector recognises wordings that did not occur in training. The
 * hashed word pairs distinguish "end it" from "end my lease".
 */
const HASHED_WEIGHT = 0.35;

/**
 * Returns the features of a message for the linear classifiers of crises and of instructions: its vector, then its hashed
 * words and adjacent word pairs.
 * @param vector vector of the message, of length 1
 */
export function messageFeatures(message: string, vector: Float32Array): Float64Array {
  const features = new Float64Array(vector.length + HASHED_FEATURES);
  features.set(vector);
  const plain = message.toLowerCase().replaceAll(/['’]/g, "");
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  const pieces = words.flatMap((word, i) => [word, `${words[i - 1] ?? "^"} ${word}`]);
  const share = HASHED_WEIGHT / Math.sqrt(Math.max(1, pieces.length));
  for (const piece of pieces) {
    const at = vector.length + (hash(piece) % HASHED_FEATURES);
    features[at] = (features[at] as number) + share;
  }
  return features;
}

/** FNV-1a hash. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}
