import { z } from "zod";
import { askedPart, askedValues, heldValues, readQuestion } from "../language/question.ts";
import { namedScorerSchema, readNamedWeights, shippedWeights } from "../models/weights/scorer.ts";
import type { Evidence, QuestionPart } from "../shared/types.ts";
import { memoised } from "../text/memo.ts";
import { type Candidate, textOf } from "./candidates.ts";

/** Tokeniser and index statistics for ranking candidates. */
export interface QuoteWords {
  tokens(text: string): string[];
  /** Content tokens of a question, without its interrogative frame ("how long does"). */
  questionTokens(question: string): string[];
  idf(token: string): number;
}

/** A set of question words as a bit mask. Bit i stands for the i-th rarest word of the question. */
export type AskedBits = number;

/** A candidate matched against the question. */
export type CandidateView = ReturnType<typeof viewPassage>[number];

/** Maximum number of question words, so that they fit into the bits of a number. Of more words, the rarest are used. */
const MAX_WORDS = 30;

/** A question prepared for matching candidates. */
export type AskedQuestion = ReturnType<typeof readAsked>;

export function readAsked(question: string, words: QuoteWords) {
  const asked = new Set(words.questionTokens(question));
  const tokens = [...asked]
    .map((token) => ({ token, weight: words.idf(token) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_WORDS);
  const bitOf = new Map(tokens.map(({ token }, i) => [token, 1 << i]));
  const total = tokens.reduce((sum, { weight }) => sum + weight, 0);
  return {
    type: readQuestion(question).type,
    /** Groups of value kinds, e.g. dates or amounts. An answer needs a value of one kind from each group. */
    values: askedValues(question),
    /** The part of a document that the question names by its number ("step 4"); `null`: none. */
    part: askedPart(question),
    bitsIn: (text: string): AskedBits => words.tokens(text).reduce((bits, token) => bits | (bitOf.get(token) ?? 0), 0),
    /** Returns the IDF-weighted share of the question's words that are in the set, 0 to 1. */
    share: (bits: AskedBits) =>
      total === 0 ? 0 : tokens.reduce((sum, { weight }, i) => sum + ((bits & (1 << i)) === 0 ? 0 : weight), 0) / total,
    /** Returns the IDF weight of the rarest question word that is not in the set, as a share of the weight of all words. */
    heaviestLacking: (bits: AskedBits) =>
      tokens.reduce((most, { weight }, i) => ((bits & (1 << i)) === 0 ? Math.max(most, total === 0 ? 0 : weight / total) : most), 0),
    /** The question words that contain a digit: numbers, years, codes. */
    numbers: tokens.reduce<AskedBits>((bits, { token }, i) => bits | (/\d/.test(token) ? 1 << i : 0), 0),
    tokensIn: (bits: AskedBits) => tokens.flatMap(({ token }, i) => ((bits & (1 << i)) === 0 ? [] : [token])),
  };
}

/** Matches the candidates of one passage against the question. */
export function viewPassage(candidates: readonly Candidate[], evidence: Pick<Evidence, "passage">, rank: number, asked: AskedQuestion) {
  const { passage } = evidence;
  const inTitle = asked.bitsIn(passage.document.title);
  const inAbove = memoised(asked.bitsIn);
  return candidates.map((candidate) => {
    const text = textOf(passage, candidate.range);
    const inCandidate = asked.bitsIn(text);
    const heading = inAbove(candidate.above);
    const held = asked.values.length === 0 ? 0 : heldValues(text);
    const own = asked.share(inCandidate);
    return {
      candidate,
      evidence,
      /** Rank of the passage, from 0. */
      rank,
      text,
      /** Question words in the candidate or in the text above it. */
      holds: inCandidate | heading,
      /** Requested groups of value kinds (see `AskedQuestion`) of which the candidate contains a value. */
      values: new Set(asked.values.filter((kinds) => (held & kinds) !== 0)),
      /** IDF-weighted share of the question's words in the candidate. `fromHeading`: the further share that only the text above has. */
      own,
      fromHeading: asked.share(inCandidate | heading) - own,
      /** The rarest question word that is in none of candidate, text above and title: its share of the total IDF weight. */
      lacks: asked.heaviestLacking(inCandidate | heading | inTitle),
    };
  });
}

/** A candidate with its first-stage measurements. */
export interface MeasuredCandidate {
  readonly view: CandidateView;
  /** Cosines of the question with the candidate alone, and with the candidate after its title and headings. */
  readonly cosine: { readonly own: number; readonly headed: number };
  /** Retrieval score of the candidate's passage, divided by that of the best passage. */
  readonly fused: number;
  /** The higher value of `own` among the two adjacent candidates in the passage. */
  readonly beside: number;
}

/** Functions that compute features, by name. */
type Features<T> = Readonly<Record<string, (of: T) => number | null>>;

/** Features of the first-stage score, by which candidates are selected for the cross-encoder. */
export const FIRST_STAGE_FEATURES: Features<MeasuredCandidate> = {
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

export interface ScoredCandidate {
  readonly view: CandidateView;
  /** First-stage score in log odds. */
  readonly first: number;
  /** Cross-encoder score in log odds; `null`: not scored. */
  readonly cross: number | null;
  /** The score by which candidates are sorted. */
  readonly score: number;
  /** Probability that the candidate answers, 0 to 1. */
  readonly probability: number;
  /** The next candidate in the passage. Set if the cross-encoder scores both together higher; both are then quoted. */
  readonly followedBy?: CandidateView;
  /** True if the question names a number ("step 4") and only this candidate has it. */
  readonly isNamed?: true;
  /**
   * True if the candidate answers another question of the message than the best candidate, or is a table row that
   * matches as well as the best row. It is quoted even beyond the limits on score, number and length of quotes.
   */
  readonly isRequired?: true;
}

/** Features of the candidate score, which is computed after the cross-encoder. */
export const CANDIDATE_FEATURES: Features<Pick<ScoredCandidate, "first" | "cross">> = {
  cross: ({ cross }) => cross,
  first: ({ first }) => first,
};

/** Features of the confidence. All describe the best candidate. */
export const CONFIDENCE_FEATURES: Features<ScoredCandidate> = {
  cross: ({ cross }) => cross,
  first: ({ first }) => first,
  lacks: ({ view }) => view.lacks,
  // Table rows: their cross-encoder scores are too low.
  row: ({ view }) => Number(view.candidate.type === "row"),
};

/** Returns the values of the named features, in order. A value is `null` if it is unknown or no feature has the name. */
export function measure<T>(of: T, names: readonly string[], features: Features<T>): (number | null)[] {
  return names.map((name) => features[name]?.(of) ?? null);
}

const weightsSchema = z.object({
  name: z.string(),
  recipe: z.string(),
  date: z.string(),
  /** SHA-256 of the candidates used for training. */
  data: z.string(),
  /** Name and hash of the cross-encoder used in training. The weights are valid only for scores of that cross-encoder. */
  reader: z.object({ name: z.string(), hash: z.string() }),
  first: namedScorerSchema(Object.keys(FIRST_STAGE_FEATURES)),
  candidate: namedScorerSchema(Object.keys(CANDIDATE_FEATURES)),
  confidence: namedScorerSchema(Object.keys(CONFIDENCE_FEATURES)),
  threshold: z.object({
    /** Minimum confidence for an answer. */
    minimum: z.number().min(0).max(1),
    /** The rule by which `minimum` was chosen, for display. */
    rule: z.string(),
  }),
});

/** The `id` names exactly these weights. It is made from their name and the hash of the file. */
export type RankingWeights = ReturnType<typeof readRankingWeights>;

/**
 * Reads the shipped weights, which `lab/train/ranking` writes.
 * @throws ModelError `ranking_corrupt` if the file is missing or invalid
 */
export function readRankingWeights(path: string = shippedWeights("ranking.json")) {
  return readNamedWeights({ path, schema: weightsSchema, code: "ranking_corrupt", whose: "the ranking weights" });
}

/** The candidates for one question, best first. */
export interface Choice {
  readonly asked: AskedQuestion;
  readonly candidates: readonly ScoredCandidate[];
  /** Questions of the message that no candidate answers; absent: none. */
  readonly open?: readonly QuestionPart[];
}
