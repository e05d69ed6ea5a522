import type { Engine, EngineParts } from "../../src/engine/engine.ts";
import type { Config } from "../../src/shared/config.ts";
import type { CacheMode } from "../../src/shared/types.ts";
import type { Sources } from "../judges/judge-hit.ts";
import type { EditKind } from "../made/day-edits.ts";
import type { Relation } from "../made/day-meanings.ts";
import type { AskedClass } from "../made/replayed-day.ts";
import type { CacheRun } from "./cache.ts";
import type { Routing } from "./routing.ts";

export interface DayOptions extends CacheRun {
  readonly questions: number;
  readonly seed: number;
  /** A scripted model in this process writes the answers, so that there are tokens to save. */
  readonly scriptedModel: boolean;
  /** Share of new stored answers that a reviewer approves immediately. */
  readonly approved: number;
  /** Opens the engine under test. @default createEngine */
  readonly open?: (config: Config, parts: EngineParts) => Promise<Engine>;
}

/** Outcome of a question: served from a cache, answered and stored, answered and not stored, refused. */
export type Outcome = "served" | "stored" | "not_clean" | "refused";

/** Result of one question of the day. */
export interface DayItem {
  readonly at: number;
  readonly class: AskedClass;
  /** Origin of the wording. */
  readonly source: string;
  readonly question: string;
  readonly outcome: Outcome;
  readonly mode: CacheMode;
  /** Last outcome of the question of which this is a repeat, paraphrase or hard negative; `null` for a new one. */
  readonly before: Outcome | null;
  /** Whether a document named in that answer has been edited since. */
  readonly edited: boolean;
  readonly ms: number;
  /** Whether the simulated reviewer approved it. */
  readonly approved: boolean;
  readonly spent: Spent;
  /** The selected model and why, as the stage `compress` reports it; `null`: no model was asked. */
  readonly route: string | null;
  /** Judgement of a hit. */
  readonly hit: JudgedHit | null;
}

/** What the model calls of one answer cost. */
export interface Spent extends Routing {
  /** Tokens of all calls; `null`: an endpoint reported none. */
  readonly tokens: number | null;
  /** US dollars at list prices; `null`: a price is not known. */
  readonly usd: number | null;
}

/** A hit compared with the engine's current answer without caches. */
export interface JudgedHit {
  readonly stored: string | null;
  readonly relation: Relation;
  /** Why it is stale; `null`: every quote is in the current file. */
  readonly stale: string | null;
  /** Whether it equals the current answer to the stored question. */
  readonly current: boolean;
  /** The served and the current answer, if they differ. */
  readonly differs: { readonly served: readonly string[]; readonly today: readonly string[] } | null;
  readonly sources: Sources;
  /** Tokens of a fresh answer; `null`: an endpoint reported none, or the price is not known. */
  readonly tokens: number | null;
  readonly usd: number | null;
  readonly freshMs: number;
}

export interface DayEdit {
  readonly at: number;
  readonly document: string;
  readonly kind: EditKind;
}
