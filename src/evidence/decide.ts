import type { ScoreScale } from "../models/calibration/calibration.ts";
import type { GateSettings } from "../profiles/profile.ts";
import type { Evidence, Refusal, Warning } from "../shared/types.ts";

/**
 * A gate whose thresholds are compared with cosines, on the cosines of the encoder at hand, or on the learned chance where there is one. Where a gate combines
 * scores, `verifyPassages` carries the score.
 */
export function carryGate(gate: GateSettings, { threshold }: Pick<ScoreScale, "threshold">, learned = false): GateSettings {
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
      return learned ? { ...gate, ...gate.learned, by: "chance" } : gate;
    case "best-similarity":
      return learned ? { ...gate, by: "chance", minimum: gate.chance } : { ...gate, by: "cosine", minimum: threshold(gate.minimum) };
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

/** How likely the best quote answers the question, beside the threshold. */
export interface Sufficiency {
  /** 0–1. */
  readonly probability: number;
  /** From here on the question is answered. */
  readonly minimum: number;
  /** What is said of it in the answer. */
  readonly confidence: number;
  /** Was the minimum fitted on labelled questions of the domain? */
  readonly calibrated: boolean;
  /** Did vectors take part in the retrieval, or words alone? */
  readonly model: "vectors" | "words";
  /** One line for people. */
  readonly reason: string;
}

export interface Decision {
  readonly answer: boolean;
  /** 0–1; `null` when there was nothing to judge. */
  readonly confidence: number | null;
  /** Learned chance that the evidence answers, as it was before any calibration; `null`: the gate does not go by it. */
  readonly chance: number | null;
  /** Was the threshold fitted on labelled questions of the domain? */
  readonly calibrated: boolean;
  /** What the writer may use, best first. */
  readonly usable: readonly Evidence[];
  readonly warnings: readonly Warning[];
  readonly reason: Refusal["reason"] | null;
}

/** Below this part of the threshold nothing relevant was found, above it too little. */
const NOTHING_BELOW = 0.25;

/**
 * Answer or refuse: pure rules of the profile over the verdicts.
 * @param sufficiency how likely the evidence answers, for the gate that decides by it; `null`: nothing was found
 */
export function decide(evidence: readonly Evidence[], gate: GateSettings, sufficiency: Sufficiency | null = null): Decision {
  if (evidence.length === 0) return refuse(null, "nothing_relevant");
  const verified = evidence.filter(({ verdict }) => verdict === "verified");
  const best = Math.max(...evidence.map(({ score }) => score));
  switch (gate.type) {
    case "sufficiency":
      return sufficiency === null ? refuse(null, "nothing_relevant") : decideByChance(evidence, sufficiency);
    case "similarity": {
      const tooWeak = gate.veryWeak !== null && (!reaches(best, gate.veryWeak) || verified.length === 0);
      if (tooWeak) return refuse(clamp(best), "evidence_too_weak");
      const warnings = reaches(best, gate.weak) ? [] : [weakWarning(best, !reaches(best, gate.warn))];
      return { ...accept(clamp(best), verified.length === 0 ? evidence : verified), warnings };
    }
    case "guard": {
      if (verified.length === 0) return refuse(clamp(best), "nothing_relevant");
      const mean = verified.reduce((sum, { score }) => sum + score, 0) / verified.length;
      const kept = [...verified].sort((a, b) => b.score - a.score).slice(0, gate.keep);
      return reaches(mean, gate.aggregate) ? accept(clamp(mean), kept) : refuse(clamp(mean), "evidence_too_weak");
    }
    case "v-score":
      return verified.length > 0 ? accept(clamp(best), verified) : refuse(clamp(best), "evidence_too_weak");
    case "best-similarity":
      return reaches(best, gate.minimum) ? accept(clamp(best), evidence) : refuse(clamp(best), "nothing_relevant");
    case "none":
      return accept(clamp(best), evidence);
    default:
      return gate satisfies never;
  }
}

function decideByChance(evidence: readonly Evidence[], { probability, minimum, confidence, calibrated }: Sufficiency): Decision {
  const judged = { chance: probability, calibrated };
  const tooWeak = { ...refuse(confidence, "evidence_too_weak"), ...judged };
  if (probability < minimum) return probability < NOTHING_BELOW * minimum ? { ...tooWeak, reason: "nothing_relevant" } : tooWeak;
  const usable = evidence.filter(({ verdict }) => verdict !== "rejected");
  return usable.length === 0 ? tooWeak : { ...accept(confidence, usable), ...judged };
}

function accept(confidence: number, usable: readonly Evidence[]): Decision {
  return { answer: true, confidence, chance: null, calibrated: false, usable, warnings: [], reason: null };
}

function refuse(confidence: number | null, reason: Refusal["reason"]): Decision {
  return { answer: false, confidence, chance: null, calibrated: false, usable: [], warnings: [], reason };
}

function weakWarning(best: number, prefix: boolean): Warning {
  return prefix
    ? {
        code: "low_confidence",
        message: `Note: the sources may not fully cover this topic (internal confidence ${(best * 100).toFixed(1)} %). Please verify with the official source.`,
      }
    : { code: "weak_retrieval", message: `The best passage matches only weakly (${best.toFixed(2)}).` };
}

function clamp(score: number): number {
  return Math.min(1, Math.max(0, score));
}

/**
 * How far what a gate judged by lies above the least with which it answers: below 0 it refuses.
 * @returns `null` where there was nothing to judge, or where the gate asks for nothing
 */
export function headroomOf(
  { confidence }: Pick<Decision, "confidence">,
  gate: GateSettings,
  sufficiency: Sufficiency | null,
): number | null {
  if (confidence === null) return null;
  if (gate.type === "sufficiency" && sufficiency !== null) return sufficiency.probability - sufficiency.minimum;
  const least = leastOf(gate);
  return least === null ? null : confidence - least;
}

function leastOf(gate: GateSettings): number | null {
  switch (gate.type) {
    case "sufficiency":
    case "none":
      return null;
    case "similarity":
      return gate.veryWeak;
    case "guard":
      return gate.aggregate;
    case "v-score":
      return gate.verified;
    case "best-similarity":
      return gate.minimum;
    default:
      return gate satisfies never;
  }
}
