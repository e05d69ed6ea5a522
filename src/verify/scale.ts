import type { ScoreScale } from "../models/calibration/calibration.ts";
import type { GateSettings } from "../profiles/profile.ts";

/** What judged the passages, where models that ship did: the learned chance that each answers, or the reader in the cross-encoder's place. */
export type ShippedJudge = "chance" | "reader";

/**
 * A gate whose thresholds are compared with cosines, on the cosines of the encoder at hand, or on what models that ship say where they judged. Where a gate combines
 * scores, `verifyPassages` carries the score.
 */
export function carryGate(
  gate: GateSettings,
  { threshold }: Pick<ScoreScale, "threshold">,
  judgedBy: ShippedJudge | null = null,
): GateSettings {
  switch (gate.type) {
    case "similarity":
      return {
        type: "similarity",
        minimum: threshold(gate.minimum),
        weak: threshold(gate.weak),
        veryWeak: gate.veryWeak === null ? null : threshold(gate.veryWeak),
        warn: threshold(gate.warn),
      };
    case "guard":
      return judgedBy === null ? gate : { ...gate, ...gate.carried[judgedBy], by: judgedBy };
    case "best-similarity":
      return judgedBy === "chance"
        ? { ...gate, by: "chance", minimum: gate.chance }
        : { ...gate, by: "cosine", minimum: threshold(gate.minimum) };
    default:
      return gate;
  }
}

/** Does the profile compare cosines with thresholds at all? */
export function usesCosines(gate: GateSettings): boolean {
  return gate.type !== "sufficiency" && gate.type !== "none";
}

/** Cosines come from numbers of single precision, and sums of products round: what lies this near a threshold is at it. */
const ROUNDING = 1e-6;

/** Is the score at the threshold or above? */
export function reaches(score: number, threshold: number): boolean {
  return score >= threshold - ROUNDING;
}
