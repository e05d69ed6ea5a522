import type { PairReading, ReadTexts } from "../reader/reader.ts";
import { askedValues, heldValues } from "../reading/asked-values.ts";
import type { QuestionPart, Warning } from "../types.ts";
import type { Choice, OpenPart, ScoredPiece } from "./choice.ts";
import type { AskedQuestion, PieceView } from "./piece-view.ts";
import { readingText } from "./reading-text.ts";

export interface PartsOptions {
  readonly readTexts: ReadTexts;
  /** The pieces of what was found for one of the questions, best first; and whether a piece may be quoted. */
  readonly choosePart: (part: QuestionPart) => Promise<Pick<Choice, "pieces">>;
  readonly mayBeQuoted: (piece: ScoredPiece) => boolean;
  readonly signal: AbortSignal;
}

/**
 * From these log odds on a piece answers, where the bar for "nothing answers" stood while the reader learned; below the others nothing was found: of parts of 88
 * collections that the reader did not see, 13 of 214 that pages answer lie below them, and 42 of 75 that they do not (`lab/train/chooser/LOG.md`).
 */
const ANSWERS_FROM = 0;
const NOTHING_BELOW = -1.5;

/**
 * Of a message that asks several things, each is answered: by what answers the whole, or by the piece that answers it best, which then stands right behind the first.
 * What stays open is in `open`.
 */
export async function withParts(
  choice: Choice,
  parts: readonly QuestionPart[],
  { readTexts, choosePart, mayBeQuoted, signal }: PartsOptions,
): Promise<Choice> {
  const [best, ...others] = choice.pieces;
  if (best === undefined || best.reading === null || parts.length === 0) return choice;
  const shown = [best.view, ...(best.followedBy === undefined ? [] : [best.followedBy])].map(readingText);
  const pairs = parts.flatMap(({ resolved }) => shown.map((text) => ({ question: resolved, text })));
  const read = await readTexts(pairs, signal);
  if (read === null) return choice;
  const looked = await Promise.all(
    parts.map(async (part, i) => {
      const own = Math.max(...read.slice(i * shown.length, (i + 1) * shown.length).map((one) => (one as PairReading).answer));
      const isAnswered = own >= ANSWERS_FROM || isCellOf(part, best.view, choice.asked);
      const likeliest = isAnswered ? null : mostLikely((await choosePart(part)).pieces);
      return { part, odds: Math.max(own, oddsOf(likeliest)), likeliest, isAnswered };
    }),
  );
  const found: ScoredPiece[] = [];
  const answered = new Set<QuestionPart>();
  for (const { part, likeliest } of looked) {
    if (likeliest === null || oddsOf(likeliest) < ANSWERS_FROM || !mayBeQuoted(likeliest)) continue;
    answered.add(part);
    if (![best, ...found].some((one) => isSame(one, likeliest))) found.push({ ...likeliest, answersPart: true });
  }
  const open = looked
    .filter(({ part, isAnswered }) => !isAnswered && !answered.has(part))
    .map(({ part, odds }) => ({ part, isNothing: odds < NOTHING_BELOW }));
  const rest = others.filter((piece) => !found.some((one) => isSame(one, piece)));
  return { ...choice, pieces: [best, ...found, ...rest], ...(open.length > 0 && { open }) };
}

/**
 * Is the part about a cell of the row that is shown? All of its words stand in the row or in its header, one of them in the name of a column behind the first, and a
 * value of the kind that it asks for is there. A wide row is much besides that cell, which the reader holds against it.
 */
function isCellOf({ text }: QuestionPart, { piece, text: row }: PieceView, asked: AskedQuestion): boolean {
  if (piece.header === null) return false;
  const { text: header } = piece.header;
  const [words, first = 0, ...behind] = [text, ...header.split("|").filter((name) => name.trim() !== "")].map((one) => asked.bitsIn(one));
  const columns = behind.reduce((bits, one) => bits | one, 0);
  const held = first | columns | asked.bitsIn(row);
  const values = heldValues(row);
  return (
    words !== undefined && (words & columns) !== 0 && (words & ~held) === 0 && askedValues(text).every((kinds) => (values & kinds) !== 0)
  );
}

/** Says which of several things asked are left open: nothing was found for them, or nothing that is sure enough. */
export function openParts(open: readonly OpenPart[]): Warning[] {
  return open.map(({ part: { text }, isNothing }) =>
    isNothing
      ? { code: "part_unanswered", message: `Nothing in the passages that were found answers “${text}”.` }
      : { code: "part_refused", message: `“${text}” is not answered here: nothing that was found answers it surely enough.` },
  );
}

function mostLikely(pieces: readonly ScoredPiece[]): ScoredPiece | null {
  return pieces.reduce<ScoredPiece | null>((best, piece) => (oddsOf(piece) > oddsOf(best) ? piece : best), null);
}

/** By the reader; what it did not read answers nothing. */
function oddsOf(piece: ScoredPiece | null): number {
  return piece?.reading?.cross ?? Number.NEGATIVE_INFINITY;
}

function isSame({ view: a }: ScoredPiece, { view: b }: ScoredPiece): boolean {
  const [one, other] = [a.evidence.passage, b.evidence.passage].map(({ sid }) => sid);
  return one === other && a.piece.range.start === b.piece.range.start && a.piece.range.end === b.piece.range.end;
}
