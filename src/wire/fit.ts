/** How well the sources of an answer fit, in words. */
export type Fit = "well" | "partly" | "loosely";

/**
 * Chances from which the sources fit well and partly. `partly` is the threshold that ships; below it answers only who sets another. On eight collections
 * (115 answers at that threshold) 70 of 80 from .65 on were right, 29 of 35 below, and 38 of 82 from .30 to the threshold; on twenty others 249 of 280 and 61 of 94
 * (`node dist/lab/train/chooser/answers.js --data DATA --out answers.jsonl`, 2026-11-26).
 */
export const FIT_FROM = { well: 0.65, partly: 0.56 } as const;

/** The profile whose confidence is that chance. */
const LEARNED = "sourcebound";

/** Of a confidence that nobody fitted to the documents at hand; `null`: the method has another score, of which nothing was measured. */
export function fitOf(confidence: number, profile: string): Fit | null {
  if (profile !== LEARNED) return null;
  return confidence >= FIT_FROM.well ? "well" : confidence >= FIT_FROM.partly ? "partly" : "loosely";
}
