import type { PairReading, ReadTexts } from "../cross-encoder/reader.ts";
import { askedValues, heldValues } from "../language/asked-values.ts";
import type { Profile } from "../profiles/profile.ts";
import type { AskedQuestion, CandidateView, Choice, OpenPart, ScoredCandidate } from "../ranking/features.ts";
import { rankCandidates, readingText, withFollowing } from "../ranking/rank.ts";
import type { QuestionWords } from "../retrieval/understand.ts";
import type { Evidence, Passage, Question, QuestionPart, Warning } from "../shared/types.ts";
import { normalizeQuestion } from "../text/normalise.ts";
import { writersOf } from "./compress.ts";
import { questionParts } from "./follow-up.ts";
import type { JudgingParts } from "./parts.ts";
import { wordsFor } from "./retrieve.ts";
import type { StageLog } from "./trace.ts";

/** Candidates that are named. */
const DESCRIBED = 10;
/** Characters of each: a line of a terminal. */
const DESCRIBED_CHARACTERS = 80;

/** The first candidates, a line each, for who looks for the cause of an answer: their scores and how they begin; "" without a candidate. */
export function describeCandidates(candidates: readonly ScoredCandidate[]): string {
  return candidates
    .slice(0, DESCRIBED)
    .map(({ chance, cross, first, view }) => {
      const scores = `cross-encoder ${cross?.toFixed(2) ?? "not asked"}, first stage ${first.toFixed(2)}`;
      return `${chance.toFixed(2)} (${scores}) ${view.text.slice(0, DESCRIBED_CHARACTERS).replaceAll("\n", " ")}`;
    })
    .join("\n");
}

export interface PartsOptions {
  readonly readTexts: ReadTexts;
  /** The candidates of what was found for one of the questions, best first; and whether a candidate may be quoted. */
  readonly choosePart: (part: QuestionPart) => Promise<Pick<Choice, "candidates">>;
  readonly mayBeQuoted: (candidate: ScoredCandidate) => boolean;
  readonly signal: AbortSignal;
}

/** From these log odds on a candidate answers: where the bar for "nothing answers" stood in training. Below the others nothing was found. */
const ANSWERS_FROM = 0;
const NOTHING_BELOW = -1.5;

/**
 * Of a message that asks several things, each is answered: by what answers the whole, or by the candidate that answers it best, which then stands right behind the first.
 * What stays open is in `open`.
 */
export async function withParts(
  choice: Choice,
  parts: readonly QuestionPart[],
  { readTexts, choosePart, mayBeQuoted, signal }: PartsOptions,
): Promise<Choice> {
  const [best, ...others] = choice.candidates;
  if (best === undefined || best.cross === null || parts.length === 0) return choice;
  const shown = [best.view, ...(best.followedBy === undefined ? [] : [best.followedBy])].map(readingText);
  const pairs = parts.flatMap(({ resolved }) => shown.map((text) => ({ question: resolved, text })));
  const read = await readTexts(pairs, signal);
  if (read === null) return choice;
  const looked = await Promise.all(
    parts.map(async (part, i) => {
      const own = Math.max(...read.slice(i * shown.length, (i + 1) * shown.length).map((one) => (one as PairReading).answer));
      const isAnswered = own >= ANSWERS_FROM || isCellOf(part, best.view, choice.asked);
      const likeliest = isAnswered ? null : mostLikely((await choosePart(part)).candidates);
      return { part, odds: Math.max(own, oddsOf(likeliest)), likeliest, isAnswered };
    }),
  );
  const found: ScoredCandidate[] = [];
  const answered = new Set<QuestionPart>();
  for (const { part, likeliest } of looked) {
    if (likeliest === null || oddsOf(likeliest) < ANSWERS_FROM || !mayBeQuoted(likeliest)) continue;
    answered.add(part);
    if (![best, ...found].some((one) => isSame(one, likeliest))) found.push({ ...likeliest, answersPart: true });
  }
  const open = looked
    .filter(({ part, isAnswered }) => !isAnswered && !answered.has(part))
    .map(({ part, odds }) => ({ part, isNothing: odds < NOTHING_BELOW }));
  const rest = others.filter((candidate) => !found.some((one) => isSame(one, candidate)));
  return { ...choice, candidates: [best, ...found, ...rest], ...(open.length > 0 && { open }) };
}

/**
 * Is the part about a cell of the row that is shown? All of its words stand in the row or in its header, one of them in the name of a column behind the first, and a
 * value of the kind that it asks for is there. A wide row is much besides that cell, which the reader holds against it.
 */
function isCellOf({ text }: QuestionPart, { candidate, text: row }: CandidateView, asked: AskedQuestion): boolean {
  if (candidate.header === null) return false;
  const { text: header } = candidate.header;
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

function mostLikely(candidates: readonly ScoredCandidate[]): ScoredCandidate | null {
  return candidates.reduce<ScoredCandidate | null>((best, candidate) => (oddsOf(candidate) > oddsOf(best) ? candidate : best), null);
}

/** By the reader; what it did not read answers nothing. */
function oddsOf(candidate: ScoredCandidate | null): number {
  return candidate?.cross ?? Number.NEGATIVE_INFINITY;
}

function isSame({ view: a }: ScoredCandidate, { view: b }: ScoredCandidate): boolean {
  const [one, other] = [a.evidence.passage, b.evidence.passage].map(({ sid }) => sid);
  return one === other && a.candidate.range.start === b.candidate.range.start && a.candidate.range.end === b.candidate.range.end;
}

/** Characters of one quote in an answer; a longer sentence is not taken. */
export const QUOTE_CHARACTERS = 1200;

/** The candidates of what may be used, the one that most likely answers first. @param ranked those of all passages, where they were ranked before */
export async function choose(
  { question, evidence, ranked }: { readonly question: Question; readonly evidence: readonly Evidence[]; readonly ranked: Choice | null },
  parts: JudgingParts,
  log: StageLog,
  signal: AbortSignal,
): Promise<Choice> {
  const used = mayBeUsed(evidence, parts.profile);
  const choice = ranked === null ? await rankFor(question, used, parts, { signal }) : ofPassages(ranked, used);
  log.fact("ranking", parts.ranking().weights.name);
  log.fact("pieces", choice.candidates.length);
  log.fact(
    "read",
    choice.candidates.some(({ cross }) => cross !== null),
  );
  log.fact("best_piece", choice.candidates[0]?.chance ?? null);
  // Also those of passages that are rejected: who looks for the cause of a refusal sees what came nearest.
  log.detail("first", () => describeCandidates((ranked ?? choice).candidates) || null);
  return choice;
}

function ofPassages(ranked: Choice, evidence: readonly Evidence[]): Choice {
  const sids = new Set(evidence.map(({ passage }) => passage.sid));
  return { ...ranked, candidates: ranked.candidates.filter(({ view }) => sids.has(view.evidence.passage.sid)) };
}

/** The candidates of passages, for one question. */
export async function rankFor(
  question: Question,
  passages: readonly (Passage | Pick<Evidence, "passage">)[],
  parts: JudgingParts,
  options: { readonly mostRead?: number; readonly signal: AbortSignal },
): Promise<Choice> {
  const words = await wordsFor(question, parts);
  // A model may say more of what was said: "no, that is for each person".
  const isLeftOut = writersOf(parts) === null ? saidBefore(question, words) : () => false;
  const found = passages.map((one) => ("passage" in one ? one : { passage: one }));
  const readAs = await withEquivalents(question, parts);
  return rankCandidates(question.resolved, found, words, {
    maxCharacters: QUOTE_CHARACTERS,
    readAs,
    isLeftOut,
    ...parts.ranking(),
    ...options,
  });
}

/** The question with the abbreviations and synonyms of the domain behind it: "When does the desk open? (front counter)". */
async function withEquivalents(question: Question, { corpus, profile }: JudgingParts): Promise<string> {
  const { equivalents } = await corpus.understand(question, profile.retrieve.query);
  const names = [...new Set(equivalents.map(({ to }) => to))];
  return names.length === 0 ? question.resolved : `${question.resolved} (${names.join(", ")})`;
}

/** Of a follow-up's own words, by weight, what the sentence holds that answered an earlier turn, if it is to answer the follow-up too. */
const HOLDS_FOLLOW_UP = 0.5;

/**
 * Did an earlier answer begin with this? It answered that turn; what asks on wants something else, unless the sentence holds what it asks, or the same is asked
 * again.
 */
function saidBefore({ text, resolved, history }: Question, words: QuestionWords): (view: CandidateView) => boolean {
  if (text === resolved) return () => false;
  const asked = normalizeQuestion(text);
  const before = history.flatMap(({ question, answer }) => (normalizeQuestion(question) === asked ? [] : [`${plain(answer)} `]));
  return ({ text: candidate, candidate: { header } }) => {
    const said = `${plain(candidate)} `;
    if (!before.some((answer) => answer.startsWith(said))) return false;
    // A row says what its columns are called: "does it have showers?" asks for another cell of it.
    const held = weightedCoverage(words.own.tokens, new Set(words.tokens(`${header?.text ?? ""}\n${candidate}`)), words.idf);
    return held === null || held < HOLDS_FOLLOW_UP;
  };
}

/**
 * Share of a question's words that a text holds, each word weighted by its inverse document frequency: Σ idf(q ∩ d) / Σ idf(q), 0 to 1.
 * @returns `null` when the question has no content words
 */
function weightedCoverage(question: readonly string[], text: ReadonlySet<string>, idf: (token: string) => number): number | null {
  let [all, found] = [0, 0];
  for (const token of new Set(question)) {
    all += idf(token);
    if (text.has(token)) found += idf(token);
  }
  return all === 0 ? null : found / all;
}

/** Letters and digits alone: an answer comes back with the marks and line breaks of whoever showed it. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** Candidates that are read for one of several questions at most: what answers the message as a whole was found already. */
const READ_OF_PART = 5;

/** One of the things that a question asks, asked by itself. @param resolved as it is understood; absent: with what it leaves out */
export function askAlone(question: Question, { text, resolved }: QuestionPart, as = resolved): Question {
  return { ...question, text, resolved: as };
}

/** A question that is answered, with all that was found and what may be quoted of it. */
export interface Answered {
  readonly question: Question;
  readonly evidence: readonly Evidence[];
  readonly usable: readonly Evidence[];
  readonly choice: Choice;
}

/** The choice with what follows the best candidate, and with what answers the other things asked. Both are read for an answer alone: a refusal shows no quote. */
export async function completeChoice(answered: Answered, parts: JudgingParts, log: StageLog, signal: AbortSignal): Promise<Choice> {
  const { question, choice } = answered;
  const { read: readTexts } = parts.ranking();
  if (readTexts === null) return choice;
  const followed = await withFollowing(question.resolved, choice, readTexts, signal);
  log.fact("following", followed.candidates[0]?.followedBy !== undefined);
  const asked = askedParts(question, parts);
  const sids = new Set(answered.usable.map(({ passage }) => passage.sid));
  // A part of the question is looked up in all that was found: a verdict says what a passage is worth for the whole.
  const whole = await withParts(followed, asked, {
    choosePart: (part) => rankFor(askAlone(question, part), answered.evidence, parts, { mostRead: READ_OF_PART, signal }),
    mayBeQuoted: ({ view }) => sids.has(view.evidence.passage.sid),
    ...{ readTexts, signal },
  });
  log.fact("asked_parts", asked.length);
  log.fact("open_parts", whole.open?.length ?? 0);
  return whole;
}

/**
 * The several things that a question asks, where the learned gate decides and quotes answer: a model answers all that it is asked, and what it leaves out nobody
 * measured. A follow-up is answered as a whole.
 */
export function askedParts({ text, resolved }: Question, parts: JudgingParts): QuestionPart[] {
  return parts.profile.gate.type === "sufficiency" && writersOf(parts) === null && text === resolved ? questionParts(text) : [];
}

/** The learned gate never answers from what is rejected; another gate may, where nothing is better, and what is not rejected comes first there. */
function mayBeUsed(evidence: readonly Evidence[], { gate }: Profile): Evidence[] {
  const kept = evidence.filter(({ verdict }) => verdict !== "rejected");
  return gate.type === "sufficiency" ? kept : [...kept, ...evidence.filter(({ verdict }) => verdict === "rejected")];
}
