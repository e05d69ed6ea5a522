import type { Config } from "../../src/config.ts";
import type { Unanswerable } from "../../src/grade/golden.ts";
import type { LadderScore } from "../judges/ladder-score.ts";
import type { FaultRates } from "../made/scripted-model.ts";
import type { Rung } from "./ladder-rungs.ts";

export interface LadderOptions {
  /** Folder with `pages/`; ids of pages are relative to it. */
  readonly corpus: string;
  readonly golden: string;
  readonly baseUrl?: string | undefined;
  readonly domain?: string | undefined;
  readonly rates: FaultRates;
  /** Times that every question is asked, each with other faults. */
  readonly rounds: number;
  readonly seed: number;
  readonly config: Config;
  readonly command: string;
  readonly signal: AbortSignal;
}

/** What a question is, before anything is asked. */
export interface LadderQuestion {
  readonly id: string;
  readonly text: string;
  /** Pages that hold the answer; `null` when none does. */
  readonly goldPages: readonly string[] | null;
  readonly kind: "answerable" | Unanswerable["kind"];
}

/** One question on one rung, once. */
export interface LadderItem {
  readonly rung: Rung;
  readonly question: LadderQuestion;
  readonly round: number;
  readonly answered: boolean;
  /** Was the reader told that the sources hardly match? */
  readonly weakFlagged: boolean;
  /** Is a page that holds the answer among the passages? `null` when there is none. */
  readonly pageFound: boolean | null;
  readonly score: LadderScore;
  /** The product's own verification score; `null` where the rung has none, or nothing was cited. */
  readonly reportedScore: number | null;
  /** Invalid citations in the stored interaction. */
  readonly storedInvalid: number;
  /** Invalid citations in what the cache served when it was asked again; `null`: it served nothing. */
  readonly servedInvalid: number | null;
}
