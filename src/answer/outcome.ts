import type { AnswerEvent } from "../events.ts";
import { RAW_SCALE, type ScoreScale } from "../models/calibration/calibration.ts";
import type { Hit } from "../remember/recall.ts";
import type { Retrieved } from "../retrieve/retrieve.ts";
import type { CheckResult, Claim, Conflict, Evidence, Refusal, Warning, WebEvidence } from "../types.ts";
import type { Decision } from "../verify/decide.ts";
import type { EvidenceView } from "../verify/sufficiency-view.ts";
import { type AnswerSheet, createAnswerSheet } from "../write/sheet.ts";
import type { WriteOutcome } from "../write/write.ts";

/** What a fresh answer has become so far. */
export interface Outcome {
  readonly sheet: AnswerSheet;
  readonly claims: Claim[];
  readonly checks: CheckResult[];
  readonly warnings: Warning[];
  readonly written: WriteOutcome;
  /** What the question's vector cost at an endpoint. */
  embedding: Retrieved["embedding"];
  /** Id of the encoder that ranked; `null`: words alone did. */
  ranker: string | null;
  /** How inherited thresholds are read with the encoder that ranked. */
  scale: ScoreScale;
  evidence: readonly Evidence[];
  /** The passages as the learned gate reads them; `null`: none did. */
  view: EvidenceView | null;
  conflicts: readonly Conflict[];
  /** `null`: the web was not asked. */
  web: readonly WebEvidence[] | null;
  decision: Decision;
  /** How far above the least that answers; `null`: not known. */
  headroom: number | null;
  refusal: Refusal | null;
  /** The stored answer that is served instead. */
  hit: Hit | null;
}

export function createOutcome(): Outcome {
  return {
    sheet: createAnswerSheet(),
    claims: [],
    checks: [],
    warnings: [],
    written: { writer: "", insufficient: false, calls: [], warnings: [] },
    embedding: null,
    ranker: null,
    scale: RAW_SCALE,
    evidence: [],
    view: null,
    conflicts: [],
    web: null,
    decision: { answer: false, confidence: null, chance: null, calibrated: false, usable: [], warnings: [], reason: "nothing_relevant" },
    headroom: null,
    refusal: null,
    hit: null,
  };
}

/** Keeps warnings and yields them. */
export function* warn(outcome: Outcome, warnings: readonly Warning[]): Generator<AnswerEvent, void> {
  for (const warning of warnings) {
    outcome.warnings.push(warning);
    yield { type: "warning", warning };
  }
}
