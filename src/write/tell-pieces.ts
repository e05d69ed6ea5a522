import { linearPartsOf } from "../models/weights/scorer.ts";
import type { ScoredPiece } from "./choice.ts";
import type { ChooserWeights } from "./chooser-weights.ts";
import { measurePiece } from "./piece-features.ts";
import { measureReading } from "./reading-features.ts";

/** Pieces that are told of: all that are read, and the first of those that a glance kept from it. */
const TOLD_PIECES = 10;
/** Features of each that are named: with them and its beginning a piece takes two lines of a terminal. */
const NAMED_FEATURES = 4;
/** Characters of each: a line of a terminal. */
const TOLD_CHARACTERS = 80;

/**
 * The first pieces, a line each, for who looks for the cause of an answer: score, reading, what adds or takes most in the linear part of the score, and how the
 * piece begins; "" without a piece.
 */
export function tellPieces(pieces: readonly ScoredPiece[], weights: Pick<ChooserWeights, "piece" | "read">): string {
  return pieces
    .slice(0, TOLD_PIECES)
    .map((piece) => tellPiece(piece, weights))
    .join("\n");
}

function tellPiece({ score, reading, measured, view }: ScoredPiece, { piece, read }: Pick<ChooserWeights, "piece" | "read">): string {
  const scorer = reading === null ? piece : read;
  const { features } = scorer;
  const parts = linearPartsOf(reading === null ? measurePiece(measured, features) : measureReading(measured, reading, features), scorer);
  const named = features
    .map((name, i) => ({ name, part: parts[i] ?? 0 }))
    .sort((a, b) => Math.abs(b.part) - Math.abs(a.part))
    .slice(0, NAMED_FEATURES)
    .map(({ name, part }) => `${name} ${part.toFixed(2)}`);
  const likeness = reading === null ? "not read" : `odds ${reading.cross.toFixed(2)}, cosine ${reading.cosine?.toFixed(2) ?? "not read"}`;
  return `${score.toFixed(2)} (${likeness}; ${named.join(", ")}) ${view.text.slice(0, TOLD_CHARACTERS).replaceAll("\n", " ")}`;
}
