import type { TextRange } from "../types.ts";
import type { AnswersReading, Reader } from "./reader.ts";

/** A passage as the reader is given it. Ranges are offsets in its document. */
export interface ReadablePassage {
  readonly text: string;
  /** Where `text` begins in the document. */
  readonly start: number;
  /** Title and headings, outermost first; a part that is empty is left out. */
  readonly above: readonly string[];
  /** What can be quoted, in order; with how likely each looked before it was read. Segments are cut between them. */
  readonly units: readonly (TextRange & { readonly prior: number })[];
}

/** A stretch of a passage that was read in one go. */
export interface ReadSegment extends TextRange {
  /** Log odds that it answers the question. */
  readonly answer: number;
  readonly reading: AnswersReading;
}

export type ReadPassage = readonly ReadSegment[];

/** What was read of one stretch of text. */
export interface StretchReading {
  /** Log odds that the segment around it answers. */
  readonly answer: number;
  /** Log odds that its most telling token belongs to an answering sentence, and the mean chance of its tokens. */
  readonly peak: number;
  readonly mean: number;
  /** Chance that the answer starts and ends in it, given that it stands in the segment. */
  readonly span: number;
  /** The likeliest answer inside it, in offsets of the document; `null`: no token was read. */
  readonly words: TextRange | null;
}

export interface ReadAnswersOptions {
  /** Segments read at most, of all passages together. */
  readonly segments: number;
  /** Characters of one segment that are aimed at. */
  readonly segmentCharacters: number;
  readonly signal: AbortSignal;
}

/** Tokens of the shortest answer at most. */
const ANSWER_TOKENS = 40;

/** Reads a question against the likeliest stretches of passages; what was not read has no segment. */
export async function readAnswers(
  question: string,
  passages: readonly ReadablePassage[],
  reader: Pick<Reader, "read">,
  { segments, segmentCharacters, signal }: ReadAnswersOptions,
): Promise<ReadPassage[]> {
  const cut = passages.flatMap((passage, place) => segmentsOf(passage, segmentCharacters).map((segment) => ({ ...segment, passage, place })));
  const chosen = [...cut].sort((a, b) => b.prior - a.prior || a.place - b.place || a.start - b.start).slice(0, segments);
  const requests = chosen.map(({ passage, start, end }) => ({
    task: "answers" as const,
    question,
    head: passage.above.filter((part) => part !== "").join(" › "),
    passage: passage.text.slice(start - passage.start, end - passage.start),
  }));
  const readings = await reader.read(requests, signal);
  const read = passages.map((): ReadSegment[] => []);
  for (const [i, { place, start, end }] of chosen.entries()) {
    const reading = readings[i] as AnswersReading;
    (read[place] as ReadSegment[]).push({ start, end, answer: reading.answer, reading });
  }
  return read.map((segmentsRead) => segmentsRead.sort((a, b) => a.start - b.start));
}

/** Units in order, joined until a segment is full; one that is longer stands alone. */
function segmentsOf({ units }: ReadablePassage, characters: number): (TextRange & { prior: number })[] {
  const found: { start: number; end: number; prior: number }[] = [];
  for (const { start, end, prior } of units) {
    const last = found.at(-1);
    if (last !== undefined && end - last.start <= characters) {
      last.end = Math.max(last.end, end);
      last.prior = Math.max(last.prior, prior);
    } else found.push({ start, end, prior });
  }
  return found;
}

/** What was read of a stretch; `null` when none of its tokens was. */
export function readingOf({ start, end }: TextRange, segments: ReadPassage): StretchReading | null {
  let best: StretchReading | null = null;
  for (const segment of segments) {
    if (segment.start >= end || segment.end <= start) continue;
    const one = inSegment(start - segment.start, end - segment.start, segment);
    if (one !== null && (best === null || one.peak > best.peak)) best = one;
  }
  return best;
}

function inSegment(from: number, to: number, { start: base, answer, reading }: ReadSegment): StretchReading | null {
  const { starts, ends, startLogits, endLogits, relevantLogits } = reading.tokens;
  let [first, last] = [-1, -1];
  let [peak, sum] = [Number.NEGATIVE_INFINITY, 0];
  for (let i = 0; i < starts.length; i++) {
    if ((ends[i] as number) <= from || (starts[i] as number) >= to) continue;
    if (first < 0) first = i;
    last = i;
    const logit = relevantLogits[i] as number;
    peak = Math.max(peak, logit);
    sum += sigmoid(logit);
  }
  if (first < 0) return null;
  const [startAll, endAll] = [logSumExp(startLogits), logSumExp(endLogits)];
  const span = Math.exp(
    logSumExp(startLogits, first, last + 1) - startAll + logSumExp(endLogits, first, last + 1) - endAll,
  );
  const words = likeliestSpan(startLogits, endLogits, first, last);
  return {
    answer,
    peak,
    mean: sum / (last - first + 1),
    span,
    words: words === null ? null : { start: base + (starts[words.first] as number), end: base + (ends[words.last] as number) },
  };
}

function likeliestSpan(starts: Float32Array, ends: Float32Array, first: number, last: number): { first: number; last: number } | null {
  let best: { first: number; last: number } | null = null;
  let score = Number.NEGATIVE_INFINITY;
  for (let i = first; i <= last; i++) {
    for (let j = i; j <= last && j - i < ANSWER_TOKENS; j++) {
      const own = (starts[i] as number) + (ends[j] as number);
      if (own > score) [score, best] = [own, { first: i, last: j }];
    }
  }
  return best;
}

function logSumExp(values: Float32Array, from = 0, to = values.length): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = from; i < to; i++) most = Math.max(most, values[i] as number);
  let sum = 0;
  for (let i = from; i < to; i++) sum += Math.exp((values[i] as number) - most);
  return most + Math.log(sum);
}

export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
