import type { GuardSettings } from "../profiles/guard-settings.ts";
import { type Finding, finding } from "./finding.ts";
import type { SupportScorer } from "./support-scorer.ts";

type FaithfulnessSettings = NonNullable<GuardSettings["faithfulness"]>;

/** A text of a passage, and behind it what stands above it: a title that names the thing is said of every sentence below. */
export type PassageTexts = readonly [text: string, ...above: string[]];

/** Is the score that of a model of the class that the source measured its threshold on? */
function isOfSource({ source }: FaithfulnessSettings, scorerId: string): boolean {
  return scorerId.toLowerCase().includes(source.model);
}

/** The score from which an answer is faithful, by this scorer. */
export function leastFaithfulness(settings: FaithfulnessSettings, scorerId: string): number {
  return isOfSource(settings, scorerId) ? settings.source.minimum : settings.minimum;
}

/**
 * How well an answer stands up to its passages. By the score that ships: of every sentence beside all passages the chance that they bear it out, or that no word
 * was exchanged where that is less; the least sentence decides. By a model of the source's class (`validator`): the mean over passages of the mean over sentences
 * (the source gives no rule for several passages, the mean is our choice). Without a scorer it is not known: `null`, never 0.
 */
export async function checkFaithfulness(
  sentences: readonly string[],
  passages: readonly PassageTexts[],
  scorer: SupportScorer | null,
  settings: FaithfulnessSettings,
): Promise<Finding> {
  if (scorer === null) return finding("faithfulness", "pass", null, "no support score is installed");
  const minimum = leastFaithfulness(settings, scorer.id);
  const score = isOfSource(settings, scorer.id)
    ? await meanSupport(sentences, passages, scorer)
    : await leastSupport(sentences, passages, scorer);
  if (score === null) return finding("faithfulness", "pass", null, "nothing could be scored");
  const how = isOfSource(settings, scorer.id) ? "on average" : "of the least sentence";
  const reason = `support of the answer by ${passages.length} passage${passages.length === 1 ? "" : "s"} ${score.toFixed(2)} ${how} (at least ${minimum})`;
  return finding("faithfulness", score >= minimum ? "pass" : "warn", score, reason);
}

async function leastSupport(
  sentences: readonly string[],
  passages: readonly PassageTexts[],
  scorer: SupportScorer,
): Promise<number | null> {
  const evidence = [...new Set(passages.flat())];
  if (evidence.length === 0) return null;
  const scored = await scorer.score(sentences.map((claim) => ({ claim, evidence })));
  const known = scored.flatMap((one) => (one === null ? [] : [Math.min(one.score, one.wording?.score ?? 1)]));
  return known.length === 0 ? null : Math.min(...known);
}

async function meanSupport(sentences: readonly string[], passages: readonly PassageTexts[], scorer: SupportScorer): Promise<number | null> {
  const means: number[] = [];
  for (const [passage] of passages) {
    const scored = await scorer.score(sentences.map((claim) => ({ claim, evidence: [passage] })));
    const known = scored.flatMap((one) => (one === null ? [] : [one.score]));
    if (known.length > 0) means.push(mean(known));
  }
  return means.length === 0 ? null : mean(means);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
