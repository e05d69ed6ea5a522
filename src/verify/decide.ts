import type { GateSettings } from "../profiles/profile.ts";
import type { Evidence, Refusal, Warning } from "../types.ts";
import { reaches } from "./scale.ts";
import type { Sufficiency } from "./sufficiency.ts";

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

/** Where the share of words judges: a passage of a question that tells a story holds a small share of its words, so what holds this share of the best one's is used too. */
const SHARE_OF_BEST = 0.6;
/** Below this part of the threshold nothing relevant was found, above it too little. */
const NOTHING_BELOW = 0.25;

/**
 * Answer or refuse: pure rules of the profile over the verdicts.
 * @param sufficiency how likely the evidence answers, for the gate that decides by it; `null`: nothing was found
 * @param followUp does the question lean on the conversation before?
 */
export function decide(
  evidence: readonly Evidence[],
  gate: GateSettings,
  sufficiency: Sufficiency | null = null,
  followUp = false,
): Decision {
  if (evidence.length === 0) return refuse(null, "nothing_relevant");
  const verified = evidence.filter(({ verdict }) => verdict === "verified");
  const best = Math.max(...evidence.map(({ score }) => score));
  switch (gate.type) {
    case "sufficiency":
      return sufficiency === null ? refuse(null, "nothing_relevant") : decideByChance(evidence, gate.answer, sufficiency, followUp);
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

/** Where words alone judged the passages, history says what a question is about, and a follow-up needs a passage that holds its own words too. */
function decideByChance(
  evidence: readonly Evidence[],
  ownWords: number,
  { probability, minimum, confidence, calibrated }: Sufficiency,
  followUp: boolean,
): Decision {
  const judged = { chance: probability, calibrated };
  const tooWeak = { ...refuse(confidence, "evidence_too_weak"), ...judged };
  const best = Math.max(...evidence.map(({ held, score }) => held ?? score));
  const byWords = evidence.some(({ held }) => held === undefined);
  if (probability < minimum) return probability < NOTHING_BELOW * minimum ? { ...tooWeak, reason: "nothing_relevant" } : tooWeak;
  if (followUp && byWords && best < ownWords) return tooWeak;
  const usable = evidence.filter(
    ({ verdict, held, score }) => verdict !== "rejected" || (held === undefined && score >= SHARE_OF_BEST * best),
  );
  if (usable.length === 0) return tooWeak;
  return { ...accept(confidence, usable), ...judged };
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
