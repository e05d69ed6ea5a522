import { messageOf } from "../errors.ts";
import type { Profile } from "../profiles/profile.ts";
import type { RememberSettings } from "../remember/remember.ts";
import { diagnose, type ReportParts, reportCauses, withoutText } from "../remember/report.ts";
import type { QuestionReader } from "../retrieve/understand.ts";
import type { NewReport } from "../store/reports.ts";
import type { Store } from "../store/store.ts";
import type { Answer, Question } from "../types.ts";
import type { Precedence } from "../verify/conflicts.ts";
import { usesCosines } from "../verify/scale.ts";
import type { Outcome } from "./outcome.ts";
import { wordsFor } from "./question-words.ts";
import type { StageLog } from "./trace.ts";

export interface ReportingParts {
  readonly corpus: QuestionReader;
  readonly store: Pick<Store, "documents">;
  readonly profile: Profile;
  /** The domain's topics, and whom to tell that a report could not be kept. */
  readonly reports: Pick<ReportParts, "topics" | "readTopics" | "isCommon"> & { readonly warn: (message: string) => void };
  readonly compare: { readonly precedence: Precedence };
  readonly createId: () => string;
}

/** A question with what became of it. */
export interface Answered {
  readonly question: Question;
  readonly answer: Answer;
  readonly outcome: Pick<Outcome, "headroom" | "scale" | "conflicts" | "decision" | "hit">;
}

/** The report of a question that was not answered well; `null`: it needs none, or none could be made, which is said and harms nothing. */
export async function reportLowConfidence(
  answered: Answered,
  parts: ReportingParts,
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
    const understood = corpus.understand(question, profile.retrieve.query);
    const counts = answer.refusal?.searched ?? (await store.documents.counts(scope, question.area ?? undefined));
    const report = diagnose(question, answer, causes, {
      ...reports,
      words: wordsFor(question, parts),
      holds: corpus.wordsIn(scope).has,
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
export function reportFailed(error: unknown, { warn }: Pick<ReportingParts["reports"], "warn">, log: StageLog): void {
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
