import type { Answer } from "../../../src/shared/types.ts";

/** What became of one question under one profile with one writer. */
export interface Outcome {
  readonly shown: boolean;
  readonly right: boolean;
  /** Why it was refused; `null`: it was not. */
  readonly refusal: string | null;
  readonly latencyMs: number;
  readonly timings: Answer["timings"];
  readonly costUsd: number | null;
  /** Name of the model that wrote. */
  readonly model: string;
  readonly warnings: readonly string[];
}

/** A passage as the gate judged it. */
export interface JudgedPassage {
  /** A marked quote stands in it. */
  readonly gold: boolean;
  readonly verdict: string;
  readonly score: number;
  readonly relevance: number | null;
  readonly consistency: number | null;
  readonly agreement: number | null;
}

/** A sentence that the writer wrote, and what a reader was shown of it. */
export interface WrittenSentence {
  readonly text: string;
  /** `clean`: shown without a warning at it. */
  readonly fate: "clean" | "warned" | "struck";
  /** What the checks found against it. */
  readonly why: readonly string[];
  readonly quotes: readonly string[];
}

export interface ProfileItem {
  readonly profile: string;
  readonly set: string;
  readonly id: string;
  readonly kind: string;
  readonly question: string;
  /** Without a model. */
  readonly quotes: Outcome;
  /** With the writer. */
  readonly written: Outcome;
  readonly passages: readonly JudgedPassage[];
  /** Tokens of the longest prompt that the writer was given; `null`: it was not asked. */
  readonly promptTokens: number | null;
  /** Does the sought fact stand in a prompt? `null`: it was not asked, or nothing is sought. */
  readonly inPrompt: boolean | null;
  readonly sentences: readonly WrittenSentence[];
  readonly report: Answer["report"] | null;
  /** Ranks from 1 of passages that hold a marked quote, of 50 retrieved; `null`: not measured. */
  readonly ranks: readonly number[] | null;
}
