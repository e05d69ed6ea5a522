import { type Finding, finding } from "./finding.ts";

export interface TokenBudget {
  readonly limit: number;
  /** By a real tokenizer, or as the `validator` source counts: ceil(characters / 4). */
  readonly count: "tokens" | "characters/4";
}

/** Is an answer no longer than its budget? @param countTokens of the tokenizer; only asked in that mode */
export function checkTokenBudget(text: string, { limit, count }: TokenBudget, countTokens: (text: string) => number): Finding {
  const used = count === "tokens" ? countTokens(text) : Math.ceil(text.length / 4);
  const score = used === 0 ? 1 : Math.min(1, limit / used);
  const counted = count === "tokens" ? "tokens" : "tokens as characters ÷ 4";
  return finding("token-budget", used <= limit ? "pass" : "warn", score, `${used} of ${limit} ${counted}`);
}
