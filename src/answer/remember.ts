import { curatedKey } from "../remember/curated.ts";
import { rememberAnswer } from "../remember/remember.ts";
import type { Store } from "../store/store.ts";
import type { Answer, Question } from "../types.ts";
import { type LookupParts, uncacheable } from "./lookup.ts";
import { type Answered, type ReportingParts, reportFailed, reportLowConfidence } from "./low-confidence.ts";
import { type AnswerRecord, isStoredAsShown, type RecordedSettings, recordOf } from "./record.ts";
import type { StageLog } from "./trace.ts";

export interface RememberParts
  extends ReportingParts,
    Pick<LookupParts, "questions" | "cache" | "answers" | "remember" | "hotlines" | "models"> {
  readonly store: Pick<Store, "documents" | "interactions" | "cache">;
  /** What answers of this question's domain and profile are made with. */
  readonly settings: RecordedSettings;
  /** Calls of models as they went, filled while the question is answered; `null`: not all are seen. */
  readonly modelCalls: AnswerRecord["calls"];
  readonly corpus: ReportingParts["corpus"] & { readonly indexedRevision: number };
}

/** What a record is made of. */
interface RecordedFrom {
  readonly outcome: Parameters<typeof recordOf>[1];
}

/** Stores the interaction, the session's turn, a clean answer for the cache, and a report where confidence was low. */
export async function remember(answered: Answered & RecordedFrom, parts: RememberParts, log: StageLog): Promise<void> {
  const { question, answer, outcome } = answered;
  const { profile, questions, cache, store } = parts;
  if (parts.remember === null) return;
  const share =
    questions.embed === null || profile.caches.length < 2 ? null : { ...questions, embed: questions.embed, settings: profile.match };
  const repeatable = (await uncacheable(question, parts)) === null;
  const { hit } = outcome;
  const read = () => topicsOf(question, answer, store);
  const facts = {
    writing: profile.caches.includes("exact") && repeatable ? { scope: cache, share } : null,
    curatedKey: repeatable ? curatedKey(question, cache) : null,
    chance: outcome.decision.chance,
    hit: hit?.answer ?? null,
    topics: await (hit === null || hit.level === "curated" ? read() : parts.answers.topicsOf(hit.answer, read)),
    answers: parts.answers,
  };
  const { reports } = parts.remember;
  const kept = { ...reports, text: reports.text && question.privacy !== "ephemeral" };
  const report = await reportLowConfidence(answered, parts, kept, log);
  const inputs = { revision: parts.corpus.indexedRevision, settings: parts.settings, calls: parts.modelCalls };
  const recorded = (stored: Answer) => (isStoredAsShown(answer, stored) ? recordOf(question, outcome, inputs) : null);
  const { cached, reportFailure } = await rememberAnswer(question, answer, facts, store, parts.remember, { report, recordOf: recorded });
  if (reportFailure !== null) reportFailed(reportFailure, parts.reports, log);
  log.fact("cached", cached);
  log.fact("report", reportFailure === null && report !== null ? report.id : null);
  log.fact("privacy", question.privacy ?? "redacted");
}

/** What the cited documents are about: their topics, or their titles where they name none. */
async function topicsOf({ scope }: Question, { citations }: Answer, { documents }: Pick<Store, "documents">): Promise<string[]> {
  const cited = await documents.load(scope, [...new Set(citations.map(({ documentId }) => documentId))]);
  return [...new Set([...cited.values()].map(({ topic, title }) => topic ?? title))].sort();
}
