import { z } from "zod";
import { askedValues, heldValues } from "../language/asked-values.ts";
import { type QuestionType, readQuestion } from "../language/question.ts";
import { readNamedWeights, shippedWeights } from "../models/weights/read-weights.ts";
import { namedScorerSchema } from "../models/weights/scorer.ts";
import type { Evidence, QuestionPart } from "../shared/types.ts";
import { type Candidate, textOf } from "./candidates.ts";

/** What choosing quotes needs of the index. */
export interface QuoteWords {
  tokens(text: string): string[];
  /** Tokens of what the question asks, its frame left out. */
  questionTokens(question: string): string[];
  idf(token: string): number;
}

/** Words of the question, one bit each. */
export type AskedBits = number;

/** A question as the choice of quotes sees it. */
export interface AskedQuestion {
  readonly type: QuestionType;
  /** Groups of kinds of value that it asks for. */
  readonly values: readonly number[];
  bitsIn(text: string): AskedBits;
  /** Share of the question's weight, 0 to 1. */
  share(bits: AskedBits): number;
  /** Share of the heaviest word of the question that is not among these. */
  heaviestLacking(bits: AskedBits): number;
  tokensIn(bits: AskedBits): string[];
  /** Its words with a digit: numbers, years, codes. */
  readonly numbers: AskedBits;
}

/** A candidate of a passage beside the question. */
export interface CandidateView {
  readonly candidate: Candidate;
  readonly evidence: Pick<Evidence, "passage">;
  /** Rank of the passage, from 0. */
  readonly rank: number;
  readonly text: string;
  /** Words of the question in it or in what stands above it. */
  readonly holds: AskedBits;
  /** Groups of values asked for of which it holds one. */
  readonly values: ReadonlySet<number>;
  /** Share of the question's weight in the candidate, and what its heading adds. */
  readonly own: number;
  readonly fromHeading: number;
  /** Share of the question's heaviest word that stands neither in the candidate nor above it. */
  readonly lacks: number;
}

/** Words of a question that are looked at, the rarest: one bit each. */
const MAX_WORDS = 30;

export function readAsked(question: string, words: QuoteWords): AskedQuestion {
  const asked = new Set(words.questionTokens(question));
  const tokens = [...asked]
    .map((token) => ({ token, weight: words.idf(token) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_WORDS);
  const bitOf = new Map(tokens.map(({ token }, i) => [token, 1 << i]));
  const total = tokens.reduce((sum, { weight }) => sum + weight, 0);
  return {
    type: readQuestion(question).type,
    values: askedValues(question),
    bitsIn: (text) => words.tokens(text).reduce((bits, token) => bits | (bitOf.get(token) ?? 0), 0),
    share: (bits) => (total === 0 ? 0 : tokens.reduce((sum, { weight }, i) => sum + ((bits & (1 << i)) === 0 ? 0 : weight), 0) / total),
    heaviestLacking: (bits) =>
      tokens.reduce((most, { weight }, i) => ((bits & (1 << i)) === 0 ? Math.max(most, total === 0 ? 0 : weight / total) : most), 0),
    numbers: tokens.reduce((bits, { token }, i) => bits | (/\d/.test(token) ? 1 << i : 0), 0),
    tokensIn: (bits) => tokens.flatMap(({ token }, i) => ((bits & (1 << i)) === 0 ? [] : [token])),
  };
}

/** Candidates of one passage beside the question. */
export function viewPassage(
  candidates: readonly Candidate[],
  evidence: Pick<Evidence, "passage">,
  rank: number,
  asked: AskedQuestion,
): CandidateView[] {
  const { passage } = evidence;
  const inTitle = asked.bitsIn(passage.document.title);
  const inAbove = new Map<string, AskedBits>();
  return candidates.map((candidate) => {
    const text = textOf(passage, candidate.range);
    const inCandidate = asked.bitsIn(text);
    const heading = inAbove.get(candidate.above) ?? asked.bitsIn(candidate.above);
    inAbove.set(candidate.above, heading);
    const held = asked.values.length === 0 ? 0 : heldValues(text);
    const own = asked.share(inCandidate);
    return {
      candidate,
      evidence,
      rank,
      text,
      holds: inCandidate | heading,
      values: new Set(asked.values.filter((kinds) => (held & kinds) !== 0)),
      own,
      fromHeading: asked.share(inCandidate | heading) - own,
      lacks: asked.heaviestLacking(inCandidate | heading | inTitle),
    };
  });
}

/** A candidate with what the first stage measures of it. */
export interface MeasuredCandidate {
  readonly view: CandidateView;
  /** Cosines of the question with the candidate alone, and with the candidate below its title and headings. */
  readonly cosine: { readonly own: number; readonly headed: number };
  /** Retrieval score of its passage as a share of the best passage's. */
  readonly fused: number;
  /** Share of the question's words in the candidate before or behind it, the larger. */
  readonly beside: number;
}

/** The cheap features by which candidates are chosen for the cross-encoder. */
export const FIRST_STAGE_FEATURES: Readonly<Record<string, (candidate: MeasuredCandidate) => number>> = {
  own: ({ view }) => view.own,
  heading: ({ view }) => view.fromHeading,
  cosine: ({ cosine }) => cosine.own,
  "cosine.headed": ({ cosine }) => cosine.headed,
  fused: ({ fused }) => fused,
  lacks: ({ view }) => view.lacks,
  beside: ({ beside }) => beside,
  length: ({ view }) => Math.log(1 + (view.text.match(/\S+/gu)?.length ?? 0)),
  list: ({ view }) => Number(view.candidate.type === "list"),
};

/** A candidate and its scores. */
export interface ScoredCandidate {
  readonly view: CandidateView;
  /** Log odds by the first stage. */
  readonly first: number;
  /** Log odds by the cross-encoder that it answers; `null`: it was not among those that the cross-encoder scored. */
  readonly cross: number | null;
  /** What candidates are ordered by. */
  readonly score: number;
  /** Chance that it answers, 0 to 1. */
  readonly chance: number;
  /** The candidate right behind it, which answers together with it: both are quoted. */
  readonly followedBy?: CandidateView;
  /** Of a message that asks several things, one that the best candidate does not answer: this does. */
  readonly answersPart?: true;
}

/** Features of one candidate after the cross-encoder. */
export const CANDIDATE_FEATURES: Readonly<Record<string, (candidate: Pick<ScoredCandidate, "first" | "cross">) => number | null>> = {
  cross: ({ cross }) => cross,
  first: ({ first }) => first,
};

/** Features of the confidence, all of the best candidate. */
export const CONFIDENCE_FEATURES: Readonly<Record<string, (best: ScoredCandidate) => number | null>> = {
  cross: ({ cross }) => cross,
  first: ({ first }) => first,
  lacks: ({ view }) => view.lacks,
  // The cross-encoder says less of a row than of a sentence.
  row: ({ view }) => Number(view.candidate.type === "row"),
};

/** Values of the named features. */
export function measure<T>(
  of: T,
  names: readonly string[],
  features: Readonly<Record<string, (of: T) => number | null>>,
): (number | null)[] {
  return names.map((name) => features[name]?.(of) ?? null);
}

const share = z.number().min(0).max(1);

const weightsSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  date: z.string(),
  /** SHA-256 of the measured candidates that it was learned from. */
  data: z.string(),
  /** Name and hash of the cross-encoder that the scores below were learned with: no other one is asked. */
  reader: z.object({ name: z.string(), hash: z.string() }),
  first: namedScorerSchema(Object.keys(FIRST_STAGE_FEATURES)),
  candidate: namedScorerSchema(Object.keys(CANDIDATE_FEATURES)),
  confidence: namedScorerSchema(Object.keys(CONFIDENCE_FEATURES)),
  threshold: z.object({
    /** From this confidence on the question is answered. */
    minimum: share,
    /** How it was chosen, in words. */
    rule: z.string(),
  }),
});

export interface RankingWeights extends z.infer<typeof weightsSchema> {
  /** Names these very weights: the recipe and the hash of the file. */
  readonly id: string;
}

/**
 * Weights as they ship; made by `lab/train/ranking`.
 * @throws ModelError `ranking_corrupt` when the file is missing or not what it should be
 */
export function readRankingWeights(path: string = shippedWeights("ranking.json")): RankingWeights {
  return readNamedWeights({ path, schema: weightsSchema, code: "ranking_corrupt", whose: "the weights of ranking", recipe: "ranking" });
}

/** What may be quoted of the evidence for one question, best first. */
export interface Choice {
  readonly asked: AskedQuestion;
  readonly candidates: readonly ScoredCandidate[];
  /** Of a message that asks several things, those that nothing in it answers; absent: none. */
  readonly open?: readonly OpenPart[];
}

/** One of several things asked that is not answered. */
export interface OpenPart {
  readonly part: QuestionPart;
  /** Nothing of what was found comes near. */
  readonly isNothing: boolean;
}
