import type { GuardSettings } from "../profiles/profile.ts";
import type { BearsOut } from "./bears-out.ts";
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

/** Who tells whether passages bear a sentence out. */
export interface FaithfulnessJudges {
  /** `null`: no score is installed. */
  readonly support: SupportScorer | null;
  /** Exact reading; it decides where it objects, beside the score that ships. Absent: the score alone. */
  readonly bearsOut?: BearsOut | undefined;
  /** Its words are no claims of the answer. */
  readonly question: string;
}

/**
 * How well an answer stands up to its passages. By the score that ships: of every sentence beside all passages the chance that they bear it out, or that no word
 * was exchanged where that is less, and 0 where its values, names, polarity or words do not agree with them; the least sentence decides. By a model of the source's
 * class (`validator`): the mean over passages of the mean over sentences (the source gives no rule for several passages, the mean is our choice). Without a scorer
 * it is not known: `null`, never 0.
 */
export async function checkFaithfulness(
  sentences: readonly string[],
  passages: readonly PassageTexts[],
  judges: FaithfulnessJudges,
  settings: FaithfulnessSettings,
): Promise<Finding> {
  const { support } = judges;
  if (support === null) return finding("faithfulness", "pass", null, "no support score is installed");
  const minimum = leastFaithfulness(settings, support.id);
  const least = isOfSource(settings, support.id)
    ? await meanSupport(sentences, passages, support)
    : await leastSupport(sentences, passages, { ...judges, support });
  if (least === null) return finding("faithfulness", "pass", null, "nothing could be scored");
  const { score, objection } = least;
  const how = isOfSource(settings, support.id) ? "on average" : "of the least sentence";
  const why = objection === null ? "" : `: ${objection}`;
  const reason = `support of the answer by ${passages.length} passage${passages.length === 1 ? "" : "s"} ${score.toFixed(2)} ${how} (at least ${minimum})${why}`;
  return finding("faithfulness", score >= minimum ? "pass" : "warn", score, reason);
}

interface Scored {
  readonly score: number;
  /** What exact reading objects to. */
  readonly objection: string | null;
}

async function leastSupport(
  sentences: readonly string[],
  passages: readonly PassageTexts[],
  { support, bearsOut, question }: FaithfulnessJudges & { readonly support: SupportScorer },
): Promise<Scored | null> {
  const evidence = [...new Set(passages.flat())];
  if (evidence.length === 0) return null;
  const scored = await support.score(sentences.map((claim) => ({ claim, evidence })));
  const texts = passages.map(([text, ...above]) => ({ text, above, url: null, exact: true }));
  const known: Scored[] = [];
  for (const [i, one] of scored.entries()) {
    if (one === null) continue;
    const borne = await bearsOut?.(sentences[i] as string, texts, question);
    known.push(
      borne?.supported === false
        ? { score: 0, objection: borne.reason }
        : { score: Math.min(one.score, one.wording?.score ?? 1), objection: null },
    );
  }
  return known.reduce<Scored | null>((least, one) => (least === null || one.score < least.score ? one : least), null);
}

async function meanSupport(sentences: readonly string[], passages: readonly PassageTexts[], scorer: SupportScorer): Promise<Scored | null> {
  const means: number[] = [];
  for (const [passage] of passages) {
    const scored = await scorer.score(sentences.map((claim) => ({ claim, evidence: [passage] })));
    const known = scored.flatMap((one) => (one === null ? [] : [one.score]));
    if (known.length > 0) means.push(mean(known));
  }
  return means.length === 0 ? null : { score: mean(means), objection: null };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
