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

/** Number of candidates to list. */
const DESCRIBED = 10;
/** Characters of each candidate: one terminal line. */
const DESCRIBED_CHARACTERS = 80;

/** Lists the first candidates with their scores, one per line, for diagnosis; "" without candidates. */
function describeCandidates(candidates: readonly ScoredCandidate[]): string {
  return candidates
    .slice(0, DESCRIBED)
    .map(({ chance, cross, first, view }) => {
      const scores = `cross-encoder ${cross?.toFixed(2) ?? "not run"}, first stage ${first.toFixed(2)}`;
      return `${chance.toFixed(2)} (${scores}) ${view.text.slice(0, DESCRIBED_CHARACTERS).replaceAll("\n", " ")}`;
    })
    .join("\n");
}

/** Maximum characters of one quote; longer sentences are skipped. */
export const QUOTE_CHARACTERS = 1200;

/** Ranks the candidates of usable evidence, most likely answer first. @param ranked candidates of all passages, if already ranked */
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
  // Include rejected passages: they explain a refusal.
  log.detail("first", () => describeCandidates((ranked ?? choice).candidates) || null);
  return choice;
}

function ofPassages(ranked: Choice, evidence: readonly Evidence[]): Choice {
  const sids = new Set(evidence.map(({ passage }) => passage.sid));
  return { ...ranked, candidates: ranked.candidates.filter(({ view }) => sids.has(view.evidence.passage.sid)) };
}

export async function rankFor(
  question: Question,
  passages: readonly (Passage | Pick<Evidence, "passage">)[],
  context: PipelineContext,
  options: { readonly mostRead?: number; readonly signal: AbortSignal },
): Promise<Choice> {
  const words = await wordsFor(question, context);
  // A model may elaborate on an earlier answer: "no, that is for each person".
  const isLeftOut = writersOf(context) === null ? wasQuotedBefore(question, words) : () => false;
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

/** Appends the domain's abbreviations and synonyms to the question: "When does the desk open? (front counter)". */
async function withEquivalents(question: Question, { corpus, profile }: PipelineContext): Promise<string> {
  const { equivalents } = await corpus.understand(question, profile.retrieve.query);
  const names = [...new Set(equivalents.map(({ to }) => to))];
  return names.length === 0 ? question.resolved : `${question.resolved} (${names.join(", ")})`;
}

/** Minimum weighted share of a follow-up's words in an earlier answer's sentence for it to answer the follow-up too. */
const HOLDS_FOLLOW_UP = 0.5;

/**
 * Returns a predicate for candidates that begin an earlier answer. They are excluded unless they match the follow-up's words or the same
 * question is repeated.
 */
function wasQuotedBefore({ text, resolved, history }: Question, words: QuestionWords): (view: CandidateView) => boolean {
  if (text === resolved) return () => false;
  const asked = normalizeQuestion(text);
  const before = history.flatMap(({ question, answer }) => (normalizeQuestion(question) === asked ? [] : [`${plain(answer)} `]));
  return ({ text: candidate, candidate: { header } }) => {
    const said = `${plain(candidate)} `;
    if (!before.some((answer) => answer.startsWith(said))) return false;
    // Include the header: "does it have showers?" asks for another cell of the same row.
    const held = weightedCoverage(words.own.tokens, new Set(words.tokens(`${header?.text ?? ""}\n${candidate}`)), words.idf);
    return held === null || held < HOLDS_FOLLOW_UP;
  };
}

/** Returns the IDF-weighted share of the question's words in a text: Σ idf(q ∩ d) / Σ idf(q), 0 to 1; `null`: no content words. */
function weightedCoverage(question: readonly string[], text: ReadonlySet<string>, idf: (token: string) => number): number | null {
  let [all, found] = [0, 0];
  for (const token of new Set(question)) {
    all += idf(token);
    if (text.has(token)) found += idf(token);
  }
  return all === 0 ? null : found / all;
}

/** Reduces text to letters and digits, because clients return answers with other punctuation and line breaks. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** Returns usable evidence. The learned gate excludes rejected passages; other gates use them last. */
function mayBeUsed(evidence: readonly Evidence[], { gate }: Profile): Evidence[] {
  const kept = evidence.filter(({ verdict }) => verdict !== "rejected");
  return gate.type === "sufficiency" ? kept : [...kept, ...evidence.filter(({ verdict }) => verdict === "rejected")];
}
