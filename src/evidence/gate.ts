import { carryThreshold, RAW_SCALE, type ScoreScale } from "../models/calibration/calibration.ts";
import { VERDICT_CUTS } from "../profiles/guards.ts";
import type { GateSettings } from "../profiles/profile.ts";
import type { Evidence, Passage, Refusal, Verdict, Warning } from "../shared/types.ts";
import { type Compared, NOT_COMPARED, type PassageComparison, withComparison } from "./compare-passages.ts";

/**
 * Converts the cosine thresholds of a gate to the scale of the current encoder. If `learned` is true, passages get the
 * confidence of the learned model; gates with separate thresholds for that confidence then use those, unconverted.
 * Other thresholds stay unchanged, because `verifyPassages` converts the scores that these gates compare.
 */
export function carryGate(gate: GateSettings, { threshold }: Pick<ScoreScale, "threshold">, learned = false): GateSettings {
  switch (gate.type) {
    case "similarity":
      return {
        ...gate,
        ...{ minimum: threshold(gate.minimum), weak: threshold(gate.weak), warn: threshold(gate.warn) },
        veryWeak: gate.veryWeak === null ? null : threshold(gate.veryWeak),
      };
    case "guard":
      return learned ? { ...gate, ...gate.learned, by: "probability" } : gate;
    case "best-similarity":
      return learned
        ? { ...gate, by: "probability", minimum: gate.probability }
        : { ...gate, by: "cosine", minimum: threshold(gate.minimum) };
    default:
      return gate;
  }
}

/** Checks whether the profile compares cosines with thresholds. */
export function usesCosines(gate: GateSettings): boolean {
  return gate.type !== "sufficiency" && gate.type !== "none";
}

/** Tolerance at a threshold, because cosines are computed in single precision. */
const ROUNDING = 1e-6;

export function reaches(score: number, threshold: number): boolean {
  return score >= threshold - ROUNDING;
}

/** Confidence (0 to 1) of the best candidate of each passage, keyed by `sid`. Passages without candidates are missing. */
export type PassageRelevance = ReadonlyMap<string, number>;

/** Minimum scores for the verdicts `verified` and `uncertain`, if a language model scored the passage. Below both, it is rejected. */
const MODEL_CUTS = { verified: 0.6, uncertain: 0.3 };

/**
 * Gives every passage a verdict before anything is written. The result keeps the order of the passages.
 * @param compared results of comparing the passages; without it, consistency and agreement are not scored
 * @param relevance learned relevance, for gates that use it; `null`: cosines alone count
 */
export function verifyPassages(
  passages: readonly Passage[],
  gate: GateSettings,
  scale: Pick<ScoreScale, "score"> = RAW_SCALE,
  compared: Compared = NOT_COMPARED,
  relevance: PassageRelevance | null = null,
): Evidence[] {
  return passages.map((passage) => {
    const comparison = compared.of(passage);
    return withComparison(judge(passage, gate, scale, comparison, relevance?.get(passage.sid)), comparison, gate);
  });
}

/** @param confidence confidence of the passage's best candidate; it counts only if no language model has scored the passage */
function judge(
  passage: Passage,
  gate: GateSettings,
  scale: Pick<ScoreScale, "score">,
  { consistency, agreement, outlier, relevance: byModel }: PassageComparison,
  confidence: number | undefined,
): Evidence {
  const { dense, cross } = passage.scores;
  /** The cosine, converted to the scale of the model for which the thresholds of the profile were chosen. */
  const carried = dense === null ? null : unit(scale.score(dense));
  const ofBest = `the confidence that its best sentence, list item or row answers the question is ${confidence?.toFixed(2)}`;
  const learned = byModel ?? (confidence === undefined ? null : { score: confidence, reason: ofBest });
  switch (gate.type) {
    case "sufficiency": {
      const score = learned?.score ?? 0;
      const cuts = byModel === undefined ? gate : MODEL_CUTS;
      const verdict = score >= cuts.verified ? "verified" : score >= cuts.uncertain ? "uncertain" : "rejected";
      return evidence(passage, verdict, learned?.score ?? null, score, learned?.reason ?? "the passage contains nothing to quote");
    }
    case "similarity": {
      const score = dense ?? 0;
      const verdict = reaches(score, gate.minimum) ? "verified" : "rejected";
      return evidence(passage, verdict, unit(dense), score, `cosine ${score.toFixed(2)}, minimum ${Number(gate.minimum.toFixed(3))}`);
    }
    case "guard": {
      const read = cross ?? learned?.score ?? null;
      const score = guardScore(carried, unit(read), gate);
      const verdict = score !== null && reaches(score, gate.perPassage) ? "verified" : "rejected";
      const by = gate.by === "probability" && learned !== null ? `; ${learned.reason}` : "";
      const reason = `guard ${(score ?? 0).toFixed(2)}, minimum ${gate.perPassage}${by}`;
      return evidence({ ...passage, scores: { ...passage.scores, cross: read } }, verdict, carried, score ?? 0, reason);
    }
    case "v-score": {
      const relevance = byModel?.score ?? (confidence === undefined ? carried : carryRelevance(confidence, gate));
      const parts = { relevance, consistency: consistency.score, agreement: agreement.score };
      const score = scoreOf(parts, gate.rejected, outlier);
      const verdict = outlier || !reaches(score, gate.rejected) ? "rejected" : reaches(score, gate.verified) ? "verified" : "uncertain";
      const scored = Object.entries(parts).flatMap(([name, value]) => (value === null ? [] : [name]));
      const reason = learned?.reason ?? cosineReason(dense, carried);
      return evidence(passage, verdict, relevance, score, `V-score ${score.toFixed(2)}, geometric mean of ${scored.join(", ")}; ${reason}`);
    }
    case "best-similarity": {
      if (gate.by !== "probability" || learned === null)
        return evidence(passage, "verified", unit(dense), dense ?? 0, "the highest cosine of all passages decides");
      const { score, reason } = learned;
      return evidence(passage, "verified", score, score, `the highest confidence of all passages decides; here, ${reason}`);
    }
    case "none":
      return evidence(passage, "verified", unit(dense), dense ?? passage.scores.fused, "this profile uses every passage that was found");
    default:
      return gate satisfies never;
  }
}

/**
 * Converts the confidence of a passage's best candidate to a relevance for the V-score. The thresholds then correspond:
 * with consistency 1 and unknown agreement, the V-score reaches a threshold of the gate exactly if the confidence
 * reaches the threshold of the default profile for the same verdict.
 */
function carryRelevance(confidence: number, { verified, rejected }: { readonly verified: number; readonly rejected: number }): number {
  const { verified: sure, uncertain: possible } = VERDICT_CUTS;
  return carryThreshold(confidence, [0, possible, sure, 1], [0, rejected ** 2, verified ** 2, 1]);
}

function cosineReason(dense: number | null, carried: number | null): string {
  if (dense === null || carried === null) return "the relevance could not be scored, because no encoder ranked the passage";
  return `the relevance is ${carried.toFixed(2)}, from a cosine of ${dense.toFixed(2)} between question and passage`;
}

/**
 * Computes `relevanceWeight·rel + crossWeight·cross`, the score of the published `spark` design (docs/profiles.md). If
 * one score is missing, the other score alone is the result.
 * @returns `null` if both are missing
 */
function guardScore(
  relevance: number | null,
  cross: number | null,
  { relevanceWeight, crossWeight }: { relevanceWeight: number; crossWeight: number },
): number | null {
  if (relevance === null || cross === null) return relevance ?? cross;
  return (relevanceWeight * relevance + crossWeight * cross) / (relevanceWeight + crossWeight);
}

/** Returns the V-score. A single contradicting passage cannot cause a rejection: one against one is no majority. */
function scoreOf(parts: Parameters<typeof vScore>[0], rejected: number, outlier: boolean): number {
  const score = vScore(parts) ?? 0;
  return outlier ? score : Math.max(score, Math.min(vScore({ ...parts, agreement: null }) ?? 0, rejected));
}

/**
 * Computes the V-score of the published `vg-rag` design (docs/profiles.md): the geometric mean, with equal weights, of
 * the known scores. The design gives neither the weights nor the kind of mean. The arithmetic mean of relevance 0 and
 * consistency 1 would be .5, which is above the rejection threshold .4 of the profile. A clear passage that does not
 * answer could then not be rejected. Returns `null` if no score is known.
 */
export function vScore(parts: Readonly<Record<"relevance" | "consistency" | "agreement", number | null>>): number | null {
  const scores = Object.values(parts).filter((score) => score !== null);
  return scores.length === 0 ? null : scores.reduce((product, score) => product * score, 1) ** (1 / scores.length);
}

function evidence(passage: Passage, verdict: Verdict, relevance: number | null, score: number, reason: string): Evidence {
  return { passage, verdict, relevance, consistency: null, agreement: null, score, reason };
}

/** Clamps a score to the range 0 to 1. */
function unit(score: number | null): number | null {
  return score === null ? null : Math.min(1, Math.max(0, score));
}

/** Answerability: the probability that the best quote answers the question, and the threshold. */
export interface Sufficiency {
  /** From 0 to 1. */
  readonly probability: number;
  /** Minimum probability for an answer. */
  readonly minimum: number;
  /** Confidence shown with the answer. */
  readonly confidence: number;
  /** True if the threshold was fitted on labelled questions of the domain. */
  readonly calibrated: boolean;
  /** Whether retrieval used vectors or words alone. */
  readonly model: "vectors" | "words";
  /** Explanation in one line. */
  readonly reason: string;
}

export interface Decision {
  readonly answer: boolean;
  /** From 0 to 1; `null` if there was nothing to judge. */
  readonly confidence: number | null;
  /** Uncalibrated confidence, 0 to 1, of a `sufficiency` gate; `null` for other gates, or if nothing was judged. */
  readonly probability: number | null;
  /** True if the threshold was fitted on labelled questions of the domain. */
  readonly calibrated: boolean;
  /** Whether the answer may consist of quotes. `false`: the confidence is below the answer threshold, so only a model may answer. */
  readonly quotable: boolean;
  /** Evidence that the answer may use, in the order of retrieval; under the `guard` gate best first. */
  readonly usable: readonly Evidence[];
  readonly warnings: readonly Warning[];
  readonly reason: Refusal["reason"] | null;
}

/**
 * A refusal with a confidence below this fraction of the threshold says that nothing relevant was found; above it, that
 * the evidence is too weak.
 */
const NOTHING_BELOW = 0.25;

/**
 * Decides whether to answer or refuse, by the gate of the profile.
 * @param sufficiency answerability, used only by a `sufficiency` gate; `null`: nothing was found
 * @param hasModel whether a model writes, which needs less confidence than quotes
 */
export function decideByGate(
  evidence: readonly Evidence[],
  gate: GateSettings,
  sufficiency: Sufficiency | null = null,
  hasModel = false,
): Decision {
  if (evidence.length === 0) return refuse(null, "nothing_relevant");
  const verified = evidence.filter(({ verdict }) => verdict === "verified");
  const best = Math.max(...evidence.map(({ score }) => score));
  switch (gate.type) {
    case "sufficiency":
      return sufficiency === null
        ? refuse(null, "nothing_relevant")
        : decideByProbability(evidence, sufficiency, hasModel ? gate.writeFrom : undefined);
    case "similarity": {
      const tooWeak = gate.veryWeak !== null && (!reaches(best, gate.veryWeak) || verified.length === 0);
      if (tooWeak) return refuse(best, "evidence_too_weak");
      const warnings = reaches(best, gate.weak) ? [] : [weakWarning(best, !reaches(best, gate.warn))];
      return { ...accept(best, verified.length === 0 ? evidence : verified), warnings };
    }
    case "guard": {
      if (verified.length === 0) return refuse(best, "nothing_relevant");
      const mean = verified.reduce((sum, { score }) => sum + score, 0) / verified.length;
      const kept = [...verified].sort((a, b) => b.score - a.score).slice(0, gate.keep);
      return reaches(mean, gate.aggregate) ? accept(mean, kept) : refuse(mean, "evidence_too_weak");
    }
    case "v-score":
      return verified.length > 0 ? accept(best, verified) : refuse(best, "evidence_too_weak");
    case "best-similarity":
      return reaches(best, gate.minimum) ? accept(best, evidence) : refuse(best, "nothing_relevant");
    case "none":
      return accept(best, evidence);
    default:
      return gate satisfies never;
  }
}

function decideByProbability(
  evidence: readonly Evidence[],
  { probability, minimum, confidence, calibrated }: Sufficiency,
  writeFrom = minimum,
): Decision {
  const judged = { probability, calibrated };
  const tooWeak = { ...refuse(confidence, "evidence_too_weak"), ...judged };
  if (probability < Math.min(minimum, writeFrom))
    return probability < NOTHING_BELOW * minimum ? { ...tooWeak, reason: "nothing_relevant" } : tooWeak;
  const usable = evidence.filter(({ verdict }) => verdict !== "rejected");
  return usable.length === 0 ? tooWeak : { ...accept(confidence, usable), ...judged, quotable: probability >= minimum };
}

const UNCALIBRATED = { probability: null, calibrated: false, warnings: [] };

function accept(score: number, usable: readonly Evidence[]): Decision {
  return { ...UNCALIBRATED, answer: true, confidence: unit(score), quotable: true, usable, reason: null };
}

function refuse(score: number | null, reason: Refusal["reason"]): Decision {
  return { ...UNCALIBRATED, answer: false, confidence: unit(score), quotable: false, usable: [], reason };
}

function weakWarning(best: number, prefix: boolean): Warning {
  return prefix
    ? {
        code: "low_confidence",
        message: `Note: the sources may not fully cover this topic (internal confidence ${(best * 100).toFixed(1)} %). Please verify with the official source.`,
      }
    : {
        code: "weak_retrieval",
        message: `The best passage matches the question only weakly (score ${best.toFixed(2)}). Read it before you rely on the answer.`,
      };
}

/**
 * Returns the distance of the gate's score from its threshold; negative for a refusal.
 * @returns `null` if there was nothing to judge, or if the gate has no threshold
 */
export function decisionMarginOf(
  { confidence }: Pick<Decision, "confidence">,
  gate: GateSettings,
  sufficiency: Sufficiency | null,
): number | null {
  if (confidence === null) return null;
  switch (gate.type) {
    case "sufficiency":
      return sufficiency === null ? null : sufficiency.probability - sufficiency.minimum;
    case "similarity":
      return gate.veryWeak === null ? null : confidence - gate.veryWeak;
    case "guard":
      return confidence - gate.aggregate;
    case "v-score":
      return confidence - gate.verified;
    case "best-similarity":
      return confidence - gate.minimum;
    case "none":
      return null;
    default:
      return gate satisfies never;
  }
}
