import type { DraftSentence, Quote } from "../shared/types.ts";
import { isValue, type QuoteCandidate, withNeighbours } from "./quotes.ts";

export interface ExtractOptions {
  /** Maximum number of quotes, not counting their context. */
  readonly quotes: number;
  /** Target length of the answer in words; the first quote is shown at any length. */
  readonly words: number;
}

/** Target length in words: half a minute of reading, or two minutes with more detail. */
export const ANSWER_WORDS = { normal: 100, more: 300 } as const;

/** Minimum share of the best score for a candidate that covers no new part of the question. */
const NEAR_BEST = 0.6;
/** Minimum share of the best score for any candidate; below it a candidate only shares a common word with the question. */
const LEAST_SHARE = 0.5;
/** Minimum share for the first candidate with a requested kind of value, because sentences with figures seldom repeat the question. */
const VALUE_SHARE = 0.25;

/**
 * Builds an answer from quotes: the best with its context, conditions and continuation, then the others in source order. Every sentence is
 * a byte-exact quote.
 */
export function writeExtractive(candidates: readonly QuoteCandidate[], { quotes, words }: ExtractOptions): DraftSentence[] {
  const chosen: QuoteCandidate[] = [];
  const covered = new Set<string>();
  const shown: Quote[] = [];
  let spent = 0;
  for (const { candidate, reserved } of withReserved(candidates)) {
    const adds = [...candidate.covers].some((one) => !covered.has(one));
    const share = candidate.score / (candidates[0]?.score ?? 1);
    const isPart = candidate.answersPart === true;
    if (chosen.length >= quotes && !isPart) continue;
    if (!isPart && share < (reserved ? VALUE_SHARE : adds ? LEAST_SHARE : NEAR_BEST)) continue;
    const fresh = withNeighbours(candidate).filter((quote) => !shown.some((other) => isWithin(quote, other)));
    // Another quote already includes it.
    if (fresh.length === 0) continue;
    const cost = fresh.reduce((sum, { text }) => sum + countWords(text), 0);
    if (chosen.length > 0 && !isPart && spent + cost > words) continue;
    chosen.push(candidate);
    shown.push(...fresh);
    spent += cost;
    for (const one of candidate.covers) covered.add(one);
  }
  return inOrder(chosen).map((quote) => ({ text: quote.text, quotes: [quote], missing: [] }));
}

/** Orders candidates: the best, answers to other parts, the best one for each requested kind of value still missing, then the rest. */
function withReserved(candidates: readonly QuoteCandidate[]): { candidate: QuoteCandidate; reserved: boolean }[] {
  const [best, ...others] = candidates;
  if (best === undefined) return [];
  const parts = others.filter(({ answersPart }) => answersPart === true);
  const held = new Set([best, ...parts].flatMap(({ covers }) => [...covers]));
  const reserved: QuoteCandidate[] = [];
  for (const candidate of others) {
    if (parts.includes(candidate)) continue;
    const kinds = [...candidate.covers].filter((one) => isValue(one) && !held.has(one));
    if (kinds.length === 0) continue;
    reserved.push(candidate);
    for (const kind of kinds) held.add(kind);
  }
  return [
    ...[best, ...parts].map((candidate) => ({ candidate, reserved: false })),
    ...reserved.map((candidate) => ({ candidate, reserved: true })),
    ...others
      .filter((candidate) => !reserved.includes(candidate) && !parts.includes(candidate))
      .map((candidate) => ({ candidate, reserved: false })),
  ];
}

/** Orders quotes: the best with its neighbours, then the rest, its own document first, each document from top to bottom. */
function inOrder(chosen: readonly QuoteCandidate[]): Quote[] {
  const [best, ...others] = chosen;
  if (best === undefined) return [];
  const ranks = new Map<string, number>();
  for (const { quote } of chosen) if (!ranks.has(quote.passage.document.id)) ranks.set(quote.passage.document.id, ranks.size);
  const rankOf = ({ passage }: Quote) => ranks.get(passage.document.id) ?? 0;
  const rest = others.flatMap(withNeighbours).sort((a, b) => rankOf(a) - rankOf(b) || a.start - b.start || b.end - a.end);
  const ordered: Quote[] = [];
  for (const quote of [...withNeighbours(best), ...rest]) if (!ordered.some((other) => isWithin(quote, other))) ordered.push(quote);
  return ordered;
}

function isWithin(quote: Quote, other: Quote): boolean {
  return other.passage.document.id === quote.passage.document.id && other.start <= quote.start && other.end >= quote.end;
}

function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
