import type { Alignment } from "./alignment.ts";
import { type Finding, finding } from "./finding.ts";

/** Where a clause may begin that says something of its own. */
const CLAUSE =
  /[,;]\s+(?:(?:and|but|so|or|which|who|while|whereas)\b|(?:unless|except|even (?:if|though|when)|as long as|provided|regardless)\b)/giu;
/** A clause of fewer content words cannot be judged by them. */
const FEWEST_WORDS = 2;
/** Share of a clause's words that one cited statement must hold. */
const HELD = 0.4;

/**
 * Does a clause at the end say what no cited statement says, in a sentence whose rest is grounded? Such an addition hides from a count over
 * all words.
 */
export function checkAddition({ claim, statements }: Alignment, mode: "remove" | "warn"): Finding {
  const starts = [...claim.text.matchAll(CLAUSE)].map(({ index }) => index);
  for (const [i, start] of starts.entries()) {
    const end = starts[i + 1] ?? claim.text.length;
    const roots = [...new Set(claim.words.filter((word) => word.start >= start && word.end <= end).map(({ root }) => root))];
    if (roots.length < FEWEST_WORDS) continue;
    const shares = statements.map((one) => roots.filter((root) => one.roots.has(root) || one.above.has(root)).length);
    const share = Math.max(0, ...shares) / roots.length;
    if (share >= HELD) continue;
    const clause = claim.text.slice(start, end).replace(/^[,;]\s+/, "");
    const span = { start: end - clause.length, end };
    return finding("addition", mode === "remove" ? "fail" : "warn", share, `no cited statement says "${clause}"`, [span]);
  }
  return finding("addition", "pass", 1, "no clause says something of its own");
}
