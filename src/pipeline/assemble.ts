import { leastFaithfulness } from "../checks/guard-answer.ts";
import { sentenceGuards } from "../checks/guards.ts";
import type { Decision } from "../evidence/gate.ts";
import type { Hit } from "../memory/stored-answers.ts";
import { RAW_SCALE } from "../models/calibration/calibration.ts";
import { costUsd, type PriceTable } from "../models/prices.ts";
import { createRelevancy } from "../models/similarity.ts";
import { GUARDS } from "../profiles/guards.ts";
import type { ReportMetric } from "../profiles/profile.ts";
import type { Choice } from "../ranking/features.ts";
import type {
  Answer,
  CheckResult,
  Citation,
  Conflict,
  Evidence,
  GradeReport,
  Metric,
  ModelCall,
  PricedCall,
  Question,
  Refusal,
  SeeAlso,
  TokenUsage,
  Warning,
  WebEvidence,
} from "../shared/types.ts";
import { sumOrNull } from "../text/numbers.ts";
import { headingOf } from "../text/units.ts";
import type { PipelineContext, Trace } from "./context.ts";
import type { Found } from "./retrieve.ts";
import { nothingWritten } from "./write.ts";

/** Builds the final answer. For a cache hit, the content is the stored answer's. */
export function assemble(question: Question, outcome: Outcome, context: PipelineContext, trace: Trace): Answer {
  const { profile, createId, prices } = context;
  const { refusal, warnings, hit } = outcome;
  const calls = priceCalls(outcome, prices);
  const content = hit?.answer ?? contentOf(outcome);
  return {
    ...content,
    id: createId(),
    question: question.text,
    domain: question.scope.domain,
    profile: profile.name,
    ...(question.filters ? { filters: question.filters } : {}),
    warnings,
    cacheMode: hit?.level ?? "miss",
    ...(hit === null ? {} : { cached: { question: hit.question, storedAt: hit.storedAt } }),
    tokenUsage: tokensOf(calls),
    costUsd: sumOrNull(calls.map((call) => call.costUsd)),
    calls,
    ...(profile.report === undefined || (refusal !== null && refusal.reason !== "not_reliable")
      ? {}
      : {
          report: gradeReport(content.checks, metricsOf(profile.report, context), sentenceGuards(profile.check.guards ?? GUARDS)),
        }),
    timings: trace.timings,
    latencyMs: trace.elapsed(),
    sessionId: question.sessionId,
  };
}

function contentOf({ written, decision, refusal, evidence, conflicts, web, checks }: Outcome) {
  const { sheet, claims, writer } = written;
  return {
    status: refusal === null ? ("ok" as const) : ("insufficient_context" as const),
    sentences: sheet.sentences,
    confidence: decision.confidence,
    confidenceCalibrated: decision.calibrated,
    claims,
    citations: sheet.citations,
    seeAlso: refusal === null ? chooseSeeAlso(decision.usable, sheet.citations) : null,
    evidence,
    conflicts: refusal === null ? conflicts : [],
    ...(web === null ? {} : { web }),
    checks,
    refusal,
    model: writer === "" ? "none" : writer,
  };
}

/** Prices every model call of this answer. The cost is `null` when the price table lacks the model or the endpoint reports no tokens. */
function priceCalls({ calls, embedding }: Outcome, prices: PriceTable): PricedCall[] {
  const asked: ModelCall[] =
    embedding === null ? [] : [{ stage: "retrieve", model: embedding.model, inputTokens: embedding.tokens, outputTokens: null }];
  return [...asked, ...calls].map((call) => ({ ...call, costUsd: costUsd(call.model, call, prices) }));
}

/** Sums input and output tokens by stage. Tokens of embeddings appear only in `calls`. */
function tokensOf(calls: readonly ModelCall[]): TokenUsage {
  const sumOf = (...stages: readonly ModelCall["stage"][]) =>
    sumOrNull(calls.filter(({ stage }) => stages.includes(stage)).flatMap(({ inputTokens, outputTokens }) => [inputTokens, outputTokens]));
  const verification = sumOf("verify");
  const compression = sumOf("compress");
  const answer = sumOf("write", "rewrite");
  return { verification, compression, answer, total: sumOrNull([verification, compression, answer]) };
}

/** Returns the metrics with the thresholds of the scorers in use. */
function metricsOf(metrics: readonly ReportMetric[], { profile, check, encoder, calibrations }: PipelineContext): readonly ReportMetric[] {
  const { faithfulness = null, relevancy = null } = profile.check.guards ?? {};
  const own: Readonly<Record<string, number | undefined>> = {
    faithfulness: faithfulness === null || check.support === null ? undefined : leastFaithfulness(faithfulness, check.support.id),
    relevancy: relevancy === null || encoder === null ? undefined : createRelevancy(relevancy, encoder, calibrations).minimum,
  };
  return metrics.map((metric) => ({ ...metric, threshold: own[metric.check] ?? metric.threshold }));
}

/** Returns the best usable passage from a document that the answer does not cite, as further reading; `null` if there is none. */
export function chooseSeeAlso(evidence: readonly Evidence[], citations: readonly Citation[]): SeeAlso | null {
  const cited = new Set(citations.flatMap(({ documentId, alsoIn = [] }) => [documentId, ...alsoIn.map((other) => other.documentId)]));
  const further = evidence.find(
    ({ passage: { document }, verdict }) => verdict !== "rejected" && !cited.has(document.id) && document.title !== "",
  );
  if (further === undefined) return null;
  const { document } = further.passage;
  return {
    documentId: document.id,
    documentVersion: document.version,
    title: document.title,
    heading: headingOf(further.passage),
    url: document.url,
  };
}

/**
 * Grades an answer by the profile's metrics. A metric whose check did not run gets `null` and a reason, never a pass.
 * @param silent checks that ran on every sentence and report only faults
 */
export function gradeReport(
  checks: readonly CheckResult[],
  metrics: readonly ReportMetric[],
  silent: ReadonlySet<string> = new Set(),
): GradeReport {
  const graded = metrics.map((metric) => [metric.metric, gradeMetric(metric, checks, silent)] as const);
  const passed = graded.map(([, metric]) => metric.passed);
  return {
    overallPass: passed.includes(false) ? false : passed.includes(null) ? null : true,
    metrics: Object.fromEntries(graded),
  };
}

/** Grades one metric. One faulty sentence fails the metric of a sentence check. */
function gradeMetric({ check, threshold }: ReportMetric, checks: readonly CheckResult[], silent: ReadonlySet<string>): Metric {
  const found = checks.filter(({ name }) => name === check);
  const fault = found.find(({ verdict }) => verdict === "fail" || verdict === "warn");
  const result = fault ?? found.at(-1);
  if (result === undefined && silent.has(check)) return { passed: true, score: null, threshold, reason: "nothing found in any sentence" };
  if (result === undefined) return { passed: null, score: null, threshold, reason: `the check "${check}" did not run` };
  const { score, reason } = result;
  const isUnknown = fault === undefined && threshold !== null && score === null;
  return { passed: isUnknown ? null : fault === undefined, score, threshold, reason };
}

/** Returns the mutable state of one question. Only `answer` writes it. */
export function createOutcome() {
  return {
    warnings: [] as Warning[],
    checks: [] as CheckResult[],
    calls: [] as ModelCall[],
    embedding: null as Found["embedding"],
    scale: RAW_SCALE,
    evidence: [] as readonly Evidence[],
    conflicts: [] as readonly Conflict[],
    /** `null`: the web was not searched. */
    web: null as readonly WebEvidence[] | null,
    decision: NOT_DECIDED,
    /** Ranked candidates, best first; `null` before ranking. */
    choice: null as Choice | null,
    /** Distance above the answer threshold; `null`: unknown. */
    decisionMargin: null as number | null,
    written: nothingWritten(),
    refusal: null as Refusal | null,
    /** The stored answer that is served instead of a new one. */
    hit: null as Hit | null,
  };
}
export type Outcome = ReturnType<typeof createOutcome>;

const NOT_DECIDED: Decision = {
  ...{ answer: false, confidence: null, chance: null, calibrated: false, quotable: false },
  ...{ usable: [], warnings: [], reason: "nothing_relevant" },
};
