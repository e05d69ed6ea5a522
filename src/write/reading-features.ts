import { type MeasuredPiece, PIECE_FEATURES } from "./piece-features.ts";

/** What reading says of a piece. */
export interface PieceReading {
  /** Log odds that it answers, of question and piece read together. */
  readonly cross: number;
  /** Cosine of question and piece, each read alone; `null`: it is not among the most likely, and was not read alone. */
  readonly cosine: number | null;
}

/** Names of the features, and what of a reading each is. */
const READINGS: Readonly<Record<string, (reading: PieceReading) => number | null>> = {
  cross: ({ cross }) => cross,
  reading: ({ cosine }) => cosine,
};

/** What the score of a piece that was read is made of: what reading says of it beside what was measured at a glance. */
export const READING_FEATURES = [...Object.keys(READINGS), ...Object.keys(PIECE_FEATURES)];

/** Values of the named features of a piece that was read; `null` where one measures nothing. */
export function measureReading(piece: MeasuredPiece, reading: PieceReading, names: readonly string[]): (number | null)[] {
  return names.map((name) => (name in READINGS ? READINGS[name]?.(reading) : PIECE_FEATURES[name]?.(piece)) ?? null);
}

/**
 * What the chance of an answer takes from readings: log odds at a glance; score of the best piece, its lead, and whether it is a table's row; and of each figure of its
 * reading the value, and how far that lies above the mean of those read.
 */
export const READ_ANSWER_FEATURES = [
  "glance",
  "score",
  "score.ahead",
  "row",
  ...Object.keys(READINGS).flatMap((name) => [name, `${name}.above`]),
];

/** The figures of the first reading by name, and how far each lies above the mean of all that have it; that is `null` where there is no other. */
export function measureBestReading(readings: readonly PieceReading[]): Record<string, number | null> {
  const [first] = readings;
  if (first === undefined) return {};
  return Object.fromEntries(
    Object.entries(READINGS).flatMap(([name, of]) => {
      const value = of(first);
      const all = readings.flatMap((one) => of(one) ?? []);
      const above = value === null || all.length === 1 ? null : value - all.reduce((sum, one) => sum + one, 0) / all.length;
      return [
        [name, value],
        [`${name}.above`, above],
      ];
    }),
  );
}

/**
 * What the chance is made of that the piece right behind the best one answers too: log odds of the question read beside it, beside both together and beside the
 * best alone; the best one's chance; do both stand in one paragraph?
 */
export const FOLLOWING_FEATURES = ["following", "together", "best", "best.chance", "paragraph"] as const;
