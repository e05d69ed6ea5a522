import { dot } from "../reader/dot.ts";
import type { ReadTexts } from "../reader/reader.ts";
import { readQuestion } from "../reading/question.ts";
import type { Passage } from "../types.ts";
import { pieceCut } from "./choose.ts";
import { piecesOf } from "./pieces.ts";
import { readingText } from "./reading-text.ts";

/**
 * Pieces of a passage that are read, those nearest to the question: each takes 20 to 30 ms of a core. A passage is longer than what the reader was trained on, and
 * read whole it says least (`lab/train/reader/LOG.md`): which of all passages of 310 golden questions holds a marked quote it tells with an AUROC of .73; by the
 * nearest piece .83, the better of two .85, the best of three .86 (`reader-5`).
 */
export const PIECES_READ = 2;

export interface ReadPassagesOptions {
  /** Characters of one piece at most, as they may be quoted. */
  readonly maxCharacters: number;
  /** Vectors of texts, each of length 1. */
  readonly embed: (texts: readonly string[]) => readonly Float32Array[];
  readonly readTexts: ReadTexts;
  readonly signal: AbortSignal;
}

/**
 * Log odds by the reader that each passage answers, in their order: of the best of its pieces that were read. A passage without anything to quote has `null`.
 * @returns `null`: the reader could not read
 * @throws the signal's reason when it is cancelled
 */
export async function readPassages(
  question: string,
  passages: readonly Passage[],
  { maxCharacters, embed, readTexts, signal }: ReadPassagesOptions,
): Promise<readonly (number | null)[] | null> {
  const cut = pieceCut(readQuestion(question).type, maxCharacters);
  const texts = passages.map((passage) => piecesOf(passage, cut).map((piece) => readingText({ piece, evidence: { passage } })));
  if (texts.every((own) => own.length === 0)) return texts.map(() => null);
  const [asked, ...vectors] = embed([question, ...texts.flat()]) as [Float32Array, ...Float32Array[]];
  const likeness = vectors.map((vector) => dot(asked, vector));
  let first = 0;
  const nearest = texts.flatMap((own, place) => {
    const cosines = likeness.slice(first, first + own.length);
    first += own.length;
    return own
      .map((text, i) => ({ place, text, cosine: cosines[i] as number }))
      .sort((a, b) => b.cosine - a.cosine)
      .slice(0, PIECES_READ);
  });
  const readings = await readTexts(
    nearest.map(({ text }) => ({ question, text })),
    signal,
  );
  if (readings === null) return null;
  const best = texts.map((): number | null => null);
  for (const [i, { answer }] of readings.entries()) {
    const { place } = nearest[i] as (typeof nearest)[number];
    best[place] = Math.max(best[place] ?? answer, answer);
  }
  return best;
}
