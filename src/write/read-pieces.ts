import { chanceOfScore, scoreOf } from "../models/weights/scorer.ts";
import { dot } from "../reader/dot.ts";
import type { PairReading, ReadTexts, TextPair, TextReading } from "../reader/reader.ts";
import type { Choice, ScoredPiece } from "./choice.ts";
import type { ChooserWeights } from "./chooser-weights.ts";
import { measureReading } from "./reading-features.ts";
import { readingText } from "./reading-text.ts";

/** Pieces that are read beside the question at most, best at a glance first: each takes some 25 ms of a core the first time. */
export const READ_PIECES = 10;
/** Of those, what a glance puts so far below the best (in its log odds) is not read: it hardly ever answers (`lab/train/chooser/LOG.md`). */
const READ_WITHIN = 3;
/** Of what was read beside the question, so many as answer it most likely are read alone too: for the others the cosine decides nothing. */
export const READ_ALONE = 4;

export interface ReadOptions {
  readonly weights: Pick<ChooserWeights, "read">;
  readonly readTexts: ReadTexts;
  /** Pieces that are read beside the question at most. @default READ_PIECES */
  readonly most?: number;
  readonly signal: AbortSignal;
}

/**
 * The choice after the best pieces were read: of those read beside the question the most likely are read alone too, and stand first by the score of both readings;
 * behind them the others that were read, then the rest as it stood.
 */
export async function readPieces(
  question: string,
  choice: Choice,
  { weights, readTexts, most = READ_PIECES, signal }: ReadOptions,
): Promise<Choice> {
  const { read } = weights;
  const best = choice.pieces[0];
  if (best === undefined) return choice;
  const likely = choice.pieces.slice(0, most).filter(({ score }) => score >= best.score - READ_WITHIN);
  const texts = likely.map(({ view }) => ({ question, text: readingText(view) }));
  const [beside, asked] = await Promise.all([readTexts(texts, signal), readTexts([question], signal)]);
  if (beside === null || asked === null) return choice;
  const byOdds = likely
    .map((piece, i) => ({ piece, text: texts[i] as TextPair, cross: (beside[i] as PairReading).answer }))
    .sort((a, b) => b.cross - a.cross);
  const near = byOdds.slice(0, READ_ALONE).map(({ text }) => text.text);
  const alone = await readTexts(near, signal);
  if (alone === null) return choice;
  const { vector } = asked[0] as TextReading;
  const scored = byOdds.map(({ piece, cross }, i): ScoredPiece => {
    const own = alone[i];
    const reading = { cross, cosine: own === undefined ? null : dot(vector, own.vector) };
    const score = scoreOf(measureReading(piece.measured, reading, read.features), read);
    return { ...piece, score, chance: chanceOfScore(score, read), reading };
  });
  const first = scored.slice(0, near.length).sort((a, b) => b.score - a.score);
  const second = scored.slice(near.length).sort((a, b) => b.score - a.score);
  return { ...choice, pieces: inFront(inFront(first, second), choice.pieces.slice(likely.length)), glance: choice.pieces };
}

/** Both in this order: none of the others has a higher score or chance than the last of the first. */
function inFront(first: readonly ScoredPiece[], others: readonly ScoredPiece[]): readonly ScoredPiece[] {
  const last = first.at(-1) as ScoredPiece;
  return [
    ...first,
    ...others.map((piece) => ({ ...piece, score: Math.min(piece.score, last.score), chance: Math.min(piece.chance, last.chance) })),
  ];
}
