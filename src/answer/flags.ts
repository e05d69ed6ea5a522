import type { CheckResult, Warning } from "../types.ts";

/** What the checks found in an answer that is shown all the same, for the reader; of a sentence, where it stands. */
export function flags(checks: readonly CheckResult[]): Warning[] {
  return checks
    .filter(({ verdict, leftOut }) => verdict === "warn" && leftOut !== true)
    .map(({ name, reason, sentence }) => ({ code: `check_${name}`, message: reason, ...(sentence === null ? {} : { sentence }) }));
}
