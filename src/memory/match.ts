import { z } from "zod";
import { quoteText } from "../cross-encoder/quote-text.ts";
import type { ReadTexts } from "../cross-encoder/reader.ts";
import { type Alignment, isThere, LISTED, type MatchedTerm, type SlotContext, THERE } from "../language/align-terms.ts";
import { compareSlots, sharedSlots } from "../language/compare-slots.ts";
import type { Slots } from "../language/slots.ts";
import { readWeights, shippedWeights } from "../models/weights/read-weights.ts";
import { chanceOf, type NamedScorer, namedScorerSchema } from "../models/weights/scorer.ts";
import type { Answer } from "../shared/types.ts";

/** How near a stored question is to the asked one, as far as the caller knows. */
export interface Closeness extends SlotContext {
  /**
   * Of both questions' vectors, `null` without an encoder. Learned weights want vectors of `Slots.canonical`, thresholds of a source those of the questions
   * as written.
   */
  readonly cosine: number | null;
  /** From `entityJaccard`. */
  readonly entityJaccard: number;
  /** From `documentOverlap`, over the passages found for each; `null` before retrieval. */
  readonly documentOverlap: number | null;
  /** Rank among the asked question's passages, from 0, of the first one that the stored answer cites; `-1`: none of them, `null`: unknown. */
  readonly citedRank?: number | null;
}

export type MatchSettings =
  /** Ours: learned weights, accepted from `threshold` on. */
  | { readonly type: "learned"; readonly weights: MatchWeights; readonly threshold?: number }
  /** `spark`: each of three at least so much, and the weighted sum ranks. Thresholds on cosines are those of its encoder: carry them over. */
  | { readonly type: "thresholds"; readonly cosine: number; readonly entityJaccard: number; readonly documentOverlap: number };

/** What `spark` asks of its own encoder (`all-MiniLM-L6-v2`); `cosine` is carried over by quantile for another one. */
export const SPARK_MATCH = { type: "thresholds", cosine: 0.92, entityJaccard: 0.6, documentOverlap: 0.6 } as const;
/** Weights of its sum; the source names three learned weights and gives no numbers. */
const SPARK_SUM = { cosine: 0.5, entityJaccard: 0.25, documentOverlap: 0.25 } as const;

export interface Match {
  readonly accept: boolean;
  /** Not accepted, but nothing exact differs, and the asked question finds what the stored answer cites: a reading may outvote it. */
  readonly soft: boolean;
  /** 0 to 1; ranks candidates. 0 where the slots differ. */
  readonly score: number;
  /** `same`, `score`, `cited`, `cosine`, `entities`, `documents`, or the rule of the slots that made it a miss. */
  readonly rule: string;
  /** For people. */
  readonly detail: string;
}

const modelSchema = namedScorerSchema().and(z.object({ threshold: z.number() }));

const weightsSchema = z.object({
  recipe: z.string(),
  /** After retrieval. */
  retrieved: modelSchema,
  /** Where there was no retrieval. */
  words: modelSchema,
});
export type MatchWeights = z.infer<typeof weightsSchema>;

/**
 * Weights that `lab/train/cache` learned.
 * @throws ModelError `match_corrupt` when the file is missing or not what it should be
 */
export function readMatchWeights(path: string = shippedWeights("match.json")): MatchWeights {
  return readWeights({ path, schema: weightsSchema, code: "match_corrupt", whose: "the cache's weights", recipe: "cache" }).weights;
}

/**
 * May the stored question's answer be served for the asked one? Only if the slots agree, in every setting, and the combined score is high enough.
 * What is unknown is a miss.
 */
export function judgeMatch(asked: Slots, stored: Slots, closeness: Closeness, settings: MatchSettings): Match {
  const verdict = compareSlots(asked, stored, closeness);
  const isCited = closeness.citedRank === undefined || closeness.citedRank === null || closeness.citedRank >= 0;
  if (!verdict.same) {
    const soft = verdict.soft && settings.type === "learned" && closeness.cosine !== null && isCited;
    return { accept: false, soft, score: 0, rule: verdict.rule, detail: verdict.detail };
  }
  const miss = (rule: string, detail: string): Match => ({ accept: false, soft: false, score: 0, rule, detail });
  if (closeness.cosine === null) return miss("cosine", "there is no encoder to compare them by");
  if (settings.type === "thresholds") return judgeByThresholds(closeness.cosine, closeness, settings);
  if (!isCited) return miss("cited", "no passage that the stored answer cites is found for the asked question");
  const features = matchFeatures(asked, stored, closeness, verdict.alignment);
  const model = closeness.documentOverlap === null ? settings.weights.words : settings.weights.retrieved;
  const score = matchScore(features, model);
  const least = settings.threshold ?? model.threshold;
  const threshold = saysMore(verdict.alignment.asked) && saysMore(verdict.alignment.stored) ? Math.max(least, EACH_SAYS_MORE) : least;
  if (score >= threshold) return { accept: true, soft: false, score, rule: "same", detail: verdict.rules.join(", ") };
  const unexplained = [...verdict.alignment.asked, ...verdict.alignment.stored]
    .filter(({ match }) => match < LISTED)
    .map(({ term }) => term.text);
  const words = unexplained.length === 0 ? "" : `; not explained: ${[...new Set(unexplained)].join(", ")}`;
  return {
    accept: false,
    soft: true,
    score,
    rule: unexplained.length === 0 ? "score" : "unknown",
    detail: `${score.toFixed(2)} of ${threshold.toFixed(2)}${words}`,
  };
}

/**
 * Least score where each question holds a content word that the other lacks, even if their answers speak of both. Chosen on look-alikes of our own over the
 * veterans' pages: below it most of what was served answered another question.
 */
export const EACH_SAYS_MORE = 0.5;

/** Words for the kind of answer that is wanted, and for things in general: they tell no topic. */
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
  if (cosine < settings.cosine) return miss("cosine", `${cosine.toFixed(3)} of ${settings.cosine.toFixed(3)}`);
  if (jaccard < settings.entityJaccard) return miss("entities", `${jaccard.toFixed(2)} of ${settings.entityJaccard.toFixed(2)}`);
  if (overlap === null || overlap < settings.documentOverlap) {
    return miss("documents", `${overlap === null ? "unknown" : overlap.toFixed(2)} of ${settings.documentOverlap.toFixed(2)}`);
  }
  return { accept: true, soft: false, score, rule: "same", detail: "" };
}

/** What the score is made of, by name. Each from 0 to 1 but for the constant. */
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

/** Share of what the words tell that the other side tells too. */
function explained(terms: readonly MatchedTerm[], there: ReadonlySet<string> | undefined): number {
  let [sum, all] = [0, 0];
  for (const { term, match } of terms) {
    sum += term.weight * (match < THERE && isThere(term, there) ? THERE : match);
    all += term.weight;
  }
  return all === 0 ? 1 : sum / all;
}

/** Chance that both questions ask for the same: 0 to 1. A feature that is not there counts as 0. */
export function matchScore(features: Readonly<Record<string, number>>, scorer: NamedScorer): number {
  return chanceOf(
    scorer.features.map((name) => features[name] ?? 0),
    scorer,
  );
}

/** Names, codes, values, places and persons of both (equal, or by a listed rule), as a share of those of either; 1 when there are none. */
export function entityJaccard(asked: Slots, stored: Slots): number {
  const names = ({ terms }: Slots) => new Set(terms.filter(({ kind }) => kind === "name").map(({ key }) => key));
  const [one, other] = [names(asked), names(stored)];
  const both = [...one].filter((name) => other.has(name)).length;
  const { shared, all } = sharedSlots(asked, stored);
  const size = one.size + other.size - both + all;
  return size === 0 ? 1 : (both + shared) / size;
}

/** Documents that both questions found, as a share of those of either; `null` when one found nothing. */
export function documentOverlap(a: readonly string[], b: readonly string[]): number | null {
  if (a.length === 0 || b.length === 0) return null;
  const [one, other] = [new Set(a), new Set(b)];
  const shared = [...one].filter((id) => other.has(id)).length;
  return shared / (one.size + other.size - shared);
}

/** A stored question beside the one that is asked. */
export interface Rewording {
  readonly asked: string;
  readonly stored: string;
  /** Of both questions. */
  readonly cosine: number;
  /** What is stored, as it would be served. */
  readonly answer: Pick<Answer, "citations">;
  /** A rule speaks against it that compares nothing exact. */
  readonly soft: boolean;
}

/** Does a reading support that both ask for the same? `null`: nothing could be read. */
export type JudgeRewording = (rewording: Rewording, signal: AbortSignal) => Promise<{ same: boolean; reason: string } | null>;

/**
 * What is known of a rewording: the cosine of both questions, the reader's log odds that they ask for the same and that the first quote of the answer answers
 * what is asked, and whether a soft rule speaks against it. What the asked question shares of the words is left out: it tells how pairs were written.
 */
export const REWORDING_FEATURES = ["cosine", "same", "answer", "soft"] as const;

const chance = z.number().min(0).max(1);
const rewordingSchema = z.object({
  recipe: z.string(),
  /** Name and hash of the reader that it was learned with: with another, nothing is read. */
  reader: z.object({ name: z.string(), hash: z.string() }),
  /** Chance that both ask for the same, of pairs in which nothing exact differs. */
  scorer: namedScorerSchema(REWORDING_FEATURES),
  /** Chances from which the answer is served: where no rule speaks against it, and where a soft one does. */
  from: z.object({ agreed: chance, soft: chance }),
});
export type RewordingWeights = z.infer<typeof rewordingSchema>;

/**
 * Weights that `lab/train/cache` learned.
 * @throws ModelError `rewording_corrupt` when the file is missing or not what it should be
 */
export function readRewordingWeights(path: string = shippedWeights("rewording.json")): RewordingWeights {
  return readWeights({ path, schema: rewordingSchema, code: "rewording_corrupt", whose: "the cache's weights", recipe: "cache" }).weights;
}

/** Characters of a question that the reader takes in whole: what stands behind them might be what differs. */
const MAX_QUESTION = 200;

/** @param read `null`: there is no reader, or another one than the weights were learned with */
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
    return { same: sure >= least, reason: `read as the same question with a chance of ${sure.toFixed(2)} of ${least.toFixed(2)}` };
  };
}

/** The reader's log odds that each pair asks for the same, and that the first quote of the stored answer answers what is asked; `null`: it could not read. */
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
