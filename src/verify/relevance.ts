import { join } from "node:path";
import { z } from "zod";
import { readNamedWeights, readWeights, shippedWeights } from "../models/weights/read-weights.ts";
import { chanceOfScore, linearPartsOf, type NamedScorer, namedScorerSchema } from "../models/weights/scorer.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { heaviestMissing, held, least, mass, missingMass, ofRarest, rarestHeld, type SufficiencyParts, softMean } from "./sufficiency.ts";
import { type AskedTerm, type EvidenceView, type Match, type PassageView, soft, union } from "./sufficiency-view.ts";

/** A passage among those that were found with it. */
interface Standing {
  readonly view: EvidenceView;
  readonly terms: readonly AskedTerm[];
  readonly passage: PassageView;
  /** Its title and headings. */
  readonly above: Match;
  /** Its sentences, each under its title and headings, by what they cover of the question. */
  readonly sentence: ReturnType<typeof coverageOf>;
  readonly place: number;
  readonly best: Best;
}

/** What the best of all passages reaches. */
interface Best {
  readonly held: number;
  readonly soft: number;
  readonly dense: number | null;
  readonly bm25: number | null;
  readonly rerank: number | null;
}

/** A number about one passage and the question, or `null` when what it measures is not there, with the group that it is explained by. */
interface RelevanceFeature {
  readonly of: (standing: Standing) => number | null;
  readonly says: keyof typeof IN_WORDS;
}

/** What a group of features measures, in words for people. */
const IN_WORDS = {
  words: "the question's words in it",
  rare: "the rare words, names and numbers asked",
  sentence: "its best sentence",
  meaning: "related words",
  heading: "its title and headings",
  reranker: "the reranker's score",
  cosine: "its vector",
  bm25: "its rank by words",
  values: "values of the kind asked",
  question: "the question's kind",
} as const;

const { log1p } = Math;

function minus(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one - other;
}

/** Every feature, by name. */
export const RELEVANCE_FEATURES: Readonly<Record<string, RelevanceFeature>> = {
  held: { says: "words", of: ({ passage, terms }) => held(passage.whole, terms) },
  "held.text": { says: "words", of: ({ passage, terms }) => held(passage.text, terms) },
  "held.behind": { says: "words", of: ({ passage, terms, best }) => held(passage.whole, terms) - best.held },
  mass: { says: "words", of: ({ passage, terms }) => log1p(mass(passage.whole, terms)) },
  "mass.missing": { says: "words", of: ({ passage, terms }) => log1p(missingMass(passage.whole, terms)) },
  neighbours: { says: "words", of: ({ passage, terms }) => (terms.length < 2 ? null : passage.neighbours.size / (terms.length - 1)) },
  "neighbours.count": { says: "words", of: ({ passage }) => log1p(passage.neighbours.size) },

  "rarest.two": { says: "rare", of: ({ passage, view }) => ofRarest(passage.whole, view, 2) },
  "rarest.held": { says: "rare", of: ({ passage, terms }) => rarestHeld(passage.whole, terms, 0) },
  "rarest.second": { says: "rare", of: ({ passage, terms }) => rarestHeld(passage.whole, terms, 1) },
  "missing.heaviest": { says: "rare", of: ({ passage, terms }) => heaviestMissing(passage.whole, terms, ({ weight }) => weight) },
  "missing.rarest": { says: "rare", of: ({ passage, terms }) => heaviestMissing(passage.whole, terms, ({ rarity }) => rarity) },
  "missing.name": {
    says: "rare",
    of: ({ passage, terms }) => heaviestMissing(passage.whole, terms, ({ name, rarity }) => (name ? rarity : 0)),
  },
  "missing.number": { says: "rare", of: ({ passage, terms }) => heaviestMissing(passage.whole, terms, ({ number }) => Number(number)) },

  "sentence.held": { says: "sentence", of: ({ sentence }) => sentence.held },
  "sentence.soft": { says: "sentence", of: ({ sentence }) => sentence.soft },
  "sentence.rarest": { says: "sentence", of: ({ sentence }) => sentence.rarest },
  "sentence.least": { says: "sentence", of: ({ sentence }) => sentence.least },
  "sentence.bare": {
    says: "sentence",
    of: ({ passage, terms }) => passage.sentences.reduce((most, match) => Math.max(most, held(match, terms)), 0),
  },

  soft: { says: "meaning", of: ({ passage, terms }) => soft(passage.whole, terms) },
  "soft.behind": { says: "meaning", of: ({ passage, terms, best }) => soft(passage.whole, terms) - best.soft },
  "soft.mean": { says: "meaning", of: ({ passage }) => softMean(passage.whole) },
  "soft.least": { says: "meaning", of: ({ passage }) => least(passage.whole) },

  "title.held": { says: "heading", of: ({ passage, terms }) => held(passage.title, terms) },
  "above.held": { says: "heading", of: ({ above, terms }) => held(above, terms) },
  "above.soft": { says: "heading", of: ({ above, terms }) => soft(above, terms) },

  rerank: { says: "reranker", of: ({ passage }) => passage.scores.rerank },
  "rerank.behind": { says: "reranker", of: ({ passage, best }) => minus(passage.scores.rerank, best.rerank) },
  place: { says: "reranker", of: ({ place }) => place },

  dense: { says: "cosine", of: ({ passage }) => passage.scores.dense },
  "dense.behind": { says: "cosine", of: ({ passage, best }) => minus(passage.scores.dense, best.dense) },

  bm25: { says: "bm25", of: ({ passage }) => log1p(Math.max(0, passage.scores.bm25 ?? 0)) },
  "bm25.ideal": { says: "bm25", of: ({ passage, view }) => (view.idealBm25 > 0 ? (passage.scores.bm25 ?? 0) / view.idealBm25 : 0) },
  "bm25.behind": {
    says: "bm25",
    of: ({ passage, best }) => (best.bm25 === null || best.bm25 <= 0 ? null : (passage.scores.bm25 ?? 0) / best.bm25),
  },

  "values.sentence": { says: "values", of: ({ passage, view }) => (view.asked.length === 0 ? null : passage.valued()) },
  "values.held": {
    says: "values",
    of: ({ passage, view }) => (view.asked.length === 0 ? null : Number(passage.valued() > 0)),
  },

  "question.terms": { says: "question", of: ({ terms }) => log1p(terms.length) },
  "question.unknown": { says: "question", of: ({ terms }) => terms.reduce((all, { known, weight }) => all + (known ? 0 : weight), 0) },
  "question.best": { says: "question", of: ({ best }) => best.rerank },
  "question.best-held": { says: "question", of: ({ best }) => best.held },
};

/** The most that any one text of several covers, by each measure, `rarest` of the two heaviest terms; in one pass, for a passage has many sentences. */
function coverageOf(matches: readonly Match[], view: Pick<EvidenceView, "terms" | "heaviest">) {
  const { terms } = view;
  let [mostHeld, mostSoft, mostRare, mostLeast] = [0, 0, 0, 0];
  for (const match of matches) {
    let [heldHere, softHere, leastHere] = [0, 0, terms.length === 0 ? 0 : 1];
    for (let i = 0; i < terms.length; i++) {
      const value = match[i] ?? 0;
      const { weight } = terms[i] as AskedTerm;
      if (value === 1) heldHere += weight;
      softHere += weight * value;
      if (value < leastHere) leastHere = value;
    }
    if (heldHere > mostHeld) mostHeld = heldHere;
    if (softHere > mostSoft) mostSoft = softHere;
    if (leastHere > mostLeast) mostLeast = leastHere;
    mostRare = Math.max(mostRare, ofRarest(match, view, 2));
  }
  return { held: mostHeld, soft: mostSoft, rarest: mostRare, least: mostLeast };
}

/** Values of the named features for every passage, in order; `null` where one measures nothing. */
export function measurePassages(view: EvidenceView, names: readonly string[]): (number | null)[][] {
  const { passages, terms } = view;
  const most = (values: readonly (number | null)[]) => values.reduce((top, one) => (one === null ? top : Math.max(top ?? one, one)), null);
  const best: Best = {
    held: most(passages.map(({ whole }) => held(whole, terms))) ?? 0,
    soft: most(passages.map(({ whole }) => soft(whole, terms))) ?? 0,
    dense: most(passages.map(({ scores }) => scores.dense)),
    bm25: most(passages.map(({ scores }) => scores.bm25)),
    rerank: most(passages.map(({ scores }) => scores.rerank)),
  };
  return passages.map((passage, place) => {
    const sentence = coverageOf(passage.headed, view);
    const standing: Standing = { view, terms, passage, above: union(passage.title, passage.headings), sentence, place, best };
    return names.map((name) => (RELEVANCE_FEATURES[name] as RelevanceFeature).of(standing));
  });
}

const modelSchema = namedScorerSchema(Object.keys(RELEVANCE_FEATURES));

const weightsSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  date: z.string(),
  /** SHA-256 of the measured features that it was learned from. */
  data: z.string(),
  /** Chance that one passage answers. */
  passage: modelSchema,
  /** Log-odds of the score: offset + relevance · log-odds of relevance + consistency · (1 − consistency) + agreement · (1 − agreement). */
  combine: z.object({
    offset: z.number(),
    relevance: z.number().positive(),
    consistency: z.number().max(0),
    agreement: z.number().max(0),
  }),
  cuts: z
    .object({
      verified: z.number().min(0).max(1),
      rejected: z.number().min(0).max(1),
      rule: z.string(),
      /** Share of the verified passages that answer, on passages that the weights never saw. */
      precision: z.number(),
      /** Share of the answering passages that are rejected, on the same. */
      lost: z.number(),
    })
    .refine(({ verified, rejected }) => rejected <= verified, { message: "the cut of rejected lies above the one of verified" }),
});
export type RelevanceModel = NamedScorer;
/** The learned chance that a passage answers, what makes a score of it, and the cuts of the score. */
export interface RelevanceWeights extends z.infer<typeof weightsSchema> {
  /** Names these very weights: the recipe and the hash of the file. */
  readonly id: string;
}

const NAMES = { code: "relevance_corrupt", whose: "the weights of relevance", recipe: "relevance" };

/**
 * Weights as they ship, with the cuts and what was measured at them; made by `lab/train/relevance`.
 * @throws ModelError `relevance_corrupt` when the file is missing or not what it should be
 */
export function readRelevanceWeights(path: string = shippedWeights("relevance.json")): RelevanceWeights {
  return readNamedWeights({ path, schema: weightsSchema, ...NAMES });
}

/**
 * Weights that were each learned without one fold of the marked questions: a figure on those questions takes the weights that never saw them.
 * @throws ModelError `relevance_corrupt` when the file is missing or not what it should be
 */
export function readRelevanceFolds(path: string = join(PACKAGE_ROOT, "lab/train/relevance/folds.json")): readonly RelevanceModel[] {
  return readWeights({ path, schema: z.object({ folds: z.array(modelSchema).min(2) }), ...NAMES }).weights.folds;
}

/** What a gate is given that judges all passages together and each of them. */
export interface LearnedParts extends SufficiencyParts {
  readonly relevance: RelevanceWeights;
}

/** How likely one passage answers the question. */
export interface Relevance {
  /** 0–1. */
  readonly probability: number;
  /** One line: what weighed most, for it and against it. */
  readonly reason: string;
}

/** What says which passages answer: learned weights, or the share of the question's words and why. */
export type PassageJudge =
  | { readonly type: "learned"; readonly weights: RelevanceWeights; readonly relevance: readonly Relevance[] }
  | { readonly type: "words"; readonly why: string | null };

/** For gates that learn nothing. */
export const BY_WORDS: PassageJudge = { type: "words", why: null };

/** The learned chance of every passage, in order; where the weights say nothing, why. */
export function judgePassages(
  view: EvidenceView,
  { relevance: weights, encoder }: Pick<LearnedParts, "relevance" | "encoder">,
  ranker: string | null,
): PassageJudge {
  if (ranker !== encoder)
    return { type: "words", why: ranker === null ? "no encoder ranked the passages" : `nothing was learned with ${ranker}` };
  return { type: "learned", weights, relevance: relevanceOf(view, weights.passage) };
}

/** σ(bias + Σ weight · (value − mean)) of every passage, in order. */
export function relevanceOf(view: EvidenceView, model: RelevanceModel): Relevance[] {
  return measurePassages(view, model.features).map((row) => {
    const parts = linearPartsOf(row, model);
    const probability = chanceOfScore(
      parts.reduce((sum, part) => sum + part, model.bias ?? 0),
      model,
    );
    return { probability, reason: `relevance ${probability.toFixed(2)}${explain(model.features, parts)}` };
  });
}

/**
 * The learned chance beside what the reader says of each passage: σ of the mean of both log odds (a logarithmic pool with equal weights: Genest and Zidek,
 * Statistical Science 1(1), 1986, section 3). Apart they err on different things: the learned chance knows the passages beside it, the reader what was said.
 * @param readings log odds by the reader; `null`: of that passage it says nothing, and the learned chance stands
 */
export function poolReadings(relevance: readonly Relevance[], readings: readonly (number | null)[]): Relevance[] {
  return relevance.map((own, i) => {
    const answer = readings[i] ?? null;
    if (answer === null) return own;
    const probability = sigmoid((logOddsOf(own.probability) + answer) / 2);
    return { probability, reason: `${probability.toFixed(2)} of the reader's ${sigmoid(answer).toFixed(2)} and ${own.reason}` };
  });
}

/** Groups of features that are named. */
const NAMED = 3;
/** Log-odds below which a group says nothing. */
const SAYS_SOMETHING = 0.1;

/** The groups of features that weighed most beside the average passage. */
function explain(features: RelevanceModel["features"], parts: readonly number[]): string {
  const groups = new Map<keyof typeof IN_WORDS, number>();
  for (const [i, name] of features.entries()) {
    const group = RELEVANCE_FEATURES[name]?.says;
    if (group !== undefined) groups.set(group, (groups.get(group) ?? 0) + (parts[i] as number));
  }
  const named = [...groups]
    .filter(([, part]) => Math.abs(part) >= SAYS_SOMETHING)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .slice(0, NAMED);
  const side = (which: (part: number) => boolean) => named.flatMap(([group, part]) => (which(part) ? [IN_WORDS[group]] : [])).join(", ");
  const [pro, against] = [side((part) => part > 0), side((part) => part < 0)];
  const sides = [pro === "" ? [] : [`for it ${pro}`], against === "" ? [] : [`against it ${against}`]].flat();
  return sides.length === 0 ? ": as the average passage" : `: ${sides.join("; ")}`;
}

/**
 * The learned combination of a passage's scores, 0–1; what is `null` counts nothing. Passages that say otherwise take a passage below uncertain only as far as
 * it would be without them: the outlier may be the newer rule.
 */
export function combineScores(
  {
    relevance,
    consistency,
    agreement,
  }: { readonly relevance: number; readonly consistency: number | null; readonly agreement: number | null },
  { combine, cuts }: Pick<RelevanceWeights, "combine" | "cuts">,
): number {
  const lacks = (score: number | null) => (score === null ? 0 : 1 - score);
  const logOdds = combine.offset + combine.relevance * logOddsOf(relevance) + combine.consistency * lacks(consistency);
  const alone = sigmoid(logOdds);
  return Math.max(sigmoid(logOdds + combine.agreement * lacks(agreement)), Math.min(alone, cuts.rejected));
}

function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/** Of a chance that is not quite 0 or 1. */
function logOddsOf(chance: number): number {
  const inside = Math.min(1 - 1e-9, Math.max(1e-9, chance));
  return Math.log(inside / (1 - inside));
}
