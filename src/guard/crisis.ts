import type { ReadTexts } from "../cross-encoder/reader.ts";

/** Places for hashed words and pairs of words beside the encoder's vector. */
const HASHED_FEATURES = 1024;
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

/** Sentences of one message that are looked at; a question has few, a body that is no request may have thousands. */
const MOST_SENTENCES = 60;
/** Of these, how many are read at most: those with the highest first-stage score. */
const MOST_READ = 8;

/** How a sentence begins that asks: the closed class of interrogative words and auxiliaries. */
const ASKING =
  /(?:^|[.!;,\n]\s*)(?:(?:so|and|but|or|ok|hi|please)\s+)*(?:who|whom|whose|what|whats|when|where|why|which|how|can|could|do|does|did|dont|doesnt|is|are|am|was|were|will|would|should|shall|may|might|must|has|have|had)\b/i;

/** Does a message ask anything? Whoever only says that they are at the end is not looking something up. */
export function asksAnything(message: string): boolean {
  return message.includes("?") || ASKING.test(message.replaceAll(/['’]/g, ""));
}

/**
 * Is a message one of somebody who may harm themselves, or of somebody who fears it of another? From `possible` on the hotline is shown: what is shown
 * needlessly costs a line. Beneath it nothing else is shown where it is `likely`.
 */
export type Crisis = "no" | "possible" | "likely";
export type CrisisFinder = (message: string) => Promise<Crisis>;

/** From which chances on a message is called what. */
export interface CrisisCuts {
  readonly possible: number;
  readonly likely: number;
}

export interface CrisisParts {
  /** The learned chance of what `crisisFeatures` sees with the encoder that ships. */
  readonly atAGlance: { readonly chance: (features: readonly number[]) => number; readonly readFrom: number; readonly cuts: CrisisCuts };
  /** The learned chance of the reader's vector. */
  readonly read: { readonly chance: (vector: Float32Array) => number; readonly cuts: CrisisCuts };
  readonly encoder: { readonly embedSync: (texts: readonly string[]) => Float32Array[] };
  /** `null`: the reader cannot be used, and the first-stage score decides. */
  readonly reader: ReadTexts | null;
}

/**
 * Looks at the sentences of a message and at the message as a whole, reads those with a high first-stage score, and the most alarming counts. Learned from cases
 * written for it (`lab/train/crisis`).
 */
export function createCrisisFinder({ atAGlance, read, encoder, reader }: CrisisParts): CrisisFinder {
  const glanceAt = (text: string): number =>
    atAGlance.chance(Array.from(crisisFeatures(text, encoder.embedSync([text])[0] as Float32Array)));
  return async (message) => {
    const glances = piecesOf(message).map((text) => ({ text, chance: glanceAt(text) }));
    const alarming = glances.filter(({ chance }) => chance >= atAGlance.readFrom).sort((a, b) => b.chance - a.chance);
    if (alarming.length === 0) return "no";
    const texts = alarming.slice(0, MOST_READ).map(({ text }) => text);
    // Never cancelled: whoever gives up waiting must be told all the same, and the next message may be the same.
    const readings = reader === null ? null : await reader(texts, new AbortController().signal);
    if (readings === null) return named(Math.max(...alarming.map(({ chance }) => chance)), atAGlance.cuts);
    return named(Math.max(...readings.map(({ vector }) => read.chance(vector))), read.cuts);
  };
}

/** The sentences of a message, and the message as a whole: what is looked at. */
export function piecesOf(message: string): string[] {
  const sentences = message.split(/[.!?…\n]+/).filter((sentence) => /\p{L}/u.test(sentence));
  return sentences.length > 1 ? [...sentences.slice(0, MOST_SENTENCES), message.slice(0, 2_000)] : sentences;
}

function named(chance: number, cuts: CrisisCuts): Crisis {
  if (chance >= cuts.likely) return "likely";
  return chance >= cuts.possible ? "possible" : "no";
}
