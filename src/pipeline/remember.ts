import { usesCosines } from "../evidence/decide.ts";
import { codesIn } from "../language/values.ts";
import { type RememberSettings, rememberAnswer } from "../memory/remember.ts";
import { diagnose, reportCauses, withoutText } from "../memory/report.ts";
import { curatedKey } from "../memory/reverify.ts";
import type { Profile } from "../profiles/profile.ts";
import { messageOf } from "../shared/errors.ts";
import type { Answer, Question } from "../shared/types.ts";
import type { NewReport } from "../store/reports.ts";
import type { Store } from "../store/store.ts";
import type { Outcome } from "./assemble.ts";
import { uncacheable } from "./lookup.ts";
import type { AnswerParts } from "./parts.ts";
import { isStoredAsShown, recordOf } from "./record.ts";
import { wordsFor } from "./retrieve.ts";
import type { StageLog } from "./trace.ts";

/** Stores the interaction, the session's turn, a clean answer for the cache, and a report where confidence was low. */
export async function remember(answered: Answered, parts: AnswerParts, log: StageLog): Promise<void> {
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

/** A question with what became of it. */
interface Answered {
  readonly question: Question;
  readonly answer: Answer;
  readonly outcome: Pick<Outcome, "headroom" | "scale" | "conflicts" | "decision" | "hit" | "written" | "evidence">;
}

/** The report of a question that was not answered well; `null`: it needs none, or none could be made, which is said and harms nothing. */
async function reportLowConfidence(
  answered: Answered,
  parts: AnswerParts,
  { enabled, days, entries, text }: RememberSettings["reports"],
  log: StageLog,
): Promise<NewReport | null> {
  const { question, answer, outcome } = answered;
  const threshold = thresholdFor(outcome, parts.profile);
  const causes = enabled ? reportCauses(answer, threshold) : [];
  if (causes.length === 0) return null;
  try {
    const { corpus, store, profile, reports, compare } = parts;
    const { scope } = question;
    const understood = await corpus.understand(question, profile.retrieve.query);
    const counts = answer.refusal?.searched ?? (await store.documents.counts(scope, question.area ?? undefined));
    const topics = reports.topics.flatMap(({ name, keywords }) => [name, ...keywords]);
    const asked = [question.text, question.resolved, understood.text];
    const { has } = await corpus.wordsIn(scope, [...asked, ...asked.flatMap(codesIn), ...topics]);
    const report = diagnose(question, answer, causes, {
      ...reports,
      words: await wordsFor(question, parts),
      holds: has,
      repairs: understood.repairs,
      expanded: [...new Set(understood.equivalents.map(({ to }) => to))],
      conflicts: outcome.conflicts,
      declaresPrecedence: compare.precedence.length > 0,
      documents: counts.documents,
      unreadable: counts.unreadable,
      threshold,
    });
    const kept = text ? report : withoutText(report);
    return { id: parts.createId(), topic: kept.query.topics[0] ?? null, report: kept, days, entries };
  } catch (error) {
    reportFailed(error, parts.reports, log);
    return null;
  }
}

/** Says that there is no report, and why, without failing the answer. */
function reportFailed(error: unknown, { warn }: Pick<AnswerParts["reports"], "warn">, log: StageLog): void {
  log.notice("report_failed", "The diagnostic report of this question could not be kept.");
  warn(`a diagnostic report could not be kept: ${messageOf(error)}`);
}

/** The profile's threshold beside what this question reached. */
function thresholdFor({ headroom, scale }: Pick<Outcome, "headroom" | "scale">, { lowConfidence, gate }: Profile) {
  if (lowConfidence === null) return { headroom, below: null, margin: null };
  if ("margin" in lowConfidence) return { headroom, below: null, margin: lowConfidence.margin };
  const { below } = lowConfidence;
  return { headroom, below: usesCosines(gate) ? scale.threshold(below) : below, margin: null };
}
