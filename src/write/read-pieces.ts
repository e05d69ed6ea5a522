import { chanceOfScore, scoreOf } from "../models/weights/scorer.ts";
import { dot } from "../reader/dot.ts";
import type { PairReading, ReadTexts, TextReading } from "../reader/reader.ts";
import type { Choice, ScoredPiece } from "./choice.ts";
import type { ChooserWeights } from "./chooser-weights.ts";
import { measureReading } from "./reading-features.ts";
import { readingText } from "./reading-text.ts";

/** Pieces that are read, best at a glance first: each takes some 20 ms of a core the first time. */
export const READ_PIECES = 8;

export interface ReadOptions {
  readonly weights: Pick<ChooserWeights, "read">;
  readonly readTexts: ReadTexts;
  readonly signal: AbortSignal;
}

/** The choice after the best pieces were read: those first by the score of what was read, the others behind them as they stood. */
export async function readPieces(question: string, choice: Choice, { weights, readTexts, signal }: ReadOptions): Promise<Choice> {
  const { read } = weights;
  const first = choice.pieces.slice(0, READ_PIECES);
  if (first.length === 0) return choice;
  const texts = first.map(({ view }) => readingText(view));
  const [alone, beside] = await Promise.all([
    readTexts([question, ...texts], signal),
    readTexts(
      texts.map((text) => ({ question, text })),
      signal,
    ),
  ]);
  if (alone === null || beside === null) return choice;
  const [asked, ...own] = alone as [TextReading, ...TextReading[]];
  const pieces = first.map((piece, i): ScoredPiece => {
    const reading = { cross: (beside[i] as PairReading).answer, cosine: dot(asked.vector, (own[i] as TextReading).vector) };
    const score = scoreOf(measureReading(piece.measured, reading, read.features), read);
    return { ...piece, score, chance: chanceOfScore(score, read), reading };
  });
  const ranked = pieces
    .map((piece, glanced) => ({ piece, glanced }))
    .sort((a, b) => b.piece.score - a.piece.score || a.glanced - b.glanced);
  const last = ranked.at(-1)?.piece as ScoredPiece;
  const behind = choice.pieces.slice(READ_PIECES).map((piece) => ({
    ...piece,
    score: Math.min(piece.score, last.score),
    chance: Math.min(piece.chance, last.chance),
  }));
  return { ...choice, pieces: [...ranked.map(({ piece }) => piece), ...behind], glance: choice.pieces };
}
