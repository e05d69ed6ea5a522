import { chanceOfScore, scoreOf } from "../models/weights/scorer.ts";
import { dot } from "../reader/dot.ts";
import type { PairReading, ReadTexts, TextPair, TextReading } from "../reader/reader.ts";
import type { Choice, ScoredPiece } from "./choice.ts";
import type { ChooserWeights } from "./chooser-weights.ts";
import { measureReading } from "./reading-features.ts";
import { readingText } from "./reading-text.ts";

/**
 * Characters of question and piece that are read together at most, best at a glance first: what takes long is their number, some 12 ms of a core for a hundred the
 * first time. So of short pieces more are read (`lab/train/chooser/LOG.md`). The best is read in any case.
 */
export const READ_CHARACTERS = 3_000;
/** Pieces that are read beside the question at most. */
export const READ_PIECES = 20;
/** What a glance puts so far below the best (in its log odds) is not read: it hardly ever answers. */
const READ_WITHIN = 5;
/** Of what was read beside the question, so many as answer it most likely are read alone too: for the others the cosine decides nothing. */
export const READ_ALONE = 4;
/** Nor does it for what reading puts so far below the likeliest (in its log odds). */
const ALONE_WITHIN = 2;

export interface ReadOptions {
  readonly weights: Pick<ChooserWeights, "read">;
  readonly readTexts: ReadTexts;
  readonly signal: AbortSignal;
}

/**
 * The choice after the best pieces were read: of those read beside the question the most likely are read alone too, and stand first by the score of both readings;
 * behind them the others that were read, then the rest as it stood.
 */
export async function readPieces(question: string, choice: Choice, { weights, readTexts, signal }: ReadOptions): Promise<Choice> {
  const { read } = weights;
  const best = choice.pieces[0];
  if (best === undefined) return choice;
  const likely = likeliestOf(question, choice.pieces, best.score - READ_WITHIN);
  const texts = likely.map(({ text }) => text);
  const [beside, asked] = await Promise.all([readTexts(texts, signal), readTexts([question], signal)]);
  if (beside === null || asked === null) return choice;
  const byOdds = likely.map((one, i) => ({ ...one, cross: (beside[i] as PairReading).answer })).sort((a, b) => b.cross - a.cross);
  const likeliest = (byOdds[0] as (typeof byOdds)[number]).cross;
  const near = byOdds
    .slice(0, READ_ALONE)
    .filter(({ cross }) => cross >= likeliest - ALONE_WITHIN)
    .map(({ text }) => text.text);
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

/** The first of the pieces with what is read of each, down to that score, as many as there is room for. */
function likeliestOf(question: string, pieces: readonly ScoredPiece[], from: number): { piece: ScoredPiece; text: TextPair }[] {
  const likely: { piece: ScoredPiece; text: TextPair }[] = [];
  let room = READ_CHARACTERS;
  for (const piece of pieces.slice(0, READ_PIECES)) {
    if (piece.score < from) break;
    const text = readingText(piece.view);
    room -= question.length + text.length;
    if (room < 0 && likely.length > 0) break;
    likely.push({ piece, text: { question, text } });
  }
  return likely;
}

/** Both in this order: none of the others has a higher score or chance than the last of the first. */
function inFront(first: readonly ScoredPiece[], others: readonly ScoredPiece[]): readonly ScoredPiece[] {
  const last = first.at(-1) as ScoredPiece;
  return [
    ...first,
    ...others.map((piece) => ({ ...piece, score: Math.min(piece.score, last.score), chance: Math.min(piece.chance, last.chance) })),
  ];
}
