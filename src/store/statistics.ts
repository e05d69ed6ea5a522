import { type Kysely, sql } from "kysely";
import type { Answer } from "../shared/types.ts";
import { keyedHash } from "../text/hash.ts";
import { upsert } from "./dialect.ts";
import { wholeAnswer, withContents } from "./interaction.ts";
import type { Database } from "./schema.ts";

type StatisticsStore = ReturnType<typeof createStatisticsStore>;

/** The values of one interaction that statistics count, without text. */
export type CountedInteraction = ReturnType<StatisticsStore["counted"]> extends AsyncGenerator<infer Counted> ? Counted : never;

const ROWS_PER_READ = 2_000;

export function createStatisticsStore(db: Kysely<Database>) {
  return {
    /** @param since ISO time; `null`: all */
    async *counted(domain: string | null, since: string | null) {
      let after = "";
      for (;;) {
        const rows = await db
          .selectFrom("interactions as i")
          .leftJoin("feedback as f", "f.interactionId", "i.id")
          .select(["i.id", "i.status", "i.reason", "i.cacheMode", "i.profile", "i.privacy", "i.reviewStatus", "i.confidence"])
          .select(["i.tokens", "i.costUsd", "i.savedTokens", "i.savedUsd", "i.topics", "i.latencyMs", "f.verdict", "i.createdAt"])
          .where("i.id", ">", after)
          .orderBy("i.id")
          .limit(ROWS_PER_READ)
          .$if(domain !== null, (query) => query.where("i.domain", "=", domain as string))
          .$if(since !== null, (query) => query.where("i.createdAt", ">=", since as string))
          .execute();
        for (const { id: _, verdict: thumbs, topics, ...row } of rows) yield { ...row, thumbs, topics: JSON.parse(topics) as string[] };
        if (rows.length < ROWS_PER_READ) return;
        after = rows.at(-1)?.id ?? after;
      }
    },
    /** Returns measurements of the newest answers whose text is stored, newest first. */
    async made(domain: string | null, since: string | null, limit: number) {
      const rows = await withContents(db)
        .select([wholeAnswer.as("answer"), "createdAt"])
        .where("interactions.answer", "!=", "")
        .orderBy("createdAt", "desc")
        .limit(limit)
        .$if(domain !== null, (query) => query.where("domain", "=", domain as string))
        .$if(since !== null, (query) => query.where("createdAt", ">=", since as string))
        .execute();
      return rows.map(({ answer, createdAt }) => {
        // Answers of older versions lack some members.
        const { timings = {}, report, calls = [], checks = [] } = JSON.parse(answer) as Partial<Answer>;
        return { createdAt, timings, metrics: report?.metrics ?? {}, calls, checks };
      });
    },
  };
}

/** Measurements from making one answer: timings, metrics, model calls, checks. */
export type MadeAnswer = Awaited<ReturnType<StatisticsStore["made"]>>[number];

/** Measurements of one answer in an experiment, without words. A variant is one of the settings that the experiment compares. */
export interface Exposure
  extends Readonly<Pick<Database["exposures"], "answerId" | "experiment" | "variant" | "latencyMs" | "tokens" | "costUsd">> {
  /** Name of the session. All its questions get the same variant. Only a keyed hash of the name is stored. */
  readonly session: string;
  readonly answered: boolean;
  readonly warned: boolean;
  readonly cached: boolean;
}

/** Sums over one session. Variants are compared by session, because a session gets one variant. */
export interface ExposedSession extends Readonly<Record<(typeof SUMMED)[number] | "questions" | "thumbsUp" | "thumbsDown", number>> {
  readonly variant: string;
  /** Start time, ISO. */
  readonly begun: string;
  /** Number of answers that a reviewer flagged. */
  readonly flagged: number;
}

const SUMMED = ["answered", "warned", "cached", "latencyMs", "tokens", "costUsd"] as const;

export function createExposureStore(db: Kysely<Database>, now: () => Date, secret: () => Promise<string>) {
  return {
    async record(exposure: Exposure): Promise<void> {
      const { experiment, session, answered, warned, cached } = exposure;
      const row = {
        ...{ ...exposure, answered: Number(answered), warned: Number(warned), cached: Number(cached) },
        ...{ session: keyedHash(await secret(), "exposure", experiment, session), createdAt: now().toISOString() },
      };
      await upsert(db, "exposures", row, ["answerId"]);
    },
    /** Returns the sessions of an experiment in order of their start. */
    async sessions(experiment: string): Promise<ExposedSession[]> {
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
          ...SUMMED.map((column) => eb.fn.sum(`e.${column}` as const).as(column)),
          sql<number>`sum(case when f.verdict = 'up' then 1 else 0 end)`.as("thumbsUp"),
          sql<number>`sum(case when f.verdict = 'down' then 1 else 0 end)`.as("thumbsDown"),
          sql<number>`sum(case when i.review_status = 'flagged' then 1 else 0 end)`.as("flagged"),
        ])
        .orderBy("begun")
        .orderBy("e.session")
        .execute();
      return rows.map(({ variant, begun, session: _, ...sums }) => ({ variant, begun, ...toNumbers(sums) }));
    },
  };
}

/** Converts sums, which PostgreSQL returns as text. */
function toNumbers<Name extends string>(sums: Record<Name, unknown>): Record<Name, number> {
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Number(sum)])) as Record<Name, number>;
}
