import { redactPersonalData } from "../language/pii.ts";
import type { Interaction, InteractionFacts, InteractionStore, ReviewStatus } from "../store/interactions.ts";
import type { NewReport } from "../store/reports.ts";
import type { Store } from "../store/store.ts";
import type { Answer, Question } from "../types.ts";
import { isCacheable } from "./cache.ts";
import { forStorage, redactAnswered } from "./redact.ts";
import { sessionShown } from "./session-messages.ts";

export interface RememberSettings {
  readonly cache: { readonly enabled: boolean; readonly hours: number; readonly entries: number };
  readonly session: { readonly turns: number; readonly idleMinutes: number };
  /** `text: false`: of a question that is reported only kinds, counts and scores are kept. */
  readonly reports: { readonly enabled: boolean; readonly days: number; readonly entries: number; readonly text: boolean };
}

/** What the path of the question knows besides question and answer. */
export interface RememberFacts {
  /** Key of the exact cache; `null`: do not cache. */
  readonly cacheKey: string | null;
  /** Where a reviewer's correction would be looked up; `null`: it would not be. */
  readonly curatedKey: string | null;
  /** What the learned gate said; `null`: it did not judge. */
  readonly chance: number | null;
  /** The stored answer that was served; `null`: it was made anew. */
  readonly hit: Answer | null;
  /** Topics of the cited documents. */
  readonly topics: readonly string[];
}

export interface Remembered {
  readonly cached: boolean;
  /** What kept the report from being stored; `null`: nothing. */
  readonly reportFailure: unknown;
}

/**
 * Stores the interaction, the session's turn and, if it is clean, the cache entry. What is stored of a question and of its answer is
 * redacted; a question that holds personal data is not cached at all. Where privacy is ephemeral, no text is stored: hashes and counts.
 * @param report stored with the interaction; where that fails, the interaction is stored without it
 */
export async function rememberAnswer(
  question: Question,
  answer: Answer,
  { cacheKey, curatedKey, chance, hit, topics }: RememberFacts,
  store: Store,
  { cache, session }: RememberSettings,
  report: NewReport | null = null,
): Promise<Remembered> {
  const { scope, sessionId, userId = null } = question;
  const ephemeral = question.privacy === "ephemeral";
  const redacted = redactPersonalData(question.text);
  const personal = redacted !== question.text;
  const stored = ephemeral ? "" : JSON.stringify(forStorage(answer, redacted));
  const cited = citedVersions(answer);
  const { reviewStatus, reportFailure } = await addInteraction(
    {
      id: answer.id,
      domain: scope.domain,
      tenant: scope.tenant,
      access: scope.access,
      profile: question.profile,
      sessionId,
      userId,
      question: ephemeral ? "" : redacted,
      answer: stored,
      status: answer.status,
      confidence: answer.confidence,
      chance,
      cacheMode: answer.cacheMode,
    },
    {
      asked: question.text,
      resolved: question.resolved,
      answered: answeredText(answer),
      privacy: ephemeral ? "ephemeral" : "redacted",
      curatedKey: personal ? null : curatedKey,
      cacheKey: personal ? null : cacheKey,
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
    report,
    store.interactions,
  );
  if (sessionId !== null && !ephemeral) {
    const text = answer.refusal?.message ?? answer.sentences.map((sentence) => sentence.text).join(" ");
    const turn = {
      question: redacted,
      answer: redactAnswered(text, answer),
      citations: answer.citations.map(({ chunkId }) => chunkId),
      shown: sessionShown(answer),
    };
    await store.sessions.append(sessionId, scope, turn, { idleMinutes: session.idleMinutes, limit: session.turns, userId });
  }
  const clean = cache.enabled && cache.entries > 0 && cacheKey !== null && answer.cacheMode === "miss" && !personal && !ephemeral;
  // What a reviewer has flagged is not served again without being made again.
  if (!clean || reviewStatus === "flagged" || !isCacheable(answer)) return { cached: false, reportFailure };
  const shown =
    answer.seeAlso === undefined || answer.seeAlso === null
      ? cited
      : new Map([...cited, [answer.seeAlso.documentId, answer.seeAlso.documentVersion]]);
  const cached = await store.cache.put({
    key: cacheKey,
    domain: scope.domain,
    tenant: scope.tenant,
    answer: stored,
    versions: shown,
    hours: cache.hours,
    capacity: cache.entries,
  });
  return { cached, reportFailure };
}

/** What kept the report out, if anything did: a question is never lost for the sake of its report. */
async function addInteraction(
  interaction: Interaction,
  facts: InteractionFacts,
  report: NewReport | null,
  interactions: Pick<InteractionStore, "add">,
): Promise<{ reviewStatus: ReviewStatus; reportFailure: unknown }> {
  if (report !== null) {
    try {
      return { reviewStatus: await interactions.add(interaction, report, facts), reportFailure: null };
    } catch (reportFailure) {
      return { reviewStatus: await interactions.add(interaction, null, facts), reportFailure };
    }
  }
  return { reviewStatus: await interactions.add(interaction, null, facts), reportFailure: null };
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
