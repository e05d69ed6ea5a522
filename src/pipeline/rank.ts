import type { Profile } from "../profiles/profile.ts";
import type { CandidateView, Choice, ScoredCandidate } from "../ranking/features.ts";
import { rankCandidates } from "../ranking/rank.ts";
import type { QuestionWords } from "../retrieval/understand.ts";
import type { Evidence, Passage, Question } from "../shared/types.ts";
import { normalizeQuestion } from "../text/normalise.ts";
import { writersOf } from "./compress.ts";
import type { PipelineContext } from "./context.ts";
import { wordsFor } from "./retrieve.ts";
import type { StageLog } from "./trace.ts";

/** Candidates that are named. */
const DESCRIBED = 10;
/** Characters of each: a line of a terminal. */
const DESCRIBED_CHARACTERS = 80;

/** The first candidates, a line each, for who looks for the cause of an answer: their scores and how they begin; "" without a candidate. */
function describeCandidates(candidates: readonly ScoredCandidate[]): string {
  return candidates
    .slice(0, DESCRIBED)
    .map(({ chance, cross, first, view }) => {
      const scores = `cross-encoder ${cross?.toFixed(2) ?? "not asked"}, first stage ${first.toFixed(2)}`;
      return `${chance.toFixed(2)} (${scores}) ${view.text.slice(0, DESCRIBED_CHARACTERS).replaceAll("\n", " ")}`;
    })
    .join("\n");
}

/** Characters of one quote in an answer; a longer sentence is not taken. */
export const QUOTE_CHARACTERS = 1200;

/** The candidates of what may be used, the one that most likely answers first. @param ranked those of all passages, where they were ranked before */
export async function choose(
  { question, evidence, ranked }: { readonly question: Question; readonly evidence: readonly Evidence[]; readonly ranked: Choice | null },
  context: PipelineContext,
  log: StageLog,
  signal: AbortSignal,
): Promise<Choice> {
  const used = mayBeUsed(evidence, context.profile);
  const choice = ranked === null ? await rankFor(question, used, context, { signal }) : ofPassages(ranked, used);
  log.fact("ranking", context.ranking().weights.name);
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
  context: PipelineContext,
  options: { readonly mostRead?: number; readonly signal: AbortSignal },
): Promise<Choice> {
  const words = await wordsFor(question, context);
  // A model may say more of what was said: "no, that is for each person".
  const isLeftOut = writersOf(context) === null ? saidBefore(question, words) : () => false;
  const found = passages.map((one) => ("passage" in one ? one : { passage: one }));
  const readAs = await withEquivalents(question, context);
  return rankCandidates(question.resolved, found, words, {
    maxCharacters: QUOTE_CHARACTERS,
    readAs,
    isLeftOut,
    ...context.ranking(),
    ...options,
  });
}

/** The question with the abbreviations and synonyms of the domain behind it: "When does the desk open? (front counter)". */
async function withEquivalents(question: Question, { corpus, profile }: PipelineContext): Promise<string> {
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

/** The learned gate never answers from what is rejected; another gate may, where nothing is better, and what is not rejected comes first there. */
function mayBeUsed(evidence: readonly Evidence[], { gate }: Profile): Evidence[] {
  const kept = evidence.filter(({ verdict }) => verdict !== "rejected");
  return gate.type === "sufficiency" ? kept : [...kept, ...evidence.filter(({ verdict }) => verdict === "rejected")];
}
