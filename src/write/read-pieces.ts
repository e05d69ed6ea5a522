import { chanceOfScore, scoreOf } from "../models/weights/scorer.ts";
import type { Choice, ScoredPiece } from "./choice.ts";
import type { ChooserWeights } from "./chooser-weights.ts";
import { measureReading } from "./reading-features.ts";
import { readingText } from "./reading-text.ts";

/** Pieces that are read, best at a glance first: each takes some 10 ms of a core the first time. */
export const READ_PIECES = 8;

/** Vectors of texts, each of length 1, by the reader that the weights were learned with; `null`: it could not read, and what a glance says stands. */
export type ReadTexts = (texts: readonly string[], signal: AbortSignal) => Promise<readonly Float32Array[] | null>;

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
  const all = await readTexts([question, ...first.map(({ view }) => readingText(view))], signal);
  if (all === null) return choice;
  const [asked, ...vectors] = all;
  const pieces = first.map((piece, i): ScoredPiece => {
    const reading = dot(asked as Float32Array, vectors[i] as Float32Array);
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

/** Dot product of two vectors of the same length: of unit vectors their cosine. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}
