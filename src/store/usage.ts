import { randomUUID } from "node:crypto";
import type { Kysely, Transaction } from "kysely";
import { keyedHash } from "../text/hash.ts";
import { equal, transact } from "./dialect.ts";
import type { Database } from "./schema.ts";

/** Usage of one caller on one day. */
export interface Usage {
  readonly answers: number;
  /** Model tokens; endpoints that do not count tokens add none. */
  readonly tokens: number;
  readonly costUsd: number;
}

/** An amount of tokens and US dollars. */
export type Amount = Omit<Usage, "answers">;

/** A request to reserve budget for an answer. */
export interface NewReservation {
  readonly caller: string;
  /** Day in UTC, such as `2026-11-22`. */
  readonly day: string;
  readonly most: Amount;
  /** Daily budget of the caller; an amount of 0 is unlimited. */
  readonly limits: Amount;
  /** Milliseconds after which a reservation expires. By then its process has probably ended. */
  readonly holdMs: number;
}

/** `spent`: the rest of the budget is too small for another answer. `taken`: it suffices, but answers in progress have reserved it. */
export type Reserved = { readonly type: "reserved"; readonly id: string } | { readonly type: "spent" | "taken" };

export function createUsageStore(db: Kysely<Database>, now: () => Date, secret: () => Promise<string>) {
  // Store only a hash, because a caller without a key is identified by IP address.
  const idOf = async (caller: string) => keyedHash(await secret(), "usage", caller);
  return {
    async of(caller: string, day: string): Promise<Usage> {
      return usageOf(db, await idOf(caller), day);
    },
    /** Adds an answer's usage atomically. */
    async add(caller: string, day: string, spent: Amount): Promise<void> {
      await addUsage(db, { caller: await idOf(caller), day }, { answers: 1, ...spent });
    },
    /**
     * Reserves the maximum cost of an answer, so that concurrent answers together stay within the budget. Refuses if
     * less than that is left. If an answer may cost more than the whole daily budget, reserves the whole budget.
     */
    async reserve({ caller: name, day, most, limits, holdMs }: NewReservation): Promise<Reserved> {
      const caller = await idOf(name);
      return transact(db, async (trx) => {
        // Adding nothing locks the caller's row, so that concurrent reservations of one caller wait here.
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
        const reservation = { id, caller, day, ...share, expiresAt };
        await trx.insertInto("usage_reservations").values(reservation).execute();
        return { type: "reserved", id };
      });
    },
    /** Replaces a reservation by the actual usage. `null`: the usage is unknown, so the reservation is only released. */
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
  const all = db.selectFrom("usage").select(["answers", "tokens", "costUsd"]);
  const row = await all.where(equal({ caller, day })).executeTakeFirst();
  return { answers: Number(row?.answers ?? 0), tokens: Number(row?.tokens ?? 0), costUsd: row?.costUsd ?? 0 };
}

async function addUsage(db: Kysely<Database>, of: { caller: string; day: string }, { answers, tokens, costUsd }: Usage): Promise<void> {
  const insert = db.insertInto("usage").values({ ...of, answers, tokens, costUsd });
  const add = insert.onConflict((c) =>
    c.columns(["caller", "day"]).doUpdateSet((eb) => ({
      answers: eb("usage.answers", "+", answers),
      tokens: eb("usage.tokens", "+", tokens),
      costUsd: eb("usage.costUsd", "+", costUsd),
    })),
  );
  await add.execute();
}

async function setAside(trx: Transaction<Database>, caller: string, day: string): Promise<Amount> {
  const held = trx.selectFrom("usage_reservations").where(equal({ caller, day }));
  const sums = held.select(({ fn }) => [fn.sum("tokens").as("tokens"), fn.sum("costUsd").as("costUsd")]);
  const { tokens, costUsd } = await sums.executeTakeFirstOrThrow();
  return { tokens: Number(tokens ?? 0), costUsd: Number(costUsd ?? 0) };
}

/** @param limit 0: unlimited */
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
