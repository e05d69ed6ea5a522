import { chanceOf, chanceOfScore, scoreOf } from "../models/weights/scorer.ts";
import { dot } from "../reader/dot.ts";
import { quoteText } from "../reader/quote-text.ts";
import type { PairReading, ReadTexts, TextPair, TextReading } from "../reader/reader.ts";
import { unitAt } from "../text/units.ts";
import type { Evidence } from "../types.ts";
import { type Choice, type ChooserWeights, measureReading, type ScoredPiece } from "./chooser-weights.ts";
import { type Piece, textOf } from "./pieces.ts";
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

interface ReadablePiece {
  readonly piece: Piece;
  readonly evidence: Pick<Evidence, "passage">;
}

/** What the reader reads of a piece: its title and headings on a line of their own, then the piece with what it refers to. */
export function readingText({ piece, evidence }: ReadablePiece): string {
  const { passage } = evidence;
  const before = piece.type === "sentence" ? piece.context.map((range) => textOf(passage, range)) : [];
  return quoteText(passage.document.title, piece.above.split("\n"), [...before, textOf(passage, piece.range)].join(" "));
}

interface Following {
  readonly piece: ScoredPiece;
  /** By `FOLLOWING_FEATURES`, in their order. */
  readonly values: readonly number[];
}

interface FollowingOptions {
  readonly readTexts: ReadTexts;
  readonly signal: AbortSignal;
}

/**
 * Reads the piece behind the best one: "The first president was not Mr. Pollard" is the best piece for who asks for the first president, and the sentence behind it
 * says who was.
 * @returns `null`: nothing follows in its passage, one of both is a table's row, which stands by itself, or nothing was read
 */
export async function readFollowing(
  question: string,
  { pieces }: Pick<Choice, "pieces">,
  { readTexts, signal }: FollowingOptions,
): Promise<Following | null> {
  const [best] = pieces;
  const piece = best === undefined ? null : pieceBehind(best, pieces);
  if (best === undefined || best.reading === null || piece === null) return null;
  const { piece: first, evidence } = best.view;
  const { piece: second } = piece.view;
  const range = { start: first.range.start, end: second.range.end };
  const both = { evidence, piece: { ...first, context: [], range } };
  const read = await readTexts(
    [piece.view, both].map((one) => ({ question, text: readingText(one) })),
    signal,
  );
  if (read === null) return null;
  const [following, together] = read.map((one) => (one as PairReading).answer) as [number, number];
  const blockAt = (offset: number) => unitAt(evidence.passage, offset)?.block;
  const paragraph = Number(blockAt(first.range.start) === blockAt(second.range.start));
  return { piece, values: [following, together, best.reading.cross, best.chance, paragraph] };
}

/** The choice with what follows the best piece quoted with it, where that is likely enough to answer too. */
export async function withFollowing(
  question: string,
  choice: Choice,
  { weights: { following: scorer }, ...options }: FollowingOptions & { readonly weights: Pick<ChooserWeights, "following"> },
): Promise<Choice> {
  const [best, ...others] = choice.pieces;
  const following = scorer === null || best === undefined ? null : await readFollowing(question, choice, options);
  if (scorer === null || best === undefined || following === null) return choice;
  const chance = chanceOf(following.values, scorer);
  if (chance < scorer.minimum) return { ...choice, followingChance: chance };
  return { ...choice, followingChance: chance, pieces: [{ ...best, followedBy: following.piece.view }, ...others] };
}

/** The next piece of the passage, if nothing stands between them – a heading, what is too long to be quoted – but what announces it, it has no heading of its own, and it is not quoted with the best one anyway. */
function pieceBehind({ view: { evidence, piece } }: ScoredPiece, pieces: readonly ScoredPiece[]): ScoredPiece | null {
  const { end } = piece.range;
  let next: ScoredPiece | null = null;
  for (const one of pieces) {
    if (one.view.evidence !== evidence || one.view.piece.range.start < end) continue;
    if (next === null || one.view.piece.range.start < next.view.piece.range.start) next = one;
  }
  if (next === null || piece.type === "row" || next.view.piece.type === "row") return null;
  const { range, context, heading } = next.view.piece;
  const from = Math.min(range.start, ...context.flatMap(({ start }) => (start >= end ? start : [])));
  const isGap = evidence.passage.units.some((unit) => unit.start >= end && unit.end <= from);
  return isGap || heading !== piece.heading || piece.conditions.some(({ start }) => start === range.start) ? null : next;
}
