import type { Engine, EngineParts } from "../../src/engine/engine.ts";
import type { Config } from "../../src/shared/config.ts";
import type { CacheMode } from "../../src/shared/types.ts";
import type { Sources } from "../judges/judge-hit.ts";
import type { EditKind } from "../made/day-edits.ts";
import type { Relation } from "../made/day-meanings.ts";
import type { AskedClass } from "../made/replayed-day.ts";
import type { CacheRun } from "./cache.ts";

export interface DayOptions extends CacheRun {
  readonly questions: number;
  readonly seed: number;
  /** A model of this process writes the answers, so that there are tokens to save. */
  readonly scriptedModel: boolean;
  /** Share of the answers that are made and stored that a person approves at once. */
  readonly approved: number;
  /** Opens the engine that is judged. @default createEngine */
  readonly open?: (config: Config, parts: EngineParts) => Promise<Engine>;
}

/** What became of a question: served from a cache, made and stored, made and not stored, refused. */
export type Outcome = "served" | "stored" | "not_clean" | "refused";

/** One question of the day and what it got. */
export interface DayItem {
  readonly at: number;
  readonly class: AskedClass;
  /** Where the wording comes from. */
  readonly source: string;
  readonly question: string;
  readonly outcome: Outcome;
  readonly mode: CacheMode;
  /** What became of the question of which it is a repeat, a wording or a look-alike; `null` for a new one. */
  readonly before: Outcome | null;
  /** Was a document that the answer then named edited since? */
  readonly edited: boolean;
  readonly ms: number;
  /** The person of the day approved it. */
  readonly approved: boolean;
  /** Of a hit. */
  readonly hit: JudgedHit | null;
}

/** A hit beside what the engine answers today with its caches off. */
export interface JudgedHit {
  readonly stored: string | null;
  readonly relation: Relation;
  /** Why it is stale; `null`: every quote stands in today's file. */
  readonly stale: string | null;
  /** Is it what the stored question is answered today? */
  readonly current: boolean;
  /** What was served and what is answered today, where they differ. */
  readonly differs: { readonly served: readonly string[]; readonly today: readonly string[] } | null;
  readonly sources: Sources;
  /** What answering the asked question would have taken; `null`: an endpoint did not count, or its price is not known. */
  readonly tokens: number | null;
  readonly usd: number | null;
  readonly freshMs: number;
}

export interface DayEdit {
  readonly at: number;
  readonly document: string;
  readonly kind: EditKind;
}
