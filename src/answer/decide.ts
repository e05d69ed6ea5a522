import type { ScoreScale } from "../models/calibration/calibration.ts";
import type { Profile } from "../profiles/profile.ts";
import type { Evidence, Question } from "../types.ts";
import { applyThreshold, type GateThreshold } from "../verify/calibration.ts";
import { type Decision, decide as decideByGate } from "../verify/decide.ts";
import { headroomOf } from "../verify/headroom.ts";
import type { LearnedParts } from "../verify/relevance.ts";
import { carryGate, usesCosines } from "../verify/scale.ts";
import { judgeSufficiency, type Sufficiency } from "../verify/sufficiency.ts";
import type { EvidenceView } from "../verify/sufficiency-view.ts";
import type { StageLog } from "./trace.ts";

export interface DecideParts {
  readonly corpus: { readonly windows: number };
  readonly profile: Profile;
  /** Loaded when a gate first asks. */
  readonly sufficiency: () => LearnedParts;
  /** From which chance on that gate answers. */
  readonly threshold: GateThreshold;
}

/** What is decided on. */
export interface Weighed {
  readonly question: Question;
  readonly evidence: readonly Evidence[];
  /** The passages as the learned gate reads them; `null`: none did. */
  readonly view: EvidenceView | null;
  /** Id of the encoder that ranked; `null`: words alone did. */
  readonly ranker: string | null;
  readonly scale: ScoreScale;
}

export interface Decided {
  readonly decision: Decision;
  /** How far above the least that answers; `null`: not known. */
  readonly headroom: number | null;
}

/** Answer or refuse, with the threshold that holds for this question. */
export function decide(weighed: Weighed, parts: DecideParts, log: StageLog): Decided {
  const { question, evidence, scale } = weighed;
  const gate = carryGate(parts.profile.gate, scale);
  const sufficiency = applyCalibration(weighed, parts, log);
  const made = decideByGate(evidence, gate, sufficiency, question.text !== question.resolved);
  if (sufficiency !== null) {
    log.fact("minimum", Number(sufficiency.minimum.toFixed(4)));
    log.fact("weights", sufficiency.model);
    log.fact("chance", sufficiency.probability);
    log.notice("sufficiency", sufficiency.reason);
  }
  if (usesCosines(gate)) {
    log.fact("thresholds", scale.type);
    if (gate.type === "similarity" || gate.type === "best-similarity") log.fact("minimum", Number(gate.minimum.toFixed(4)));
    if (scale.note !== null) log.notice(`thresholds_${scale.type}`, scale.note);
  }
  const decision =
    question.injectionSignals.length === 0 ? made : { ...made, answer: false, usable: [], warnings: [], reason: "injection" as const };
  log.fact("answer", decision.answer);
  log.fact("confidence", decision.confidence);
  log.fact("calibrated", decision.calibrated);
  return { decision, headroom: headroomOf(made, gate, sufficiency) };
}

/** How likely the evidence answers, and the threshold that holds; why a calibration does not, and that it may be out of date, is said. */
function applyCalibration({ view, evidence, ranker }: Weighed, { sufficiency, threshold, corpus }: DecideParts, log: StageLog) {
  const { windows } = corpus;
  const judged: Sufficiency | null = view === null ? null : judgeSufficiency(view, sufficiency(), { windows, ranker });
  const at = judged === null ? null : applyThreshold(judged, threshold, { ranker, windows });
  if (threshold.type === "calibrated") log.fact("calibration", threshold.calibration.name);
  if (threshold.type === "calibrated" && threshold.drift !== null) log.notice("calibration_drift", threshold.drift);
  const misfit =
    at?.misfit ??
    (judged === null && evidence.length > 0 && threshold.type === "calibrated" ? "the learned gate did not judge this question" : null);
  if (misfit !== null) log.notice("calibration_unused", `The calibration is not used, the shipped threshold is: ${misfit}.`);
  return at;
}
