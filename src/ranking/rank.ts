import { dot } from "../cross-encoder/dot.ts";
import { quoteText } from "../cross-encoder/quote-text.ts";
import type { PairReading, ReadTexts } from "../cross-encoder/reader.ts";
import { chanceOfScore, scoreOf } from "../models/weights/scorer.ts";
import type { Evidence } from "../shared/types.ts";
import { repeatsQuestion } from "../text/normalise.ts";
import { type Candidate, type CandidateCut, candidatesOf, textOf } from "./candidates.ts";
import {
  type AskedQuestion,
  CANDIDATE_FEATURES,
  type CandidateView,
  type Choice,
  CONFIDENCE_FEATURES,
  FIRST_STAGE_FEATURES,
  type MeasuredCandidate,
  measure,
  type QuoteWords,
  type RankingWeights,
  readAsked,
  type ScoredCandidate,
  viewPassage,
} from "./features.ts";

export interface RankOptions {
  /** Characters of one quote at most; longer units are not taken, never cut. */
  readonly maxCharacters: number;
  /** Vectors of texts, each of length 1. */
  readonly embed: (texts: readonly string[]) => readonly Float32Array[];
  readonly weights: Pick<RankingWeights, "first" | "candidate">;
  /** The cross-encoder; `null`: there is none, and the first stage alone orders the candidates. */
  readonly read: ReadTexts | null;
  /** The question with what the domain also calls its things: the cross-encoder reads it too, and the better of both counts. @default the question */
  readonly readAs?: string;
  /** Candidates that the cross-encoder scores at most. @default CROSS_ENCODED */
  readonly mostRead?: number;
  /** Candidates that answer nothing, whatever they say. @default none */
  readonly isLeftOut?: (view: CandidateView) => boolean;
  readonly signal: AbortSignal;
}

/** Candidates that the cross-encoder scores at most: each takes some 20 ms of a core the first time. */
export const CROSS_ENCODED = 16;
/** Units of one passage looked at, those of its best window first: hostile documents are one long list. */
const MAX_CANDIDATES = 120;
/** Passages looked at. */
const PASSAGES = 8;

/** Only the passage of what was found is looked at. */
type Found = Pick<Evidence, "passage">;

/**
 * Every sentence, list and table row of the passages, the one that most likely answers first. A cheap score chooses the candidates that the cross-encoder scores:
 * the best one of each passage, then the best of all.
 */
export async function rankCandidates(
  question: string,
  evidence: readonly Found[],
  words: QuoteWords,
  options: RankOptions,
): Promise<Choice> {
  const { weights, read, readAs = question, mostRead = CROSS_ENCODED, isLeftOut = () => false, signal } = options;
  const { asked, candidates } = measureCandidates(question, evidence, words, options);
  const scored = candidates
    .filter(({ view }) => !repeatsQuestion(view.text, question) && !isLeftOut(view))
    .map((candidate): ScoredCandidate => {
      const first = scoreOf(measure(candidate, weights.first.features, FIRST_STAGE_FEATURES), weights.first);
      return { view: candidate.view, first, cross: null, score: first, chance: chanceOfScore(first, weights.first) };
    })
    .sort((a, b) => b.first - a.first || a.view.rank - b.view.rank || a.view.candidate.range.start - b.view.candidate.range.start);
  const chosen = chooseForReading(scored, mostRead);
  const asks = [...new Set([question, readAs])];
  const texts = asks.flatMap((asked) => chosen.map(({ view }) => ({ question: asked, text: readingText(view) })));
  const readings = read === null || texts.length === 0 ? null : await read(texts, signal);
  if (readings === null) return { asked, candidates: scored };
  const { candidate } = weights;
  const first = chosen
    .map((one, i): ScoredCandidate => {
      const cross = Math.max(...asks.map((_, k) => (readings[k * chosen.length + i] as PairReading).answer));
      const crossed = { ...one, cross };
      const score = scoreOf(measure(crossed, candidate.features, CANDIDATE_FEATURES), candidate);
      return { ...crossed, score, chance: chanceOfScore(score, candidate) };
    })
    .sort((a, b) => b.score - a.score);
  const last = first.at(-1) as ScoredCandidate;
  // What was not scored stands behind what was, in the order of the first stage.
  const rest = scored
    .filter((candidate) => !chosen.includes(candidate))
    .map((candidate) => ({ ...candidate, score: Math.min(candidate.score, last.score), chance: Math.min(candidate.chance, last.chance) }));
  return { asked, candidates: [...first, ...rest] };
}

/** The best candidate of each passage, then the best of all: `most` together. */
function chooseForReading(sorted: readonly ScoredCandidate[], most: number): ScoredCandidate[] {
  const seen = new Set<string>();
  const bestOfEach = sorted.filter(({ view: { evidence } }) => {
    const isFirst = !seen.has(evidence.passage.sid);
    seen.add(evidence.passage.sid);
    return isFirst;
  });
  return [...new Set([...bestOfEach, ...sorted])].slice(0, most);
}

/** Confidence that the best candidate answers, 0 to 1; 0 where there is none. */
export function confidenceOf(choice: Pick<Choice, "candidates">, { confidence }: Pick<RankingWeights, "confidence">): number {
  if (choice.candidates.length === 0) return 0;
  const known = confidenceFeatures(choice);
  const values = confidence.features.map((name) => known[name] ?? null);
  return chanceOfScore(scoreOf(values, confidence), confidence);
}

/** What the confidence is made of, by name; empty where there is no candidate. */
export function confidenceFeatures({ candidates }: Pick<Choice, "candidates">): Record<string, number | null> {
  const [best] = candidates;
  return best === undefined ? {} : Object.fromEntries(Object.entries(CONFIDENCE_FEATURES).map(([name, of]) => [name, of(best)]));
}

/** Chance of the best candidate of each passage, by its sid. */
export function relevanceOfPassages({ candidates }: Pick<Choice, "candidates">): ReadonlyMap<string, number> {
  const relevance = new Map<string, number>();
  for (const { view, chance } of candidates) {
    const { sid } = view.evidence.passage;
    relevance.set(sid, Math.max(relevance.get(sid) ?? 0, chance));
  }
  return relevance;
}

/** How passages are cut into candidates for a question. */
export function candidateCut(type: AskedQuestion["type"], maxCharacters: number): CandidateCut {
  return { maxCharacters, maxCandidates: MAX_CANDIDATES, wholeLists: type === "list" || type === "how-do-i" };
}

/** What the first stage scores, and learns from. */
export function measureCandidates(
  question: string,
  evidence: readonly Found[],
  words: QuoteWords,
  { maxCharacters, embed }: Pick<RankOptions, "maxCharacters" | "embed">,
): { readonly asked: AskedQuestion; readonly candidates: readonly MeasuredCandidate[] } {
  const asked = readAsked(question, words);
  const looked = evidence.slice(0, PASSAGES);
  const cut = candidateCut(asked.type, maxCharacters);
  const views = looked.map((one, rank) => viewPassage(withoutQuestion(candidatesOf(one.passage, cut), one, question), one, rank, asked));
  const cosines = cosinesOf(question, views.flat(), embed);
  const top = Math.max(Number.MIN_VALUE, ...looked.map(({ passage }) => passage.scores.fused));
  let at = 0;
  const candidates = views.flatMap((own) =>
    own.map((view, k) => ({
      view,
      cosine: cosines[at++] as MeasuredCandidate["cosine"],
      fused: view.evidence.passage.scores.fused / top,
      beside: Math.max(own[k - 1]?.own ?? 0, own[k + 1]?.own ?? 0),
    })),
  );
  return { asked, candidates };
}

/** Candidates without the question itself before them, where it is what they stand below: who asked it need not read it. */
function withoutQuestion(candidates: readonly Candidate[], { passage }: Found, question: string): Candidate[] {
  return candidates.map((candidate) => {
    const context = candidate.context.filter((range) => !repeatsQuestion(textOf(passage, range), question));
    return context.length === candidate.context.length ? candidate : { ...candidate, context };
  });
}

/** Cosines of the question with every candidate, in order. */
function cosinesOf(question: string, views: readonly CandidateView[], embed: RankOptions["embed"]): MeasuredCandidate["cosine"][] {
  if (views.length === 0) return [];
  const above = ({ evidence, candidate }: CandidateView) =>
    [evidence.passage.document.title, candidate.above].filter((part) => part !== "").join("\n");
  const texts = [question, ...views.map(({ text }) => text), ...views.map((view) => `${above(view)}\n${view.text}`)];
  const [asked, ...vectors] = embed(texts) as [Float32Array, ...Float32Array[]];
  const cosine = (i: number) => dot(asked, vectors[i] as Float32Array);
  return views.map((_, i) => ({ own: cosine(i), headed: cosine(views.length + i) }));
}

/** What the cross-encoder reads of a candidate: its title and headings on a line of their own, then the candidate with what it refers to. */
export function readingText({ candidate, evidence }: { readonly candidate: Candidate; readonly evidence: Found }): string {
  const { passage } = evidence;
  const before = candidate.type === "sentence" ? candidate.context.map((range) => textOf(passage, range)) : [];
  return quoteText(passage.document.title, candidate.above.split("\n"), [...before, textOf(passage, candidate.range)].join(" "));
}

/**
 * The choice with what stands right behind the best candidate quoted with it, where both together answer more likely: "The first president was not Mr. Pollard" is
 * the best candidate for who asks for the first president, and the sentence behind it says who was.
 */
export async function withFollowing(question: string, choice: Choice, readTexts: ReadTexts, signal: AbortSignal): Promise<Choice> {
  const [best, ...others] = choice.candidates;
  const next = best === undefined ? null : candidateBehind(best, choice.candidates);
  if (best === undefined || best.cross === null || next === null) return choice;
  const { candidate: first, evidence } = best.view;
  const both = { evidence, candidate: { ...first, context: [], range: { start: first.range.start, end: next.view.candidate.range.end } } };
  const read = await readTexts([{ question, text: readingText(both) }], signal);
  if (read === null || (read[0] as PairReading).answer <= best.cross) return choice;
  return { ...choice, candidates: [{ ...best, followedBy: next.view }, ...others] };
}

/** The next candidate of the passage, if nothing stands between them – a heading, what is too long to be quoted – but what announces it, it has no heading of its own, and it is not quoted with the best one anyway. */
function candidateBehind(
  { view: { evidence, candidate } }: ScoredCandidate,
  candidates: readonly ScoredCandidate[],
): ScoredCandidate | null {
  const { end } = candidate.range;
  let next: ScoredCandidate | null = null;
  for (const one of candidates) {
    if (one.view.evidence !== evidence || one.view.candidate.range.start < end) continue;
    if (next === null || one.view.candidate.range.start < next.view.candidate.range.start) next = one;
  }
  if (next === null || candidate.type === "row" || next.view.candidate.type === "row") return null;
  const { range, context, heading } = next.view.candidate;
  const from = Math.min(range.start, ...context.flatMap(({ start }) => (start >= end ? start : [])));
  const isGap = evidence.passage.units.some((unit) => unit.start >= end && unit.end <= from);
  return isGap || heading !== candidate.heading || candidate.conditions.some(({ start }) => start === range.start) ? null : next;
}
