import type { SharedContent } from "./contents.ts";
import type { Database } from "./schema.ts";

export type ReviewStatus = Database["interactions"]["review_status"];

/** A stored question with its answer, both redacted by the caller. */
export interface Interaction {
  readonly id: string;
  readonly domain: string;
  readonly tenant: string | null;
  readonly access: readonly string[];
  readonly profile: string;
  /** As the asker named it; only a keyed hash of it is stored. */
  readonly sessionId: string | null;
  /** As the asker named it; only a keyed hash of it is stored. */
  readonly userId?: string | null | undefined;
  readonly question: string;
  /** The answer as JSON text. */
  readonly answer: string;
  /** What of the answer stands there instead of in `answer`, since others have it too; absent: nothing. */
  readonly content?: SharedContent | null | undefined;
  readonly status: string;
  readonly confidence: number | null;
  /** What the learned gate said before any calibration; `null`: it did not judge, or the answer was a cached one. */
  readonly chance: number | null;
  readonly cacheMode: string;
}

/** What is counted of an interaction; everything absent is unknown or none. */
export interface InteractionFacts {
  /** The question as it was asked and as it was understood: hashed here, not stored. */
  readonly asked: string;
  readonly resolved: string;
  /** Sentences and cited versions, as text: hashed here, not stored. */
  readonly answered: string;
  readonly privacy: "redacted" | "ephemeral";
  readonly curatedKey: string | null;
  readonly cacheKey: string | null;
  /** Why it was refused. */
  readonly reason: string | null;
  readonly warnings: number;
  readonly conflicts: number;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  readonly savedTokens: number | null;
  readonly savedUsd: number | null;
  readonly topics: readonly string[];
  readonly latencyMs: number | null;
  /** Of an answer that a reviewer wrote: approved, with the versions on which it rests. */
  readonly approved: ReadonlyMap<string, string> | null;
}

export interface StoredInteraction extends Omit<Interaction, "userId" | "content"> {
  readonly privacy: "redacted" | "ephemeral";
  readonly reviewStatus: ReviewStatus;
  readonly createdAt: string;
}
