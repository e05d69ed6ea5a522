import { chanceOf } from "../models/weights/scorer.ts";
import type { PairReading, ReadTexts } from "../reader/reader.ts";
import { unitAt } from "../text/units.ts";
import type { Choice, ScoredPiece } from "./choice.ts";
import type { ChooserWeights } from "./chooser-weights.ts";
import { readingText } from "./reading-text.ts";

export interface Following {
  readonly piece: ScoredPiece;
  /** By `FOLLOWING_FEATURES`, in their order. */
  readonly values: readonly number[];
}

interface ReadOptions {
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
  { readTexts, signal }: ReadOptions,
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
  { weights: { following: scorer }, ...options }: ReadOptions & { readonly weights: Pick<ChooserWeights, "following"> },
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
