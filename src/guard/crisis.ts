import type { ReadTexts } from "../cross-encoder/reader.ts";

/** Number of hashed word features next to the encoder's vector. */
const HASHED_FEATURES = 1024;
/**
 * Weight of the hashed features. The vector covers unseen wordings; word pairs separate "end it" from "end my lease".
 */
const HASHED_WEIGHT = 0.35;

/**
 * Returns the features of a message: its vector, and its words and adjacent word pairs, hashed.
 * @param vector unit vector of the message
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

/** FNV-1a hash. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return value;
}

/** Maximum number of sentences per message to score. A message that is no question may have thousands. */
const MOST_SENTENCES = 60;
/** Maximum number of sentences for the cross-encoder, those with the highest first-stage score. */
const MOST_READ = 8;

/** Beginning of a question: interrogatives and auxiliaries, which are closed word classes. */
const ASKING =
  /(?:^|[.!;,\n]\s*)(?:(?:so|and|but|or|ok|hi|please)\s+)*(?:who|whom|whose|what|whats|when|where|why|which|how|can|could|do|does|did|dont|doesnt|is|are|am|was|were|will|would|should|shall|may|might|must|has|have|had)\b/i;

/** Checks whether a message asks anything. A message that only expresses despair is not a search. */
export function asksAnything(message: string): boolean {
  return message.includes("?") || ASKING.test(message.replaceAll(/['’]/g, ""));
}

/**
 * Whether a message shows a risk of self-harm, of the writer or of somebody else. From `possible` on the hotline is
 * shown; an unnecessary one costs a line. If `likely`, nothing but the hotline is shown.
 */
export type Crisis = "no" | "possible" | "likely";
export type CrisisFinder = (message: string) => Promise<Crisis>;

/** Minimum probabilities of each level. */
export interface CrisisCuts {
  readonly possible: number;
  readonly likely: number;
}

export interface CrisisParts {
  /** First-stage model on `crisisFeatures` with the bundled encoder. */
  readonly firstStage: { readonly chance: (features: readonly number[]) => number; readonly readFrom: number; readonly cuts: CrisisCuts };
  /** Second-stage model on the cross-encoder's vector. */
  readonly read: { readonly chance: (vector: Float32Array) => number; readonly cuts: CrisisCuts };
  readonly encoder: { readonly embedSync: (texts: readonly string[]) => Float32Array[] };
  /** `null`: the cross-encoder is not available and the first-stage score decides. */
  readonly reader: ReadTexts | null;
}

/**
 * Scores the sentences of a message and the message as a whole, runs the cross-encoder on those with a high first-stage
 * score, and returns the most severe level. Trained on purpose-written cases (`lab/train/crisis`).
 */
export function createCrisisFinder({ firstStage, read, encoder, reader }: CrisisParts): CrisisFinder {
  const firstStageScore = (text: string): number =>
    firstStage.chance(Array.from(crisisFeatures(text, encoder.embedSync([text])[0] as Float32Array)));
  return async (message) => {
    const scored = piecesOf(message).map((text) => ({ text, chance: firstStageScore(text) }));
    const alarming = scored.filter(({ chance }) => chance >= firstStage.readFrom).sort((a, b) => b.chance - a.chance);
    if (alarming.length === 0) return "no";
    const texts = alarming.slice(0, MOST_READ).map(({ text }) => text);
    // Never cancelled: the hotline must be shown even if the user stops waiting, and the next message may be the same.
    const readings = reader === null ? null : await reader(texts, new AbortController().signal);
    if (readings === null) return named(Math.max(...alarming.map(({ chance }) => chance)), firstStage.cuts);
    return named(Math.max(...readings.map(({ vector }) => read.chance(vector))), read.cuts);
  };
}

/** Returns the sentences of a message and the message as a whole. */
export function piecesOf(message: string): string[] {
  const sentences = message.split(/[.!?…\n]+/).filter((sentence) => /\p{L}/u.test(sentence));
  return sentences.length > 1 ? [...sentences.slice(0, MOST_SENTENCES), message.slice(0, 2_000)] : sentences;
}

function named(chance: number, cuts: CrisisCuts): Crisis {
  if (chance >= cuts.likely) return "likely";
  return chance >= cuts.possible ? "possible" : "no";
}
