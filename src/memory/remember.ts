import { redactPersonalData } from "../guard/pii.ts";
import type { MatchSettings } from "../profiles/profile.ts";
import type { Answer, Question } from "../shared/types.ts";
import type { CachePut } from "../store/cache.ts";
import type { QuestionNodes } from "../store/graph.ts";
import type { Interaction, InteractionFacts, ReviewStatus } from "../store/interaction.ts";
import type { Beside, InteractionStore } from "../store/interactions.ts";
import type { NewRecord } from "../store/records.ts";
import type { NewReport } from "../store/reports.ts";
import type { NewTurn } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import { type CacheScope, exactCacheKey, isCacheable, scopeKey, sharingScope } from "./cache.ts";
import type { Matcher } from "./matcher.ts";
import { citedSources, forStorage, losesWords, namedDocuments, redactAnswered, retrievedFor } from "./named-documents.ts";
import { sessionShown } from "./session-messages.ts";
import type { StoredAnswers } from "./stored-answers.ts";

export interface RememberSettings {
  readonly cache: { readonly enabled: boolean; readonly hours: number; readonly entries: number };
  readonly session: { readonly turns: number; readonly idleMinutes: number; readonly most?: number };
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

/** What is stored with the interaction. */
export interface Companions {
  readonly report?: NewReport | null;
  /** What the answer was made from; asked only where it may be kept. @param stored the answer as it is stored */
  readonly recordOf?: ((stored: Answer) => NewRecord | null) | undefined;
}

/** What the path of the question knows besides question and answer. */
export interface RememberFacts {
  /** `null`: do not cache. */
  readonly writing: CacheWriting | null;
  /** Where a reviewer's correction would be looked up; `null`: it would not be. */
  readonly curatedKey: string | null;
  /** What the learned gate said; `null`: it did not judge. */
  readonly chance: number | null;
  /** The stored answer that was served; `null`: it was made anew. */
  readonly hit: Answer | null;
  /** Topics of the cited documents. */
  readonly topics: readonly string[];
  /** Where answers that are served again are known. */
  readonly answers: Pick<StoredAnswers, "share" | "saidBy">;
}

export interface Remembered {
  readonly cached: boolean;
  /** What kept the report from being stored; `null`: nothing. */
  readonly reportFailure: unknown;
}

/**
 * Stores the interaction, the session's turn and, if it is clean, the cache entry. What is stored of a question and of its answer is
 * redacted; a question that holds personal data is not cached at all. Where privacy is ephemeral, no text is stored: hashes and counts.
 * A report that cannot be stored is left out.
 */
export async function rememberAnswer(
  question: Question,
  answer: Answer,
  { writing, curatedKey, chance, hit, topics, answers }: RememberFacts,
  store: Pick<Store, "interactions" | "cache">,
  { cache, session }: RememberSettings,
  { report = null, recordOf }: Companions = {},
): Promise<Remembered> {
  const { scope, sessionId, userId = null } = question;
  const ephemeral = question.privacy === "ephemeral";
  const redacted = redactPersonalData(question.text);
  const personal = redacted !== question.text;
  // What a reviewer wrote was not redacted.
  const before = answer.cacheMode === "curated" ? null : hit;
  const kept = ephemeral ? null : forStorage(answer, redacted, before);
  const shared = kept === null || before === null ? null : answers.share(kept, before);
  const stored = kept === null ? "" : JSON.stringify(shared?.own ?? kept);
  const cited = citedVersions(answer);
  const { reviewStatus, reportFailure } = await addInteraction(
    {
      interaction: {
        ...{ id: answer.id, domain: scope.domain, tenant: scope.tenant, access: scope.access, profile: question.profile },
        ...{ sessionId, userId, question: ephemeral ? "" : redacted, answer: stored, content: shared?.content ?? null },
        ...{ status: answer.status, confidence: answer.confidence, chance, cacheMode: answer.cacheMode },
      },
      facts: {
        asked: question.text,
        resolved: question.resolved,
        answered: before === null ? answeredText(answer) : answers.saidBy(before, answeredText),
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
        approved: answer.cacheMode === "curated" ? cited : null,
      },
    },
    report,
    {
      record: personal || kept === null ? null : (recordOf?.(kept) ?? null),
      turn: sessionId === null || ephemeral ? null : turnOf({ question, answer, sessionId, redacted, isStored: before !== null }, session),
    },
    store.interactions,
  );
  const clean = cache.enabled && cache.entries > 0 && answer.cacheMode === "miss" && !personal && !ephemeral;
  // What a reviewer has flagged is not served again without being made again.
  if (!clean || writing === null || reviewStatus === "flagged" || !isCacheable(answer) || losesWords(answer))
    return { cached: false, reportFailure };
  const cached = await store.cache.put(await entryOf({ question, answer, stored, writing }, cache));
  return { cached, reportFailure };
}

interface EntryFrom {
  readonly question: Question;
  readonly answer: Answer;
  /** As it is stored. */
  readonly stored: string;
  readonly writing: CacheWriting;
}

async function entryOf({ question, answer, stored, writing }: EntryFrom, { hours, entries }: RememberSettings["cache"]): Promise<CachePut> {
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
    question: mayBeKept(question.resolved) ? question.resolved : null,
    shared: await sharedQuestion(question, answer, writing),
    retrieved: retrievedFor(answer),
    hours,
    capacity: entries,
  };
}

interface TurnFrom {
  readonly question: Question;
  readonly answer: Answer;
  readonly sessionId: string;
  readonly redacted: string;
  /** What it says was stored before, and redacted then. */
  readonly isStored: boolean;
}

/** The turn of the question's session: what was asked and shown, redacted. */
function turnOf(
  { question, answer, sessionId, redacted, isStored }: TurnFrom,
  { idleMinutes, turns, most }: RememberSettings["session"],
): NewTurn {
  const text = answer.refusal?.message ?? answer.sentences.map((sentence) => sentence.text).join(" ");
  const turn = {
    question: redacted,
    answer: isStored ? text : redactAnswered(text, answer),
    citations: answer.citations.map(({ chunkId }) => chunkId),
    shown: sessionShown(answer, isStored),
  };
  const settings = { idleMinutes, limit: turns, userId: question.userId ?? null, ...(most === undefined ? {} : { most }) };
  return { session: sessionId, scope: question.scope, turn, settings };
}

/** What kept the report out, if anything did: a question is never lost for the sake of its report. */
async function addInteraction(
  { interaction, facts }: { readonly interaction: Interaction; readonly facts: InteractionFacts },
  report: NewReport | null,
  beside: Beside,
  interactions: Pick<InteractionStore, "add">,
): Promise<{ reviewStatus: ReviewStatus; reportFailure: unknown }> {
  try {
    return { reviewStatus: await interactions.add(interaction, report, facts, beside), reportFailure: null };
  } catch (reportFailure) {
    if (report === null) throw reportFailure;
    return { reviewStatus: await interactions.add(interaction, null, facts, beside), reportFailure };
  }
}

/** Documents that an answer cites, with the versions that it saw. */
export function citedVersions({ citations }: Pick<Answer, "citations">): Map<string, string> {
  return new Map(citations.map(({ documentId, documentVersion }) => [documentId, documentVersion]));
}

/** What makes two answers the same: what they say and what it rests on. */
function answeredText({ status, sentences, citations, refusal }: Answer): string {
  const cited = citations.map(({ documentId, documentVersion, start, end }) => [documentId, documentVersion, start, end]);
  return JSON.stringify([status, refusal?.reason ?? null, sentences.map(({ text }) => text), cited]);
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
