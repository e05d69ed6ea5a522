import type { Lane } from "../../engine/service-types.ts";
import { RequestError } from "../../errors.ts";
import type { UsageStore } from "../../store/usage.ts";
import type { PricedCall } from "../../types.ts";

const DAY_MS = 86_400_000;

export interface BudgetOptions {
  readonly usage: UsageStore;
  /** Tokens of models that one lane may use on a day; 0: as many as come. */
  readonly tokensPerDay: number;
  /** US dollars, the same way. */
  readonly usdPerDay: number;
  readonly now: () => Date;
}

/**
 * What a key, a person or an address may spend on models on a day (UTC). It is looked at before an answer and added to after it: what is on its
 * way at once can overrun it by so much. What an endpoint does not count, or whose price is not known, cannot be added.
 */
export interface Budgets {
  /** @throws RequestError `budget_spent` with `retry_after_s` */
  assertLeft(lane: Lane | undefined): Promise<void>;
  add(lane: Lane | undefined, calls: readonly PricedCall[]): Promise<void>;
}

export function createBudgets({ usage, now, ...server }: BudgetOptions): Budgets {
  const limitsOf = ({ tokensPerDay, usdPerDay }: Lane) => ({
    tokens: tokensPerDay ?? server.tokensPerDay,
    usd: usdPerDay ?? server.usdPerDay,
  });
  const today = () => now().toISOString().slice(0, 10);
  return {
    async assertLeft(lane) {
      if (lane === undefined) return;
      const { tokens, usd } = limitsOf(lane);
      if (tokens === 0 && usd === 0) return;
      const spent = await usage.of(lane.name, today());
      const isSpent = (tokens > 0 && spent.tokens >= tokens) || (usd > 0 && spent.costUsd >= usd);
      if (isSpent) throw budgetSpent(Math.max(1, Math.ceil((DAY_MS - (now().getTime() % DAY_MS)) / 1000)));
    },
    async add(lane, calls) {
      if (lane === undefined || calls.length === 0) return;
      const { tokens, costUsd } = spentOn(calls);
      await usage.add(lane.name, today(), { tokens, costUsd });
    },
  };
}

/** What calls of models came to, as far as it is known. */
export function spentOn(calls: readonly PricedCall[]): { tokens: number; costUsd: number } {
  return {
    tokens: calls.reduce((sum, { inputTokens, outputTokens }) => sum + (inputTokens ?? 0) + (outputTokens ?? 0), 0),
    costUsd: calls.reduce((sum, call) => sum + (call.costUsd ?? 0), 0),
  };
}

function budgetSpent(seconds: number): RequestError {
  const message = "What may be spent on models today is spent: ask again tomorrow (UTC), or have the budget of this key raised.";
  return new RequestError("budget_spent", message, { retry_after_s: seconds });
}
