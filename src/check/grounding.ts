import type { Alignment } from "./alignment.ts";
import { type Finding, finding } from "./finding.ts";

/** Share of a claim's words that two cited statements together must hold; below, they speak of something else. */
const GROUNDED = 0.5;

/** Do the cited quotes speak of what the sentence says at all? By content words; two statements may share it. */
export function checkGrounding({ claim, together, knows, given }: Alignment, mode: "remove" | "warn"): Finding {
  if (claim.words.length === 0) return finding("grounding", "pass", null, "no word to judge by");
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
