import type { Lane } from "../../engine/service-types.ts";
import { RequestError } from "../../errors.ts";
import type { Amount, UsageStore } from "../../store/usage.ts";
import type { PricedCall } from "../../types.ts";

const DAY_MS = 86_400_000;

export interface BudgetOptions {
  readonly usage: Pick<UsageStore, "reserve" | "settle" | "add">;
  /** Tokens of models that one lane may use on a day; 0: as many as come. */
  readonly tokensPerDay: number;
  /** US dollars, the same way. */
  readonly usdPerDay: number;
  /** What is set aside for each answer while it is on its way. */
  readonly perAnswer: Amount;
  /** Milliseconds after which an answer that nobody settled is taken for dead. */
  readonly holdMs: number;
  readonly now: () => Date;
}

/** An answer that may be made. */
export interface Allowance {
  /** Counts what the answer came to, in the place of what was set aside. Once; whatever comes later counts for nothing. */
  settle(calls: readonly PricedCall[]): Promise<void>;
}

/**
 * What a key, a person or an address may spend on models on a day (UTC). What an answer may come to is set aside before it is made, and replaced by what it
 * came to: answers at the same time, of whichever process, do not overrun a budget together. What an endpoint does not count, or whose price is not known,
 * cannot be added.
 */
export interface Budgets {
  /** @throws RequestError `budget_spent`, `budget_taken` with `retry_after_s` */
  enter(lane: Lane | undefined): Promise<Allowance>;
}

/** Seconds after which somebody whose budget is set aside for other answers of theirs is told to come again: about what an answer takes. */
const TAKEN_RETRY_S = 5;
const FREE: Allowance = { settle: async () => undefined };

export function createBudgets({ usage, now, perAnswer, holdMs, ...server }: BudgetOptions): Budgets {
  const today = () => now().toISOString().slice(0, 10);
  return {
    async enter(lane) {
      if (lane === undefined) return FREE;
      const { name: caller } = lane;
      const limits = { tokens: lane.tokensPerDay ?? server.tokensPerDay, costUsd: lane.usdPerDay ?? server.usdPerDay };
      if (limits.tokens === 0 && limits.costUsd === 0) {
        return { settle: async (calls) => (calls.length === 0 ? undefined : usage.add(caller, today(), spentOn(calls))) };
      }
      const day = today();
      const reserved = await usage.reserve({ caller, day, most: perAnswer, limits, holdMs });
      if (reserved.type === "spent") throw budgetSpent(Math.max(1, Math.ceil((DAY_MS - (now().getTime() % DAY_MS)) / 1000)));
      if (reserved.type !== "reserved") throw budgetTaken();
      let isSettled = false;
      return {
        async settle(calls) {
          if (isSettled) return;
          isSettled = true;
          await usage.settle(reserved.id, calls.length === 0 ? null : { caller, day, amount: spentOn(calls) });
        },
      };
    },
  };
}

/** What calls of models came to, as far as it is known. */
export function spentOn(calls: readonly PricedCall[]): Amount {
  return {
    tokens: calls.reduce((sum, { inputTokens, outputTokens }) => sum + (inputTokens ?? 0) + (outputTokens ?? 0), 0),
    costUsd: calls.reduce((sum, call) => sum + (call.costUsd ?? 0), 0),
  };
}

function budgetSpent(seconds: number): RequestError {
  const message = "What may be spent on models today is spent: ask again tomorrow (UTC), or have the budget of this key raised.";
  return new RequestError("budget_spent", message, { retry_after_s: seconds });
}

function budgetTaken(): RequestError {
  const message = `What is left of today's budget for models is set aside for questions of yours that are being answered: ask again in ${TAKEN_RETRY_S} s.`;
  return new RequestError("budget_taken", message, { retry_after_s: TAKEN_RETRY_S });
}
