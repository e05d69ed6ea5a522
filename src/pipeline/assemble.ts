import { leastFaithfulness } from "../checks/guard-answer.ts";
import { sentenceGuards } from "../checks/guards.ts";
import type { Decision } from "../evidence/gate.ts";
import type { Hit } from "../memory/stored-answers.ts";
import { RAW_SCALE } from "../models/calibration/calibration.ts";
import type { ChatEvent, ChatModel, ChatPrompt } from "../models/chat.ts";
import { costUsd, type PriceTable } from "../models/prices.ts";
import { createRelevancy } from "../models/similarity.ts";
import { GUARDS } from "../profiles/guards.ts";
import type { ReportMetric } from "../profiles/profile.ts";
import type { Choice } from "../ranking/features.ts";
import { ModelError } from "../shared/errors.ts";
import type { Answer, CheckResult, Evidence, ModelCall, Passage, Question, Quote, SeeAlso, TextRange, Warning } from "../shared/types.ts";
import { sha256Hex } from "../text/hash.ts";
import { sumOrNull } from "../text/numbers.ts";
import { headingOf } from "../text/units.ts";
import type { Models, PipelineContext, RecordedCall, Trace } from "./context.ts";
import type { Found } from "./retrieve.ts";
import { nothingWritten } from "./write.ts";

/** Builds the final answer. On a cache hit, its content is copied from the stored answer. */
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
      : { report: gradeReport(content.checks, metricsOf(profile.report, context), sentenceGuards(profile.check.guards ?? GUARDS)) }),
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

/**
 * Computes the cost of each model call of this answer in US dollars. The cost is `null` if the price table lacks the
 * model or the endpoint reports no tokens.
 */
function priceCalls({ calls, embedding }: Outcome, prices: PriceTable) {
  const asked: ModelCall[] =
    embedding === null ? [] : [{ stage: "retrieve", model: embedding.model, inputTokens: embedding.tokens, outputTokens: null }];
  return [...asked, ...calls].map((call) => ({ ...call, costUsd: costUsd(call.model, call, prices) }));
}

/** Sums the input and output tokens of each stage. Embedding calls are not included; the answer's `calls` lists their tokens. */
function tokensOf(calls: readonly ModelCall[]): Answer["tokenUsage"] {
  const sumOf = (asked: ModelCall["stage"]) =>
    sumOrNull(calls.filter(({ stage }) => stage === asked).flatMap(({ inputTokens, outputTokens }) => [inputTokens, outputTokens]));
  const verification = sumOf("verify");
  const compression = sumOf("compress");
  const answer = sumOf("write");
  return { verification, compression, answer, total: sumOrNull([verification, compression, answer]) };
}

/** Returns the metrics of a report. For faithfulness and relevancy, replaces the threshold by the one for the model that scores. */
function metricsOf(metrics: readonly ReportMetric[], { profile, check, encoder, calibrations }: PipelineContext): readonly ReportMetric[] {
  const { faithfulness = null, relevancy = null } = profile.check.guards ?? {};
  const own: Readonly<Record<string, number | undefined>> = {
    faithfulness: faithfulness === null || check.support === null ? undefined : leastFaithfulness(faithfulness, check.support.id),
    relevancy: relevancy === null || encoder === null ? undefined : createRelevancy(relevancy, encoder, calibrations).minimum,
  };
  return metrics.map((metric) => ({ ...metric, threshold: own[metric.check] ?? metric.threshold }));
}

/** Suggests further reading: the best passage that is not rejected, from a document that the answer does not cite; `null`: none. */
export function chooseSeeAlso(evidence: readonly Evidence[], citations: Answer["citations"]): SeeAlso | null {
  const cited = new Set(citations.flatMap(({ documentId, alsoIn = [] }) => [documentId, ...alsoIn.map((other) => other.documentId)]));
  const further = evidence.find(
    ({ passage: { document }, verdict }) => verdict !== "rejected" && !cited.has(document.id) && document.title !== "",
  );
  if (further === undefined) return null;
  const { id: documentId, version: documentVersion, title, url } = further.passage.document;
  return { documentId, documentVersion, title, heading: headingOf(further.passage), url };
}

/**
 * Grades an answer by the profile's metrics. A metric whose check did not run gets `null` and a reason, never a pass.
 * @param silent names of checks that ran on every sentence and report only faults: without a result, their metric passes
 */
export function gradeReport(checks: readonly CheckResult[], metrics: readonly ReportMetric[], silent: ReadonlySet<string> = new Set()) {
  const graded = metrics.map((metric) => [metric.metric, gradeMetric(metric, checks, silent)] as const);
  const passed = graded.map(([, metric]) => metric.passed);
  return {
    overallPass: passed.includes(false) ? false : passed.includes(null) ? null : true,
    metrics: Object.fromEntries(graded),
  };
}

/** Grades one metric. A single `fail` or `warn` result of its check fails the metric. */
function gradeMetric({ check, threshold }: ReportMetric, checks: readonly CheckResult[], silent: ReadonlySet<string>) {
  const found = checks.filter(({ name }) => name === check);
  const fault = found.find(({ verdict }) => verdict === "fail" || verdict === "warn");
  const result = fault ?? found.at(-1);
  if (result === undefined && silent.has(check)) return { passed: true, score: null, threshold, reason: "nothing found in any sentence" };
  if (result === undefined) return { passed: null, score: null, threshold, reason: `the check "${check}" did not run` };
  const { score, reason } = result;
  const isUnknown = fault === undefined && threshold !== null && score === null;
  return { passed: isUnknown ? null : fault === undefined, score, threshold, reason };
}

/** Returns the mutable state of one question. Only `src/answer.ts` writes it. */
export function createOutcome() {
  return {
    warnings: [] as Warning[],
    checks: [] as CheckResult[],
    calls: [] as ModelCall[],
    embedding: null as Found["embedding"],
    scale: RAW_SCALE,
    evidence: [] as readonly Evidence[],
    conflicts: [] as Answer["conflicts"],
    /** `null`: the web was not searched. */
    web: null as NonNullable<Answer["web"]> | null,
    decision: NOT_DECIDED,
    /** Ranked candidates, best first; `null` before ranking. */
    choice: null as Choice | null,
    /** The gate's score minus its threshold for an answer; `null`: unknown. */
    decisionMargin: null as number | null,
    written: nothingWritten(),
    refusal: null as Answer["refusal"],
    /** The stored answer that is served instead of a new one. */
    hit: null as Hit | null,
  };
}
export type Outcome = ReturnType<typeof createOutcome>;

const NOT_DECIDED: Decision = {
  ...{ answer: false, confidence: null, probability: null, calibrated: false, quotable: false },
  ...{ usable: [], warnings: [], reason: "nothing_relevant" },
};

/** A recorded passage: its document and offsets, without the text. */
export type RecordedPassage = ReturnType<typeof placeOf>;

interface RecordedQuote extends TextRange {
  /** Index into `passages`. */
  readonly passage: number;
  readonly header: TextRange | null;
}

/**
 * Returns what one answer was made from. Texts are referenced by document version and offsets, so that a replay can load
 * them.
 * @param calls model calls in order; `null`: a model was called, but the calls were not recorded
 */
export function recordOf(
  { text, resolved, profile, detail, selection, history, filters = null }: Question,
  { written, evidence, hit }: Pick<Outcome, "written" | "evidence" | "hit">,
  calls: readonly RecordedCall[] | null,
) {
  const { passages, quotes, passageAt, quoteAt } = createTables();
  return {
    format: 1,
    question: { text, resolved, profile, detail, selection, history, filters },
    calls,
    /** Id of the stored answer that was served; `null`: the answer is new. */
    served: hit?.answer.id ?? null,
    /** Indexes into `quotes` of the quotes offered to the model. */
    offered: written.offered.map(quoteAt),
    /** Indexes into `quotes` of the quotes that an extractive answer is chosen from. */
    candidates: written.candidates.map(quoteAt),
    drafts: written.drafts.map((draft) => ({
      text: draft.text,
      /** Indexes into `quotes`. */
      quotes: draft.quotes.map(quoteAt),
      missing: [...draft.missing],
      /** One list for each source that the sentence does not cite: indexes into `quotes` of that source's most similar quotes. */
      others: draft.others.map((other) => other.map(quoteAt)),
      dangling: draft.dangling === true,
    })),
    /** Indexes into `passages` of the evidence (all passages with a verdict), in order. */
    evidence: evidence.map(({ passage }) => passageAt(passage)),
    ...{ passages, quotes },
  };
}
export type AnswerRecord = ReturnType<typeof recordOf>;

/** Returns functions that store each passage and quote once and return its index. */
function createTables() {
  const passages: RecordedPassage[] = [];
  const quotes: RecordedQuote[] = [];
  const places = new Map<string, number>();
  const enter = <T>(rows: T[], key: string, make: () => T): number => {
    const known = places.get(key);
    if (known !== undefined) return known;
    const at = rows.push(make()) - 1;
    places.set(key, at);
    return at;
  };
  const passageAt = (one: Passage) => enter(passages, one.sid, () => placeOf(one));
  const quoteAt = ({ passage, start, end, header }: Quote) =>
    enter(quotes, `${passage.sid} ${start} ${end}`, () => ({
      ...{ passage: passageAt(passage), start, end },
      header: header === undefined ? null : { start: header.start, end: header.end },
    }));
  return { passages, quotes, passageAt, quoteAt };
}

function placeOf({ sid, chunkId, document, range, bounds, window, headingPath, twins = [] }: Passage) {
  return {
    ...{ sid, chunkId, documentId: document.id, version: document.version },
    ...{ start: range.start, end: range.end, bounds: bounds ?? null, window, headingPath, twins },
  };
}

/**
 * Returns whether the stored answer equals the shown one. They differ if personal data was redacted. Such an answer
 * gets no record, because its text cannot be checked again.
 */
export function isStoredAsShown(answer: Answer, stored: Answer): boolean {
  return (["sentences", "claims", "checks"] as const).every(
    (part) => stored[part] === answer[part] || JSON.stringify(stored[part]) === JSON.stringify(answer[part]),
  );
}

/** Wraps models so that every call is recorded. */
export function recordModels(models: Models, calls: RecordedCall[]): Models {
  return models === null ? null : { small: recordModel(models.small, calls), large: recordModel(models.large, calls) };
}

function recordModel(model: ChatModel, calls: RecordedCall[]): ChatModel {
  return {
    id: model.id,
    async *stream(prompt, options) {
      const at = calls.length;
      let call: RecordedCall = {
        ...{ model: model.id, prompt: hashOf(prompt), sent: prompt, text: "" },
        ...{ inputTokens: null, outputTokens: null, failure: null },
      };
      calls.push(call);
      const keep = (more: Partial<RecordedCall>) => {
        call = { ...call, ...more };
        calls[at] = call;
      };
      try {
        for await (const event of model.stream(prompt, options)) {
          if (event.type === "text") keep({ text: call.text + event.text });
          else keep({ inputTokens: event.inputTokens, outputTokens: event.outputTokens });
          yield event;
        }
      } catch (error) {
        if (error instanceof ModelError) keep({ failure: { code: error.code, message: error.message } });
        throw error;
      }
    },
  };
}

/** Returns models that replay recorded calls, each call once. A prompt without a recorded call throws a ModelError. */
export function playbackModels(named: Record<"small" | "large", string> | null, calls: readonly RecordedCall[] | null): Models {
  if (named === null) return null;
  const used = new WeakSet<RecordedCall>();
  const play = (id: string): ChatModel => ({
    id,
    async *stream(prompt): AsyncGenerator<ChatEvent, void> {
      const wanted = hashOf(prompt);
      const call = calls?.find((one) => one.prompt === wanted && one.model === id && !used.has(one));
      if (call === undefined) throw new ModelError("model_not_recorded", "The recording contains no reply of the model to this prompt.");
      used.add(call);
      if (call.text !== "") yield { type: "text", text: call.text };
      if (call.failure !== null) throw new ModelError(call.failure.code, call.failure.message);
      yield { type: "end", inputTokens: call.inputTokens, outputTokens: call.outputTokens };
    },
  });
  return { small: play(named.small), large: play(named.large) };
}

function hashOf({ system, user }: ChatPrompt): string {
  return sha256Hex(JSON.stringify([system, user]));
}
