import { type Kysely, sql } from "kysely";
import { keyedHash } from "../text/keyed-hash.ts";
import type { Database } from "./schema.ts";

/** What a variant of an experiment made of one question: counts, no words. */
export interface Exposure {
  readonly answerId: string;
  readonly experiment: string;
  readonly variant: string;
  /** What was assigned: a conversation. Only a keyed hash of it is stored. */
  readonly session: string;
  readonly answered: boolean;
  readonly warned: boolean;
  /** A stored answer was served. */
  readonly cached: boolean;
  readonly latencyMs: number;
  readonly tokens: number;
  readonly costUsd: number;
}

/** Sums over the questions of one session: the unit that was assigned, and so the unit that is compared. */
export interface ExposedSession {
  readonly variant: string;
  /** When it began, ISO. */
  readonly begun: string;
  readonly questions: number;
  readonly answered: number;
  readonly warned: number;
  readonly cached: number;
  readonly latencyMs: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly thumbsUp: number;
  readonly thumbsDown: number;
  /** Answers that a reviewer found wrong or doubtful. */
  readonly flagged: number;
}

export interface ExposureStore {
  record(exposure: Exposure): Promise<void>;
  /** Sessions of an experiment, in the order in which they began. */
  sessions(experiment: string): Promise<ExposedSession[]>;
}

export function createExposureStore(db: Kysely<Database>, now: () => Date, secret: () => Promise<string>): ExposureStore {
  return {
    async record({ answerId, experiment, variant, session, answered, warned, cached, latencyMs, tokens, costUsd }) {
      const row = {
        ...{ answerId, experiment, variant, session: keyedHash(await secret(), "exposure", experiment, session) },
        ...{ answered: Number(answered), warned: Number(warned), cached: Number(cached) },
        ...{ latencyMs, tokens, costUsd, createdAt: now().toISOString() },
      };
      await db
        .insertInto("exposures")
        .values(row)
        .onConflict((c) => c.column("answerId").doNothing())
        .execute();
    },
    async sessions(experiment) {
      const rows = await db
        .selectFrom("exposures as e")
        .leftJoin("feedback as f", "f.interactionId", "e.answerId")
        .leftJoin("interactions as i", "i.id", "e.answerId")
        .where("e.experiment", "=", experiment)
        .groupBy(["e.variant", "e.session"])
        .select((eb) => [
          "e.variant",
          "e.session",
          eb.fn.min("e.createdAt").as("begun"),
          eb.fn.countAll().as("questions"),
          eb.fn.sum("e.answered").as("answered"),
          eb.fn.sum("e.warned").as("warned"),
          eb.fn.sum("e.cached").as("cached"),
          eb.fn.sum("e.latencyMs").as("latency"),
          eb.fn.sum("e.tokens").as("tokens"),
          eb.fn.sum("e.costUsd").as("cost"),
          sql<number>`sum(case when f.verdict = 'up' then 1 else 0 end)`.as("up"),
          sql<number>`sum(case when f.verdict = 'down' then 1 else 0 end)`.as("down"),
          sql<number>`sum(case when i.review_status = 'flagged' then 1 else 0 end)`.as("flagged"),
        ])
        .orderBy("begun")
        .orderBy("e.session")
        .execute();
      return rows.map(({ variant, begun, questions, answered, warned, cached, latency, tokens, cost, up, down, flagged }) => ({
        ...{ variant, begun, questions: Number(questions), answered: Number(answered), warned: Number(warned), cached: Number(cached) },
        ...{ latencyMs: Number(latency), tokens: Number(tokens), costUsd: Number(cost) },
        ...{ thumbsUp: Number(up), thumbsDown: Number(down), flagged: Number(flagged) },
      }));
    },
  };
}
