import type { Alignment } from "./alignment.ts";
import { type Finding, finding } from "./finding.ts";

/** Share of a claim's words that its best statement holds, with what surrounds it, below which it says something else. */
export const GROUNDED = 0.42;
/** A claim of fewer words cannot be judged by them. */
const FEWEST_WORDS = 2;

/** How much of the claim its best-fitting statement says, by content words, 0–1; `null` for a claim almost without words. */
export function groundingOf({ claim, coverage }: Alignment): number | null {
  const distinct = new Set(claim.words.map(({ root }) => root)).size;
  return distinct < FEWEST_WORDS ? null : Math.max(0, ...coverage);
}

/** Do the cited quotes speak of what the sentence says at all? */
export function checkGrounding(alignment: Alignment, mode: "remove" | "warn"): Finding {
  const score = groundingOf(alignment);
  if (score === null) return finding("grounding", "pass", null, "too few words to judge by");
  const share = `${Math.round(score * 100)} % of its words`;
  if (score >= GROUNDED) return finding("grounding", "pass", score, `the cited quotes hold ${share}`);
  const unknown = alignment.claim.words.filter(({ root }) => !alignment.knows(root) && !alignment.given(root));
  const spans = unknown.map(({ start, end }) => ({ start, end }));
  return finding("grounding", mode === "remove" ? "fail" : "warn", score, `the cited quotes hold only ${share}`, spans);
}
