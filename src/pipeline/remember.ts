import { usesCosines } from "../evidence/gate.ts";
import { redactPersonalData } from "../guard/pii.ts";
import { codesIn } from "../language/values.ts";
import { citedSources, forStorage, losesWords, namedDocuments, redactAnswered, retrievedFor } from "../memory/named-documents.ts";
import { diagnose, reportCauses, withoutText } from "../memory/report.ts";
import { sessionShown } from "../memory/session-messages.ts";
import { curatedKey, exactCacheKey, isCacheable, scopeKey, sharingScope } from "../memory/stored-answers.ts";
import type { MatchSettings, Profile } from "../profiles/profile.ts";
import { areaOf } from "../retrieval/retrieve.ts";
import { messageOf } from "../shared/errors.ts";
import type { Answer, Question } from "../shared/types.ts";
import type { CachePut } from "../store/cache.ts";
import type { Interaction, InteractionFacts, NewRecord } from "../store/interaction.ts";
import type { NewReport } from "../store/reports.ts";
import type { Store } from "../store/store.ts";
import { isStoredAsShown, type Outcome, recordOf } from "./assemble.ts";
import type { PipelineContext, RememberSettings, StageLog } from "./context.ts";
import { uncacheable } from "./lookup.ts";
import { wordsFor } from "./retrieve.ts";

/** Stores the interaction and the session's turn; also a cache entry if the answer is cacheable, and a report if confidence is low. */
export async function remember(answered: Answered, context: PipelineContext, log: StageLog): Promise<void> {
  const { question, answer, outcome } = answered;
  const { profile, questions, cache, store } = context;
  if (context.remember === null) return;
  const share =
    questions.embed === null || profile.caches.length < 2 ? null : { ...questions, embed: questions.embed, settings: profile.match };
  const repeatable = (await uncacheable(question, context)) === null;
  const { hit } = outcome;
  const read = () => topicsOf(question, answer, store);
  const facts = {
    writing: profile.caches.includes("exact") && repeatable ? { scope: cache, share } : null,
    curatedKey: repeatable ? curatedKey(question, cache) : null,
    chance: outcome.decision.probability,
    hit: hit?.answer ?? null,
    topics: await (hit === null || hit.level === "curated" ? read() : context.answers.topicsOf(hit.answer, read)),
    answers: context.answers,
  };
  const report = await reportLowConfidence(answered, context, context.remember.reports, log);
  const { corpus, settings, modelCalls } = context;
  const revision = corpus.indexedRevision;
  const recorded = (stored: Answer) =>
    isStoredAsShown(answer, stored) ? { revision, settings, body: recordOf(question, outcome, modelCalls) } : null;
  const { cached, reportFailure } = await rememberAnswer(question, answer, facts, store, context.remember, report, recorded);
  if (reportFailure !== null) reportFailed(reportFailure, context.reports, log);
  log.fact("cached", cached);
  log.fact("report", reportFailure === null && report !== null ? report.id : null);
  log.fact("privacy", question.privacy ?? "redacted");
}

/** Returns the topics of the cited documents. For a document without a topic, its title is used. */
async function topicsOf({ scope }: Question, { citations }: Answer, { documents }: Pick<Store, "documents">): Promise<string[]> {
  const cited = await documents.load(scope, [...new Set(citations.map(({ documentId }) => documentId))]);
  return [...new Set([...cited.values()].map(({ topic, title }) => topic ?? title))].sort();
}

interface Answered {
  readonly question: Question;
  readonly answer: Answer;
  readonly outcome: Pick<Outcome, "decisionMargin" | "scale" | "conflicts" | "decision" | "hit" | "written" | "evidence">;
}

/** Builds the report of a poorly answered question. Returns `null` if none is needed. Also returns `null`, with a notice, if that fails. */
async function reportLowConfidence(answered: Answered, context: PipelineContext, settings: RememberSettings["reports"], log: StageLog) {
  const { enabled, days, entries } = settings;
  const { question, answer, outcome } = answered;
  const threshold = thresholdFor(outcome, context.profile);
  const causes = enabled ? reportCauses(answer, threshold) : [];
  if (causes.length === 0) return null;
  try {
    const { corpus, store, profile, reports, compare } = context;
    const { scope } = question;
    const understood = await corpus.understand(question, profile.retrieve.query);
    const counts = answer.refusal?.searched ?? (await store.documents.counts(scope, areaOf(question) ?? undefined));
    const topics = reports.topics.flatMap(({ name, keywords }) => [name, ...keywords]);
    const asked = [question.text, question.resolved, understood.text];
    const { has } = await corpus.wordsIn(scope, [...asked, ...asked.flatMap(codesIn), ...topics]);
    const report = diagnose(question, answer, causes, {
      ...reports,
      words: await wordsFor(question, context),
      holds: has,
      repairs: understood.repairs,
      expanded: [...new Set(understood.equivalents.map(({ to }) => to))],
      conflicts: outcome.conflicts,
      declaresPrecedence: compare.precedence.length > 0,
      documents: counts.documents,
      unreadable: counts.unreadable,
      threshold,
    });
    const kept = question.privacy === "ephemeral" ? withoutText(report) : report;
    return { id: context.createId(), topic: kept.query.topics[0] ?? null, report: kept, days, entries };
  } catch (error) {
    reportFailed(error, context.reports, log);
    return null;
  }
}

/** Logs that a report failed. The answer is not affected. */
function reportFailed(error: unknown, { warn }: Pick<PipelineContext["reports"], "warn">, log: StageLog): void {
  log.notice("report_failed", "The diagnostic report for this question could not be saved.");
  warn(`a diagnostic report could not be saved: ${messageOf(error)}`);
}

/** Returns the decision margin and the profile's limits. Confidence is low if it is under `below`, or if the margin is under `margin`. */
function thresholdFor({ decisionMargin, scale }: Pick<Outcome, "decisionMargin" | "scale">, { lowConfidence, gate }: Profile) {
  if (lowConfidence === null) return { decisionMargin, below: null, margin: null };
  if ("margin" in lowConfidence) return { decisionMargin, below: null, margin: lowConfidence.margin };
  const { below } = lowConfidence;
  return { decisionMargin, below: usesCosines(gate) ? scale.threshold(below) : below, margin: null };
}

type NonNullableFields<T> = { readonly [Key in keyof T]: NonNullable<T[Key]> };

/** Data of a new cache entry besides question and answer. */
export interface CacheWriting {
  readonly scope: PipelineContext["cache"];
  /** Describes the question, so that similar questions can match it; `null`: only the identical question matches. */
  readonly share: (NonNullableFields<Omit<PipelineContext["questions"], "index">> & { readonly settings: MatchSettings }) | null;
}

/** Inputs of `rememberAnswer` besides question and answer. */
export interface RememberFacts {
  /** `null`: do not cache. */
  readonly writing: CacheWriting | null;
  /** Lookup key of a reviewer's correction; `null`: none applies. */
  readonly curatedKey: string | null;
  /** Confidence from a `sufficiency` gate, 0 to 1; `null` for other gates. */
  readonly chance: number | null;
  /** The stored answer that was served; `null`: the answer is new. */
  readonly hit: Answer | null;
  readonly topics: readonly string[];
  /** In-memory cache of stored answers that are served repeatedly. */
  readonly answers: Pick<PipelineContext["answers"], "share">;
}

/**
 * Stores the interaction, the session's turn and, if the answer is cacheable, a cache entry. Stored text is redacted. A
 * question with personal data is not cached. With ephemeral privacy, only hashes and counts are stored. A report that
 * cannot be stored is left out; `reportFailure` is the error, or `null`.
 * @param makeRecord builds the record of the answer's inputs from the stored answer
 */
export async function rememberAnswer(
  question: Question,
  answer: Answer,
  { writing, curatedKey, chance, hit, topics, answers }: RememberFacts,
  store: Pick<Store, "interactions" | "cache">,
  { cache, session }: RememberSettings,
  report: NewReport | null = null,
  makeRecord: (stored: Answer) => NewRecord | null = () => null,
) {
  const { scope, sessionId, userId = null } = question;
  const ephemeral = question.privacy === "ephemeral";
  const redacted = redactPersonalData(question.text);
  const personal = redacted !== question.text;
  // A reviewer's text is not yet redacted, so it is stored like a new answer.
  const before = answer.cacheMode === "curated" ? null : hit;
  const kept = ephemeral ? null : forStorage(answer, redacted, before);
  const shared = kept === null || before === null ? null : answers.share(kept, before);
  const stored = kept === null ? "" : JSON.stringify(shared?.own ?? kept);
  const interaction: Interaction = {
    ...{ id: answer.id, domain: scope.domain, tenant: scope.tenant, access: scope.access, profile: question.profile },
    ...{ sessionId, userId, question: ephemeral ? "" : redacted, answer: stored, content: shared?.content ?? null },
    ...{ status: answer.status, confidence: answer.confidence, chance, cacheMode: answer.cacheMode },
  };
  const facts: InteractionFacts = {
    asked: question.text,
    resolved: question.resolved,
    answered: answeredText(answer),
    privacy: ephemeral ? "ephemeral" : "redacted",
    curatedKey: personal ? null : curatedKey,
    cacheKey: personal || writing === null ? null : exactCacheKey(question, writing.scope),
    reason: answer.refusal?.reason ?? null,
    warnings: answer.warnings.length,
    conflicts: answer.conflicts.length,
    tokens: answer.tokenUsage.total,
    costUsd: answer.costUsd,
    savedTokens: hit?.tokenUsage.total ?? null,
    savedUsd: hit?.costUsd ?? null,
    topics: ephemeral ? [] : topics,
    latencyMs: answer.latencyMs,
    approved: answer.cacheMode === "curated" ? citedVersions(answer) : null,
  };
  const beside = {
    record: personal || kept === null ? null : makeRecord(kept),
    turn: turnOf(question, answer, redacted, before !== null, session),
  };
  let reportFailure: unknown = null;
  const reviewStatus = await store.interactions.add(interaction, report, facts, beside).catch((failure: unknown) => {
    if (report === null) throw failure;
    // Store the interaction without the report, so that no question is lost.
    reportFailure = failure;
    return store.interactions.add(interaction, null, facts, beside);
  });
  const clean = cache.enabled && cache.entries > 0 && answer.cacheMode === "miss" && !personal && !ephemeral;
  // A flagged answer is not cached.
  if (!clean || writing === null || reviewStatus === "flagged" || !isCacheable(answer) || losesWords(answer))
    return { cached: false, reportFailure };
  const entry = await entryOf(question, answer, stored, writing);
  return { cached: await store.cache.put({ ...entry, hours: cache.hours, capacity: cache.entries }), reportFailure };
}

async function entryOf(question: Question, answer: Answer, stored: string, writing: CacheWriting) {
  const { domain, tenant, access } = question.scope;
  const { language, encoder, configHash } = writing.scope;
  return {
    key: exactCacheKey(question, writing.scope),
    scope: scopeKey(question, writing.scope),
    place: { domain, tenant, access, profile: question.profile, detail: question.detail, language, encoder, configHash },
    answer: stored,
    interactionId: answer.id,
    documents: namedDocuments(answer),
    sources: citedSources(answer),
    question: isPersonal(question.resolved) ? null : question.resolved,
    shared: await sharedQuestion(question, writing),
    retrieved: retrievedFor(answer),
  };
}

/**
 * Returns the redacted turn of the session; `null`: no turn is stored.
 * @param isStored true if the answer comes from the store, so its text is already redacted
 */
function turnOf(question: Question, answer: Answer, redacted: string, isStored: boolean, settings: RememberSettings["session"]) {
  const { idle_minutes: idleMinutes, turns: limit, most } = settings;
  const { sessionId: session, scope, userId = null } = question;
  if (session === null || question.privacy === "ephemeral") return null;
  const text = answer.refusal?.message ?? answer.sentences.map((sentence) => sentence.text).join(" ");
  const turn = {
    question: redacted,
    answer: isStored ? text : redactAnswered(text, answer),
    citations: answer.citations.map(({ chunkId }) => chunkId),
    shown: sessionShown(answer, isStored),
  };
  return { session, scope, turn, settings: { idleMinutes, limit, userId, most } };
}

/** Returns the cited documents with their versions. */
export function citedVersions({ citations }: Pick<Answer, "citations">): Map<string, string> {
  return new Map(citations.map(({ documentId, documentVersion }) => [documentId, documentVersion]));
}

/** Serialises what identifies an answer's content: status, refusal reason, sentences and citations. */
function answeredText({ status, sentences, citations, refusal }: Answer): string {
  const cited = citations.map(({ documentId, documentVersion, start, end }) => [documentId, documentVersion, start, end]);
  return JSON.stringify([status, refusal?.reason ?? null, sentences.map(({ text }) => text), cited]);
}

function isPersonal(text: string): boolean {
  return redactPersonalData(text) !== text;
}

/**
 * Describes the question so that other questions can match it. Returns `null` if it contains personal data or its answer may not be shared.
 */
async function sharedQuestion(question: Question, { scope, share }: CacheWriting): Promise<CachePut["shared"]> {
  const text = question.resolved;
  if (share === null || sharingScope(question, scope) === null || isPersonal(text)) return null;
  return { ...share.classify(text), vector: await share.embed(share.matcher.textFor(text, share.settings)) };
}
