import { admitQuestion } from "../admit/admit.ts";
import { readFilters } from "../admit/filters.ts";
import type { CheckContext } from "../check/check.ts";
import { type GuardFacts, sentenceGuards } from "../check/guards.ts";
import { gradeReport } from "../check/report.ts";
import type { HotlineFinder } from "../guard/hotlines.ts";
import type { Vocabulary } from "../guard/terminology.ts";
import { type Calibration, type ScoreScale, scaleFor } from "../models/calibration/calibration.ts";
import type { ChatModel } from "../models/chat.ts";
import { costUsd, type PriceTable } from "../models/prices.ts";
import { GUARDS } from "../profiles/guards.ts";
import type { Profile } from "../profiles/profile.ts";
import type { CacheScope } from "../remember/cache.ts";
import type { Classify } from "../remember/classify.ts";
import type { Matcher } from "../remember/matcher.ts";
import type { QuestionIndex } from "../remember/question-index.ts";
import type { RememberSettings } from "../remember/remember.ts";
import type { ReportParts } from "../remember/report.ts";
import {
  applyFilters,
  areaOf,
  assertCanRetrieve,
  type Retrieved,
  type RetrieveParts,
  retrievePassages,
  sumOrNull,
} from "../retrieve/retrieve.ts";
import { type QuestionWords, questionWords, type Understood } from "../retrieve/understand.ts";
import type { Store } from "../store/store.ts";
import { documentOfChunk } from "../text/chunk-id.ts";
import type {
  Answer,
  AskRequest,
  Evidence,
  ModelCall,
  Passage,
  PricedCall,
  Question,
  Refusal,
  TokenUsage,
  Turn,
  Warning,
} from "../types.ts";
import { applyThreshold, type GateThreshold } from "../verify/calibration.ts";
import { type Compared, comparePassages, NOT_COMPARED } from "../verify/compare-passages.ts";
import { conflictWarning, type Precedence } from "../verify/conflicts.ts";
import { type Decision, decide as decideByGate } from "../verify/decide.ts";
import type { FactReader } from "../verify/facts.ts";
import { headroomOf } from "../verify/headroom.ts";
import { judgeByModel, type ModelVerifier, weighsRelevance, withVerdicts } from "../verify/model-verdicts.ts";
import { explainRefusal, type RefusalParts } from "../verify/refusal.ts";
import { BY_WORDS, judgePassages, type LearnedParts } from "../verify/relevance.ts";
import { carryGate, usesCosines } from "../verify/scale.ts";
import { judgeSufficiency, type Sufficiency } from "../verify/sufficiency.ts";
import { type EvidenceView, viewEvidence } from "../verify/sufficiency-view.ts";
import { verifyPassages } from "../verify/verify.ts";
import type { WebParts } from "../verify/web.ts";
import { chooseQuotes, type QuoteCandidate } from "../write/compress.ts";
import { compressByModel } from "../write/model-compress.ts";
import { findComplexTerms, type RouteFacts, routeModel } from "../write/route.ts";
import { chooseSeeAlso } from "../write/see-also.ts";
import { fitPrompt, type ModelTask, type WriteOutcome } from "../write/write.ts";
import type { Outcome } from "./outcome.ts";
import type { StageLog, Trace } from "./trace.ts";

/** Everything that a question passes through, wired by `createEngine`. */
export interface AnswerParts extends RetrieveParts {
  readonly store: Store;
  readonly profile: Profile;
  readonly models: { readonly small: ChatModel; readonly large: ChatModel } | null;
  readonly cache: CacheScope;
  /** `null`: nothing is stored, and no cache is asked. */
  readonly remember: RememberSettings | null;
  /** What finds answers to other questions. */
  readonly recall: {
    readonly index: QuestionIndex;
    readonly classify: Classify;
    readonly matcher: Matcher;
    /** Vector of a question, on this machine; `null`: only the same question is found. */
    readonly embed: ((text: string) => Promise<{ readonly model: string; readonly values: Float32Array }>) | null;
  };
  readonly check: Omit<CheckContext, "settings" | "question" | "guards">;
  readonly guards: Pick<GuardFacts, "contacts"> & { readonly tenants: Readonly<Record<string, Vocabulary>> };
  readonly refusal: Omit<RefusalParts, "words">;
  /** Loaded when a gate first asks. */
  readonly sufficiency: () => LearnedParts;
  /** `null`: no web search is configured. */
  readonly web: WebParts | null;
  /** From which chance on that gate answers. */
  readonly threshold: GateThreshold;
  /** A model that scores passages beside the rules; `null`: none is asked. */
  readonly verifier: ModelVerifier | null;
  readonly compare: { readonly reader: FactReader; readonly precedence: Precedence };
  /** The domain's topics, and whom to tell that a report could not be kept. */
  readonly reports: Pick<ReportParts, "topics" | "readTopics" | "isCommon"> & { readonly warn: (message: string) => void };
  readonly hotlines: HotlineFinder;
  /** Words that make a question complex, by category. */
  readonly complexity: Readonly<Partial<Record<string, readonly string[]>>>;
  readonly maxCharacters: number;
  /** Tokens of a text; only asked when a model writes. */
  readonly loadTokenCounter: () => Promise<(text: string) => number>;
  readonly prices: PriceTable;
  readonly calibrations: readonly Calibration[];
  readonly createId: () => string;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

/** What the writers choose from. */
export interface ChosenQuotes {
  readonly candidates: readonly QuoteCandidate[];
  /** What a model is asked; `null` when quotes alone answer. */
  readonly task: ModelTask | null;
}

/** Candidates that the writers choose from. */
const QUOTE_CANDIDATES = 12;
/** Characters of one quote in an answer; a longer sentence is not taken. */
const QUOTE_CHARACTERS = 1200;

/** @throws UnavailableError when the profile cannot run without a part that is missing */
export function assertCanRun({ profile, encoder }: AnswerParts): void {
  assertCanRetrieve(profile.name, profile.needs.includes("encoder"), encoder);
}

export async function admit(request: AskRequest, parts: AnswerParts, log: StageLog): Promise<Question> {
  const { store, profile, maxCharacters } = parts;
  const { sessionId } = request;
  const history = sessionId === null ? [] : await earlierTurns(sessionId, request, profile.sessionTurns, store);
  const admitted = admitQuestion(request, history, { maxCharacters });
  const question = { ...admitted, ...(await applyFilters(readFilters(request.filters), request.scope, parts.documents)) };
  log.fact("history", history.length);
  log.fact("injection_signals", question.injectionSignals.join(",") || null);
  log.fact("searched_in", question.filters?.searchedIn ?? null);
  log.fact("resolved", question.resolved === question.text ? null : question.resolved);
  if (question.resolved !== question.text) log.notice("follow_up", `Read as: ${question.resolved}`);
  for (const { stage, what } of profile.unbuilt) log.notice("not_built", `${stage}: ${what}`);
  return question;
}

/**
 * The session's last turns; the latest with the titles of what it cites. What an answer said from a document that is gone, or that the asker may not see
 * any more, is left out: a model would repeat it.
 */
async function earlierTurns(id: string, { scope, userId }: AskRequest, limit: number, store: Store): Promise<Turn[]> {
  const turns = await store.sessions.turns(id, scope, limit, userId);
  const citedBy = turns.map(({ citations }) => [...new Set(citations.map(documentOfChunk))]);
  const visible = await store.documents.load(scope, [...new Set(citedBy.flat())]);
  return turns.map((turn, i) => {
    const cited = citedBy[i] as string[];
    const kept = cited.every((id) => visible.has(id)) ? turn : { ...turn, answer: "" };
    if (i < turns.length - 1 || cited.length === 0) return kept;
    return { ...kept, titles: cited.flatMap((id) => visible.get(id)?.title ?? []) };
  });
}

/** Texts of the domain's hotlines that the question calls for; the engine has shown them before anything could fail. */
export function hotlines({ text }: Question, parts: AnswerParts): Warning[] {
  return parts.hotlines(text);
}

export async function retrieve(question: Question, parts: AnswerParts, log: StageLog, signal: AbortSignal) {
  const { profile } = parts;
  const found = await retrievePassages(question, profile.retrieve, parts, signal);
  const { passages, ranker, denseFailure, embedding, reranker, rerankFailure } = found;
  logUnderstood(parts.corpus.understand(question, profile.retrieve.query), log);
  log.fact("passages", passages.length);
  log.fact("ranking", ranker !== null ? (profile.retrieve.bm25 ? "hybrid" : "dense") : "bm25");
  log.fact("encoder", ranker?.id ?? null);
  log.fact("reranker", reranker);
  noticeSwitch(parts, log);
  if (rerankFailure !== null) log.notice("rerank_failed", `passages stand in the order of the fused ranking: ${rerankFailure}`);
  if (denseFailure !== null) log.notice("dense_failed", `ranked by words alone: ${denseFailure}`);
  const scale = scaleFor(profile.thresholdsOf, ranker, parts.calibrations);
  return { passages, embedding, ranker: ranker?.id ?? null, scale, warnings: retrievalWarnings(question, found, parts) };
}

function retrievalWarnings({ filters }: Question, { denseFailure, candidates }: Retrieved, { profile }: AnswerParts): Warning[] {
  const failed = "The encoder could not be reached; passages were ranked by words alone.";
  const narrow = `Profile "${profile.name}" searches only passages that lie wholly inside what the filters leave, and none does: take a wider filter, or another profile.`;
  return [
    ...(denseFailure === null ? [] : [{ code: "dense_failed", message: failed }]),
    ...(filters && candidates === 0 && profile.retrieve.selection === "containment" ? [{ code: "filter_narrow", message: narrow }] : []),
  ];
}

function noticeSwitch({ corpus }: AnswerParts, log: StageLog): void {
  const { switching } = corpus;
  if (switching === null) return;
  const { from, to, done, total, failure } = switching;
  const serves = from === null ? "words alone serve" : `${from} serves`;
  if (failure === null) log.notice("encoder_switch", `${serves} until the vectors of ${to} are made (${done} of ${total})`);
  else log.notice("encoder_switch_failed", `${serves}; the vectors of ${to} could not be made and will be tried again: ${failure}`);
}

/** What the question was read as: nothing that was changed in it goes unsaid. */
function logUnderstood({ type, repairs, equivalents, codes }: Understood, log: StageLog): void {
  log.fact("question_type", type);
  log.fact("repaired", repairs.map(({ written, read }) => `${written}→${read}`).join(", ") || null);
  log.fact("also_searched", [...new Set(equivalents.map(({ to }) => to))].join(", ") || null);
  log.fact("codes", codes.join(", ") || null);
  for (const { written, read } of repairs) log.notice("spelling", `No document holds "${written}"; it was read as "${read}".`);
}

/** The index as it looks from one question. */
export function wordsFor(question: Question, { corpus, profile }: Pick<AnswerParts, "corpus" | "profile">): QuestionWords {
  const { query } = profile.retrieve;
  const understood = corpus.understand(question, query);
  const own =
    question.text === question.resolved ? understood : corpus.understand({ resolved: question.text, scope: question.scope }, query);
  return questionWords(understood, own, corpus);
}

/** What the gate is given. */
export type GateParts = Pick<AnswerParts, "corpus" | "profile" | "compare" | "sufficiency" | "threshold" | "verifier">;

/** Verdicts, and the conflicts among passages that are not rejected. */
export async function verify(
  question: Question,
  passages: readonly Passage[],
  { scale, written, ranker }: Pick<Outcome, "scale" | "written" | "ranker">,
  parts: GateParts,
  log: StageLog,
  signal: AbortSignal,
): Promise<Pick<Outcome, "evidence" | "conflicts" | "view">> {
  const gate = carryGate(parts.profile.gate, scale);
  const words = wordsFor(question, parts);
  const compares = parts.profile.comparePassages;
  const asked = words.questionTokens(question.resolved);
  const byRules = compares ? comparePassages(asked, passages, { ...parts.compare, words: parts.corpus }) : NOT_COMPARED;
  const compared = await byModel(question, passages, byRules, written.calls, parts, log, signal);
  const read = compares ? { ...words, tokensOf: tokensRead(words, parts) } : words;
  const view = viewFor(question, passages, words, parts);
  const judge = view === null ? BY_WORDS : judgePassages(view, parts.sufficiency(), { windows: parts.corpus.windows, ranker });
  if (view !== null) log.fact("judged_by", judge.type === "learned" ? judge.weights.name : "words");
  const evidence = verifyPassages(question, passages, gate, read, scale, compared, judge);
  for (const verdict of ["verified", "uncertain", "rejected"] as const)
    log.fact(verdict, evidence.filter((one) => one.verdict === verdict).length);
  const rejected = new Set(evidence.filter(({ verdict }) => verdict === "rejected").map(({ passage }) => passage.sid));
  const conflicts = compared.conflicts.filter(({ sides }) => sides.every(({ sid }) => !rejected.has(sid)));
  log.fact("conflicts", conflicts.length);
  return { evidence, conflicts, view };
}

/** What the learned gate sees of the passages, by the words that the question has with its history; `null` for a gate that does not ask. */
function viewFor(question: Question, passages: readonly Passage[], words: QuestionWords, parts: GateParts): EvidenceView | null {
  if (parts.profile.gate.type !== "sufficiency" || passages.length === 0) return null;
  return viewEvidence(words.asked, passages, words, parts.sufficiency().space, question.injectionSignals.length);
}

/** The tokens that the comparison has read, and what they say in other words. */
function tokensRead({ alsoHeld }: QuestionWords, { compare, corpus }: GateParts): (passage: Passage) => ReadonlySet<string> {
  return (passage) => {
    const held = compare.reader.tokensOf(passage, corpus);
    const also = alsoHeld(held);
    return also.length === 0 ? held : new Set([...held, ...also]);
  };
}

/** What a model says of the passages, where one is to be asked. */
async function byModel(
  question: Question,
  passages: readonly Passage[],
  compared: Compared,
  calls: ModelCall[],
  { verifier, profile }: GateParts,
  log: StageLog,
  signal: AbortSignal,
): Promise<Compared> {
  if (verifier === null) return compared;
  if (!weighsRelevance(profile.gate)) {
    log.notice("verify_by_rules", `profile "${profile.name}" judges by cosines alone: no model is asked`);
    return compared;
  }
  const judged = await judgeByModel(question, passages, verifier, calls, signal);
  log.fact("judged_by_model", judged.verdicts.size);
  for (const failure of judged.failures) log.notice("verify_by_rules", `the scores of rules stay: ${failure}`);
  return withVerdicts(compared, judged, verifier.verifier.model);
}

/** Sources that differ about what is answered. */
export function disagreements({ conflicts, decision }: Outcome): Warning[] {
  return decision.answer ? conflicts.map(conflictWarning) : [];
}

/** How likely the evidence answers; `null` for a gate that does not ask. */
function sufficiencyOf({ view, ranker }: Pick<Outcome, "view" | "ranker">, parts: GateParts): Sufficiency | null {
  return view === null ? null : judgeSufficiency(view, parts.sufficiency(), { windows: parts.corpus.windows, ranker });
}

/** The threshold that holds for this question; why a calibration does not, and that it may be out of date, is said. */
function applyCalibration(
  judged: Sufficiency | null,
  { evidence, ranker }: Pick<Outcome, "evidence" | "ranker">,
  { threshold, corpus }: GateParts,
  log: StageLog,
) {
  const at = judged === null ? null : applyThreshold(judged, threshold, { ranker, windows: corpus.windows });
  if (threshold.type === "calibrated") log.fact("calibration", threshold.calibration.name);
  if (threshold.type === "calibrated" && threshold.drift !== null) log.notice("calibration_drift", threshold.drift);
  const misfit =
    at?.misfit ??
    (judged === null && evidence.length > 0 && threshold.type === "calibrated" ? "the learned gate did not judge this question" : null);
  if (misfit !== null) log.notice("calibration_unused", `The calibration is not used, the shipped threshold is: ${misfit}.`);
  return at;
}

export function decide(
  question: Question,
  outcome: Pick<Outcome, "evidence" | "view" | "ranker" | "scale" | "headroom">,
  parts: GateParts,
  log: StageLog,
): Decision {
  const { evidence, scale } = outcome;
  const gate = carryGate(parts.profile.gate, scale);
  const sufficiency = applyCalibration(sufficiencyOf(outcome, parts), outcome, parts, log);
  const made = decideByGate(evidence, gate, sufficiency, question.text !== question.resolved);
  if (sufficiency !== null) {
    log.fact("minimum", Number(sufficiency.minimum.toFixed(4)));
    log.fact("weights", sufficiency.model);
    log.fact("chance", sufficiency.probability);
    log.notice("sufficiency", sufficiency.reason);
  }
  if (usesCosines(gate)) {
    log.fact("thresholds", scale.type);
    if (gate.type === "similarity" || gate.type === "best-similarity") log.fact("minimum", Number(gate.minimum.toFixed(4)));
    if (scale.note !== null) log.notice(`thresholds_${scale.type}`, scale.note);
  }
  outcome.headroom = headroomOf(made, gate, sufficiency);
  const decision =
    question.injectionSignals.length === 0 ? made : { ...made, answer: false, usable: [], warnings: [], reason: "injection" as const };
  log.fact("answer", decision.answer);
  log.fact("confidence", decision.confidence);
  log.fact("calibrated", decision.calibrated);
  return decision;
}

export async function compress(
  question: Question,
  { decision: { usable }, scale, written }: Outcome,
  parts: AnswerParts,
  log: StageLog,
  signal: AbortSignal,
): Promise<ChosenQuotes> {
  const { profile, models } = parts;
  const reranker = parts.rerankers?.embedded ?? null;
  const limits = { limit: QUOTE_CANDIDATES, maxCharacters: QUOTE_CHARACTERS, reranker };
  const candidates = await chooseQuotes(question.resolved, usable, wordsFor(question, parts), limits);
  log.fact("candidates", candidates.length);
  if (models === null || profile.write.writer === "extractive") {
    log.fact("quotes", 0);
    log.fact("model", "extractive");
    return { candidates, task: null };
  }
  const route = routeModel(profile.write.route, routeFacts(question.resolved, usable, parts, scale));
  const countTokens = await parts.loadTokenCounter();
  const picked = profile.write.compress === "model" ? await pickByModel(question, usable, models.small, written, log, signal) : null;
  const fitted = fitPrompt(question, picked ?? candidates, profile.write, countTokens);
  const model = fitted === null ? null : models[route.size];
  log.fact("quotes", fitted?.quotes.length ?? 0);
  log.fact("model", model?.id ?? "extractive");
  log.fact("route", `${route.size}: ${route.because}`);
  return { candidates, task: model === null || fitted === null ? null : { model, countTokens, ...fitted } };
}

/** Quotes that the small model picked and that stand in the passages; `null` when there are none, and rules pick instead. */
async function pickByModel(
  { resolved }: Question,
  usable: readonly Evidence[],
  model: ChatModel,
  written: WriteOutcome,
  log: StageLog,
  signal: AbortSignal,
) {
  const picked = await compressByModel(resolved, usable, model, written.calls, signal);
  log.fact("altered_quotes", picked.dropped);
  if (picked.failure !== null) log.notice("compress_failed", `quotes are picked by rules: ${picked.failure}`);
  return picked.quotes.length === 0 ? null : picked.quotes;
}

export async function refuse(question: Question, { decision, evidence, written }: Outcome, parts: AnswerParts): Promise<Refusal> {
  const { profile, store } = parts;
  const area = areaOf(question);
  const all = await store.documents.counts(question.scope, area ?? undefined);
  const within = await searchedWithin(question, store);
  const counts = within === null ? all : { ...all, within };
  const reason = decision.reason ?? (written.insufficient ? "evidence_too_weak" : "not_reliable");
  const sentence = reason === "not_reliable" ? profile.write.unreliable : profile.write.refusal;
  const refusal = explainRefusal(question, reason, sentence, evidence, counts, { ...parts.refusal, words: wordsFor(question, parts) });
  return hotlines(question, parts).length > 0 ? withoutLacks(refusal) : refusal;
}

/** Whoever is in danger is not told which of their words no document holds. */
function withoutLacks(refusal: Refusal): Refusal {
  return { ...refusal, nearest: refusal.nearest.map((miss) => ({ ...miss, missing: [], missingValues: [] })) };
}

/** Where filters and selection kept the search to, in words. */
async function searchedWithin({ filters, selection, scope }: Question, store: Store): Promise<string | null> {
  const selected = selection === null ? null : (await store.documents.load(scope, [selection.documentId])).get(selection.documentId);
  const parts = [
    ...(filters ? [filters.searchedIn] : []),
    ...(selection === null ? [] : [selected ? `the selected text of "${selected.title}"` : "the selected text"]),
  ];
  return parts.length === 0 ? null : parts.join(", ");
}

/** The final answer; of a hit everything but the question's own facts. */
export function assemble(question: Question, outcome: Outcome, { profile, createId, prices }: AnswerParts, trace: Trace): Answer {
  const { sheet, claims, checks, evidence, conflicts, decision, refusal, written, warnings, hit } = outcome;
  const calls = priceCalls(outcome, prices);
  const content = hit?.answer ?? {
    status: refusal === null ? ("ok" as const) : ("insufficient_context" as const),
    sentences: sheet.sentences,
    confidence: decision.confidence,
    confidenceCalibrated: decision.calibrated,
    claims,
    citations: sheet.citations,
    seeAlso: refusal === null ? chooseSeeAlso(decision.usable, sheet.citations) : null,
    evidence,
    conflicts: refusal === null ? conflicts : [],
    ...(outcome.web === null ? {} : { web: outcome.web }),
    checks,
    refusal,
    model: written.writer === "" ? "none" : written.writer,
  };
  return {
    ...content,
    id: createId(),
    question: question.text,
    domain: question.scope.domain,
    profile: profile.name,
    ...(question.filters ? { filters: question.filters } : {}),
    warnings,
    cacheMode: hit?.level ?? "miss",
    ...(hit === null ? {} : { cached: { question: hit.question, storedAt: hit.storedAt } }),
    tokenUsage: tokensOf(calls),
    costUsd: sumOrNull(calls.map((call) => call.costUsd)),
    calls,
    ...(profile.report === undefined || refusal !== null
      ? {}
      : { report: gradeReport(content.checks, profile.report, sentenceGuards(profile.check.guards ?? GUARDS)) }),
    timings: trace.timings,
    latencyMs: trace.elapsed(),
    sessionId: question.sessionId,
  };
}

/** Every call of an endpoint for this answer with what it charges by the price table; `null` when the model is not in it or the endpoint did not count. */
function priceCalls({ written, embedding }: Outcome, prices: PriceTable): PricedCall[] {
  const asked: ModelCall[] =
    embedding === null ? [] : [{ stage: "retrieve", model: embedding.model, inputTokens: embedding.tokens, outputTokens: null }];
  return [...asked, ...written.calls].map((call) => ({ ...call, costUsd: costUsd(call.model, call, prices) }));
}

/** Tokens in and out by stage; vectors are in `calls` alone. */
function tokensOf(calls: readonly ModelCall[]): TokenUsage {
  const sumOf = (...stages: readonly ModelCall["stage"][]) =>
    sumOrNull(calls.filter(({ stage }) => stages.includes(stage)).flatMap(({ inputTokens, outputTokens }) => [inputTokens, outputTokens]));
  const verification = sumOf("verify");
  const compression = sumOf("compress");
  const answer = sumOf("write", "rewrite");
  return { verification, compression, answer, total: sumOrNull([verification, compression, answer]) };
}

function routeFacts(question: string, usable: readonly Evidence[], { complexity }: AnswerParts, scale: ScoreScale): RouteFacts {
  const cosines = usable.flatMap(({ passage }) => (passage.scores.dense === null ? [] : scale.score(passage.scores.dense)));
  return {
    complexTerms: findComplexTerms(question, complexity),
    passages: usable.length,
    meanSimilarity: cosines.length === 0 ? null : cosines.reduce((sum, one) => sum + one, 0) / cosines.length,
  };
}
