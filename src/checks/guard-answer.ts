import type { SupportScorer } from "../models/support.ts";
import type { GuardSettings } from "../profiles/profile.ts";
import { sourcebound } from "../profiles/sourcebound.ts";
import { messageOf } from "../shared/errors.ts";
import { checkSentence } from "./check.ts";
import { type CitedQuote, type Finding, finding, type SimilarityScorer } from "./finding.ts";
import type { Reader } from "./statements.ts";

/** What the guards of a whole answer are given; `null`: not asked, or not there. */
export interface AnswerGuards {
  readonly similarity: RelevancyScorer | null;
  readonly support: Pick<SupportScorer, "id" | "score"> | null;
  /** Reads sentences exactly, beside the score. */
  readonly reader: Reader;
  /** Of a real tokenizer. */
  readonly countTokens: ((text: string) => number) | null;
}

/** Relevancy, faithfulness and length of an answer, as the profile asks. */
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
  if (tokens !== null && (tokens.count !== "tokens" || countTokens !== null)) {
    found.push(checkTokenBudget(text, tokens, countTokens ?? (() => 0)));
  }
  return found;
}

interface TokenBudget {
  readonly limit: number;
  /** By a real tokenizer, or as the `validator` source counts: ceil(characters / 4). */
  readonly count: "tokens" | "characters/4";
}

/** Is an answer no longer than its budget? @param countTokens of the tokenizer; only asked in that mode */
export function checkTokenBudget(text: string, { limit, count }: TokenBudget, countTokens: (text: string) => number): Finding {
  const used = count === "tokens" ? countTokens(text) : Math.ceil(text.length / 4);
  const score = used === 0 ? 1 : Math.min(1, limit / used);
  const counted = count === "tokens" ? "tokens" : "tokens as characters ÷ 4";
  return finding("token-budget", used <= limit ? "pass" : "warn", score, `${used} of ${limit} ${counted}`);
}

interface EntailmentResult {
  /** `null`: it could not be told. */
  readonly supported: boolean | null;
  readonly reason: string;
}

/** Do texts together support a sentence? By the checks of the default profile, whoever wrote it: exact values and names, and the support score. */
export type EntailmentCheck = (claim: string, texts: readonly CitedQuote[], question: string) => Promise<EntailmentResult>;

/** @param support `null`: only exact checks speak */
export function createEntailmentCheck(reader: Reader, support: Pick<SupportScorer, "id" | "score"> | null): EntailmentCheck {
  const settings = { ...sourcebound.check, recite: false, uncited: "warn" as const };
  return async (claim, cited, question) => {
    const checked = await checkSentence({ text: claim, cited }, { settings, hosts: [], homePage: null, reader, question, support });
    return { supported: checked.status === "unchecked" ? null : checked.status === "supported", reason: checked.reason };
  };
}

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

/** Decides whether passages support a sentence. */
export interface FaithfulnessJudges {
  /** `null`: no score is installed. */
  readonly support: Pick<SupportScorer, "id" | "score"> | null;
  /** The exact checks; they decide where they object, beside the score that ships. Absent: the score alone. */
  readonly entails?: EntailmentCheck | undefined;
  /** Its words are no claims of the answer. */
  readonly question: string;
}

/**
 * How well an answer stands up to its passages. By the score that ships: of every sentence the chance that all passages support it, and 0 where its values or names
 * do not agree with them; the least sentence decides. By a model of the source's
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
  /** What the exact checks object to. */
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
  const means: number[] = [];
  for (const [passage] of passages) {
    const scored = await scorer.score(sentences.map((claim) => ({ claim, evidence: [{ text: passage, above: [] }] })));
    const known = scored.flatMap((one) => (one === null ? [] : [one.score]));
    if (known.length > 0) means.push(mean(known));
  }
  return means.length === 0 ? null : { score: mean(means), objection: null };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

/** The same with the similarity from which on an answer is about what was asked. */
export interface RelevancyScorer extends SimilarityScorer {
  readonly minimum: number;
}

/** Is an answer about what was asked? Without a scorer, or when it fails, that is not known: `null`, never 0. */
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
