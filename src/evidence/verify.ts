import { RAW_SCALE, type ScoreScale } from "../models/calibration/calibration.ts";
import type { GateSettings } from "../profiles/profile.ts";
import type { Evidence, Passage, Verdict } from "../shared/types.ts";
import { type Compared, NOT_COMPARED, type PassageComparison, withComparison } from "./compare-passages.ts";
import type { Explained } from "./consistency.ts";
import { reaches } from "./decide.ts";

/** How likely each passage answers by its best candidate, 0 to 1, by sid. A passage without anything that could be quoted is missing. */
export type PassageRelevance = ReadonlyMap<string, number>;

/** From here on a passage that a model judged is verified, or uncertain. */
const MODEL_CUTS = { verified: 0.6, uncertain: 0.3 };

/**
 * The evidence gate, before anything is written: a verdict for every passage, in the order of the passages.
 * @param compared what the passages say of each other; without it consistency and agreement are not scored
 * @param relevance for the gates that go by it; `null`: cosines alone count
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
    const learned = learnedOf(passage, relevance, comparison);
    const judged =
      gate.type === "sufficiency"
        ? judgeOurs(passage, gate, comparison, learned)
        : judgeByScores(passage, gate, scale, comparison, learned);
    return withComparison(judged, comparison, gate);
  });
}

/** Our own gate: what a model says, else the chance of the passage's best candidate. */
function judgeOurs(
  passage: Passage,
  gate: Extract<GateSettings, { readonly type: "sufficiency" }>,
  { relevance: byModel }: PassageComparison,
  learned: (Explained & { score: number }) | null,
): Evidence {
  const score = learned?.score ?? 0;
  const cuts = byModel === undefined ? gate : MODEL_CUTS;
  const verdict = score >= cuts.verified ? "verified" : score >= cuts.uncertain ? "uncertain" : "rejected";
  return evidence(passage, verdict, learned?.score ?? null, score, learned?.reason ?? "nothing in it can be quoted");
}

/** Does a passage answer, as a model says or by its best candidate; `null`: neither is known, the cosine counts. */
function learnedOf(
  { sid }: Passage,
  relevance: PassageRelevance | null,
  { relevance: byModel }: PassageComparison,
): (Explained & { score: number }) | null {
  if (byModel !== undefined) return byModel;
  const score = relevance?.get(sid);
  return score === undefined ? null : { score, reason: `${score.toFixed(2)} likely that its best sentence, list or row answers` };
}

/** The gates of the source designs. */
function judgeByScores(
  passage: Passage,
  gate: Exclude<GateSettings, { readonly type: "sufficiency" }>,
  scale: Pick<ScoreScale, "score">,
  { consistency, agreement, outlier }: PassageComparison,
  learned: (Explained & { score: number }) | null,
): Evidence {
  const { dense, cross } = passage.scores;
  /** The cosine on the scale of the model whose scores the gate combines. */
  const carried = dense === null ? null : unit(scale.score(dense));
  switch (gate.type) {
    case "similarity": {
      const score = dense ?? 0;
      const verdict = reaches(score, gate.minimum) ? "verified" : "rejected";
      return evidence(passage, verdict, unit(dense), score, `cosine ${score.toFixed(2)}, kept from ${Number(gate.minimum.toFixed(3))}`);
    }
    case "guard": {
      const read = cross ?? learned?.score ?? null;
      const score = guardScore(carried, unit(read), gate);
      const verdict = score !== null && reaches(score, gate.perPassage) ? "verified" : "rejected";
      const by = gate.by === "chance" && learned !== null ? `; ${learned.reason}` : "";
      const reason = `guard ${(score ?? 0).toFixed(2)}, kept from ${gate.perPassage}${by}`;
      return evidence({ ...passage, scores: { ...passage.scores, cross: read } }, verdict, carried, score ?? 0, reason);
    }
    case "v-score": {
      const relevance = learned?.score ?? carried;
      const parts = { relevance, consistency: consistency.score, agreement: agreement.score };
      const score = scoreOf(parts, gate.rejected, outlier);
      const verdict = outlier || !reaches(score, gate.rejected) ? "rejected" : reaches(score, gate.verified) ? "verified" : "uncertain";
      const scored = Object.entries(parts).flatMap(([name, value]) => (value === null ? [] : [name]));
      const reason = learned?.reason ?? cosineReason(dense, carried);
      return evidence(passage, verdict, relevance, score, `V ${score.toFixed(2)}, the geometric mean of ${scored.join(", ")}; ${reason}`);
    }
    case "best-similarity":
      return gate.by === "chance" && learned !== null
        ? evidence(passage, "verified", learned.score, learned.score, `the best chance of all decides; ${learned.reason}`)
        : evidence(passage, "verified", unit(dense), dense ?? 0, "the best cosine of all decides");
    case "none":
      return evidence(passage, "verified", unit(dense), dense ?? passage.scores.fused, "no gate for single passages in this profile");
    default:
      return gate satisfies never;
  }
}

function cosineReason(dense: number | null, carried: number | null): string {
  if (dense === null || carried === null) return "relevance not scored: no encoder ranked it";
  return `relevance ${carried.toFixed(2)}: cosine ${dense.toFixed(2)} of question and passage`;
}

/**
 * `relevanceWeight·rel + crossWeight·cross` (`spark` source, section 2.3). A score that is missing is left out and the other weights are renormalised.
 * @returns `null` when both are missing
 */
export function guardScore(
  relevance: number | null,
  cross: number | null,
  { relevanceWeight, crossWeight }: { relevanceWeight: number; crossWeight: number },
): number | null {
  const parts = [
    { weight: relevanceWeight, value: relevance },
    { weight: crossWeight, value: cross },
  ].filter((part): part is { weight: number; value: number } => part.value !== null);
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  return total === 0 ? null : parts.reduce((sum, { weight, value }) => sum + weight * value, 0) / total;
}

/** V; that one other passage says otherwise makes a passage uncertain at least: one against one is no majority. */
function scoreOf(parts: Parameters<typeof vScore>[0], rejected: number, outlier: boolean): number {
  const score = vScore(parts) ?? 0;
  return outlier ? score : Math.max(score, Math.min(vScore({ ...parts, agreement: null }) ?? 0, rejected));
}

/**
 * `vg-rag`: geometric mean of the scores that exist, with equal weights. The source states neither weights nor how they are put together; in an arithmetic mean
 * a passage that does not answer at all, but reads well, has .5 and can never be rejected. `null` when none exists.
 */
export function vScore(parts: Readonly<Record<"relevance" | "consistency" | "agreement", number | null>>): number | null {
  const scores = Object.values(parts).filter((score) => score !== null);
  return scores.length === 0 ? null : scores.reduce((product, score) => product * score, 1) ** (1 / scores.length);
}

function evidence(passage: Passage, verdict: Verdict, relevance: number | null, score: number, reason: string): Evidence {
  return { passage, verdict, relevance, consistency: null, agreement: null, score, reason };
}

/** A cosine as a score in 0–1. */
function unit(score: number | null): number | null {
  return score === null ? null : Math.min(1, Math.max(0, score));
}
