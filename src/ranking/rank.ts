import { dot, type PairReading, quoteText, type ReadTexts } from "../cross-encoder/reader.ts";
import { isPart } from "../language/question.ts";
import { probabilityOfScore, scoreOf } from "../models/weights/scorer.ts";
import type { Evidence, TextRange } from "../shared/types.ts";
import { repeatsQuestion } from "../text/normalise.ts";
import { onceEach } from "../text/numbers.ts";
import { type Word, words } from "../text/tokens.ts";
import { cellsOf, nameCells, readCells } from "../text/units.ts";
import { type Candidate, candidatesOf, textOf } from "./candidates.ts";
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
  /** Maximum characters of one candidate. A longer one is omitted, not shortened. */
  readonly maxCharacters: number;
  /** Embeds texts as vectors of length 1. */
  readonly embed: (texts: readonly string[]) => readonly Float32Array[];
  readonly weights: Pick<RankingWeights, "first" | "candidate">;
  /** The cross-encoder; `null`: candidates are sorted by the first-stage score. */
  readonly read: ReadTexts | null;
  /**
   * The question with synonyms and codes as the documents write them. The cross-encoder scores each candidate with both
   * forms of the question, and the higher score is used.
   * @default the question
   */
  readonly readAs?: string;
  /** Returns whether a candidate is excluded regardless of its score. @default none is excluded */
  readonly isLeftOut?: (view: CandidateView) => boolean;
  readonly signal: AbortSignal;
}

/** Maximum number of candidates that the cross-encoder scores. Each takes about 20 ms of one core unless cached. */
export const CROSS_ENCODED = 16;
/** Maximum number of candidates per passage; see `CandidateCut.maxCandidates`. Needed because a hostile document may be one long list. */
const MAX_CANDIDATES = 120;
/** Maximum number of passages whose candidates are ranked, best passages first. */
const PASSAGES = 8;

type Found = Pick<Evidence, "passage">;

/**
 * Ranks the candidates of the passages, most likely answer first. The first-stage score selects candidates for the
 * cross-encoder: the best one of each passage, then the best of the remaining ones.
 */
export async function rankCandidates(
  question: string,
  evidence: readonly Found[],
  words: QuoteWords,
  options: RankOptions,
): Promise<Choice> {
  const { weights, read, readAs = question, isLeftOut = () => false, signal } = options;
  const { asked, candidates } = measureCandidates(question, evidence, words, options);
  const measured = candidates
    .filter(({ view }) => !repeatsQuestion(view.text, question) && !isLeftOut(view))
    .map((candidate): ScoredCandidate => {
      const first = scoreOf(measure(candidate, weights.first.features, FIRST_STAGE_FEATURES), weights.first);
      return { view: candidate.view, first, cross: null, score: first, probability: probabilityOfScore(first, weights.first) };
    })
    .sort((a, b) => b.first - a.first || a.view.rank - b.view.rank || a.view.candidate.range.start - b.view.candidate.range.start);
  const named = namedCandidate(measured, asked);
  const scored = named === null ? measured : [named, ...measured.filter(({ view }) => view !== named.view)];
  const bestOfEach = onceEach(scored, ({ view }) => view.evidence.passage.sid);
  const chosen = [...new Set([...bestOfEach, ...scored])].slice(0, CROSS_ENCODED);
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
      return { ...crossed, score, probability: one.isNamed ? 1 : probabilityOfScore(score, candidate) };
    })
    .sort((a, b) => Number(b.isNamed ?? false) - Number(a.isNamed ?? false) || b.score - a.score);
  const ordered = (await orderRowsByColumn(asks, first, asked, read, signal)) ?? first;
  const last = ordered.at(-1) as ScoredCandidate;
  // Candidates that the cross-encoder did not score come last, in the order of their first-stage scores.
  const rest = scored
    .filter((candidate) => !chosen.includes(candidate))
    .map((candidate) => ({
      ...candidate,
      score: Math.min(candidate.score, last.score),
      probability: Math.min(candidate.probability, last.probability),
    }));
  return { asked, candidates: [...ordered, ...rest] };
}

/**
 * Returns the only candidate with the number that the question names ("step 4"); `null`: several or none. The
 * candidate, the text above it or the document's title must also contain all other words of the question. Of several
 * candidates below one numbered heading, the first is taken. Needed because a cross-encoder cannot distinguish "step 4"
 * from "step 5".
 */
function namedCandidate(scored: readonly ScoredCandidate[], { part, bitsIn }: AskedQuestion): ScoredCandidate | null {
  if (part === null) return null;
  const rest = bitsIn(part.rest);
  const found = new Map<string, { readonly one: ScoredCandidate; readonly below: string }>();
  for (const one of scored) {
    const { text, holds, candidate, evidence } = one.view;
    const { id, title } = evidence.passage.document;
    if ((rest & ~(holds | bitsIn(title))) !== 0 || !isPart(part, candidate.above.split("\n"), text)) continue;
    const isOwn = isPart(part, [], text) || candidate.type === "item";
    found.set(`${id} ${candidate.range.start}`, { one, below: `${id} ${isOwn ? candidate.range.start : candidate.above}` });
  }
  const all = [...found.values()];
  if (new Set(all.map(({ below }) => below)).size !== 1) return null;
  const [{ one }] = all.sort((a, b) => a.one.view.candidate.range.start - b.one.view.candidate.range.start) as [(typeof all)[number]];
  return { ...one, isNamed: true, probability: 1 };
}

/**
 * Reorders rows of the best candidate's table that contain a number of the question in different columns. Example: for
 * "Which loaf rests 45 minutes?", a row with 45 minutes of baking also matches. The cross-encoder does not find the
 * column in a complete row. So it scores each row reduced to the first cell and the cells with the number. The rows
 * swap places and scores only among themselves. Returns `null` if nothing is to be reordered.
 */
async function orderRowsByColumn(
  asks: readonly string[],
  scored: readonly ScoredCandidate[],
  { bitsIn, numbers }: AskedQuestion,
  read: ReadTexts | null,
  signal: AbortSignal,
): Promise<ScoredCandidate[] | null> {
  const [best] = scored;
  const header = best?.view.candidate.header ?? null;
  if (read === null || best === undefined || header === null || best.isNamed) return null;
  const { document } = best.view.evidence.passage;
  const rows = scored.flatMap((one, at) => {
    const { candidate, text } = one.view;
    if (!isOfTable(one, best)) return [];
    const cells = nameCells(header.text, text) ?? [];
    const held = cells.filter((cell) => (bitsIn(cell.text) & numbers) !== 0);
    if (held.length === 0) return [];
    const above = candidate.above.split("\n").filter((line) => line !== header.text);
    const short = quoteText(document.title, above, readCells(cells.filter((cell, i) => i === 0 || held.includes(cell))));
    return [{ one, at, short, columns: held.map(({ name }) => name).join("\n") }];
  });
  if (new Set(rows.map(({ columns }) => columns)).size < 2) return null;
  const readings = await read(
    asks.flatMap((question) => rows.map(({ short }) => ({ question, text: short }))),
    signal,
  );
  if (readings === null) return null;
  const oddsOf = (i: number) => Math.max(...asks.map((_, k) => (readings[k * rows.length + i] as PairReading).answer));
  const byOdds = rows.map(({ one }, i) => ({ one, odds: oddsOf(i) })).sort((a, b) => b.odds - a.odds);
  const ordered = [...scored];
  for (const [i, { one, at }] of rows.entries()) {
    const { cross, score, probability } = one;
    ordered[at] = { ...(byOdds[i] as (typeof byOdds)[number]).one, cross, score, probability };
  }
  return ordered;
}

/** Returns whether both candidates are rows of one table, given that `best` is a row. */
function isOfTable({ view }: ScoredCandidate, best: ScoredCandidate): boolean {
  const { evidence, candidate } = best.view;
  const isSameDocument = view.evidence.passage.document.id === evidence.passage.document.id;
  return isSameDocument && view.candidate.header?.start === candidate.header?.start;
}

/** Returns the confidence that the best candidate answers, 0 to 1; 0 without candidates. */
export function confidenceOf(choice: Pick<Choice, "candidates">, { confidence }: Pick<RankingWeights, "confidence">): number {
  const [best] = choice.candidates;
  if (best === undefined) return 0;
  if (best.isNamed) return 1;
  return probabilityOfScore(scoreOf(measure(best, confidence.features, CONFIDENCE_FEATURES), confidence), confidence);
}

/** Returns the confidence features by name; empty without candidates. */
export function confidenceFeatures({ candidates }: Pick<Choice, "candidates">): Record<string, number | null> {
  const [best] = candidates;
  return best === undefined ? {} : Object.fromEntries(Object.entries(CONFIDENCE_FEATURES).map(([name, of]) => [name, of(best)]));
}

/**
 * Returns, by sid, the highest probability of a candidate in each passage.
 * @param confidence confidence of the answer. If given, all values are scaled by one factor so that the highest equals
 * it
 */
export function relevanceOfPassages({ candidates }: Pick<Choice, "candidates">, confidence: number | null = null) {
  const relevance = new Map<string, number>();
  for (const { view, probability } of candidates) {
    const { sid } = view.evidence.passage;
    relevance.set(sid, Math.max(relevance.get(sid) ?? 0, probability));
  }
  const best = Math.max(...relevance.values());
  if (confidence !== null && best > 0) for (const [sid, probability] of relevance) relevance.set(sid, (confidence * probability) / best);
  return relevance;
}

/** Computes the first-stage features of all candidates. Training uses the same function. */
export function measureCandidates(
  question: string,
  evidence: readonly Found[],
  words: QuoteWords,
  { maxCharacters, embed }: Pick<RankOptions, "maxCharacters" | "embed">,
): { readonly asked: AskedQuestion; readonly candidates: readonly MeasuredCandidate[] } {
  const asked = readAsked(question, words);
  const looked = evidence.slice(0, PASSAGES);
  const wholeLists = asked.type === "list" || asked.type === "how-do-i";
  const cut = { maxCharacters, maxCandidates: MAX_CANDIDATES, wholeLists, singleItems: asked.part !== null };
  const views = looked.map((one, rank) => {
    const repeats = (range: TextRange) => repeatsQuestion(textOf(one.passage, range), question);
    const own = candidatesOf(one.passage, cut).map((candidate) => ({
      ...candidate,
      context: candidate.context.filter((range) => !repeats(range)),
    }));
    return viewPassage(own, one, rank, asked);
  });
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

/** Returns the cosines between the question and each candidate, in order. */
function cosinesOf(question: string, views: readonly CandidateView[], embed: RankOptions["embed"]): MeasuredCandidate["cosine"][] {
  if (views.length === 0) return [];
  const above = ({ evidence, candidate }: CandidateView) =>
    [evidence.passage.document.title, candidate.above].filter((part) => part !== "").join("\n");
  const texts = [question, ...views.map(({ text }) => text), ...views.map((view) => `${above(view)}\n${view.text}`)];
  const [asked, ...vectors] = embed(texts) as [Float32Array, ...Float32Array[]];
  const cosine = (i: number) => dot(asked, vectors[i] as Float32Array);
  return views.map((_, i) => ({ own: cosine(i), headed: cosine(views.length + i) }));
}

/** Formats a candidate for the cross-encoder: title and headings on one line, then the candidate, a sentence after its context. */
export function readingText({ candidate, evidence }: { readonly candidate: Candidate; readonly evidence: Found }): string {
  const { passage } = evidence;
  const before = candidate.type === "sentence" ? candidate.context.map((range) => textOf(passage, range)) : [];
  return quoteText(passage.document.title, candidate.above.split("\n"), [...before, textOf(passage, candidate.range)].join(" "));
}

/**
 * Adds the following candidate to the best one if the cross-encoder scores both together higher. Example: the sentence
 * after "The first president was not Mr. Pollard" names the president.
 */
export async function withFollowing(question: string, choice: Choice, readTexts: ReadTexts, signal: AbortSignal): Promise<Choice> {
  const [best, ...others] = choice.candidates;
  const next = best === undefined ? null : candidateBehind(best, choice.candidates);
  if (best === undefined || best.cross === null || best.isNamed || next === null) return choice;
  const { candidate: first, evidence } = best.view;
  const both = { evidence, candidate: { ...first, context: [], range: { start: first.range.start, end: next.view.candidate.range.end } } };
  const read = await readTexts([{ question, text: readingText(both) }], signal);
  if (read === null || (read[0] as PairReading).answer <= best.cross) return choice;
  return { ...choice, candidates: [{ ...best, followedBy: next.view }, ...others] };
}

/**
 * Returns the candidate that directly follows another one in the passage. Returns `null` if a unit lies between the
 * two, their headings differ, either is a row, or the first is already quoted with the second as a condition.
 */
function candidateBehind({ view: first }: ScoredCandidate, candidates: readonly ScoredCandidate[]): ScoredCandidate | null {
  const { evidence, candidate } = first;
  const { end } = candidate.range;
  const [next] = candidates
    .filter(({ view }) => view.evidence === evidence && view.candidate.range.start >= end)
    .sort((a, b) => a.view.candidate.range.start - b.view.candidate.range.start);
  if (next === undefined || candidate.type === "row" || next.view.candidate.type === "row") return null;
  const { range, context, heading } = next.view.candidate;
  const from = Math.min(range.start, ...context.flatMap(({ start }) => (start >= end ? start : [])));
  const isGap = evidence.passage.units.some((unit) => unit.start >= end && unit.end <= from);
  return isGap || heading !== candidate.heading || candidate.conditions.some(({ start }) => start === range.start) ? null : next;
}

/**
 * Minimum probability of the second of several equal rows, divided by the probability of the first. If it is lower, the
 * rows do not count as equal. Applied only if the first row lacks a word of the question.
 */
const NEAR_BEST = 0.6;

/**
 * If the best candidate is a table row, returns all candidate rows of its table that fit the question equally well, for
 * questions that ask for several: "Which huts are in the Lenz valley?". The question names a cell if it contains all
 * words of the cell. Rows fit equally well if they have the same texts in the columns of the named cells. Returns
 * `null` if the best candidate is no row or has no named cell, or if fewer than two rows fit.
 */
export function equalRows(question: string, { asked, candidates }: Choice, { tokens }: Pick<QuoteWords, "tokens">) {
  const [best] = candidates;
  const header = best?.view.candidate.header ?? null;
  if (best === undefined || header === null || best.isNamed) return null;
  const { document } = best.view.evidence.passage;
  const said = new Set(words(question).map(({ text }) => text));
  const isSaid = ({ text }: Word) => {
    const own = tokens(text);
    const held = asked.tokensIn(asked.bitsIn(text));
    // Compare stop words too: "Lock A" is one lock, not any lock.
    return own.length === 0 ? said.has(text) : own.every((token) => held.includes(token));
  };
  const ofTable = candidates.filter((one) => isOfTable(one, best));
  const table = onceEach(ofTable, ({ view }) => String(view.candidate.range.start));
  const matchesOf = (row: string) => {
    const cells = cellsOf(row);
    const columns = cells.flatMap((cell, column) => (tokens(cell).length > 0 && words(cell).every(isSaid) ? [column] : []));
    const keyOf = (own: readonly string[]) => columns.map((column) => own[column]?.toLowerCase()).join("\n");
    return { columns, matches: (other: string) => keyOf(cellsOf(other)) === keyOf(cells) };
  };
  const own = matchesOf(best.view.text);
  if (own.columns.length === 0) return null;
  // Prefer rows with more named cells. For "Which huts of the Lenz valley open in June?", rows with both valley and
  // month are better than a best candidate with only the valley.
  const fuller = table
    .filter(({ view }) => own.matches(view.text))
    .map(({ view }) => matchesOf(view.text))
    .reduce((most, one) => (one.columns.length > most.columns.length ? one : most), own);
  const rows = table.filter(({ view }) => fuller.matches(view.text));
  const [first, second] = rows;
  if (first === undefined || second === undefined) return null;
  if (first.view.lacks > 0 && second.probability < NEAR_BEST * first.probability) return null;
  // `matches` also accepts the text of table rows that were not retrieved.
  return { rows, documentId: document.id, header, matches: fuller.matches };
}
