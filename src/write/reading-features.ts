/** A piece that was read, beside the others of its question. */
export interface ReadPiece {
  /** At a glance. */
  readonly score: number;
  /** Of question and piece. */
  readonly cosine: number;
  /** The largest cosine of the question's pieces. */
  readonly best: number;
}

/** What a piece's score takes from its reading. */
export const READING_FEATURES: Readonly<Record<string, (piece: ReadPiece) => number>> = {
  score: ({ score }) => score,
  reading: ({ cosine }) => cosine,
  "reading.behind": ({ cosine, best }) => cosine - best,
};

/**
 * What the chance of an answer takes from readings: log odds at a glance, score and lead of the best piece, its cosine, how far it is ahead of the others',
 * the largest cosine, and whether it was the best at a glance already.
 */
export const READ_ANSWER_FEATURES = ["glance", "score", "score.ahead", "reading", "reading.ahead", "reading.best", "same"];
