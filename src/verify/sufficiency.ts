import { join } from "node:path";
import { z } from "zod";
import { readNamedWeights, readWeights, shippedWeights } from "../models/weights/read-weights.ts";
import { chanceOf, namedScorerSchema } from "../models/weights/scorer.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { VALUE_KINDS } from "../reading/asked-values.ts";
import { readQuestion } from "../reading/question.ts";
import { type AskedTerm, type EvidenceView, type Match, type PassageView, soft, union, type WordSpace } from "./sufficiency-view.ts";

/** A number about a question and its evidence as a whole, or `null` when what it measures is not there. */
type Feature = (view: EvidenceView) => number | null;

// Helpers over matches

/** Share of the question's weight that a text holds. */
export function held(match: Match, terms: readonly AskedTerm[]): number {
  return terms.reduce((sum, { weight }, i) => sum + (match[i] === 1 ? weight : 0), 0);
}

export function softMean(match: Match): number {
  return match.length === 0 ? 0 : match.reduce((sum, value) => sum + value, 0) / match.length;
}

export function least(match: Match): number {
  return match.length === 0 ? 0 : Math.min(...match);
}

/** The rarest terms of the question: of one passage that answers they all stand near. */
export function ofRarest(match: Match, { heaviest }: Pick<EvidenceView, "heaviest">, count: number): number {
  const most = Math.min(count, heaviest.length);
  let sum = 0;
  for (let i = 0; i < most; i++) sum += match[heaviest[i] as number] ?? 0;
  return most === 0 ? 0 : sum / most;
}

/** What a text holds of the question in units of a word that no document holds. */
export function mass(match: Match, terms: readonly AskedTerm[]): number {
  return terms.reduce((sum, { rarity }, i) => sum + (match[i] === 1 ? rarity : 0), 0);
}

export function missingMass(match: Match, terms: readonly AskedTerm[]): number {
  return terms.reduce((sum, { rarity }, i) => sum + (match[i] === 1 ? 0 : rarity), 0);
}

/** Rarity of the rarest, second rarest, … term that a text holds. */
export function rarestHeld(match: Match, terms: readonly AskedTerm[], place: number): number {
  const found = terms.flatMap(({ rarity }, i) => (match[i] === 1 ? [rarity] : [])).sort((a, b) => b - a);
  return found[place] ?? 0;
}

/** Of the sentence that asks alone, without the story before it; `null` when the question is one sentence. */
function ofCore({ terms }: EvidenceView, of: (core: readonly number[], terms: readonly AskedTerm[]) => number): number {
  const core = terms.flatMap(({ core }, i) => (core ? [i] : []));
  const places = core.length === 0 ? terms.map((_, i) => i) : core;
  const some = places.map((i) => terms[i] as AskedTerm);
  const sum = some.reduce((total, { weight }) => total + weight, 0);
  return of(
    places,
    some.map((term) => ({ ...term, weight: sum > 0 ? term.weight / sum : 0 })),
  );
}

function pick(match: Match, places: readonly number[]): Match {
  return Float32Array.from(places, (i) => match[i] ?? 0);
}

function best(passages: readonly PassageView[], of: (passage: PassageView) => number): number {
  return passages.reduce((most, passage) => Math.max(most, of(passage)), 0);
}

function bestPassage({ passages, terms }: EvidenceView): PassageView | null {
  let found: PassageView | null = null;
  let most = -1;
  for (const passage of passages) {
    const value = held(passage.whole, terms) + 0.5 * soft(passage.whole, terms);
    if (value > most) {
      most = value;
      found = passage;
    }
  }
  return found;
}

function all(view: EvidenceView): Match {
  return union(new Float32Array(view.terms.length), ...view.passages.map(({ whole }) => whole));
}

/** Best of all sentences under their title and headings. */
function bestSentence(view: EvidenceView, of: (match: Match) => number): number {
  return best(view.passages, ({ headed }) => headed.reduce((most, sentence) => Math.max(most, of(sentence)), 0));
}

export function heaviestMissing(match: Match, terms: readonly AskedTerm[], by: (term: AskedTerm) => number): number {
  return terms.reduce((most, term, i) => (match[i] === 1 ? most : Math.max(most, by(term))), 0);
}

function sorted({ passages }: EvidenceView, of: (scores: PassageView["scores"]) => number | null): number[] {
  return passages.flatMap(({ scores }) => of(scores) ?? []).sort((a, b) => b - a);
}

const dense = (scores: PassageView["scores"]) => scores.dense;
const bm25 = (scores: PassageView["scores"]) => scores.bm25;
const rerank = (scores: PassageView["scores"]) => scores.rerank;

function at(values: readonly number[], i: number): number | null {
  return values.length === 0 ? null : (values[Math.min(i, values.length - 1)] as number);
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** How far the first stands above the others. */
function gap(values: readonly number[]): number | null {
  return values.length < 2 ? null : (values[0] as number) - (mean(values.slice(1)) as number);
}

/** Document of the passage that scores best. */
function first({ passages }: EvidenceView, of: (scores: PassageView["scores"]) => number | null): string | null {
  let found: { id: string; score: number } | null = null;
  for (const { documentId: id, scores } of passages) {
    const score = of(scores);
    if (score !== null && (found === null || score > found.score)) found = { id, score };
  }
  return found?.id ?? null;
}

const TASK =
  /^\W*(?:(?:can|could|will|would) you (?:please )?|please |help me (?:to )?(?:with )?|i (?:want|need) you to )*(?:write|draft|compose|translate|solve|calculate|compute|generate|create|tell me a|recommend|predict|pick|imagine|sing|play|remind|set|turn|book|order|call|text|rewrite|summari[sz]e|paraphrase)\b/i;
const OPINION =
  /\b(?:should (?:i|we)|going to win|do you think|your (?:opinion|favou?rite)|best .* for me|are you|how are you|who are you|good idea)\b/i;

/** Every feature, by name. What is `null` counts as the mean of the training questions. */
export const SUFFICIENCY_FEATURES: Readonly<Record<string, Feature>> = {
  // Words found
  "held.best": ({ passages, terms }) => best(passages, ({ whole }) => held(whole, terms)),
  "held.text": ({ passages, terms }) => best(passages, ({ text }) => held(text, terms)),
  "held.first": ({ passages, terms }) => (passages[0] === undefined ? 0 : held(passages[0].whole, terms)),
  "held.all": (view) => held(all(view), view.terms),
  "held.mean": ({ passages, terms }) => mean(passages.slice(0, 3).map(({ whole }) => held(whole, terms))),
  "held.title": ({ passages, terms }) => best(passages, ({ title }) => held(title, terms)),
  "held.headings": ({ passages, terms }) => best(passages, ({ title, headings }) => held(union(title, headings), terms)),
  "held.sentence": (view) => bestSentence(view, (match) => held(match, view.terms)),
  "held.bare-sentence": ({ passages, terms }) =>
    best(passages, ({ sentences }) => sentences.reduce((most, sentence) => Math.max(most, held(sentence, terms)), 0)),
  "held.rarest": (view) => best(view.passages, ({ whole }) => ofRarest(whole, view, 2)),
  "held.rarest-sentence": (view) => bestSentence(view, (match) => ofRarest(match, view, 2)),
  "held.three-sentence": (view) => bestSentence(view, (match) => ofRarest(match, view, 3)),
  neighbours: ({ passages, terms }) => (terms.length < 2 ? null : best(passages, ({ neighbours }) => neighbours.size) / (terms.length - 1)),
  "neighbours.all": ({ passages, terms }) =>
    terms.length < 2 ? null : new Set(passages.flatMap(({ neighbours }) => [...neighbours])).size / (terms.length - 1),

  // How much was found, whatever else the question tells: a long story has words that no page holds
  "mass.best": ({ passages, terms }) => Math.log1p(best(passages, ({ whole }) => mass(whole, terms))),
  "mass.first": ({ passages, terms }) => Math.log1p(passages[0] === undefined ? 0 : mass(passages[0].whole, terms)),
  "mass.mean": ({ passages, terms }) => Math.log1p(mean(passages.slice(0, 3).map(({ whole }) => mass(whole, terms))) ?? 0),
  "mass.sentence": (view) => Math.log1p(bestSentence(view, (match) => mass(match, view.terms))),
  "mass.bare-sentence": ({ passages, terms }) =>
    Math.log1p(best(passages, ({ sentences }) => sentences.reduce((most, sentence) => Math.max(most, mass(sentence, terms)), 0))),
  "mass.title": ({ passages, terms }) => best(passages, ({ title, headings }) => mass(union(title, headings), terms)),
  "mass.neighbours": ({ passages }) => Math.log1p(best(passages, ({ neighbours }) => neighbours.size)),
  "mass.missing": (view) => Math.log1p(missingMass(bestPassage(view)?.whole ?? new Float32Array(0), view.terms)),
  "mass.missing-all": (view) => Math.log1p(missingMass(all(view), view.terms)),
  "rarest.held": ({ passages, terms }) => best(passages, ({ whole }) => rarestHeld(whole, terms, 0)),
  "rarest.second": ({ passages, terms }) => best(passages, ({ whole }) => rarestHeld(whole, terms, 1)),
  "rarest.third": ({ passages, terms }) => best(passages, ({ whole }) => rarestHeld(whole, terms, 2)),
  "core.held": (view) => ofCore(view, (core, terms) => best(view.passages, ({ whole }) => held(pick(whole, core), terms))),
  "core.soft": (view) => ofCore(view, (core, terms) => best(view.passages, ({ whole }) => soft(pick(whole, core), terms))),
  "core.missing": (view) => ofCore(view, (core, terms) => heaviestMissing(pick(all(view), core), terms, ({ rarity }) => rarity)),
  "core.share": ({ terms }) => (terms.length === 0 ? null : terms.filter(({ core }) => core).length / terms.length),

  // Words by meaning
  "soft.best": ({ passages, terms }) => best(passages, ({ whole }) => soft(whole, terms)),
  "soft.first": ({ passages, terms }) => (passages[0] === undefined ? 0 : soft(passages[0].whole, terms)),
  "soft.mean": ({ passages }) => best(passages, ({ whole }) => softMean(whole)),
  "soft.least": ({ passages }) => best(passages, ({ whole }) => least(whole)),
  "soft.all": (view) => soft(all(view), view.terms),
  "soft.all-least": (view) => least(all(view)),
  "soft.sentence": (view) => bestSentence(view, (match) => soft(match, view.terms)),
  "soft.bare-sentence": ({ passages, terms }) =>
    best(passages, ({ sentences }) => sentences.reduce((most, sentence) => Math.max(most, soft(sentence, terms)), 0)),
  "soft.sentence-least": (view) => bestSentence(view, least),

  // Words missing
  "missing.heaviest": (view) => heaviestMissing(bestPassage(view)?.whole ?? new Float32Array(0), view.terms, ({ weight }) => weight),
  "missing.rarest": (view) => heaviestMissing(bestPassage(view)?.whole ?? new Float32Array(0), view.terms, ({ rarity }) => rarity),
  "missing.all-rarest": (view) => heaviestMissing(all(view), view.terms, ({ rarity }) => rarity),
  "missing.all-heaviest": (view) => heaviestMissing(all(view), view.terms, ({ weight }) => weight),
  "missing.name": (view) =>
    heaviestMissing(bestPassage(view)?.whole ?? new Float32Array(0), view.terms, ({ name, rarity }) => (name ? rarity : 0)),
  "missing.number": (view) => heaviestMissing(all(view), view.terms, ({ number }) => Number(number)),
  "missing.count": (view) => {
    const match = bestPassage(view)?.whole;
    return match === undefined ? view.terms.length : Math.min(6, view.terms.filter((_, i) => match[i] !== 1).length);
  },
  "unknown.count": ({ terms }) => Math.min(3, terms.filter(({ known }) => !known).length),
  "unknown.weight": ({ terms }) => terms.reduce((sum, { known, weight }) => sum + (known ? 0 : weight), 0),

  // Standing in the rankings
  "dense.best": (view) => at(sorted(view, dense), 0),
  "dense.second": (view) => at(sorted(view, dense), 1),
  "dense.fifth": (view) => at(sorted(view, dense), 4),
  "dense.gap": (view) => gap(sorted(view, dense)),
  "bm25.ideal": (view) => (view.idealBm25 > 0 ? (at(sorted(view, bm25), 0) ?? 0) / view.idealBm25 : 0),
  "bm25.best": (view) => Math.log1p(at(sorted(view, bm25), 0) ?? 0),
  "bm25.root": (view) => (at(sorted(view, bm25), 0) ?? 0) / Math.sqrt(1 + view.idealBm25),
  "bm25.gap": (view) => {
    const scores = sorted(view, bm25);
    return scores.length < 2 || (scores[0] as number) <= 0 ? null : (gap(scores) as number) / (scores[0] as number);
  },
  "rerank.best": (view) => at(sorted(view, rerank), 0),
  "rerank.second": (view) => at(sorted(view, rerank), 1),
  "rerank.fifth": (view) => at(sorted(view, rerank), 4),
  "rerank.gap": (view) => gap(sorted(view, rerank)),
  "agree.first": (view) => {
    const one = first(view, dense);
    const other = first(view, bm25);
    return one === null || other === null ? null : Number(one === other);
  },
  "agree.documents": ({ passages }) =>
    passages.length === 0 ? null : 1 - new Set(passages.map(({ documentId }) => documentId)).size / passages.length,

  // Values
  "values.asked": ({ asked }) => Math.min(2, asked.length),
  "values.sentence": (view) => (view.asked.length === 0 ? null : best(view.passages, ({ valued }) => valued())),
  "values.name": ({ asked }) => Number(asked.some((kinds) => (kinds & VALUE_KINDS.name) !== 0)),

  // The question
  "question.terms": ({ terms }) => Math.log1p(terms.length),
  "question.words": ({ written }) => Math.log1p(written.length),
  "question.rarity": ({ terms }) => mean(terms.map(({ rarity }) => rarity)) ?? 0,
  "question.rarest": ({ terms }) => Math.max(0, ...terms.map(({ rarity }) => rarity)),
  "question.english": ({ english }) => english,
  "question.yes-no": ({ question }) => Number(readQuestion(question).type === "can-i"),
  "question.how": ({ question }) => Number(/^how-(?:do)/.test(readQuestion(question).type)),
  "question.amount": ({ question }) => Number(/^how-(?:much|many|long)$/.test(readQuestion(question).type)),
  "question.what": ({ question }) => Number(/^(?:what|definition|list)$/.test(readQuestion(question).type)),
  "question.other": ({ question }) => Number(readQuestion(question).type === "other"),
  "question.task": ({ question }) => Number(TASK.test(question)),
  "question.opinion": ({ question }) => Number(OPINION.test(question)),
  "question.orders": ({ injectionSignals }) => Math.min(1, injectionSignals),
};

/** Values of the named features; `null` where one measures nothing. */
export function measureEvidence(view: EvidenceView, names: readonly string[]): (number | null)[] {
  return names.map((name) => (SUFFICIENCY_FEATURES[name] as Feature)(view));
}

const modelSchema = namedScorerSchema(Object.keys(SUFFICIENCY_FEATURES)).and(
  z.object({
    threshold: z.object({
      minimum: z.number().min(0).max(1),
      rule: z.string(),
      set: z.string(),
      answered: z.number(),
      answerable: z.number(),
      unanswerable_answered: z.number(),
      unanswerable: z.number(),
      /** Unanswerable questions among those answered at the threshold. */
      risk: z.number(),
      /** The same with the threshold chosen without the question that it judges. */
      risk_cross_fitted: z.number(),
    }),
  }),
);

const weightsSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  date: z.string(),
  /** SHA-256 of the measured features that it was learned from. */
  data: z.string(),
  models: z.object({ vectors: modelSchema, words: modelSchema }),
});
export interface SufficiencyWeights extends z.infer<typeof weightsSchema> {
  /** Names these very weights: the recipe and the hash of the file. */
  readonly id: string;
}
export type SufficiencyModel = z.infer<typeof modelSchema>;

const NAMES = { code: "sufficiency_corrupt", whose: "the gate's weights", recipe: "sufficiency" };

/**
 * Weights as they ship, with the threshold and what was measured at it; made by `lab/train/sufficiency`.
 * @throws ModelError `sufficiency_corrupt` when the file is missing or not what it should be
 */
export function readSufficiencyWeights(path: string = shippedWeights("sufficiency.json")): SufficiencyWeights {
  return readNamedWeights({ path, schema: weightsSchema, ...NAMES });
}

const foldsSchema = z.object({ folds: z.array(modelSchema).min(2) });

/**
 * Weights with vectors, each learned without one fold of the marked questions: a figure on those questions takes the weights that never saw them.
 * @throws ModelError `sufficiency_corrupt` when the file is missing or not what it should be
 */
export function readFoldWeights(path: string = join(PACKAGE_ROOT, "lab/train/sufficiency/folds.json")): readonly SufficiencyModel[] {
  return readWeights({ path, schema: foldsSchema, ...NAMES }).weights.folds;
}

/** What a gate that judges by sufficiency is given. */
export interface SufficiencyParts {
  readonly weights: SufficiencyWeights;
  readonly space: WordSpace;
  /** Id of the encoder whose cosines the weights were learned on; with another one the weights without vectors are used. */
  readonly encoder: string;
}

/** How likely the evidence as a whole answers the question. */
export interface Sufficiency {
  /** 0–1. */
  readonly probability: number;
  /** From here on the question is answered. */
  readonly minimum: number;
  /** What is said of it in the answer: the probability, or what a calibration makes of it. */
  readonly confidence: number;
  /** Was the minimum fitted on labelled questions of the domain? */
  readonly calibrated: boolean;
  /** Which weights judged. */
  readonly model: "vectors" | "words";
  /** One line for people. */
  readonly reason: string;
}

/** Chance that the evidence answers the question; `null` where nothing was found. */
export function judgeSufficiency(
  view: EvidenceView,
  { weights, encoder }: Pick<SufficiencyParts, "weights" | "encoder">,
  ranker: string | null,
): Sufficiency | null {
  if (view.passages.length === 0) return null;
  const name = ranker === encoder ? "vectors" : "words";
  const model = weights.models[name];
  const probability = chanceOf(measureEvidence(view, model.features), model);
  const { minimum, risk_cross_fitted: risk, set } = model.threshold;
  const unknown = view.terms.filter(({ known }) => !known).length;
  const strange = unknown === 0 ? "" : `; ${unknown} of ${view.terms.length} words of the question stand in no document`;
  const reason = `${percent(probability)} likely that the passages answer${strange}; answers from ${percent(minimum)} (on ${set} ${percent(risk)} of what is then answered has no answer in the documents)`;
  return { probability, minimum, confidence: probability, calibrated: false, model: name, reason };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
