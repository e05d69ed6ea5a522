import type { EngineParts } from "../../../src/engine/engine.ts";
import type { ChosenSet } from "../../../src/grading/choose-sets.ts";
import type { ClaimJudge } from "../../../src/grading/claim-judge.ts";
import type { GoldenUnanswerable } from "../../../src/grading/golden.ts";
import type { Config } from "../../../src/shared/config.ts";
import type { LadderScore } from "./ladder-score.ts";
import type { Rung } from "./rungs.ts";
import type { FaultRates } from "./scripted-model.ts";

/** Writers: quotes alone, a scripted model with known faults, or the configured model. */
export const WRITERS = ["quotes", "scripted", "model"] as const;
export type Writer = (typeof WRITERS)[number];

export interface AblateOptions {
  readonly chosen: ChosenSet;
  readonly rungs: readonly Rung[];
  readonly writer: Writer;
  /** Share of the scripted model's drafts with a fault. */
  readonly rates: FaultRates;
  /** Number of times each question is asked, each with other faults of the scripted model. */
  readonly rounds: number;
  readonly seed: number;
  readonly config: Config;
  /** Judges sentences of writers whose faults are unknown. */
  readonly judge: ClaimJudge;
  readonly signal: AbortSignal;
  readonly parts?: EngineParts;
}

/** A question with its ground truth. */
export interface AblatedQuestion {
  readonly id: string;
  readonly text: string;
  readonly tenant: string | null;
  /** Pages with the answer; `null`: none, or none annotated. */
  readonly goldPages: readonly string[] | null;
  readonly kind: "answerable" | GoldenUnanswerable["kind"];
}

/** A sentence before its checks, and what became of it. */
export interface WrittenSentence {
  readonly text: string;
  /** `shown` without a warning, `warned`: shown with one, `removed`: not shown, or not in these words. */
  readonly fate: "shown" | "warned" | "removed";
  /** Whether it is a quote, byte for byte. */
  readonly quoted: boolean;
}

/** Result of one question under one profile in one round. */
export interface AblatedItem {
  readonly rung: string;
  readonly question: AblatedQuestion;
  readonly round: number;
  readonly answered: boolean;
  /** Whether the answer warned of weak retrieval. */
  readonly weakFlagged: boolean;
  /** Whether a page with the answer was retrieved; `null`: there is no such page. */
  readonly pageFound: boolean | null;
  /** Whether the answer quotes only passages that do not answer. `null`: no gold quote is annotated. */
  readonly wrongPassage: boolean | null;
  readonly score: LadderScore;
  /** Sentences that were written or quoted, in order. */
  readonly written: readonly WrittenSentence[];
  /** The product's own verification score; `null`: the profile has none, or nothing was cited. */
  readonly reportedScore: number | null;
  /** Invalid citations in the stored interaction. */
  readonly storedInvalid: number;
  /** Invalid citations in the cached answer to the repeated question; `null`: cache miss. */
  readonly servedInvalid: number | null;
  /** US dollars by list price; `null`: not known. */
  readonly costUsd: number | null;
  /** Cost of the same tokens if the large model wrote every answer; `null`: not known, or no model wrote. */
  readonly largeCostUsd: number | null;
  /** Number of writing calls, and of those by the small model. */
  readonly routed: { readonly small: number; readonly calls: number };
  readonly latencyMs: number;
}
