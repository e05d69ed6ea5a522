import { z } from "zod";
import type { ReadTexts } from "../cross-encoder/reader.ts";
import {
  entityJaccard,
  findFactConflict,
  holdSameFacts,
  inWordsOf,
  type QuestionFactReader,
  type QuestionFacts,
} from "../language/question-facts.ts";
import { readWeights, shippedWeights } from "../models/weights/scorer.ts";
import type { MatchSettings } from "../profiles/profile.ts";
import type { Passage } from "../shared/types.ts";
import type { RetrievedFor } from "../store/cache.ts";
import { recent } from "../text/hash.ts";
import { once } from "../text/memo.ts";

/** The asked question with the passages found for it, best first. */
export interface AskedQuestion {
  /** Question with misspelt words corrected. */
  readonly question: string;
  /** Question as written. If the correction of misspelt words changed an exact fact, no stored answer is served. */
  readonly written: string;
  readonly passages: readonly MatchPassage[];
}

export type MatchPassage = Pick<Passage, "chunkId"> & { readonly document: Pick<Passage["document"], "id"> };

/** A stored question with the data for its comparison. */
export interface ComparedQuestion {
  readonly question: string;
  /** Cosine of this question and the asked one. */
  readonly cosine: number;
  /** Documents and chunks that retrieval found for the stored question, and the chunks that its answer cites. */
  readonly retrieved: RetrievedFor;
}

export interface MatchVerdict {
  readonly accepted: boolean;
  /**
   * Score by which accepted questions are ordered: the probability that both ask the same or, in a profile with
   * thresholds, a weighted sum (`SPARK_SUM`). `null` if not scored.
   */
  readonly score: number | null;
  /** Jaccard index of the values, codes and names of both questions; `null` if not compared. */
  readonly entities: number | null;
  /** Jaccard index of the documents found for both questions; `null` if not compared, or if none were found for one of them. */
  readonly documents: number | null;
  /** Name of the rule that decided. */
  readonly rule: string;
  /** Explanation in one line. */
  readonly reason: string;
}

/** Decides whether the answer to a stored question also answers the asked one. Rejects it if anything is unknown. */
export interface Matcher {
  /** Returns the text of a question to embed. */
  textFor(question: string, settings: MatchSettings): string;
  /** Compares the asked question with stored ones and returns a verdict for each, in order. */
  compare(
    asked: AskedQuestion,
    stored: readonly ComparedQuestion[],
    settings: MatchSettings,
    signal: AbortSignal,
  ): Promise<readonly MatchVerdict[]>;
}

const probability = z.number().min(0).max(1);
const weightsSchema = z.object({
  recipe: z.string(),
  /** Name and hash of the cross-encoder on which the thresholds were chosen. With another one, no stored answer is served. */
  reader: z.object({ name: z.string(), hash: z.string() }),
  /** Minimum probability that both questions ask the same. `measured`: in domains whose pack sets `semantic_cache`. */
  from: z.object({ measured: probability, other: probability }),
});
export type ParaphraseWeights = z.infer<typeof weightsSchema>;

/**
 * Loads the thresholds chosen by `lab/train/cache`.
 * @throws ModelError `paraphrase_corrupt` when the file is missing or invalid
 */
export function readParaphraseWeights(path: string = shippedWeights("paraphrase.json")): ParaphraseWeights {
  return readWeights({ path, schema: weightsSchema, code: "paraphrase_corrupt", whose: "the thresholds of the cache" }).weights;
}

export interface MatcherParts {
  readonly facts: QuestionFactReader;
  readonly weights: () => ParaphraseWeights;
  /** True if the domain pack sets `semantic_cache`: a test in this domain found no wrong answer to a paraphrase. */
  readonly isMeasured: boolean;
  /** Returns the cross-encoder; `null` if there is none, or if the thresholds were chosen on another one. */
  readonly read: () => ReadTexts | null;
  /** Converts a cosine of the model `of` to the scale of the current model. */
  readonly carry: (cosine: number, of: string) => number;
}

/** Maximum number of analysed questions in the cache. Popular stored questions are compared again and again. */
const REMEMBERED = 2_000;
/**
 * Maximum length in characters of a question that is compared. The cross-encoder may cut a longer question, and the
 * difference may be in the text that is cut.
 */
const MAX_QUESTION = 200;
/** Weights of the score in profile `spark`. The published `spark` design uses learned weights, but does not state their values. */
const SPARK_SUM = { cosine: 0.5, entities: 0.25, documents: 0.25 } as const;

/**
 * Creates a matcher. First, the exact facts of both questions must be equal. Second, profiles with thresholds require that
 * cosine and overlaps reach them; other profiles require that the search for the asked question found a passage that the
 * stored answer cites. Third, the cross-encoder decides whether both ask the same.
 */
export function createMatcher({ facts, weights, isMeasured, read, carry }: MatcherParts): Matcher {
  const factsOf = recent(REMEMBERED, facts.read);
  const threshold = once(() => weights().from[isMeasured ? "measured" : "other"]);
  return {
    textFor: (question, settings) => (settings.type === "learned" ? facts.spellOut(question) : question),
    async compare({ question, written, passages }, stored, settings, signal) {
      const asked = factsOf(question);
      if (!holdSameFacts(asked, factsOf(written))) return stored.map(() => REPAIRED);
      const verdicts = stored.map((one) => judgeExact(asked, factsOf(one.question), one, passages, settings, carry));
      const open = stored.filter((_, at) => verdicts[at]?.accepted);
      const facts = open.map((one) => factsOf(one.question));
      const probabilities = await readProbabilities(asked, facts, read, signal);
      return verdicts.map((verdict, at): MatchVerdict => {
        if (!verdict.accepted) return verdict;
        const probability = probabilities?.[open.indexOf(stored[at] as ComparedQuestion)] ?? null;
        if (probability === null)
          return { ...verdict, accepted: false, rule: "unread", reason: "the cross-encoder could not compare the questions" };
        const minimum = threshold();
        const score = verdict.score ?? probability;
        const reason = `the cross-encoder gives a probability of ${probability.toFixed(2)} that both questions ask the same; at least ${minimum.toFixed(2)} is required`;
        return { ...verdict, accepted: probability >= minimum, score, rule: probability >= minimum ? "same" : "read", reason };
      });
    },
  };
}

export const UNCOMPARED = { accepted: false, score: null, entities: null, documents: null } as const;

/** Verdict if the correction of a misspelt word changed an exact value. A correction is a guess, and exact values must not be guessed. */
const REPAIRED: MatchVerdict = {
  ...UNCOMPARED,
  rule: "repaired",
  reason: "a word of the question was taken for a misspelt value, and a corrected value is never used to find a stored answer",
};

/** Compares everything but the meaning, which the cross-encoder compares afterwards. */
function judgeExact(
  asked: QuestionFacts,
  stored: QuestionFacts,
  { cosine, retrieved }: ComparedQuestion,
  passages: readonly MatchPassage[],
  settings: MatchSettings,
  carry: MatcherParts["carry"],
): MatchVerdict {
  const entities = entityJaccard(asked, stored);
  const documents = documentOverlap([...new Set(passages.map(({ document }) => document.id))], retrieved.documents);
  const verdict = { accepted: false, score: null, entities, documents };
  const conflict = findFactConflict(asked, stored);
  if (conflict !== null) return { ...verdict, rule: conflict.rule, reason: conflict.detail };
  if (settings.type === "thresholds") {
    const score = SPARK_SUM.cosine * cosine + SPARK_SUM.entities * entities + SPARK_SUM.documents * (documents ?? 0);
    const least = carry(settings.cosine, settings.of);
    const miss = (rule: string, value: number | null, minimum: number): MatchVerdict => {
      const reason = `the measure "${rule}" of the two questions is ${value?.toFixed(3) ?? "unknown"}, and at least ${minimum.toFixed(3)} is required`;
      return { ...verdict, score, rule, reason };
    };
    if (cosine < least) return miss("cosine", cosine, least);
    if (entities < settings.entities) return miss("entities", entities, settings.entities);
    if (documents === null || documents < settings.documents) return miss("documents", documents, settings.documents);
    return { ...verdict, accepted: true, score, rule: "same", reason: "" };
  }
  if (!passages.some(({ chunkId }) => retrieved.cited.includes(chunkId)))
    return { ...verdict, rule: "cited", reason: "the search for this question found no passage that the stored answer cites" };
  return { ...verdict, accepted: true, rule: "same", reason: "" };
}

/** Returns the Jaccard index of the documents found for two questions; `null` if none were found for one of them. */
export function documentOverlap(a: readonly string[], b: readonly string[]): number | null {
  if (a.length === 0 || b.length === 0) return null;
  const [one, other] = [new Set(a), new Set(b)];
  const shared = [...one].filter((id) => other.has(id)).length;
  return shared / (one.size + other.size - shared);
}

/**
 * Returns, for each stored question, the probability that it asks the same as the asked one. It is the logistic function of
 * the log odds, averaged over both orders of the pair. An entry is `null` if one of the questions is too long. Returns
 * `null` instead of a list if there is no cross-encoder, or nothing to compare.
 */
export async function readProbabilities(
  asked: QuestionFacts,
  stored: readonly QuestionFacts[],
  read: MatcherParts["read"],
  signal: AbortSignal,
): Promise<readonly (number | null)[] | null> {
  const isWhole = (facts: QuestionFacts) => Math.max(asked.question.length, facts.question.length) <= MAX_QUESTION;
  const pairs = stored.filter(isWhole).flatMap((facts) => {
    const own = inWordsOf(facts, asked);
    return [
      { question: facts.question, text: own },
      { question: own, text: facts.question },
    ];
  });
  const readings = pairs.length === 0 ? null : await read()?.(pairs, signal);
  if (readings == null) return null;
  let at = 0;
  return stored.map((facts) => {
    if (!isWhole(facts)) return null;
    const [one, other] = [readings[at++], readings[at++]];
    return one === undefined || other === undefined ? null : 1 / (1 + Math.exp(-(one.same + other.same) / 2));
  });
}
