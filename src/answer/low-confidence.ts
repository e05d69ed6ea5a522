import { messageOf } from "../errors.ts";
import type { RememberSettings } from "../remember/remember.ts";
import { diagnose, reportCauses, withoutText } from "../remember/report.ts";
import type { QuestionWords } from "../retrieve/understand.ts";
import type { NewReport } from "../store/reports.ts";
import type { Answer, Question } from "../types.ts";
import { usesCosines } from "../verify/scale.ts";
import type { Outcome } from "./outcome.ts";
import type { AnswerParts } from "./steps.ts";
import type { StageLog } from "./trace.ts";

/** The report of a question that was not answered well; `null`: it needs none, or none could be made, which is said and harms nothing. */
export async function reportLowConfidence(
  question: Question,
  answer: Answer,
  outcome: Outcome,
  words: QuestionWords,
  parts: AnswerParts,
  { enabled, days, entries, text }: RememberSettings["reports"],
  log: StageLog,
): Promise<NewReport | null> {
  const threshold = thresholdFor(outcome, parts);
  const causes = enabled ? reportCauses(answer, threshold) : [];
  if (causes.length === 0) return null;
  try {
    const { corpus, store, profile, reports, compare } = parts;
    const { scope } = question;
    const understood = corpus.understand(question, profile.retrieve.query);
    const counts = answer.refusal?.searched ?? (await store.documents.counts(scope, question.area ?? undefined));
    const report = diagnose(question, answer, causes, {
      ...reports,
      words,
      holds: (token) => corpus.holds(token, scope),
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
    reportFailed(error, parts, log);
    return null;
  }
}

/** Says that there is no report, and why, without failing the answer. */
export function reportFailed(error: unknown, { reports }: AnswerParts, log: StageLog): void {
  log.notice("report_failed", "The diagnostic report of this question could not be kept.");
  reports.warn(`a diagnostic report could not be kept: ${messageOf(error)}`);
}

/** The profile's threshold beside what this question reached. */
function thresholdFor({ headroom, scale }: Outcome, { profile: { lowConfidence, gate } }: AnswerParts) {
  if (lowConfidence === null) return { headroom, below: null, margin: null };
  if ("margin" in lowConfidence) return { headroom, below: null, margin: lowConfidence.margin };
  const { below } = lowConfidence;
  return { headroom, below: usesCosines(gate) ? scale.threshold(below) : below, margin: null };
}
