import { randomUUID } from "node:crypto";
import type { Kysely, Transaction } from "kysely";
import { keyedHash } from "../text/hash.ts";
import { transact } from "./dialect.ts";
import type { Database } from "./schema.ts";

/** What answers of one caller came to on one day. */
export interface Usage {
  readonly answers: number;
  /** Of models, as far as their endpoints counted them. */
  readonly tokens: number;
  readonly costUsd: number;
}

/** Tokens and US dollars. */
export type Amount = Omit<Usage, "answers">;

/** What an answer that is on its way may come to. */
export interface NewReservation {
  readonly caller: string;
  /** UTC, such as `2026-11-22`. */
  readonly day: string;
  readonly most: Amount;
  /** What the caller may spend on the day; 0: any. */
  readonly limits: Amount;
  /** Milliseconds after which the process that made it counts as dead. */
  readonly holdMs: number;
}

/** `spent`: what is left holds no answer; `taken`: so much is set aside for answers that are on their way. */
export type Reserved = { readonly type: "reserved"; readonly id: string } | { readonly type: "spent" | "taken" };

export function createUsageStore(db: Kysely<Database>, now: () => Date, secret: () => Promise<string>) {
  // A caller without a key is an address: that is nobody's to read.
  const idOf = async (caller: string) => keyedHash(await secret(), "usage", caller);
  return {
    async of(caller: string, day: string): Promise<Usage> {
      return usageOf(db, await idOf(caller), day);
    },
    /** Adds an answer; several processes may do so at once. */
    async add(caller: string, day: string, spent: Amount): Promise<void> {
      await addUsage(db, { caller: await idOf(caller), day }, { answers: 1, ...spent });
    },
    /**
     * Sets aside what an answer may come to, so that neither one nor those that are on their way at once spend more than the caller may: where less is left
     * than that, none is let in. Of a budget that is smaller than one answer may come to, the whole is set aside.
     */
    async reserve({ caller: name, day, most, limits, holdMs }: NewReservation): Promise<Reserved> {
      const caller = await idOf(name);
      return transact(db, async (trx) => {
        // Whoever else asks for the same caller waits here.
        await addUsage(trx, { caller, day }, { answers: 0, tokens: 0, costUsd: 0 });
        const at = now();
        await trx.deleteFrom("usage_reservations").where("expiresAt", "<=", at.toISOString()).execute();
        const spent = await usageOf(trx, caller, day);
        const aside = await setAside(trx, caller, day);
        const share = { tokens: shareOf(most.tokens, limits.tokens), costUsd: shareOf(most.costUsd, limits.costUsd) };
        if (exceeds(spent, limits) || isBeyond(sum(spent, share), limits)) return { type: "spent" };
        if (isBeyond(sum(spent, share, aside), limits)) return { type: "taken" };
        const id = randomUUID();
        const expiresAt = new Date(at.getTime() + holdMs).toISOString();
        await trx
          .insertInto("usage_reservations")
          .values({ id, caller, day, tokens: share.tokens, costUsd: share.costUsd, expiresAt })
          .execute();
        return { type: "reserved", id };
      });
    },
    /** Puts what an answer came to in the place of what was set aside for it; `null`: nothing is known of it. */
    async settle(id: string, spent: { readonly caller: string; readonly day: string; readonly amount: Amount } | null): Promise<void> {
      const caller = spent === null ? null : await idOf(spent.caller);
      await transact(db, async (trx) => {
        if (spent !== null && caller !== null) await addUsage(trx, { caller, day: spent.day }, { answers: 1, ...spent.amount });
        await trx.deleteFrom("usage_reservations").where("id", "=", id).execute();
      });
    },
  };
}

export type UsageStore = ReturnType<typeof createUsageStore>;

async function usageOf(db: Kysely<Database>, caller: string, day: string): Promise<Usage> {
  const row = await db
    .selectFrom("usage")
    .select(["answers", "tokens", "costUsd"])
    .where("caller", "=", caller)
    .where("day", "=", day)
    .executeTakeFirst();
  return { answers: Number(row?.answers ?? 0), tokens: Number(row?.tokens ?? 0), costUsd: row?.costUsd ?? 0 };
}

async function addUsage(db: Kysely<Database>, of: { caller: string; day: string }, { answers, tokens, costUsd }: Usage): Promise<void> {
  await db
    .insertInto("usage")
    .values({ ...of, answers, tokens, costUsd })
    .onConflict((c) =>
      c.columns(["caller", "day"]).doUpdateSet((eb) => ({
        answers: eb("usage.answers", "+", answers),
        tokens: eb("usage.tokens", "+", tokens),
        costUsd: eb("usage.costUsd", "+", costUsd),
      })),
    )
    .execute();
}

async function setAside(trx: Transaction<Database>, caller: string, day: string): Promise<Amount> {
  const row = await trx
    .selectFrom("usage_reservations")
    .select(({ fn }) => [fn.sum("tokens").as("tokens"), fn.sum("costUsd").as("costUsd")])
    .where("caller", "=", caller)
    .where("day", "=", day)
    .executeTakeFirstOrThrow();
  return { tokens: Number(row.tokens ?? 0), costUsd: Number(row.costUsd ?? 0) };
}

/** @param limit 0: none */
function shareOf(most: number, limit: number): number {
  return limit === 0 ? most : Math.min(most, limit);
}

function sum(...amounts: readonly Amount[]): Amount {
  const total = (of: (amount: Amount) => number) => amounts.reduce((all, one) => all + of(one), 0);
  return { tokens: total(({ tokens }) => tokens), costUsd: total(({ costUsd }) => costUsd) };
}

function exceeds(spent: Amount, { tokens, costUsd }: Amount): boolean {
  return (tokens > 0 && spent.tokens >= tokens) || (costUsd > 0 && spent.costUsd >= costUsd);
}

function isBeyond(amount: Amount, { tokens, costUsd }: Amount): boolean {
  return (tokens > 0 && amount.tokens > tokens) || (costUsd > 0 && amount.costUsd > costUsd);
}
