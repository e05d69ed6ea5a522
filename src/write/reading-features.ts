import { type MeasuredPiece, PIECE_FEATURES } from "./piece-features.ts";
import type { TokenMatch } from "./token-match.ts";

/** What reading says of a piece: the cosine of question and piece, and how the question's tokens find their like in it (`null`: there are none). */
export interface PieceReading {
  readonly cosine: number;
  readonly match: TokenMatch | null;
  /** The piece's score by the linear part; absent before it was scored. */
  readonly linear?: number;
}

/** Names of the features, and what of a reading each is. */
const READINGS: Readonly<Record<string, (reading: PieceReading) => number | null>> = {
  reading: ({ cosine }) => cosine,
  "match.mean": ({ match }) => match?.mean ?? null,
  "match.least": ({ match }) => match?.least ?? null,
  "match.lower": ({ match }) => match?.lower ?? null,
  "match.back": ({ match }) => match?.back ?? null,
};

/** What the score of a piece that was read is made of: what reading says of it beside what was measured at a glance. */
export const READING_FEATURES = [...Object.keys(READINGS), ...Object.keys(PIECE_FEATURES)];

/** Values of the named features of a piece that was read; `null` where one measures nothing. */
export function measureReading(piece: MeasuredPiece, reading: PieceReading, names: readonly string[]): (number | null)[] {
  return names.map((name) => (name in READINGS ? READINGS[name]?.(reading) : PIECE_FEATURES[name]?.(piece)) ?? null);
}

/** Names of what places a piece among those that were read with it: scores at a glance and of the linear part, and each figure of its reading beside the mean and the best. */
const PLACES = [
  ...Object.keys(READINGS).flatMap((name) => [`${name}.above`, `${name}.below`]),
  ...["glance", "glance.below", "linear", "linear.below", "linear.above"],
];

/** What the choice among the pieces that were read is made of. */
export const CHOICE_FEATURES = [...READING_FEATURES, ...PLACES];

/** A piece that was read, before it is compared with the others. */
export interface ReadPiece {
  readonly measured: MeasuredPiece;
  readonly reading: PieceReading;
  /** Its score at a glance. */
  readonly glance: number;
  /** Its score by the linear part, its reading among it. */
  readonly linear: number;
}

/** Of each of the pieces that were read together the values of the named features of `CHOICE_FEATURES`; `null` where one measures nothing. */
export function measureChoices(pieces: readonly ReadPiece[], names: readonly string[]): (number | null)[][] {
  const columns = new Map<string, (piece: ReadPiece) => number | null>([
    ...Object.entries(READINGS).map(([name, of]) => [name, ({ reading }: ReadPiece) => of(reading)] as const),
    ["glance", ({ glance }) => glance],
    ["linear", ({ linear }) => linear],
  ]);
  const beside = new Map([...columns].map(([name, of]) => [name, meanAndBest(pieces.map(of))] as const));
  const measure = (piece: ReadPiece, name: string): number | null => {
    const column = columns.get(name);
    if (column !== undefined) return column(piece);
    const [, of = "", place] = /^(.*)\.(above|below)$/.exec(name) ?? [];
    const own = columns.get(of)?.(piece);
    if (own === undefined) return PIECE_FEATURES[name]?.(piece.measured) ?? null;
    const { mean, best } = beside.get(of) ?? { mean: null, best: null };
    const other = place === "above" ? mean : best;
    return own === null || other === null ? null : own - other;
  };
  return pieces.map((piece) => names.map((name) => measure(piece, name)));
}

function meanAndBest(values: readonly (number | null)[]): { readonly mean: number | null; readonly best: number | null } {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { mean: null, best: null };
  return { mean: known.reduce((sum, value) => sum + value, 0) / known.length, best: Math.max(...known) };
}

/**
 * What the chance of an answer takes from readings: log odds at a glance; score of the best piece and its lead; and of each figure of its reading the value, and how
 * far that lies above the mean of those read.
 */
export const READ_ANSWER_FEATURES = [
  "glance",
  "score",
  "score.ahead",
  "linear",
  "linear.ahead",
  ...Object.keys(READINGS).flatMap((name) => [name, `${name}.above`]),
];

/** The figures of the first reading by name, and how far each lies above the mean of all; that is `null` where there is no other. */
export function measureBestReading(readings: readonly PieceReading[]): Record<string, number | null> {
  const [first] = readings;
  if (first === undefined) return {};
  return Object.fromEntries(
    Object.entries(READINGS).flatMap(([name, of]) => {
      const value = of(first);
      const values = readings.map(of).filter((one) => one !== null);
      const above = value === null || readings.length === 1 ? null : value - values.reduce((sum, one) => sum + one, 0) / values.length;
      return [
        [name, value],
        [`${name}.above`, above],
      ];
    }),
  );
}
