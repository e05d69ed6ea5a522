import type { SupportScorer } from "../models/support.ts";
import type { GuardSettings } from "../profiles/profile.ts";
import { sourcebound } from "../profiles/sourcebound.ts";
import { messageOf } from "../shared/errors.ts";
import { checkSentence } from "./check.ts";
import { type CitedQuote, type Finding, finding, type SimilarityScorer } from "./finding.ts";
import type { Reader } from "./statements.ts";

/** Dependencies of the answer guards. One is `null` if the profile does not need it or if it is not installed. */
export interface AnswerGuards {
  readonly similarity: RelevancyScorer | null;
  readonly support: Pick<SupportScorer, "id" | "score"> | null;
  /** Analyses texts for the exact checks of values and names, which run in addition to the support score. */
  readonly reader: Reader;
  /** Returns the number of tokens by a tokeniser; `null`: tokens are not counted. */
  readonly countTokens: ((text: string) => number) | null;
}

/** Runs the profile's guards of a whole answer: relevancy, faithfulness and token budget. */
export async function guardAnswer(
  question: string,
  { sentences, passages }: { readonly sentences: readonly string[]; readonly passages: readonly PassageTexts[] },
  { relevancy, faithfulness, tokens }: GuardSettings,
  { similarity, support, reader, countTokens }: AnswerGuards,
): Promise<Finding[]> {
  const text = sentences.join(" ");
  const found: Finding[] = [];
  if (relevancy !== null) found.push(await checkRelevancy(question, text, similarity));
  if (faithfulness !== null) {
    const judges = { support, entails: createEntailmentCheck(reader, null), question };
    found.push(await checkFaithfulness(sentences, passages, judges, faithfulness));
  }
  const count = tokens?.count === "characters/4" ? () => 0 : countTokens;
  if (tokens !== null && count !== null) found.push(checkTokenBudget(text, tokens, count));
  return found;
}

type TokenBudget = NonNullable<GuardSettings["tokens"]>;

/**
 * Checks an answer against its token budget.
 * @param countTokens tokenizer, used only in `tokens` mode
 */
export function checkTokenBudget(text: string, { limit, count }: TokenBudget, countTokens: (text: string) => number): Finding {
  const used = count === "tokens" ? countTokens(text) : Math.ceil(text.length / 4);
  const score = used === 0 ? 1 : Math.min(1, limit / used);
  const counted = count === "tokens" ? "tokens" : "tokens as characters ÷ 4";
  return finding("token-budget", used <= limit ? "pass" : "warn", score, `${used} of ${limit} ${counted}`);
}

/**
 * Checks whether texts together support a sentence of any origin. Uses the support score and the default profile's
 * checks of values and names. `supported` is `null` if that could not be decided.
 */
export type EntailmentCheck = (
  claim: string,
  texts: readonly CitedQuote[],
  question: string,
) => Promise<{ readonly supported: boolean | null; readonly reason: string }>;

/** Creates an entailment check. @param support support scorer; `null`: only values and names are checked */
export function createEntailmentCheck(reader: Reader, support: Pick<SupportScorer, "id" | "score"> | null): EntailmentCheck {
  const settings = { ...sourcebound.check, recite: false, uncited: "warn" as const };
  return async (claim, cited, question) => {
    const checked = await checkSentence({ text: claim, cited }, { settings, hosts: [], homePage: null, reader, question, support });
    return { supported: checked.status === "unchecked" ? null : checked.status === "supported", reason: checked.reason };
  };
}

type FaithfulnessSettings = NonNullable<GuardSettings["faithfulness"]>;

/** Text of a passage, followed by its title and headings, which apply to the whole text. */
export type PassageTexts = readonly [text: string, ...above: string[]];

/** Returns whether the scorer is the model of `source`, which has a threshold of its own. */
function isOfSource({ source }: FaithfulnessSettings, scorerId: string): boolean {
  return scorerId.toLowerCase().includes(source.model);
}

/** Returns the minimum score at which an answer counts as faithful. It depends on the scorer. */
export function leastFaithfulness(settings: FaithfulnessSettings, scorerId: string): number {
  return isOfSource(settings, scorerId) ? settings.source.minimum : settings.minimum;
}

/** Dependencies that decide whether passages support a sentence. */
export interface FaithfulnessJudges {
  /** `null`: no scorer is installed. */
  readonly support: Pick<SupportScorer, "id" | "score"> | null;
  /** Exact checks of values and names. If they object to a sentence, its score is 0. Absent: the score alone decides. */
  readonly entails?: EntailmentCheck | undefined;
  /** The question. Words that the answer repeats from it are not claims. */
  readonly question: string;
}

/**
 * Scores the faithfulness of an answer to its passages. With the bundled scorer, the score is the lowest of all sentences: the probability
 * that all passages together support the sentence, or 0 if values or names differ. With the scorer of the published `validator` design
 * (docs/profiles.md), it is the mean over passages of the mean over sentences. The design gives no rule for several passages, so this mean
 * is our choice. Without a scorer the score is `null`, never 0.
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
  const [how, scored] = isOfSource(settings, support.id)
    ? ["on average", await meanSupport(sentences, passages, support)]
    : ["of the least sentence", await leastSupport(sentences, passages, { ...judges, support })];
  if (scored === null) return finding("faithfulness", "pass", null, "nothing could be scored");
  const { score, objection } = scored;
  const why = objection === null ? "" : `: ${objection}`;
  const reason = `support of the answer by ${passages.length} passage${passages.length === 1 ? "" : "s"} ${score.toFixed(2)} ${how} (at least ${minimum})${why}`;
  return finding("faithfulness", score >= minimum ? "pass" : "warn", score, reason);
}

interface Scored {
  readonly score: number;
  /** Reason why the exact checks reject the sentence; `null`: they do not. */
  readonly objection: string | null;
}

async function leastSupport(
  sentences: readonly string[],
  passages: readonly PassageTexts[],
  { support, entails, question }: FaithfulnessJudges & { readonly support: Pick<SupportScorer, "score"> },
): Promise<Scored | null> {
  const evidence = passages.map(([text, ...above]) => ({ text, above }));
  if (evidence.length === 0) return null;
  const scored = await support.score(sentences.map((claim) => ({ claim, evidence })));
  const texts = passages.map(([text, ...above]) => ({ text, above, url: null, exact: true }));
  const known: Scored[] = [];
  for (const [i, one] of scored.entries()) {
    if (one === null) continue;
    const borne = await entails?.(sentences[i] as string, texts, question);
    known.push(borne?.supported === false ? { score: 0, objection: borne.reason } : { score: one.score, objection: null });
  }
  return known.reduce<Scored | null>((least, one) => (least === null || one.score < least.score ? one : least), null);
}

async function meanSupport(
  sentences: readonly string[],
  passages: readonly PassageTexts[],
  scorer: Pick<SupportScorer, "score">,
): Promise<Scored | null> {
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const means: number[] = [];
  for (const [passage] of passages) {
    const scored = await scorer.score(sentences.map((claim) => ({ claim, evidence: [{ text: passage, above: [] }] })));
    const known = scored.flatMap((one) => (one === null ? [] : [one.score]));
    if (known.length > 0) means.push(mean(known));
  }
  return means.length === 0 ? null : { score: mean(means), objection: null };
}

/** Similarity scorer with the minimum similarity of a relevant answer. */
export interface RelevancyScorer extends SimilarityScorer {
  readonly minimum: number;
}

/** Checks whether an answer addresses the question, by their similarity. Without a scorer, or if it fails, the score is `null`, never 0. */
export async function checkRelevancy(question: string, answer: string, scorer: RelevancyScorer | null): Promise<Finding> {
  if (scorer === null) return finding("relevancy", "pass", null, "no encoder is installed to compare answer and question");
  let score: number | null;
  try {
    score = await scorer.similarity(question, answer);
  } catch (error) {
    return finding("relevancy", "pass", null, `${scorer.id} could not compare answer and question: ${messageOf(error)}`);
  }
  if (score === null) return finding("relevancy", "pass", null, "answer or question has no words to compare");
  const { minimum } = scorer;
  const clamped = Math.min(1, Math.max(0, score));
  const reason = `similarity of answer and question ${score.toFixed(2)} (at least ${minimum})`;
  return finding("relevancy", score >= minimum ? "pass" : "warn", clamped, reason);
}
