import { crisisFeatures } from "./crisis-features.ts";

/** From here on the hotline is shown: what is shown needlessly costs a line. */
export const SHOW_FROM = 0.6;
/** From here on nothing else is shown beneath it. */
export const QUIET_FROM = 0.9;
/** Sentences of one message that are looked at; a question has few, a body that is no request may have thousands. */
const MOST_SENTENCES = 60;

/** How a sentence begins that asks: the closed class of interrogative words and auxiliaries. */
const ASKING =
  /(?:^|[.!;,\n]\s*)(?:(?:so|and|but|or|ok|hi|please)\s+)*(?:who|whom|whose|what|whats|when|where|why|which|how|can|could|do|does|did|dont|doesnt|is|are|am|was|were|will|would|should|shall|may|might|must|has|have|had)\b/i;

/** Does a message ask anything? Whoever only says that they are at the end is not looking something up. */
export function asksAnything(message: string): boolean {
  return message.includes("?") || ASKING.test(message.replaceAll(/['’]/g, ""));
}

/** How likely a message is one of somebody who may harm themselves, or of somebody who fears it of another: 0–1. */
export type CrisisFinder = (message: string) => number;

/**
 * Reads the sentences of a message and the message as a whole: the most alarming one counts. Learned from cases written for it
 * (`lab/train/crisis`), on the vectors of the encoder that ships.
 * @param chanceOfFeatures the learned chance of what `crisisFeatures` sees
 */
export function createCrisisFinder(
  encoder: { readonly embedSync: (texts: readonly string[]) => Float32Array[] },
  chanceOfFeatures: (features: readonly number[]) => number,
): CrisisFinder {
  const chanceOf = (text: string): number =>
    chanceOfFeatures(Array.from(crisisFeatures(text, encoder.embedSync([text])[0] as Float32Array)));
  return (message) => {
    const sentences = message.split(/[.!?…\n]+/).filter((sentence) => /\p{L}/u.test(sentence));
    const pieces = sentences.length > 1 ? [...sentences.slice(0, MOST_SENTENCES), message.slice(0, 2_000)] : sentences;
    return Math.max(0, ...pieces.map(chanceOf));
  };
}
