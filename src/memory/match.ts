import { z } from "zod";
import { quoteText } from "../cross-encoder/quote-text.ts";
import type { ReadTexts } from "../cross-encoder/reader.ts";
import { type Alignment, isThere, LISTED, type MatchedTerm, type SlotContext, THERE } from "../language/align-terms.ts";
import { compareSlots, sharedSlots } from "../language/compare-slots.ts";
import type { Slots } from "../language/slots.ts";
import { chanceOf, type NamedScorer, namedScorerSchema, readWeights, shippedWeights } from "../models/weights/scorer.ts";
import type { Answer } from "../shared/types.ts";

/** Similarity of a stored and an asked question, as far as the caller knows. */
export interface Closeness extends SlotContext {
  /**
   * Cosine of both questions' vectors, `null` without an encoder. Learned weights need vectors of `Slots.canonical`;
   * thresholds of a source need vectors of the questions as written.
   */
  readonly cosine: number | null;
  /** From `entityJaccard`. */
  readonly entityJaccard: number;
  /** From `documentOverlap` over the passages found for each; `null` before retrieval. */
  readonly documentOverlap: number | null;
  /**
   * Rank (from 0) of the first passage found for the asked question that the stored answer cites; `-1` if there is
   * none, `null` if unknown.
   */
  readonly citedRank?: number | null;
}

export type MatchSettings =
  /** Default: learned weights, accepted from `threshold` on. */
  | { readonly type: "learned"; readonly weights: MatchWeights; readonly threshold?: number }
  /**
   * `spark`: a minimum for each of three measures; the weighted sum ranks. The cosine threshold is that of its encoder
   * and must be converted for another one.
   */
  | { readonly type: "thresholds"; readonly cosine: number; readonly entityJaccard: number; readonly documentOverlap: number };

/**
 * Thresholds of `spark` for its own encoder (`all-MiniLM-L6-v2`). `cosine` is converted by quantile for another
 * encoder.
 */
export const SPARK_MATCH = { type: "thresholds", cosine: 0.92, entityJaccard: 0.6, documentOverlap: 0.6 } as const;
/** Weights of its sum. The source names three learned weights without numbers. */
const SPARK_SUM = { cosine: 0.5, entityJaccard: 0.25, documentOverlap: 0.25 } as const;

export interface Match {
  readonly accept: boolean;
  /**
   * Not accepted, but no exact value differs and the asked question finds what the stored answer cites. The
   * cross-encoder may overrule the miss.
   */
  readonly soft: boolean;
  /** Ranks candidates, from 0 to 1. 0 if the slots differ. */
  readonly score: number;
  /** `same`, `score`, `cited`, `cosine`, `entities`, `documents`, or the slot rule that caused the miss. */
  readonly rule: string;
  /** Explanation for people. */
  readonly detail: string;
}

const modelSchema = namedScorerSchema().and(z.object({ threshold: z.number() }));

const weightsSchema = z.object({
  recipe: z.string(),
  /** Weights with retrieval. */
  retrieved: modelSchema,
  /** Weights without retrieval. */
  words: modelSchema,
});
export type MatchWeights = z.infer<typeof weightsSchema>;

/**
 * Loads the weights trained by `lab/train/cache`.
 * @throws ModelError `match_corrupt` when the file is missing or invalid
 */
export function readMatchWeights(path: string = shippedWeights("match.json")): MatchWeights {
  return readWeights({ path, schema: weightsSchema, code: "match_corrupt", whose: "the cache's weights", recipe: "cache" }).weights;
}

/**
 * Decides whether the stored question's answer may be served for the asked question. The slots must agree in every
 * setting, and the combined score must be high enough. Unknown means a miss.
 */
export function judgeMatch(asked: Slots, stored: Slots, closeness: Closeness, settings: MatchSettings): Match {
  const verdict = compareSlots(asked, stored, closeness);
  const isCited = closeness.citedRank === undefined || closeness.citedRank === null || closeness.citedRank >= 0;
  if (!verdict.same) {
    const soft = verdict.soft && settings.type === "learned" && closeness.cosine !== null && isCited;
    return { accept: false, soft, score: 0, rule: verdict.rule, detail: verdict.detail };
  }
  const miss = (rule: string, detail: string): Match => ({ accept: false, soft: false, score: 0, rule, detail });
  if (closeness.cosine === null) return miss("cosine", "no encoder is available to compare the questions");
  if (settings.type === "thresholds") return judgeByThresholds(closeness.cosine, closeness, settings);
  if (!isCited) return miss("cited", "the search for this question found no passage that the stored answer cites");
  const features = matchFeatures(asked, stored, closeness, verdict.alignment);
  const model = closeness.documentOverlap === null ? settings.weights.words : settings.weights.retrieved;
  const score = matchScore(features, model);
  const least = settings.threshold ?? model.threshold;
  const threshold = saysMore(verdict.alignment.asked) && saysMore(verdict.alignment.stored) ? Math.max(least, EACH_SAYS_MORE) : least;
  if (score >= threshold) return { accept: true, soft: false, score, rule: "same", detail: verdict.rules.join(", ") };
  const unexplained = [...verdict.alignment.asked, ...verdict.alignment.stored]
    .filter(({ match }) => match < LISTED)
    .map(({ term }) => term.text);
  const words = unexplained.length === 0 ? "" : `; unmatched words: ${[...new Set(unexplained)].join(", ")}`;
  return {
    accept: false,
    soft: true,
    score,
    rule: unexplained.length === 0 ? "score" : "unknown",
    detail: `score ${score.toFixed(2)}, minimum ${threshold.toFixed(2)}${words}`,
  };
}

/**
 * Minimum score if each question has a content word that the other lacks, even if their answers contain both. Chosen on
 * hard negatives over the veterans' pages: below it most served answers belonged to another question.
 */
export const EACH_SAYS_MORE = 0.5;

/** Words for the kind of answer and for things in general, which give no topic. */
const KIND_WORDS: ReadonlySet<string> = new Set(
  "amount number list allowed permitted percent percentage max cost costs money price years months days weeks long form deadline limit time date program programs".split(
    " ",
  ),
);

function saysMore(terms: readonly MatchedTerm[]): boolean {
  return terms.some(({ term, match }) => match < LISTED && term.weight >= 1 && !term.text.split(" ").every((word) => KIND_WORDS.has(word)));
}

function judgeByThresholds(
  cosine: number,
  { entityJaccard: jaccard, documentOverlap: overlap }: Closeness,
  settings: Extract<MatchSettings, { type: "thresholds" }>,
): Match {
  const score = SPARK_SUM.cosine * cosine + SPARK_SUM.entityJaccard * jaccard + SPARK_SUM.documentOverlap * (overlap ?? 0);
  const miss = (rule: string, detail: string): Match => ({ accept: false, soft: false, score, rule, detail });
  if (cosine < settings.cosine) return miss("cosine", `${cosine.toFixed(3)}, minimum ${settings.cosine.toFixed(3)}`);
  if (jaccard < settings.entityJaccard) return miss("entities", `${jaccard.toFixed(2)}, minimum ${settings.entityJaccard.toFixed(2)}`);
  if (overlap === null || overlap < settings.documentOverlap) {
    return miss("documents", `${overlap === null ? "unknown" : overlap.toFixed(2)}, minimum ${settings.documentOverlap.toFixed(2)}`);
  }
  return { accept: true, soft: false, score, rule: "same", detail: "" };
}

/** Returns the features of the score by name, each from 0 to 1. */
export function matchFeatures(asked: Slots, stored: Slots, closeness: Closeness, alignment: Alignment): Readonly<Record<string, number>> {
  const { cosine, entityJaccard: jaccard, documentOverlap: overlap, citedRank = null, about, found } = closeness;
  return {
    cosine: cosine ?? 0,
    entities: jaccard,
    documents: overlap ?? 0,
    cited: citedRank === null || citedRank < 0 ? 0 : 1 / (1 + citedRank),
    askedExplained: explained(alignment.asked, about),
    storedExplained: explained(alignment.stored, found),
    askedClear: 1 / (1 + alignment.askedOpen),
    storedClear: 1 / (1 + alignment.storedOpen),
    asks: asked.asks === stored.asks ? 1 : 0,
  };
}

/** Returns the weighted share of the terms that the other side covers. */
function explained(terms: readonly MatchedTerm[], there: ReadonlySet<string> | undefined): number {
  let [sum, all] = [0, 0];
  for (const { term, match } of terms) {
    sum += term.weight * (match < THERE && isThere(term, there) ? THERE : match);
    all += term.weight;
  }
  return all === 0 ? 1 : sum / all;
}

/** Returns the probability (0 to 1) that both questions ask for the same thing. Missing features count as 0. */
export function matchScore(features: Readonly<Record<string, number>>, scorer: NamedScorer): number {
  return chanceOf(
    scorer.features.map((name) => features[name] ?? 0),
    scorer,
  );
}

/**
 * Returns the Jaccard index of names, codes, values, places and persons (equal, or by a listed entailment); 1 if there
 * are none.
 */
export function entityJaccard(asked: Slots, stored: Slots): number {
  const names = ({ terms }: Slots) => new Set(terms.filter(({ kind }) => kind === "name").map(({ key }) => key));
  const [one, other] = [names(asked), names(stored)];
  const both = [...one].filter((name) => other.has(name)).length;
  const { shared, all } = sharedSlots(asked, stored);
  const size = one.size + other.size - both + all;
  return size === 0 ? 1 : (both + shared) / size;
}

/** Returns the Jaccard index of the documents found for two questions; `null` if one found nothing. */
export function documentOverlap(a: readonly string[], b: readonly string[]): number | null {
  if (a.length === 0 || b.length === 0) return null;
  const [one, other] = [new Set(a), new Set(b)];
  const shared = [...one].filter((id) => other.has(id)).length;
  return shared / (one.size + other.size - shared);
}

/** A stored question paired with the asked one. */
export interface Rewording {
  readonly asked: string;
  readonly stored: string;
  /** Cosine of both questions. */
  readonly cosine: number;
  /** The stored answer as it would be served. */
  readonly answer: Pick<Answer, "citations">;
  /** True if a rule that compares nothing exact objects to the match. */
  readonly soft: boolean;
}

/** Decides with the cross-encoder whether both questions ask for the same thing. `null`: it could not be run. */
export type JudgeRewording = (rewording: Rewording, signal: AbortSignal) => Promise<{ same: boolean; reason: string } | null>;

/**
 * Features of a paraphrase: the cosine of both questions, the cross-encoder's log odds that they are equal, its log
 * odds that the first quote answers the asked question, and whether a soft rule objects. The share of common words is
 * left out, because it reflects how the training pairs were written.
 */
export const REWORDING_FEATURES = ["cosine", "same", "answer", "soft"] as const;

const chance = z.number().min(0).max(1);
const rewordingSchema = z.object({
  recipe: z.string(),
  /** Name and hash of the cross-encoder used in training. With another one, the weights are not used. */
  reader: z.object({ name: z.string(), hash: z.string() }),
  /** Probability that both ask for the same thing, for pairs without an exact difference. */
  scorer: namedScorerSchema(REWORDING_FEATURES),
  /** Minimum probabilities to serve the answer: without an objection, and with one of a soft rule. */
  from: z.object({ agreed: chance, soft: chance }),
});
export type RewordingWeights = z.infer<typeof rewordingSchema>;

/**
 * Loads the weights trained by `lab/train/cache`.
 * @throws ModelError `rewording_corrupt` when the file is missing or invalid
 */
export function readRewordingWeights(path: string = shippedWeights("rewording.json")): RewordingWeights {
  return readWeights({ path, schema: rewordingSchema, code: "rewording_corrupt", whose: "the cache's weights", recipe: "cache" }).weights;
}

/**
 * Maximum length of a question in characters. The cross-encoder truncates longer ones, and the difference may be in the
 * cut part.
 */
const MAX_QUESTION = 200;

/** @param read cross-encoder; `null` if there is none, or not the one used in training */
export function createRewordingJudge(weights: RewordingWeights, read: ReadTexts | null): JudgeRewording {
  return async (rewording, signal) => {
    const { asked, stored, answer } = rewording;
    const isWhole = answer.citations.length > 0 && Math.max(asked.length, stored.length) <= MAX_QUESTION;
    const [odds] = read === null || !isWhole ? [] : ((await readRewordings([rewording], read, signal)) ?? []);
    if (odds === undefined) return null;
    const { cosine, soft } = rewording;
    const known = { cosine, ...odds, soft: Number(soft) };
    const sure = chanceOf(
      weights.scorer.features.map((name) => known[name as keyof typeof known]),
      weights.scorer,
    );
    const least = soft ? weights.from.soft : weights.from.agreed;
    return {
      same: sure >= least,
      reason: `the cross-encoder rates the questions as equivalent with ${sure.toFixed(2)}, minimum ${least.toFixed(2)}`,
    };
  };
}

/**
 * Returns, for each pair, the log odds that it asks for the same thing and that the first quote of the stored answer
 * answers the asked question; `null` if the cross-encoder could not run.
 */
export async function readRewordings(
  pairs: readonly Pick<Rewording, "asked" | "stored" | "answer">[],
  read: ReadTexts,
  signal: AbortSignal,
): Promise<{ readonly same: number; readonly answer: number }[] | null> {
  const texts = pairs.flatMap(({ asked, stored, answer }) => [
    { question: stored, text: asked },
    { question: asked, text: firstQuote(answer) },
  ]);
  const readings = await read(texts, signal);
  if (readings === null) return null;
  return pairs.map((_, i) => ({ same: readings[2 * i]?.same as number, answer: readings[2 * i + 1]?.answer as number }));
}

function firstQuote({ citations: [first] }: Rewording["answer"]): string {
  return first === undefined ? "" : quoteText(first.title, first.headingPath, first.quote);
}
