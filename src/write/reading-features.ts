import { type MeasuredPiece, PIECE_FEATURES } from "./piece-features.ts";

/** Name of the feature: cosine of question and piece. */
const READING = "reading";

/** What the score of a piece that was read is made of: the cosine of question and piece beside what was measured of it at a glance. */
export const READING_FEATURES = [READING, ...Object.keys(PIECE_FEATURES)];

/** Values of the named features of a piece that was read; `null` where one measures nothing. */
export function measureReading(piece: MeasuredPiece, reading: number, names: readonly string[]): (number | null)[] {
  return names.map((name) => (name === READING ? reading : (PIECE_FEATURES[name]?.(piece) ?? null)));
}

/**
 * What the chance of an answer takes from readings: log odds at a glance; score of the best piece, its lead, its cosine, and how far that lies above the mean
 * of those read.
 */
export const READ_ANSWER_FEATURES = ["glance", "score", "score.ahead", "reading", "reading.above"] as const;
