import type { EngineParts } from "../../../src/engine/engine-types.ts";
import type { ChosenSet } from "../../../src/grading/choose-sets.ts";
import type { ClaimJudge } from "../../../src/grading/claim-judge.ts";
import type { GoldenUnanswerable } from "../../../src/grading/golden.ts";
import type { Config } from "../../../src/shared/config.ts";
import type { LadderScore } from "./ladder-score.ts";
import type { Rung } from "./rungs.ts";
import type { FaultRates } from "./scripted-model.ts";

/** Who writes: quotes alone, a scripted model whose every fault is known, or the configured model. */
export const WRITERS = ["quotes", "scripted", "model"] as const;
export type Writer = (typeof WRITERS)[number];

export interface AblateOptions {
  readonly chosen: ChosenSet;
  readonly rungs: readonly Rung[];
  readonly writer: Writer;
  /** Share of the scripted model's drafts with a fault. */
  readonly rates: FaultRates;
  /** Times that every question is asked, each with other faults of the scripted model. */
  readonly rounds: number;
  readonly seed: number;
  readonly config: Config;
  /** Judges sentences where nobody knows what was made up. */
  readonly judge: ClaimJudge;
  readonly signal: AbortSignal;
  /** What its engine shares with others. */
  readonly parts?: EngineParts;
}

/** What a question is, before anything is asked. */
export interface AblatedQuestion {
  readonly id: string;
  readonly text: string;
  readonly tenant: string | null;
  /** Pages that hold the answer; `null` when none does, or none is marked. */
  readonly goldPages: readonly string[] | null;
  readonly kind: "answerable" | GoldenUnanswerable["kind"];
}

/** One question on one rung, once. */
export interface AblatedItem {
  readonly rung: string;
  readonly question: AblatedQuestion;
  readonly round: number;
  readonly answered: boolean;
  /** Was the reader told that the sources hardly match? */
  readonly weakFlagged: boolean;
  /** Is a page that holds the answer among the passages? `null` when there is none. */
  readonly pageFound: boolean | null;
  /** Answered from a place that does not answer: no gold quote is quoted, or nothing answers at all. `null`: no gold quote is marked. */
  readonly wrongPassage: boolean | null;
  readonly score: LadderScore;
  /** The product's own verification score; `null` where the rung has none, or nothing was cited. */
  readonly reportedScore: number | null;
  /** Invalid citations in the stored interaction. */
  readonly storedInvalid: number;
  /** Invalid citations in what the cache served when it was asked again; `null`: it served nothing. */
  readonly servedInvalid: number | null;
  /** US dollars by list price; `null`: not known. */
  readonly costUsd: number | null;
  /** What the same tokens cost where the large model is asked for every answer; `null`: not known, or no model was asked. */
  readonly largeCostUsd: number | null;
  /** Calls that write, and those of them that the small model got. */
  readonly routed: { readonly small: number; readonly calls: number };
  readonly latencyMs: number;
}
