import { leastFaithfulness } from "../check/faithfulness.ts";
import { sentenceGuards } from "../check/guards.ts";
import { gradeReport } from "../check/report.ts";
import type { Calibration } from "../models/calibration/calibration.ts";
import type { Encoder } from "../models/encoder.ts";
import { costUsd, type PriceTable } from "../models/prices.ts";
import { createRelevancy } from "../models/similarity.ts";
import { GUARDS } from "../profiles/guards.ts";
import type { Profile, ReportMetric } from "../profiles/profile.ts";
import { sumOrNull } from "../text/sum-or-null.ts";
import type { Answer, ModelCall, PricedCall, Question, TokenUsage } from "../types.ts";
import { chooseSeeAlso } from "../write/see-also.ts";
import type { Outcome } from "./outcome.ts";
import type { Trace } from "./trace.ts";

export interface AssembleParts {
  readonly profile: Profile;
  readonly createId: () => string;
  readonly prices: PriceTable;
  readonly encoder: Encoder | null;
  readonly calibrations: readonly Calibration[];
  readonly check: { readonly support: { readonly id: string } | null };
}

/** The final answer; of a hit everything but the question's own facts. */
export function assemble(question: Question, outcome: Outcome, parts: AssembleParts, trace: Trace): Answer {
  const { profile, createId, prices } = parts;
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
          report: gradeReport(content.checks, metricsOf(profile.report, parts), sentenceGuards(profile.check.guards ?? GUARDS)),
        }),
    timings: trace.timings,
    latencyMs: trace.elapsed(),
    sessionId: question.sessionId,
  };
}

/** What was found and written for this question. */
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

/** Every call of an endpoint for this answer with what it charges by the price table; `null` when the model is not in it or the endpoint did not count. */
function priceCalls({ calls, embedding }: Outcome, prices: PriceTable): PricedCall[] {
  const asked: ModelCall[] =
    embedding === null ? [] : [{ stage: "retrieve", model: embedding.model, inputTokens: embedding.tokens, outputTokens: null }];
  return [...asked, ...calls].map((call) => ({ ...call, costUsd: costUsd(call.model, call, prices) }));
}

/** Tokens in and out by stage; vectors are in `calls` alone. */
function tokensOf(calls: readonly ModelCall[]): TokenUsage {
  const sumOf = (...stages: readonly ModelCall["stage"][]) =>
    sumOrNull(calls.filter(({ stage }) => stages.includes(stage)).flatMap(({ inputTokens, outputTokens }) => [inputTokens, outputTokens]));
  const verification = sumOf("verify");
  const compression = sumOf("compress");
  const answer = sumOf("write", "rewrite");
  return { verification, compression, answer, total: sumOrNull([verification, compression, answer]) };
}

/** The metrics with the thresholds that hold for the scorers at hand. */
function metricsOf(metrics: readonly ReportMetric[], { profile, check, encoder, calibrations }: AssembleParts): readonly ReportMetric[] {
  const { faithfulness = null, relevancy = null } = profile.check.guards ?? {};
  const own: Readonly<Record<string, number | undefined>> = {
    faithfulness: faithfulness === null || check.support === null ? undefined : leastFaithfulness(faithfulness, check.support.id),
    relevancy: relevancy === null || encoder === null ? undefined : createRelevancy(relevancy, encoder, calibrations).minimum,
  };
  return metrics.map((metric) => ({ ...metric, threshold: own[metric.check] ?? metric.threshold }));
}
