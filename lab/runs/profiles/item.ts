import type { Answer } from "../../../src/shared/types.ts";

/** Outcome of one question under one profile with one writer. */
export interface Outcome {
  readonly shown: boolean;
  readonly right: boolean;
  /** Reason of a refusal; `null`: not refused. */
  readonly refusal: string | null;
  readonly latencyMs: number;
  readonly timings: Answer["timings"];
  readonly costUsd: number | null;
  /** Name of the model that wrote. */
  readonly model: string;
  readonly warnings: readonly string[];
}

/** A passage as judged by the verify stage. */
export interface JudgedPassage {
  /** Whether it contains a gold quote. */
  readonly gold: boolean;
  readonly verdict: string;
  readonly score: number;
  readonly relevance: number | null;
  readonly consistency: number | null;
  readonly agreement: number | null;
}

/** A sentence of the writer and its fate. */
export interface WrittenSentence {
  readonly text: string;
  /** `clean`: shown without a warning. */
  readonly fate: "clean" | "warned" | "struck";
  /** Findings of the checks. */
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
  /** Tokens of the writer's longest prompt; `null`: it was not called. */
  readonly promptTokens: number | null;
  /** Whether a prompt contains a gold quote; `null`: the writer was not called, or there is none. */
  readonly inPrompt: boolean | null;
  readonly sentences: readonly WrittenSentence[];
  readonly report: Answer["report"] | null;
  /** Ranks from 1 of passages with a gold quote among 50 retrieved; `null`: not measured. */
  readonly ranks: readonly number[] | null;
}
