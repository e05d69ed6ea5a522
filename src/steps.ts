import { admitQuestion } from "./admit/admit.ts";
import { readFilters } from "./admit/filters.ts";
import { type CheckContext, checkAnswer, checkSentence } from "./check/check.ts";
import type { CitedQuote } from "./check/finding.ts";
import { parseMarkers } from "./check/markers.ts";
import { messageOf } from "./errors.ts";
import type { AnswerEvent } from "./events.ts";
import { type Calibration, RAW_SCALE, type ScoreScale, scaleFor } from "./models/calibration/calibration.ts";
import type { ChatModel } from "./models/chat.ts";
import { costUsd, type PriceTable } from "./models/prices.ts";
import type { Profile } from "./profiles/profile.ts";
import { type CacheScope, exactCacheKey, lookupExact } from "./remember/cache.ts";
import { type RememberSettings, rememberAnswer } from "./remember/remember.ts";
import { applyFilters, assertCanRetrieve, type Retrieved, type RetrieveParts, retrievePassages, sumOrNull } from "./retrieve/retrieve.ts";
import { type QuestionWords, questionWords, type Understood } from "./retrieve/understand.ts";
import type { Store } from "./store/store.ts";
import { documentOfChunk } from "./text/chunk-id.ts";
import type { StageLog, Trace } from "./trace.ts";
import type {
  Answer,
  AskRequest,
  CheckResult,
  Claim,
  Conflict,
  DraftSentence,
  Evidence,
  Passage,
  Question,
  Quote,
  Refusal,
  Turn,
  Warning,
} from "./types.ts";
import { comparePassages, NOT_COMPARED } from "./verify/compare-passages.ts";
import { conflictWarning, type Precedence } from "./verify/conflicts.ts";
import { type Decision, decide as decideByGate } from "./verify/decide.ts";
import type { FactReader } from "./verify/facts.ts";
import { explainRefusal, mentions, type RefusalParts } from "./verify/refusal.ts";
import { carryGate, usesCosines } from "./verify/scale.ts";
import { verifyPassages } from "./verify/verify.ts";
import { chooseQuotes, type QuoteCandidate } from "./write/compress.ts";
import { routeModel } from "./write/route.ts";
import { chooseSeeAlso } from "./write/see-also.ts";
import { type AnswerSheet, createAnswerSheet } from "./write/sheet.ts";
import { fitPrompt, type ModelTask, type WriteOutcome, writeDrafts } from "./write/write.ts";

/** Everything that a question passes through, wired by `createEngine`. */
export interface AnswerParts extends RetrieveParts {
  readonly store: Store;
  readonly profile: Profile;
  readonly models: { readonly small: ChatModel; readonly large: ChatModel } | null;
  readonly cache: CacheScope;
  readonly remember: RememberSettings;
  readonly check: Omit<CheckContext, "settings" | "question">;
  readonly refusal: Omit<RefusalParts, "words">;
  readonly compare: { readonly reader: FactReader; readonly precedence: Precedence };
  readonly hotlines: readonly { readonly name: string; readonly text: string; readonly when: readonly string[] }[];
  readonly complexWords: readonly string[];
  readonly maxCharacters: number;
  /** Tokens of a text; only asked when a model writes. */
  readonly loadTokenCounter: () => Promise<(text: string) => number>;
  readonly prices: PriceTable;
  readonly calibrations: readonly Calibration[];
  readonly createId: () => string;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

/** What a fresh answer has become so far. */
export interface Outcome {
  readonly sheet: AnswerSheet;
  readonly claims: Claim[];
  readonly checks: CheckResult[];
  readonly warnings: Warning[];
  readonly written: WriteOutcome;
  /** What the question's vector cost at an endpoint. */
  embedding: Retrieved["embedding"];
  /** How inherited thresholds are read with the encoder that ranked. */
  scale: ScoreScale;
  evidence: readonly Evidence[];
  conflicts: readonly Conflict[];
  decision: Decision;
  refusal: Refusal | null;
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

export function createOutcome(): Outcome {
  return {
    sheet: createAnswerSheet(),
    claims: [],
    checks: [],
    warnings: [],
    written: { writer: "", insufficient: false, usage: { inputTokens: null, outputTokens: null }, warnings: [] },
    embedding: null,
    scale: RAW_SCALE,
    evidence: [],
    conflicts: [],
    decision: { answer: false, confidence: null, calibrated: false, usable: [], warnings: [], reason: "nothing_relevant" },
    refusal: null,
  };
}

/** Keeps warnings and yields them. */
export function* warn(outcome: Outcome, warnings: readonly Warning[]): Generator<AnswerEvent, void> {
  for (const warning of warnings) {
    outcome.warnings.push(warning);
    yield { type: "warning", warning };
  }
}

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

/** The session's last turns; the latest with the titles of what it cites. */
async function earlierTurns(id: string, { scope }: AskRequest, limit: number, store: Store): Promise<Turn[]> {
  const turns = await store.sessions.turns(id, scope, limit);
  const last = turns.at(-1);
  if (last === undefined || last.citations.length === 0) return turns;
  const ids = [...new Set(last.citations.map(documentOfChunk))];
  const cited = await store.documents.load(scope, ids);
  return [...turns.slice(0, -1), { ...last, titles: ids.flatMap((id) => cited.get(id)?.title ?? []) }];
}

/** Texts of the domain's hotlines that the question calls for. */
export function hotlines(question: Question, parts: AnswerParts): Warning[] {
  return parts.hotlines.filter(({ when }) => mentions(question.text, when)).map(({ text }) => ({ code: "hotline", message: text }));
}

export async function lookup(question: Question, parts: AnswerParts, log: StageLog): Promise<Answer | null> {
  const { store, profile, remember } = parts;
  const asked = isCacheable(question, parts) && remember.cache.enabled && profile.caches.includes("exact");
  const recheck = (cached: Answer) => passesAgain(cached, checking(question, parts));
  const places = { cache: store.cache, documents: store.documents, recheck };
  const hit = asked ? await lookupExact(exactCacheKey(question, parts.cache), question, places) : null;
  log.fact("cache_mode", hit === null ? "miss" : "exact");
  return hit;
}

/** What a model writes may depend on the history beyond the resolved question, and an emergency needs today's hotline text: neither is cached. */
function isCacheable(question: Question, parts: AnswerParts): boolean {
  return (question.history.length === 0 || parts.models === null) && hotlines(question, parts).length === 0;
}

/** The sentences of a hit, as if they had just been written. */
export function* replay(hit: Answer): Generator<AnswerEvent, Outcome> {
  for (const [index, sentence] of hit.sentences.entries()) {
    yield { type: "sentence", index, sentence, citations: hit.citations.filter(({ n }) => sentence.citations.includes(n)) };
  }
  return createOutcome();
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
  return { passages, embedding, scale, warnings: retrievalWarnings(question, found, parts) };
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
function wordsFor(question: Question, { corpus, profile }: AnswerParts): QuestionWords {
  const { query } = profile.retrieve;
  const understood = corpus.understand(question, query);
  const own =
    question.text === question.resolved ? understood : corpus.understand({ resolved: question.text, scope: question.scope }, query);
  return questionWords(understood, own, corpus);
}

/** Verdicts, and the conflicts among passages that are not rejected. */
export function verify(
  question: Question,
  passages: readonly Passage[],
  scale: ScoreScale,
  parts: AnswerParts,
  log: StageLog,
): Pick<Outcome, "evidence" | "conflicts"> {
  const gate = carryGate(parts.profile.gate, scale);
  const words = wordsFor(question, parts);
  const compares = parts.profile.comparePassages;
  const asked = words.questionTokens(question.resolved);
  const compared = compares ? comparePassages(asked, passages, { ...parts.compare, words: parts.corpus }) : NOT_COMPARED;
  const evidence = verifyPassages(question, passages, gate, words, scale, compared);
  for (const verdict of ["verified", "uncertain", "rejected"] as const)
    log.fact(verdict, evidence.filter((one) => one.verdict === verdict).length);
  const rejected = new Set(evidence.filter(({ verdict }) => verdict === "rejected").map(({ passage }) => passage.sid));
  const conflicts = compared.conflicts.filter(({ sides }) => sides.every(({ sid }) => !rejected.has(sid)));
  log.fact("conflicts", conflicts.length);
  return { evidence, conflicts };
}

/** Sources that differ about what is answered. */
export function disagreements({ conflicts, decision }: Outcome): Warning[] {
  return decision.answer ? conflicts.map(conflictWarning) : [];
}

export function decide(question: Question, { evidence, scale }: Outcome, { profile }: AnswerParts, log: StageLog): Decision {
  const gate = carryGate(profile.gate, scale);
  const made = decideByGate(evidence, gate);
  if (usesCosines(gate)) {
    log.fact("thresholds", scale.type);
    if (gate.type === "similarity" || gate.type === "best-similarity") log.fact("minimum", Number(gate.minimum.toFixed(4)));
    if (scale.note !== null) log.notice(`thresholds_${scale.type}`, scale.note);
  }
  const decision = question.injectionSignals.length === 0 ? made : { ...made, answer: false, usable: [], reason: "injection" as const };
  log.fact("answer", decision.answer);
  log.fact("confidence", decision.confidence);
  log.fact("calibrated", decision.calibrated);
  return decision;
}

export async function compress(
  question: Question,
  { decision: { usable }, scale }: Outcome,
  parts: AnswerParts,
  log: StageLog,
): Promise<ChosenQuotes> {
  const { profile, models } = parts;
  const reranker = parts.rerankers?.embedded ?? null;
  const limits = { limit: QUOTE_CANDIDATES, maxCharacters: QUOTE_CHARACTERS, reranker };
  const candidates = await chooseQuotes(question.resolved, usable, wordsFor(question, parts), limits);
  const writesModel = models !== null && profile.write.writer !== "extractive";
  const model = writesModel ? models[routeModel(profile.write.route, routeFacts(question.resolved, usable, parts, scale))] : null;
  const fitted = model === null ? null : fitPrompt(question, candidates, profile.write, await parts.loadTokenCounter());
  log.fact("candidates", candidates.length);
  log.fact("quotes", fitted?.quotes.length ?? 0);
  log.fact("model", fitted === null ? "extractive" : (model?.id ?? null));
  return { candidates, task: model === null || fitted === null ? null : { model, ...fitted } };
}

/** Draws sentence after sentence, checks each, and shows what stands. */
export async function* writeChecked(
  question: Question,
  { candidates, task }: ChosenQuotes,
  outcome: Outcome,
  parts: AnswerParts,
  trace: Trace,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent, void> {
  yield { type: "write-start" };
  const started = trace.elapsed();
  const { sheet, written } = outcome;
  const how = { task, settings: parts.profile.write, parseMarkers, describeError: messageOf };
  for await (const draft of writeDrafts(question, candidates, written, how, () => sheet.sentences.length > 0, signal)) {
    yield* warn(outcome, written.warnings.splice(0));
    const event = await showSentence(draft, task?.quotes ?? [], outcome, checking(question, parts));
    if (event !== null) yield event;
  }
  yield* warn(outcome, written.warnings.splice(0));
  trace.timings.write = trace.elapsed() - started;
  yield { type: "write-end", ms: trace.timings.write, facts: { sentences: sheet.sentences.length, writer: written.writer } };
}

/** Checks one sentence, cites a better source where there is one; `null` when it is left out. */
async function showSentence(
  draft: DraftSentence,
  offered: readonly Quote[],
  { sheet, checks, claims }: Outcome,
  context: CheckContext,
): Promise<AnswerEvent | null> {
  const repeated = sheet.sentences.some(({ text }) => text === draft.text);
  if (repeated) return null;
  const others = offered.filter((quote) => !draft.quotes.includes(quote));
  const cited = draft.quotes.map(toCitedQuote);
  const checked = await checkSentence(
    { text: draft.text, cited, missing: draft.missing, others: others.map((quote) => [toCitedQuote(quote)]) },
    context,
  );
  const at = checked.kept ? sheet.sentences.length : null;
  checks.push(...checked.results.map((result) => ({ ...result, sentence: at })));
  if (!checked.kept) return null;
  const instead = checked.recited === null ? undefined : others[checked.recited];
  const shown = sheet.add(checked.text, instead === undefined ? draft.quotes : [instead]);
  const { citations } = shown.sentence;
  claims.push({ sentence: shown.index, text: checked.text, status: checked.status, citations, reason: checked.reason });
  return { type: "sentence", ...shown };
}

export function checkWhole({ sheet, claims }: Outcome, { profile }: AnswerParts): CheckResult[] {
  return checkAnswer(sheet.sentences, claims, profile.check);
}

/** What the checks found in sentences that are shown all the same, for the reader. */
export function flags({ checks }: Outcome): Warning[] {
  return checks
    .filter(({ verdict }) => verdict === "warn")
    .map(({ name, reason, sentence }) => ({
      code: `check_${name}`,
      message: sentence === null ? reason : `Sentence ${sentence + 1}: ${reason}`,
    }));
}

export async function refuse(question: Question, { decision, evidence, written }: Outcome, parts: AnswerParts): Promise<Refusal> {
  const { profile, store } = parts;
  const { filters, area } = question;
  const all = await store.documents.counts(question.scope, area ?? undefined);
  const counts = filters ? { ...all, within: filters.searchedIn } : all;
  const reason = decision.reason ?? (written.insufficient ? "evidence_too_weak" : "not_reliable");
  const sentence = reason === "not_reliable" ? profile.write.unreliable : profile.write.refusal;
  return explainRefusal(question, reason, sentence, evidence, counts, { ...parts.refusal, words: wordsFor(question, parts) });
}

/** The final answer; of a hit everything but the question's own facts. */
export function assemble(
  question: Question,
  outcome: Outcome,
  hit: Answer | null,
  { profile, createId, prices }: AnswerParts,
  trace: Trace,
): Answer {
  const { sheet, claims, checks, evidence, conflicts, decision, refusal, written, warnings } = outcome;
  const tokens = (written.usage.inputTokens ?? 0) + (written.usage.outputTokens ?? 0);
  const content = hit ?? {
    status: refusal === null ? ("ok" as const) : ("insufficient_context" as const),
    sentences: sheet.sentences,
    confidence: decision.confidence,
    confidenceCalibrated: decision.calibrated,
    claims,
    citations: sheet.citations,
    seeAlso: refusal === null ? chooseSeeAlso(decision.usable, sheet.citations) : null,
    evidence,
    conflicts: refusal === null ? conflicts : [],
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
    cacheMode: hit === null ? "miss" : "exact",
    tokenUsage: { compression: 0, answer: tokens, total: tokens },
    costUsd: hit !== null ? 0 : costOf(outcome, prices),
    timings: trace.timings,
    latencyMs: trace.elapsed(),
    sessionId: question.sessionId,
  };
}

/** What the endpoints charge for this answer by the price table; `null` when one of them is not in it or did not count. */
function costOf({ written, embedding }: Outcome, prices: PriceTable): number | null {
  const { writer, usage } = written;
  const wrote = writer === "" || writer === "extractive" ? 0 : costUsd(writer, usage, prices);
  const asked = embedding === null ? 0 : costUsd(embedding.model, { inputTokens: embedding.tokens, outputTokens: null }, prices);
  return sumOrNull([wrote, asked]);
}

export async function remember(question: Question, result: Answer, parts: AnswerParts, log: StageLog): Promise<void> {
  const key = isCacheable(question, parts) && parts.profile.caches.includes("exact") ? exactCacheKey(question, parts.cache) : null;
  const { cached } = await rememberAnswer(question, result, key, parts.store, parts.remember);
  log.fact("cached", cached);
}

function checking({ resolved }: Question, { check, profile }: AnswerParts): CheckContext {
  return { ...check, settings: profile.check, question: resolved };
}

function toCitedQuote({ passage, start, end, text, header }: Quote): CitedQuote {
  const exact = passage.text.slice(start - passage.range.start, end - passage.range.start) === text;
  return { text, url: passage.document.url, exact, above: above(passage.document.title, passage.headingPath, header?.text) };
}

/** What stands above a quote and says what it is about. */
function above(title: string, headingPath: readonly string[], header: string | undefined): string[] {
  return [title, ...headingPath, ...(header === undefined ? [] : [header])];
}

/** A cached answer is served only if today's checks find nothing to change in it; its quotes have been compared before. */
async function passesAgain({ sentences, citations }: Answer, context: CheckContext): Promise<boolean> {
  for (const { text, citations: numbers } of sentences) {
    const cited = citations
      .filter(({ n }) => numbers.includes(n))
      .map(({ quote, url, title, headingPath, row }) => ({
        text: quote,
        url,
        exact: true,
        above: above(title, headingPath, row?.header.text),
      }));
    const checked = await checkSentence({ text, cited }, context);
    if (!checked.kept || checked.text !== text || checked.results.some(({ verdict }) => verdict !== "pass")) return false;
  }
  return true;
}

function routeFacts(question: string, usable: readonly Evidence[], { complexWords }: AnswerParts, scale: ScoreScale) {
  const cosines = usable.flatMap(({ passage }) => (passage.scores.dense === null ? [] : scale.score(passage.scores.dense)));
  return {
    complexTerms: complexWords.filter((word) => mentions(question, [word])).length,
    passages: usable.length,
    meanSimilarity: cosines.length === 0 ? null : cosines.reduce((sum, one) => sum + one, 0) / cosines.length,
  };
}
