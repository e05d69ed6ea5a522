import { normalizeQuestion } from "../../src/text/normalise.ts";
import type { DayStep } from "./replayed-day.ts";

/** Label for two questions of a day. */
export type Relation = "same" | "must_not_share" | "unlabelled";

interface Meaning {
  /** The question as first asked. */
  readonly of: string;
  /** The question of which this is a hard negative; `null`: none. */
  readonly looksLike: string | null;
  readonly isPair: boolean;
}

/**
 * Labels pairs of questions. Repeats and paraphrases mean the same as their original. A hard negative differs from its original and from
 * other generated hard negatives of it. All other pairs are unlabelled.
 */
export function createMeanings(steps: readonly DayStep[]): (asked: string, stored: string) => Relation {
  const meanings = new Map<string, Meaning>();
  for (const step of steps) {
    if (step.type === "edit") continue;
    const key = normalizeQuestion(step.question);
    if (meanings.has(key)) continue;
    const of = step.of === null ? key : normalizeQuestion(step.of);
    const isLookAlike = step.class === "look-alike";
    meanings.set(key, { of: isLookAlike ? key : of, looksLike: isLookAlike ? of : null, isPair: step.source === "pair" });
  }
  return (asked, stored) => {
    const [one, other] = [meanings.get(normalizeQuestion(asked)), meanings.get(normalizeQuestion(stored))];
    if (one === undefined || other === undefined) return "unlabelled";
    if (one.of === other.of) return "same";
    if (one.looksLike === other.of || other.looksLike === one.of) return "must_not_share";
    const siblings = one.looksLike !== null && one.looksLike === other.looksLike;
    return siblings && !one.isPair && !other.isPair ? "must_not_share" : "unlabelled";
  };
}
