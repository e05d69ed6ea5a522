import type { DraftSentence, Quote } from "../shared/types.ts";
import { isValue, type QuoteCandidate, withNeighbours } from "./quotes.ts";

export interface ExtractOptions {
  /** Quotes that answer at most; what they cannot be understood without is not counted. */
  readonly quotes: number;
  /** Words of the whole answer that are aimed at: the first quote is shown whatever its length. */
  readonly words: number;
}

/** Words that an answer aims at: half a minute of reading, or two minutes when more is asked for. */
export const ANSWER_WORDS = { normal: 100, more: 300 } as const;

/** A candidate that adds nothing of the question is taken only if it scores at least this share of the best. */
const NEAR_BEST = 0.6;
/** No candidate is taken below this share of the best one's score: it holds a common word of the question, no answer. */
const LEAST_SHARE = 0.5;
/** The first that holds a value of the kind that is asked for may score less: the sentence with the figure seldom repeats the question. */
const VALUE_SHARE = 0.25;

/**
 * The answer built from quotes: the best quote first, with what it cannot be understood without before it and what limits it or goes on with it behind it, then the others
 * in the order of their sources. Every sentence is a byte-exact quote.
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
    // It stands there already, behind another one.
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

/** The best first, then what answers another thing that is asked, then for each kind of value that is asked for and that they lack the best that holds one, then the others. */
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

/** The best with its neighbours, then the rest: its own document first, each document from top to bottom. */
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
