import { redactPersonalData } from "../language/pii.ts";
import type { Interaction, InteractionStore } from "../store/interactions.ts";
import type { NewReport } from "../store/reports.ts";
import type { Store } from "../store/store.ts";
import type { Answer, Question } from "../types.ts";
import { isCacheable } from "./cache.ts";

export interface RememberSettings {
  readonly cache: { readonly enabled: boolean; readonly hours: number; readonly entries: number };
  readonly session: { readonly turns: number; readonly idleMinutes: number };
  /** `text: false`: of a question that is reported only kinds, counts and scores are kept. */
  readonly reports: { readonly enabled: boolean; readonly days: number; readonly entries: number; readonly text: boolean };
}

export interface Remembered {
  readonly cached: boolean;
  /** What kept the report from being stored; `null`: nothing. */
  readonly reportFailure: unknown;
}

/**
 * Stores the interaction, the session's turn and, if it is clean, the cache entry. What is stored of a question is redacted;
 * a question that holds personal data is not cached at all.
 * @param cacheKey `null`: do not cache
 * @param chance what the learned gate said; `null`: it did not judge
 * @param report stored with the interaction; where that fails, the interaction is stored without it
 */
export async function rememberAnswer(
  question: Question,
  answer: Answer,
  { cacheKey, chance }: { readonly cacheKey: string | null; readonly chance: number | null },
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
  const clean = cache.enabled && cache.entries > 0 && cacheKey !== null && answer.cacheMode === "miss" && redacted === question.text;
  if (!clean || !isCacheable(answer)) return { cached: false, reportFailure };
  const shown = [...answer.citations, ...(answer.seeAlso === undefined || answer.seeAlso === null ? [] : [answer.seeAlso])];
  const versions = new Map(shown.map(({ documentId, documentVersion }) => [documentId, documentVersion]));
  const cached = await store.cache.put({
    key: cacheKey,
    domain: scope.domain,
    tenant: scope.tenant,
    answer: JSON.stringify(stored),
    versions,
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

/**
 * An answer without what only this process needs (passages carry whole document structures), and without words of the question that were redacted:
 * a refusal names the words that no document holds.
 */
function forStorage(answer: Answer, question: string): Answer {
  const evidence = answer.evidence.map((one) => ({
    ...one,
    passage: { ...one.passage, text: "", units: [], document: { ...one.passage.document, blocks: [], sourceMap: [] } },
  }));
  const { refusal } = answer;
  const nearest = refusal?.nearest.map((miss) => ({ ...miss, missing: miss.missing.filter((word) => question.includes(word)) })) ?? [];
  return { ...answer, question, evidence, refusal: refusal === null ? null : { ...refusal, nearest } };
}
