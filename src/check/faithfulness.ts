import { type Finding, finding } from "./finding.ts";
import type { SupportScorer } from "./support-scorer.ts";

/**
 * How well an answer stands up to its passages: the mean over passages of the mean support of its sentences (`validator`; the source gives
 * no rule for several passages, the mean is our choice). Without a scorer it is not known: `null`, never 0.
 */
export async function checkFaithfulness(
  sentences: readonly string[],
  passages: readonly string[],
  scorer: SupportScorer | null,
  minimum: number,
): Promise<Finding> {
  if (scorer === null) return finding("faithfulness", "pass", null, "no support score is installed");
  const means: number[] = [];
  for (const passage of passages) {
    const scored = await scorer.score(sentences.map((claim) => ({ claim, evidence: [passage] })));
    const known = scored.flatMap((one) => (one === null ? [] : [one.score]));
    if (known.length > 0) means.push(mean(known));
  }
  if (means.length === 0) return finding("faithfulness", "pass", null, "nothing could be scored");
  const score = mean(means);
  const reason = `support of the answer by ${means.length} passage${means.length === 1 ? "" : "s"} ${score.toFixed(2)} on average (at least ${minimum})`;
  return finding("faithfulness", score >= minimum ? "pass" : "warn", score, reason);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
