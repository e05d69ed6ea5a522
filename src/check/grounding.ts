import type { Alignment } from "./alignment.ts";
import { type Finding, finding } from "./finding.ts";

/** Share of a claim's words that its best statement holds, with what surrounds it, below which it says something else. */
export const GROUNDED = 0.42;
/** Nor may this share of its words be unknown to all that is cited. */
const UNKNOWN = 0.5;
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
  const { claim } = alignment;
  const unknown = claim.words.filter(({ root }) => !alignment.knows(root) && !alignment.given(root));
  const share = `${Math.round(score * 100)} % of its words`;
  if (score >= GROUNDED && unknown.length < UNKNOWN * claim.words.length)
    return finding("grounding", "pass", score, `one statement holds ${share}`);
  const spans = unknown.map(({ start, end }) => ({ start, end }));
  const words = unknown.length === 0 ? "" : `; nowhere in the cited quotes: ${unknown.map(({ text }) => text).join(", ")}`;
  return finding("grounding", mode === "remove" ? "fail" : "warn", score, `no cited statement holds more than ${share}${words}`, spans);
}
