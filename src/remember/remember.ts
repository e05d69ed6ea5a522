import { redactPersonalData } from "../language/pii.ts";
import type { MatchSettings } from "../profiles/profile.ts";
import type { CachePut } from "../store/cache.ts";
import type { QuestionNodes } from "../store/graph.ts";
import type { Interaction, InteractionStore } from "../store/interactions.ts";
import type { NewReport } from "../store/reports.ts";
import type { Store } from "../store/store.ts";
import type { Answer, Passage, Question } from "../types.ts";
import { type CacheScope, exactCacheKey, isCacheable, scopeKey, sharingScope } from "./cache.ts";
import type { Matcher } from "./matcher.ts";
import { citedSources, namedDocuments, retrievedFor } from "./named-documents.ts";

export interface RememberSettings {
  readonly cache: { readonly enabled: boolean; readonly hours: number; readonly entries: number };
  readonly session: { readonly turns: number; readonly idleMinutes: number };
  /** `text: false`: of a question that is reported only kinds, counts and scores are kept. */
  readonly reports: { readonly enabled: boolean; readonly days: number; readonly entries: number; readonly text: boolean };
}

/** What a cache entry is made of besides the answer. */
export interface CacheWriting {
  readonly scope: CacheScope;
  /** Turns the stored question into what other questions find it by; `null`: only the same question does. */
  readonly share: {
    readonly embed: (text: string) => Promise<{ readonly model: string; readonly values: Float32Array }>;
    readonly classify: (question: string) => QuestionNodes;
    readonly matcher: Matcher;
    readonly settings: MatchSettings;
  } | null;
}

export interface Remembered {
  readonly cached: boolean;
  /** What kept the report from being stored; `null`: nothing. */
  readonly reportFailure: unknown;
}

/**
 * Stores the interaction, the session's turn and, if it is clean, the cache entry. What is stored of a question is redacted;
 * a question that holds personal data is not cached at all.
 * @param writing `null`: do not cache
 * @param chance what the learned gate said; `null`: it did not judge
 * @param report stored with the interaction; where that fails, the interaction is stored without it
 */
export async function rememberAnswer(
  question: Question,
  answer: Answer,
  { writing, chance }: { readonly writing: CacheWriting | null; readonly chance: number | null },
  store: Store,
  { cache, session }: RememberSettings,
  report: NewReport | null = null,
): Promise<Remembered> {
  const { scope, sessionId } = question;
  const redacted = redactPersonalData(question.text);
  const stored = forStorage(answer, redacted);
  const interaction = {
    id: answer.id,
    domain: scope.domain,
    tenant: scope.tenant,
    access: scope.access,
    profile: question.profile,
    sessionId,
    question: redacted,
    answer: JSON.stringify(stored),
    status: answer.status,
    confidence: answer.confidence,
    chance,
    cacheMode: answer.cacheMode,
  };
  const reportFailure = await addInteraction(interaction, report, store.interactions);
  if (sessionId !== null) {
    const turn = {
      question: redacted,
      answer: answer.refusal?.message ?? answer.sentences.map(({ text }) => text).join(" "),
      citations: answer.citations.map(({ chunkId }) => chunkId),
    };
    await store.sessions.append(sessionId, scope, turn, { idleMinutes: session.idleMinutes, limit: session.turns });
  }
  const clean = cache.enabled && cache.entries > 0 && answer.cacheMode === "miss" && redacted === question.text;
  if (!clean || writing === null || !isCacheable(answer)) return { cached: false, reportFailure };
  const cached = await store.cache.put({
    key: exactCacheKey(question, writing.scope),
    scope: scopeKey(question, writing.scope),
    place: {
      ...{ domain: scope.domain, tenant: scope.tenant, access: scope.access, profile: question.profile, detail: question.detail },
      ...{ language: writing.scope.language, encoder: writing.scope.encoder, configHash: writing.scope.configHash },
    },
    answer: JSON.stringify(stored),
    interactionId: answer.id,
    documents: namedDocuments(answer),
    sources: citedSources(answer),
    question: mayBeKept(question.resolved) ? question.resolved : null,
    shared: await sharedQuestion(question, answer, writing),
    retrieved: retrievedFor(answer),
    hours: cache.hours,
    capacity: cache.entries,
  });
  return { cached, reportFailure };
}

/** What kept the report out, if anything did: a question is never lost for the sake of its report. */
async function addInteraction(interaction: Interaction, report: NewReport | null, interactions: InteractionStore): Promise<unknown> {
  if (report !== null) {
    try {
      await interactions.add(interaction, report);
      return null;
    } catch (error) {
      await interactions.add(interaction);
      return error;
    }
  }
  await interactions.add(interaction);
  return null;
}

/** Is there no personal data in it? */
function mayBeKept(text: string): boolean {
  return redactPersonalData(text) === text;
}

/** What other questions find the entry by: only of a question about no part of documents, and only of text that may be kept as it is. */
async function sharedQuestion(question: Question, answer: Answer, { scope, share }: CacheWriting): Promise<CachePut["shared"]> {
  const text = question.resolved;
  if (share === null || sharingScope(question, scope) === null || !mayBeKept(text)) return null;
  const about = answer.citations.flatMap(({ title, headingPath, quote, context }) => [title, ...headingPath, quote, context]);
  const nodes = share.classify(text);
  return {
    ...nodes,
    slots: share.matcher.describe(text, [...new Set(about)]),
    vector: await share.embed(share.matcher.textFor(text, share.settings)),
  };
}

/**
 * An answer without what only this process needs (passages carry whole document structures), and without words of the question that were redacted:
 * a refusal names the words that no document holds.
 */
function forStorage(answer: Answer, question: string): Answer {
  const evidence = answer.evidence.map((one) => ({
    ...one,
    passage: { ...withoutTwins(one.passage), text: "", units: [], document: { ...one.passage.document, blocks: [], sourceMap: [] } },
  }));
  const { refusal } = answer;
  const nearest = refusal?.nearest.map((miss) => ({ ...miss, missing: miss.missing.filter((word) => question.includes(word)) })) ?? [];
  return { ...answer, question, evidence, refusal: refusal === null ? null : { ...refusal, nearest } };
}

function withoutTwins({ twins: _, ...passage }: Passage): Passage {
  return passage;
}
