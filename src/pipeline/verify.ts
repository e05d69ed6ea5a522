import { agreementOf, type Compared, comparePassages, MAJORITY, NOT_COMPARED } from "../evidence/compare-passages.ts";
import { carryGate, verifyPassages } from "../evidence/gate.ts";
import { withCodesAsWritten } from "../evidence/named-things.ts";
import { askWeb, withWebVerdicts } from "../evidence/web.ts";
import type { SupportScorer } from "../models/support.ts";
import type { PassageVerdict } from "../models/verifier.ts";
import { SUPPORT_BANDS } from "../profiles/guards.ts";
import type { Profile } from "../profiles/profile.ts";
import type { CandidateView } from "../ranking/features.ts";
import { confidenceOf, rankCandidates, relevanceOfPassages } from "../ranking/rank.ts";
import type { QuestionWords } from "../retrieval/understand.ts";
import { messageOf } from "../shared/errors.ts";
import type { AnswerEvent } from "../shared/events.ts";
import type { Conflict, Evidence, ModelCall, Passage, Question, Warning, WebEvidence } from "../shared/types.ts";
import { normalizeQuestion } from "../text/normalise.ts";
import { answersInQuotes } from "./compress.ts";
import type { PipelineContext, StageLog, Trace } from "./context.ts";
import { type Found, wordsFor } from "./retrieve.ts";

/** Maximum number of pairs of passages to score, best passages first. Each pair takes up to six calls of the cross-encoder. */
const MAX_UNSTATED = 12;

/**
 * Adds agreement votes for pairs of passages where rules find neither agreement nor conflict. A learned scorer decides
 * whether one passage supports a claim of the other. A low score gives no vote, because similar sentences may be about
 * different things.
 */
export async function withLearnedAgreement(
  compared: Compared,
  passages: readonly Passage[],
  support: Pick<SupportScorer, "score">,
  signal: AbortSignal,
): Promise<Compared> {
  const unstated = compared.unstated.slice(0, MAX_UNSTATED);
  if (unstated.length === 0) return compared;
  const scores = await support.score(unstated, { signal });
  const supported = unstated.filter((_, i) => (scores[i]?.score ?? 0) >= SUPPORT_BANDS.unclear);
  return {
    ...compared,
    of(passage) {
      const before = compared.of(passage);
      const own = supported.filter((pair) => pair.of === passage.sid).length;
      if (own === 0) return before;
      const { differ } = before.votes;
      const agree = before.votes.agree + own;
      return {
        ...before,
        votes: { agree, differ },
        agreement: agreementOf(agree, differ, passages.length),
        outlier: differ >= MAJORITY && differ > agree,
      };
    },
  };
}

/** A question with its retrieval result. */
export interface Retrieval extends Pick<Found, "passages" | "scale" | "ranker"> {
  readonly question: Question;
}

/** Returns the passages with their verdicts, and the conflicts between passages that are not rejected. */
export async function verify(retrieval: Retrieval, context: PipelineContext, log: StageLog, signal: AbortSignal) {
  const { question, passages, scale } = retrieval;
  const { profile, compare, corpus, agreement } = context;
  const asked = (await wordsFor(question, context)).questionTokens(question.resolved);
  const byRules = profile.comparePassages
    ? comparePassages(asked, passages, { ...compare, words: await corpus.wordsIn(question.scope) })
    : NOT_COMPARED;
  // For a `v-score` gate, a learned scorer judges the pairs for which rules find nothing.
  const learned = profile.gate.type === "v-score" ? await withLearnedAgreement(byRules, passages, agreement, signal) : byRules;
  const { compared, calls } = await byModel(retrieval, learned, context, log, signal);
  // The same ranking later serves to select quotes.
  const found = passages.map((passage) => ({ passage }));
  const ranked = usesProbability(retrieval, context) ? await rankFor(question, found, context, signal) : null;
  const { encoder, weights } = context.ranking();
  const isEmbedded = retrieval.ranker === encoder;
  const confidence = ranked !== null && isEmbedded && profile.gate.type === "guard" ? confidenceOf(ranked, weights) : null;
  const relevance = ranked === null ? null : relevanceOfPassages(ranked, confidence);
  if (ranked !== null && ranked.candidates.length > 0 && ranked.candidates.every(({ cross }) => cross === null))
    log.notice("reader_missing", "The cross-encoder is not available: passages are judged by the first-stage score only");
  /** The profile's gate, with thresholds for the encoder that ranked the passages. */
  const gate = carryGate(profile.gate, scale, relevance !== null && isEmbedded);
  const evidence: readonly Evidence[] = verifyPassages(passages, gate, scale, compared, relevance);
  for (const verdict of ["verified", "uncertain", "rejected"] as const)
    log.fact(verdict, evidence.filter((one) => one.verdict === verdict).length);
  const conflicts: readonly Conflict[] = amongKept(compared.conflicts, evidence);
  log.fact("conflicts", conflicts.length);
  // `ranked` are the candidates of all passages (`null` if the gate does not use them); `calls` are the model calls.
  return { evidence, conflicts, gate, ranked, calls };
}
export type Judged = Awaited<ReturnType<typeof verify>>;

/**
 * Returns whether the gate uses the learned confidence of passages instead of cosines. `sufficiency` always does.
 * `guard` does, unless a downloaded cross-encoder scored the passages: cosines of the shipped encoder are too coarse
 * for `guard`. `v-score` and `best-similarity` do only if the shipped encoder ranked. All other gates use cosines.
 */
function usesProbability({ passages, ranker }: Retrieval, { profile, ranking }: PipelineContext): boolean {
  const { type } = profile.gate;
  if (passages.length === 0) return false;
  if (type === "guard") return passages.every(({ scores }) => scores.cross === null);
  return type === "sufficiency" || ((type === "v-score" || type === "best-similarity") && ranker === ranking().encoder);
}

/** Returns the conflicts between passages that are not rejected. */
function amongKept(conflicts: readonly Conflict[], evidence: readonly Evidence[]): Conflict[] {
  const rejected = new Set(evidence.filter(({ verdict }) => verdict === "rejected").map(({ passage }) => passage.sid));
  return conflicts.filter(({ sides }) => sides.every(({ sid }) => !rejected.has(sid)));
}

/** Replaces the rule-based scores by a model's verdicts, if a verifier is configured. */
async function byModel(retrieval: Retrieval, compared: Compared, context: PipelineContext, log: StageLog, signal: AbortSignal) {
  const { question, passages } = retrieval;
  const { verifier, profile } = context;
  if (verifier === null) return { compared, calls: [] };
  // All other gates reproduce published designs (docs/profiles.md), which judge passages without a language model.
  if (profile.gate.type !== "sufficiency" && profile.gate.type !== "v-score") {
    log.notice("verify_by_rules", `profile "${profile.name}" judges by cosine only, so no model is called`);
    return { compared, calls: [] };
  }
  // A question with injection signals is refused anyway.
  const isAsked = passages.length > 0 && question.injectionSignals.length === 0;
  const { verdicts, calls } = isAsked ? await judgeByModel(retrieval, verifier, log, signal) : NOT_JUDGED;
  log.fact("judged_by_model", verdicts.size);
  return { compared: withVerdicts(compared, verdicts, verifier.verifier.model), calls };
}

type By = NonNullable<PipelineContext["verifier"]>;

const NOT_JUDGED: Awaited<ReturnType<typeof judgeByModel>> = { verdicts: new Map(), calls: [] };

/**
 * Asks the model once about all passages. Throws only if the caller aborts.
 * @returns the model's verdicts and its call, even if it failed. Passages that are missing, all of them after a failure,
 * keep their rule-based scores
 */
async function judgeByModel({ question, passages }: Retrieval, { verifier, timeoutMs }: By, log: StageLog, signal: AbortSignal) {
  const calls: ModelCall[] = [];
  const failed = (reason: string) => log.notice("verify_by_rules", `passages not judged by the model keep rule scores: ${reason}`);
  const verdicts = new Map<Passage, PassageVerdict>();
  const call: ModelCall = { stage: "verify", model: verifier.model, inputTokens: null, outputTokens: null };
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const shown = passages.map(({ document, headingPath, text }) => ({ title: document.title, headingPath, text }));
    const found = await verifier.verify(question.resolved, shown, {
      signal: AbortSignal.any([signal, timeout]),
      onCall: () => calls.push(call),
      onUsage: (usage) => Object.assign(call, usage),
      onFailure: failed,
    });
    for (const [i, verdict] of found.entries()) if (verdict !== null) verdicts.set(passages[i] as Passage, verdict);
  } catch (error) {
    if (signal.aborted) throw error;
    failed(timeout.aborted ? `${verifier.id} exceeded the timeout of ${timeoutMs} ms` : messageOf(error));
  }
  return { verdicts, calls };
}

function withVerdicts(compared: Compared, verdicts: ReadonlyMap<Passage, PassageVerdict>, by: string): Compared {
  return {
    ...compared,
    of(passage) {
      const comparison = compared.of(passage);
      const verdict = verdicts.get(passage);
      if (verdict === undefined) return comparison;
      const { consistency, relevance } = verdict;
      return {
        ...comparison,
        consistency: { score: consistency, reason: `judged by ${by}` },
        relevance: { score: relevance, reason: `relevance ${relevance.toFixed(2)} judged by ${by}` },
      };
    },
  };
}

/** A question with its evidence. `usable` is the evidence that the answer may use; empty before the decision. */
type Uncertain = Pick<Judged, "evidence" | "conflicts"> & { readonly question: Question; readonly usable: readonly Evidence[] };

/** Evidence and conflicts after the web search. */
type WebFindings = Pick<Judged, "evidence" | "conflicts"> & { readonly web: readonly WebEvidence[]; readonly warnings: readonly Warning[] };

/**
 * Checks uncertain passages on the web and returns the findings. Returns `null` if the profile uses the web at another
 * point or never, if nothing is uncertain, or if the web cannot or must not be searched. With `decides`, verdicts
 * change. With `attaches`, only usable passages are checked, and verdicts stay. A failure of the web never fails the
 * question.
 */
export async function* consultWeb(
  when: NonNullable<Profile["web"]>,
  { question, evidence, conflicts, usable }: Uncertain,
  context: PipelineContext,
  { trace, signal }: { readonly trace: Trace; readonly signal: AbortSignal },
): AsyncGenerator<AnswerEvent, WebFindings | null> {
  const { profile, web, corpus } = context;
  if (profile.web !== when) return null;
  const candidates = when === "decides" ? evidence : usable;
  const uncertain = candidates.filter(({ verdict }) => verdict === "uncertain").sort((a, b) => b.score - a.score);
  if (uncertain.length === 0) return null;
  const reason = await whyNot(question, context);
  if (reason !== null || web === null) {
    const message = `${count(uncertain.length)} not checked on the web: ${reason}`;
    if (when === "decides") yield { type: "notice", stage: "verify", code: "web_off", message: `${message}; no such passage is used` };
    return null;
  }
  const asked = yield* trace.stage("web", async (log) => {
    const passages = uncertain.slice(0, web.passages).map(({ passage }) => passage);
    const { asked: tokens } = await corpus.understand(question, profile.retrieve.query);
    const said = await askWeb(question, tokens, passages, await corpus.wordsIn(question.scope), web, signal);
    log.fact("service", web.search.id);
    log.fact("passages", passages.length);
    log.fact("pages", said.pages);
    for (const verdict of ["confirmed", "contradicted", "silent"] as const)
      log.fact(verdict, said.evidence.filter((one) => one.verdict === verdict).length);
    if (uncertain.length > passages.length)
      log.notice("web_limit", `${count(uncertain.length - passages.length)} not checked on the web: the limit per question is reached`);
    for (const page of said.unread) log.notice("web_page", `Web page not read: ${page}`);
    for (const failure of said.failures) log.notice("web_failed", failure);
    return said;
  });
  if (when !== "decides") return { web: asked.evidence, evidence, conflicts, warnings: contradictions(asked.evidence) };
  const judged = withWebVerdicts(evidence, asked.evidence);
  const warnings = asked.failures.map((why) => ({
    code: "web_failed",
    message: `Uncertain passages could not be checked on the web and are unused: ${why}`,
  }));
  return { web: asked.evidence, evidence: judged, conflicts: amongKept(conflicts, judged), warnings };
}

/** Returns why the web is not searched, or `null` if it may be. Emergencies and messages with injection signals are never sent. */
async function whyNot(question: Question, { web, hotlines }: PipelineContext): Promise<string | null> {
  if (web === null) return "no web search is configured (`web_search`)";
  if (web.hosts.length === 0) return "the domain pack lists no hosts (`web.hosts`)";
  if (question.injectionSignals.length > 0) return "the question contains instructions";
  // A resolved follow-up includes words of earlier turns, so check both texts.
  for (const text of [question.text, question.resolved]) if ((await hotlines(text)).length > 0) return "the question is an emergency";
  return null;
}

/** Returns warnings about web pages that contradict the documents. Answers are not based on the web, but the user must know. */
function contradictions(web: readonly WebEvidence[]): Warning[] {
  return web
    .filter(({ verdict }) => verdict === "contradicted")
    .flatMap(({ pages }) => pages.slice(0, 1))
    .map(({ claim, quote, title, url, retrievedAt }) => ({
      code: "web_contradicts",
      message: `The web contradicts the documents. Documents: "${claim}" Web: "${quote}" (${title}, ${url}, retrieved on ${retrievedAt.slice(0, 10)}). Check both.`,
    }));
}

function count(passages: number): string {
  return passages === 1 ? "1 uncertain passage was" : `${passages} uncertain passages were`;
}

/** Maximum length of a quote in characters. Longer sentences are skipped. */
export const QUOTE_CHARACTERS = 1200;

export async function rankFor(
  question: Question,
  found: readonly Pick<Evidence, "passage">[],
  context: PipelineContext,
  signal: AbortSignal,
) {
  const words = await wordsFor(question, context);
  // If a model writes, nothing is excluded, because it may elaborate on an earlier answer ("no, that is for each person").
  const isLeftOut = answersInQuotes(context) ? wasQuotedBefore(question, words) : () => false;
  const texts = found.map(({ passage }) => passage.text);
  const readAs = withCodesAsWritten(await withEquivalents(question, context), texts);
  const options = { maxCharacters: QUOTE_CHARACTERS, readAs, isLeftOut, ...context.ranking(), signal };
  return rankCandidates(question.resolved, found, words, options);
}

/** Appends the domain's abbreviations and synonyms to the question: "When does the desk open? (front counter)". */
async function withEquivalents(question: Question, { corpus, profile }: PipelineContext): Promise<string> {
  const { equivalents } = await corpus.understand(question, profile.retrieve.query);
  const names = [...new Set(equivalents.map(({ to }) => to))];
  return names.length === 0 ? question.resolved : `${question.resolved} (${names.join(", ")})`;
}

/** A sentence quoted in an earlier answer may be quoted again if it contains at least this IDF-weighted share of the follow-up's words. */
const HOLDS_FOLLOW_UP = 0.5;

/**
 * Returns a function that tells whether to exclude a candidate because an earlier answer began with the same text. Keeps candidates that
 * contain enough words of the follow-up, and all candidates if the user repeats the earlier question.
 */
function wasQuotedBefore({ text, resolved, history }: Question, words: QuestionWords): (view: CandidateView) => boolean {
  if (text === resolved) return () => false;
  const asked = normalizeQuestion(text);
  const before = history.flatMap(({ question, answer }) => (normalizeQuestion(question) === asked ? [] : [`${plain(answer)} `]));
  return ({ text: candidate, candidate: { header } }) => {
    const said = `${plain(candidate)} `;
    if (!before.some((answer) => answer.startsWith(said))) return false;
    // Words of the table header count as contained: in "does it have showers?", "showers" may be a column of the row quoted before.
    const held = weightedCoverage(words.own.tokens, new Set(words.tokens(`${header?.text ?? ""}\n${candidate}`)), words.idf);
    return held === null || held < HOLDS_FOLLOW_UP;
  };
}

/** Returns the IDF-weighted share of the question's words in a text: Σ idf(q ∩ d) / Σ idf(q), 0 to 1; `null`: no content words. */
function weightedCoverage(question: readonly string[], text: ReadonlySet<string>, idf: (token: string) => number): number | null {
  const asked = [...new Set(question)];
  const sum = (tokens: readonly string[]) => tokens.reduce((total, token) => total + idf(token), 0);
  return sum(asked) === 0 ? null : sum(asked.filter((token) => text.has(token))) / sum(asked);
}

/** Reduces text to letters and digits for comparison, because clients may return answers with other punctuation and line breaks. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}
