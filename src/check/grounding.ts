import type { Alignment } from "./alignment.ts";
import { type Finding, finding } from "./finding.ts";

/** Share of a claim's words that two cited statements together must hold; below, they speak of something else. */
const GROUNDED = 0.52;
/** A claim of fewer words cannot be judged by them. */
const FEWEST_WORDS = 3;

/** Do the cited quotes speak of what the sentence says at all? By content words; two statements may share it. */
export function checkGrounding({ claim, together, knows, given }: Alignment, mode: "remove" | "warn"): Finding {
  if (new Set(claim.words.map(({ root }) => root)).size < FEWEST_WORDS)
    return finding("grounding", "pass", null, "too few words to judge by");
  const share = `${Math.round(together * 100)} % of its words`;
  if (together >= GROUNDED) return finding("grounding", "pass", together, `two cited statements hold ${share}`);
  const unknown = claim.words.filter(({ root }) => !knows(root) && !given(root));
  const spans = unknown.map(({ start, end }) => ({ start, end }));
  const words = unknown.length === 0 ? "" : `; nowhere in them: ${[...new Set(unknown.map(({ text }) => text))].join(", ")}`;
  return finding(
    "grounding",
    mode === "remove" ? "fail" : "warn",
    together,
    `no two cited statements hold more than ${share}${words}`,
    spans,
  );
}
