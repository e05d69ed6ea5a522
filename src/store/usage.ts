import type { Kysely } from "kysely";
import { keyedHash } from "../text/keyed-hash.ts";
import type { Database } from "./schema.ts";

/** What answers of one caller came to on one day. */
export interface Usage {
  readonly answers: number;
  /** Of models, as far as their endpoints counted them. */
  readonly tokens: number;
  readonly costUsd: number;
}

export interface UsageStore {
  /** @param day UTC, such as `2026-11-22` */
  of(caller: string, day: string): Promise<Usage>;
  /** Adds an answer; several processes may do so at once. */
  add(caller: string, day: string, spent: Omit<Usage, "answers">): Promise<void>;
}

export function createUsageStore(db: Kysely<Database>, secret: () => Promise<string>): UsageStore {
  // A caller without a key is an address: that is nobody's to read.
  const idOf = async (caller: string) => keyedHash(await secret(), "usage", caller);
  return {
    async of(caller, day) {
      const row = await db
        .selectFrom("usage")
        .select(["answers", "tokens", "cost_usd"])
        .where("caller", "=", await idOf(caller))
        .where("day", "=", day)
        .executeTakeFirst();
      return { answers: Number(row?.answers ?? 0), tokens: Number(row?.tokens ?? 0), costUsd: row?.cost_usd ?? 0 };
    },
    async add(caller, day, { tokens, costUsd }) {
      await db
        .insertInto("usage")
        .values({ caller: await idOf(caller), day, answers: 1, tokens, cost_usd: costUsd })
        .onConflict((c) =>
          c.columns(["caller", "day"]).doUpdateSet((eb) => ({
            answers: eb("usage.answers", "+", 1),
            tokens: eb("usage.tokens", "+", tokens),
            cost_usd: eb("usage.cost_usd", "+", costUsd),
          })),
        )
        .execute();
    },
  };
}
