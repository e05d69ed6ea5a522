import { RAW_SCALE, type ScoreScale } from "../models/calibration/calibration.ts";
import type { Hit } from "../remember/hit.ts";
import type { CheckResult, Conflict, Evidence, ModelCall, Refusal, Warning, WebEvidence } from "../types.ts";
import type { Decision } from "../verify/decide.ts";
import type { Choice } from "../write/choice.ts";
import type { Found } from "./retrieve.ts";
import { nothingWritten, type Written } from "./write.ts";

/** What a question has come to so far. `answer` alone writes it, with what each stage returns. */
export interface Outcome {
  readonly warnings: Warning[];
  readonly checks: CheckResult[];
  /** Every call of a model in order. */
  readonly calls: ModelCall[];
  embedding: Found["embedding"];
  scale: ScoreScale;
  evidence: readonly Evidence[];
  conflicts: readonly Conflict[];
  /** `null`: the web was not asked. */
  web: readonly WebEvidence[] | null;
  decision: Decision;
  /** What the passages hold, the likeliest first; `null`: nothing was chosen yet. */
  choice: Choice | null;
  /** How far above the least that answers; `null`: not known. */
  headroom: number | null;
  written: Written;
  refusal: Refusal | null;
  /** The stored answer that is served instead. */
  hit: Hit | null;
}

export function createOutcome(): Outcome {
  return {
    warnings: [],
    checks: [],
    calls: [],
    embedding: null,
    scale: RAW_SCALE,
    evidence: [],
    conflicts: [],
    web: null,
    decision: { answer: false, confidence: null, chance: null, calibrated: false, usable: [], warnings: [], reason: "nothing_relevant" },
    choice: null,
    headroom: null,
    written: nothingWritten(),
    refusal: null,
    hit: null,
  };
}
