import type { CacheStore } from "../store/cache.ts";
import type { Scope } from "../types.ts";
import type { Hit, Judgement } from "./hit.ts";
import { type ReverifyParts, reverify } from "./reverify.ts";

export interface LookupParts extends Omit<ReverifyParts, "cache"> {
  readonly cache: Pick<CacheStore, "get" | "delete" | "revive">;
}

/** The answer that is stored for this very question, if it is safe to serve today; an entry that is not goes. */
export async function lookupExact(
  key: string,
  scope: Scope,
  parts: LookupParts,
  effects: "drop" | "none" = "drop",
): Promise<{ hit: Hit | null; judged: Judgement; expiresAt: string }> {
  const entry = await parts.cache.get(key);
  const miss = { level: "exact", cosine: null, entities: null, documents: null, score: null, served: false } as const;
  if (entry === null) {
    const reason = "no answer is stored for this question in this scope, or it has expired";
    return { hit: null, judged: { ...miss, question: null, storedAt: null, rule: "none", reason }, expiresAt: "" };
  }
  const { question, createdAt: storedAt, expiresAt } = entry;
  const safe = await reverify(entry, scope, parts, effects);
  if (safe.type === "unsafe")
    return { hit: null, judged: { ...miss, question, storedAt, rule: safe.rule, reason: safe.reason }, expiresAt };
  const reason = safe.reanchored ? "same question; its quotes were found again in a changed document" : "same question";
  return {
    hit: { level: "exact", answer: safe.answer, question, storedAt },
    judged: { ...miss, question, storedAt, served: true, rule: "same_question", reason },
    expiresAt,
  };
}
