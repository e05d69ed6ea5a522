import { askedValues, heldValues } from "../language/asked-values.ts";
import { type QuestionType, readQuestion } from "../language/question.ts";
import type { Evidence } from "../shared/types.ts";
import { type Piece, textOf } from "./pieces.ts";

/** What choosing quotes needs of the index. */
export interface QuoteWords {
  tokens(text: string): string[];
  /** Tokens of what the question asks, its frame left out. */
  questionTokens(question: string): string[];
  idf(token: string): number;
}

/** Words of the question, one bit each. */
export type AskedBits = number;

/** A question as the choice of quotes sees it. */
export interface AskedQuestion {
  readonly type: QuestionType;
  /** Groups of kinds of value that it asks for. */
  readonly values: readonly number[];
  bitsIn(text: string): AskedBits;
  /** Share of the question's weight, 0 to 1. */
  share(bits: AskedBits): number;
  /** Share of the heaviest word of the question that is not among these. */
  heaviestLacking(bits: AskedBits): number;
  tokensIn(bits: AskedBits): string[];
  /** Its words with a digit: numbers, years, codes. */
  readonly numbers: AskedBits;
}

/** A piece of a passage beside the question. */
export interface PieceView {
  readonly piece: Piece;
  readonly evidence: Pick<Evidence, "passage">;
  /** Rank of the passage, from 0. */
  readonly rank: number;
  readonly text: string;
  /** Words of the question in it or in what stands above it. */
  readonly holds: AskedBits;
  /** Groups of values asked for of which it holds one. */
  readonly values: ReadonlySet<number>;
  /** Share of the question's weight in the piece, and what its heading adds. */
  readonly own: number;
  readonly fromHeading: number;
  /** Share of the question's heaviest word that stands neither in the piece nor above it. */
  readonly lacks: number;
}

/** Words of a question that are looked at, the rarest: one bit each. */
const MAX_WORDS = 30;

export function readAsked(question: string, words: QuoteWords): AskedQuestion {
  const asked = new Set(words.questionTokens(question));
  const tokens = [...asked]
    .map((token) => ({ token, weight: words.idf(token) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_WORDS);
  const bitOf = new Map(tokens.map(({ token }, i) => [token, 1 << i]));
  const total = tokens.reduce((sum, { weight }) => sum + weight, 0);
  return {
    type: readQuestion(question).type,
    values: askedValues(question),
    bitsIn: (text) => words.tokens(text).reduce((bits, token) => bits | (bitOf.get(token) ?? 0), 0),
    share: (bits) => (total === 0 ? 0 : tokens.reduce((sum, { weight }, i) => sum + ((bits & (1 << i)) === 0 ? 0 : weight), 0) / total),
    heaviestLacking: (bits) =>
      tokens.reduce((most, { weight }, i) => ((bits & (1 << i)) === 0 ? Math.max(most, total === 0 ? 0 : weight / total) : most), 0),
    numbers: tokens.reduce((bits, { token }, i) => bits | (/\d/.test(token) ? 1 << i : 0), 0),
    tokensIn: (bits) => tokens.flatMap(({ token }, i) => ((bits & (1 << i)) === 0 ? [] : [token])),
  };
}

/** Pieces of one passage beside the question. */
export function viewPassage(
  pieces: readonly Piece[],
  evidence: Pick<Evidence, "passage">,
  rank: number,
  asked: AskedQuestion,
): PieceView[] {
  const { passage } = evidence;
  const inTitle = asked.bitsIn(passage.document.title);
  const inAbove = new Map<string, AskedBits>();
  return pieces.map((piece) => {
    const text = textOf(passage, piece.range);
    const inPiece = asked.bitsIn(text);
    const heading = inAbove.get(piece.above) ?? asked.bitsIn(piece.above);
    inAbove.set(piece.above, heading);
    const held = asked.values.length === 0 ? 0 : heldValues(text);
    const own = asked.share(inPiece);
    return {
      piece,
      evidence,
      rank,
      text,
      holds: inPiece | heading,
      values: new Set(asked.values.filter((kinds) => (held & kinds) !== 0)),
      own,
      fromHeading: asked.share(inPiece | heading) - own,
      lacks: asked.heaviestLacking(inPiece | heading | inTitle),
    };
  });
}
