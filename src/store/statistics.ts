import type { Kysely } from "kysely";
import { wholeAnswer, withContents } from "./interaction.ts";
import type { Database } from "./schema.ts";

/** What is counted of one interaction; no text. */
export interface CountedInteraction {
  readonly status: string;
  readonly reason: string | null;
  readonly cacheMode: string;
  readonly profile: string;
  readonly privacy: "redacted" | "ephemeral";
  readonly reviewStatus: "unreviewed" | "approved" | "flagged";
  readonly confidence: number | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  readonly savedTokens: number | null;
  readonly savedUsd: number | null;
  readonly topics: readonly string[];
  readonly latencyMs: number | null;
  readonly thumbs: "up" | "down" | null;
  /** ISO time. */
  readonly createdAt: string;
}

/** What one answer says of how it was made; no text. */
export interface MadeAnswer {
  readonly createdAt: string;
  /** Milliseconds by stage. */
  readonly timings: Readonly<Record<string, number>>;
  /** Grades of a profile that grades. */
  readonly metrics: Readonly<
    Record<string, { readonly passed: boolean | null; readonly score: number | null; readonly threshold: number | null }>
  >;
  readonly calls: readonly {
    readonly model: string;
    readonly inputTokens: number | null;
    readonly outputTokens: number | null;
    readonly costUsd: number | null;
  }[];
  readonly checks: readonly { readonly name: string; readonly verdict: string }[];
}

export interface StatisticsStore {
  /** @param since ISO time; `null`: from the beginning */
  counted(domain: string | null, since: string | null): AsyncGenerator<CountedInteraction, void>;
  /** How the newest answers were made, as far as their text is kept; newest first. */
  made(domain: string | null, since: string | null, limit: number): Promise<MadeAnswer[]>;
}

/** Rows read at once. */
const ROWS_PER_READ = 2_000;

export function createStatisticsStore(db: Kysely<Database>): StatisticsStore {
  return {
    async *counted(domain, since) {
      let after = "";
      for (;;) {
        let query = db
          .selectFrom("interactions as i")
          .leftJoin("feedback as f", "f.interactionId", "i.id")
          .select(["i.id", "i.status", "i.reason", "i.cacheMode", "i.profile", "i.privacy", "i.reviewStatus", "i.confidence"])
          .select(["i.tokens", "i.costUsd", "i.savedTokens", "i.savedUsd", "i.topics", "i.latencyMs", "f.verdict"])
          .select("i.createdAt")
          .where("i.id", ">", after)
          .orderBy("i.id")
          .limit(ROWS_PER_READ);
        if (domain !== null) query = query.where("i.domain", "=", domain);
        if (since !== null) query = query.where("i.createdAt", ">=", since);
        const rows = await query.execute();
        for (const row of rows) {
          yield {
            status: row.status,
            reason: row.reason,
            cacheMode: row.cacheMode,
            profile: row.profile,
            privacy: row.privacy,
            reviewStatus: row.reviewStatus,
            confidence: row.confidence,
            tokens: row.tokens,
            costUsd: row.costUsd,
            savedTokens: row.savedTokens,
            savedUsd: row.savedUsd,
            topics: JSON.parse(row.topics) as string[],
            latencyMs: row.latencyMs,
            thumbs: row.verdict,
            createdAt: row.createdAt,
          };
        }
        const last = rows.at(-1);
        if (last === undefined || rows.length < ROWS_PER_READ) return;
        after = last.id;
      }
    },
    async made(domain, since, limit) {
      let query = withContents(db)
        .select([wholeAnswer.as("answer"), "createdAt"])
        .where("interactions.answer", "!=", "")
        .orderBy("createdAt", "desc")
        .limit(limit);
      if (domain !== null) query = query.where("domain", "=", domain);
      if (since !== null) query = query.where("createdAt", ">=", since);
      return (await query.execute()).map(({ answer, createdAt }) => readMade(JSON.parse(answer) as StoredAnswer, createdAt));
    },
  };
}

/** The part of a stored answer that is counted; answers of earlier versions lack some of it. */
interface StoredAnswer {
  readonly timings?: MadeAnswer["timings"];
  readonly report?: { readonly metrics: MadeAnswer["metrics"] };
  readonly calls?: MadeAnswer["calls"];
  readonly checks?: MadeAnswer["checks"];
}

function readMade({ timings = {}, report, calls = [], checks = [] }: StoredAnswer, createdAt: string): MadeAnswer {
  return {
    ...{ createdAt, timings, metrics: report?.metrics ?? {} },
    calls: calls.map(({ model, inputTokens, outputTokens, costUsd }) => ({ model, inputTokens, outputTokens, costUsd })),
    checks: checks.map(({ name, verdict }) => ({ name, verdict })),
  };
}
