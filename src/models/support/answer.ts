/** A sentence of an answer as the answer model sees it. */
export interface ScoredSentence {
  /** Chance that it is supported. */
  readonly score: number;
  readonly feature: (name: string) => number | null;
}

/** Features of sentences that are added up, averaged, or taken from the first sentence. */
export interface AnswerColumns {
  readonly sums: readonly string[];
  readonly means: readonly string[];
  readonly firsts: readonly string[];
}

const LEAST_SCORES = 3;
/** A chance counts as at least this in the product of chances. */
const LEAST_CHANCE = 1e-3;

/**
 * What is known of an answer from its sentences: the three least scores, their mean, the log of their product, how many are doubtful, and
 * sums and means of what was measured. The same columns as `answer_rows` of `lab/train/support/train.py`.
 */
export function answerFeatures(sentences: readonly ScoredSentence[], { sums, means, firsts }: AnswerColumns): (number | null)[] {
  const scores = sentences.map(({ score }) => score).sort((a, b) => a - b);
  const known = (name: string) => sentences.flatMap(({ feature }) => feature(name) ?? []);
  return [
    ...Array.from({ length: LEAST_SCORES }, (_, i) => scores[i] ?? 1),
    average(scores),
    scores.reduce((sum, score) => sum + Math.log(Math.min(Math.max(score, LEAST_CHANCE), 1)), 0),
    scores.filter((score) => score < 0.5).length,
    scores.filter((score) => score < 0.8).length,
    scores.length,
    ...sums.map((name) => known(name).reduce((sum, value) => sum + value, 0)),
    ...means.flatMap((name) => {
      const values = known(name);
      return values.length === 0 ? [null, null] : [average(values), Math.min(...values)];
    }),
    ...firsts.map((name) => sentences[0]?.feature(name) ?? null),
  ];
}

/** Columns that stand before those of `AnswerColumns`. */
export const ANSWER_OWN_COLUMNS: number = LEAST_SCORES + 5;

function average(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
