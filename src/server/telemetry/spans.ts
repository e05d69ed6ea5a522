import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { Engine } from "../../engine/engine.ts";
import type { WatchedCall } from "../../models/watched.ts";
import { VERSION } from "../../package.ts";
import { SourceboundError } from "../../shared/errors.ts";
import { ANSWER_STAGES, type AnswerEvent, type AnswerStage } from "../../shared/events.ts";
import type { Answer } from "../../shared/types.ts";
import { withAsk } from "../admission/admit-questions.ts";
import type { Metrics } from "./metrics.ts";

/**
 * Spans by the OpenTelemetry conventions for generative AI (https://github.com/open-telemetry/semantic-conventions-genai, in development):
 * a question is `invoke_agent`, search `retrieval`, models `chat` and `embeddings`. Attributes with user text are omitted. Without an SDK
 * in the process, spans are discarded at almost no cost.
 */
interface QuestionSpans {
  /** Runs work inside the span of the current stage. */
  run<T>(work: () => T): T;
  saw(event: AnswerEvent): void;
  failed(code: string): void;
  end(): void;
}

type Spans = ReturnType<typeof createSpans>;

export function createSpans(tracer: Tracer = trace.getTracer("sourcebound", VERSION)) {
  return {
    question: (domain: string, profile: string | undefined) => openQuestion(tracer, domain, profile),
    called: (call: WatchedCall) => recordCall(tracer, call),
  };
}

/** Used in a process without an SDK. */
const NOBODY_LISTENS: QuestionSpans = { run: (work) => work(), saw() {}, failed() {}, end() {} };

function openQuestion(tracer: Tracer, domain: string, profile: string | undefined): QuestionSpans {
  const attributes: Attributes = {
    ...{ "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "sourcebound", "gen_ai.data_source.id": domain },
    "sourcebound.profile": profile,
  };
  const root = tracer.startSpan("invoke_agent sourcebound", { kind: SpanKind.INTERNAL, attributes });
  if (!isSpanContextValid(root.spanContext())) return NOBODY_LISTENS;
  const around = trace.setSpan(context.active(), root);
  let stage: { readonly span: Span; readonly within: Context } | null = null;
  const leaveStage = () => {
    stage?.span.end();
    stage = null;
  };
  return {
    run: (work) => context.with(stage?.within ?? around, work),
    saw(event) {
      if (event.type.endsWith("-start")) {
        leaveStage();
        const span = openStage(tracer, event.type.slice(0, -"-start".length) as AnswerStage, domain, around);
        stage = { span, within: trace.setSpan(around, span) };
      } else if (event.type.endsWith("-end")) leaveStage();
      else if (event.type === "answer") root.setAttributes(outcomeOf(event.answer));
    },
    failed(code) {
      for (const span of [stage?.span, root]) span?.setStatus({ code: SpanStatusCode.ERROR }).setAttribute("error.type", code);
    },
    end() {
      leaveStage();
      root.end();
    },
  };
}

function openStage(tracer: Tracer, stage: AnswerStage, domain: string, around: Context): Span {
  const isRetrieval = stage === "retrieve";
  const attributes = {
    "sourcebound.stage": stage,
    ...(isRetrieval ? { "gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": domain } : {}),
  };
  return tracer.startSpan(isRetrieval ? `retrieval ${domain}` : `sourcebound.${stage}`, { kind: SpanKind.INTERNAL, attributes }, around);
}

function outcomeOf({ status, cacheMode, confidence, refusal, sentences, citations }: Answer): Attributes {
  return {
    ...{ "sourcebound.status": status, "sourcebound.cache": cacheMode },
    ...{ "sourcebound.sentences": sentences.length, "sourcebound.citations": citations.length },
    ...{ "sourcebound.confidence": confidence ?? undefined, "sourcebound.refusal": refusal?.reason },
  };
}

function recordCall(tracer: Tracer, { kind, model, begunAt, ms, inputTokens, outputTokens, failure }: WatchedCall): void {
  const attributes = {
    ...{ "gen_ai.operation.name": kind, "gen_ai.request.model": model },
    ...{ "gen_ai.usage.input_tokens": inputTokens ?? undefined, "gen_ai.usage.output_tokens": outputTokens ?? undefined },
    "error.type": failure ?? undefined,
  };
  const span = tracer.startSpan(`${kind} ${model}`, { kind: SpanKind.CLIENT, attributes, startTime: begunAt });
  if (failure !== null) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(begunAt + ms);
}

/** Wraps an engine to count, time and trace its questions. */
export function observeQuestions(engine: Engine, { metrics, spans }: { readonly metrics: Metrics; readonly spans: Spans }): Engine {
  const ask: Engine["ask"] = async function* (question, options = {}) {
    const span = spans.question(options.domain ?? engine.config.domain, options.profile);
    const events = span.run(() => engine.ask(question, options));
    let stage: AnswerStage | "admission" = "admission";
    try {
      for (;;) {
        const next = await span.run(() => events.next());
        if (next.done) return;
        const event: AnswerEvent = next.value;
        stage = STAGE_OF_EVENT.get(event.type) ?? stage;
        if ("ms" in event && stage !== "admission") metrics.staged(stage, event.ms);
        if (event.type === "answer") metrics.answered(event.answer);
        span.saw(event);
        yield event;
      }
    } catch (error) {
      if (options.signal?.aborted !== true) {
        const code = error instanceof SourceboundError ? error.code : "internal";
        metrics.failed(stage, code);
        span.failed(code);
      }
      throw error;
    } finally {
      await events.return();
      span.end();
    }
  };
  return withAsk(engine, ask);
}

/** A map, because every event of every question is looked up. */
const STAGE_OF_EVENT: ReadonlyMap<string, AnswerStage> = new Map(
  ANSWER_STAGES.flatMap((stage) => [`${stage}-start`, `${stage}-end`].map((type) => [type, stage] as const)),
);
