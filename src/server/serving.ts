import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry, Summary } from "@prometheus-io/client";
import { createEngine, type Engine } from "../engine/engine.ts";
import type { WatchedCall } from "../engine/open.ts";
import { assignVariant, experimentsByDomain, overlayConfig } from "../grading/experiments.ts";
import { failureOf } from "../shared/errors.ts";
import { ANSWER_STAGES, type AnswerStage } from "../shared/events.ts";
import type { Answer } from "../shared/types.ts";
import { createAdmission, createSharedAdmission } from "./access/admission.ts";
import { createSessionIds } from "./access/caller.ts";
import { admitQuestions, createBudgets, createDiskQuota, spentOn, withAsk } from "./admission/admit-questions.ts";
import { createFairQueue } from "./admission/fair-queue.ts";

/**
 * An idempotent request may run again this many milliseconds after its answer timeout. By then the process that ran it has probably died.
 */
const CLAIM_MARGIN_MS = 10_000;

/** Wraps an engine for concurrent clients: admission, metrics, experiments and idempotency, as configured. */
export async function openServing(engine: Engine) {
  const { store, config } = engine;
  const { server, data_dir } = config;
  const claimMs = server.answer_timeout_ms + CLAIM_MARGIN_MS;
  const metrics = createMetrics();
  const unwatch = engine.watchCalls(metrics.called);
  const queue = createFairQueue({ atOnce: server.answers_at_once, most: server.queue, timeoutMs: server.queue_timeout_ms });
  metrics.gauge("questions_running", "Questions, searches and checks in progress", () => queue.counts().running);
  metrics.gauge("questions_waiting", "Requests waiting in the queue", () => queue.counts().waiting);
  const connections = "PostgreSQL connections by state; `awaited`: number of requests waiting for a connection";
  metrics.gauges("database_connections", connections, "state", () => store.connections());
  const admission = store.counters === null ? createAdmission() : createSharedAdmission(store.counters, await store.secret());
  metrics.gauges("rate_limit_requests", "Requests counted against an hourly limit since the process started", "outcome", () =>
    Object.entries(admission.counts()),
  );
  metrics.gauges("search_revision", "Revision of the domain that the search engine has indexed", "domain", () =>
    engine.corpora().map(({ domain, indexedRevision }) => [domain, indexedRevision]),
  );
  metrics.gauges("search_lag", "Stored changes that are not indexed yet", "domain", () =>
    engine.corpora().map(({ domain, lag }) => [domain, lag]),
  );
  const assigned = await assignQuestions(engine);
  const admitted = admitQuestions(assigned.engine, {
    queue,
    budgets: createBudgets(store.usage, server, claimMs),
    assertRoom: createDiskQuota(data_dir, server.disk_bytes),
    timeoutMs: server.answer_timeout_ms,
    waited: metrics.waited,
  });
  return {
    engine: observeQuestions(admitted, metrics),
    sessions: createSessionIds(await store.secret()),
    metrics,
    admission,
    idempotency: { ...store.idempotency, claimMs, isEphemeral: config.privacy === "ephemeral" },
    close: async () => {
      unwatch();
      await assigned.close();
    },
  };
}

/**
 * Returns an engine that assigns each session to a variant of the experiment in its domain. A variant with different
 * settings gets a separate engine on the same store. Questions without a session are not part of an experiment.
 * @throws ConfigError when two experiments share a domain, or a variant's settings are invalid
 */
async function assignQuestions(engine: Engine) {
  const { config, store } = engine;
  const running = experimentsByDomain(config);
  const opened = new Map<string, Engine>();
  const close = async () => {
    for (const one of opened.values()) await one.close();
  };
  try {
    for (const { name, settings } of running.values()) {
      for (const [variant, { config: overlay }] of Object.entries(settings.variants)) {
        if (Object.keys(overlay).length === 0) continue;
        const where = `experiments.${name}.variants.${variant}`;
        opened.set(`${name} ${variant}`, await createEngine(overlayConfig(config, overlay, where)));
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  const secret = await store.secret();
  const ask: Engine["ask"] = async function* (question, options = {}) {
    const experiment = running.get(options.domain ?? config.domain);
    const { sessionId = null, caller = null, userId = null } = options;
    if (experiment === undefined || sessionId === null) return yield* engine.ask(question, options);
    const { name, settings } = experiment;
    const session = JSON.stringify([sessionId, caller, userId]);
    const variant = assignVariant(secret, name, settings, session);
    const answering = opened.get(`${name} ${variant}`) ?? engine;
    for await (const event of answering.ask(question, options)) {
      if (event.type === "answer") {
        const { id, status, warnings, cacheMode, latencyMs, calls } = event.answer;
        await store.exposures.record({
          ...{ answerId: id, experiment: name, variant, session, latencyMs, ...spentOn(calls) },
          ...{ answered: status === "ok", warned: warnings.length > 0, cached: cacheMode !== "miss" },
        });
      }
      yield event;
    }
  };
  return { engine: running.size === 0 ? engine : withAsk(engine, ask), close };
}

/**
 * Buckets of the answer time in seconds. A cache hit takes milliseconds, an extractive answer tens of milliseconds, a
 * model's answer seconds.
 */
const ANSWER_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const CONFIDENCE_BUCKETS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
/** Quantiles of the stage times over the last `WINDOW_S` seconds. The library drops old values in two steps per window. */
const QUANTILES = [0.5, 0.95, 0.99];
const WINDOW_S = 300;

/** Metrics for `/metrics`. Labels contain only fixed names and names of models, never user text. */
export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const stages = new Summary({
    ...{ name: "sourcebound_stage_seconds", help: "Seconds of each stage of answering, last minutes", labelNames: ["stage"], registers },
    ...{ percentiles: QUANTILES, maxAgeSeconds: WINDOW_S, ageBuckets: 2 },
  });
  const histogram = (name: string, help: string, labelNames: readonly string[], buckets = ANSWER_BUCKETS_S) =>
    new Histogram({ name: `sourcebound_${name}`, help, labelNames: [...labelNames], buckets, registers });
  const counter = (name: string, help: string, labelNames: readonly string[]) =>
    new Counter({ name: `sourcebound_${name}_total`, help, labelNames: [...labelNames], registers });
  const answers = counter("answers", "Answers by outcome and cache level; `miss`: not from the cache", ["status", "cache"]);
  const refusals = counter("refusals", "Refusals by reason", ["reason"]);
  const checks = counter("checks", "Outcomes of the checks of written answers", ["check", "verdict"]);
  const tokens = counter("tokens", "Model tokens, as far as endpoints report them", ["model", "direction"]);
  const cost = counter("cost_usd", "Model costs in US dollars, as far as prices are known", ["model"]);
  const errors = counter("errors", "Questions that failed, by stage and code", ["stage", "code"]);
  const latency = histogram("answer_seconds", "Duration of whole answers", ["cache"]);
  const confidence = histogram("confidence", "Confidence that decided whether to answer", [], CONFIDENCE_BUCKETS);
  const calls = histogram("provider_seconds", "Duration of calls to models and encoders", ["kind", "model", "outcome"]);
  const queue = histogram("queue_seconds", "Time that a question waited in the queue", []);
  const http = histogram("http_request_seconds", "Time until a response started", ["route", "method", "status"]);
  return {
    answered({ status, cacheMode, refusal, checks: found, calls: spent, confidence: sure, latencyMs }: Answer) {
      answers.inc({ status, cache: cacheMode });
      latency.observe({ cache: cacheMode }, latencyMs / 1000);
      if (refusal !== null) refusals.inc({ reason: refusal.reason });
      if (sure !== null) confidence.observe(sure);
      if (cacheMode !== "miss") return;
      for (const { name, verdict } of found) checks.inc({ check: name, verdict });
      for (const { model, inputTokens, outputTokens, costUsd } of spent) {
        tokens.inc({ model, direction: "input" }, inputTokens ?? 0);
        tokens.inc({ model, direction: "output" }, outputTokens ?? 0);
        cost.inc({ model }, costUsd ?? 0);
      }
    },
    staged: (stage: AnswerStage, ms: number) => stages.observe({ stage }, ms / 1000),
    /** @param stage the stage that failed; `admission`: the question failed before the first stage */
    failed: (stage: AnswerStage | "admission", code: string) => errors.inc({ stage, code }),
    called: ({ kind, model, ms, failure }: WatchedCall) => calls.observe({ kind, model, outcome: failure ?? "ok" }, ms / 1000),
    waited: (ms: number) => queue.observe(ms / 1000),
    requested: (route: string, method: string, status: number, ms: number) => http.observe({ route, method, status }, ms / 1000),
    /** Registers a gauge with one value per label; `read` is called at every collection. */
    gauges: (name: string, help: string, label: string, read: () => Iterable<readonly [of: string, value: number]>) => {
      const collect = () => {
        for (const [of, value] of read()) gauge.set({ [label]: of }, value);
      };
      const gauge: Gauge<string> = new Gauge<string>({ name: `sourcebound_${name}`, help, labelNames: [label], registers, collect });
    },
    /** Registers a gauge that calls `read` at every collection. */
    gauge: (name: string, help: string, read: () => number) => {
      const gauge: Gauge = new Gauge({ name: `sourcebound_${name}`, help, registers, collect: () => gauge.set(read()) });
    },
    /** Returns the Prometheus text format with its content type. */
    text: async () => ({ type: register.contentType, body: await register.metrics() }),
  };
}

/** Wraps an engine to count and time its questions. */
function observeQuestions(engine: Engine, metrics: Metrics): Engine {
  const ask: Engine["ask"] = async function* (question, options = {}) {
    let stage: AnswerStage | "admission" = "admission";
    try {
      for await (const event of engine.ask(question, options)) {
        stage = STAGE_OF_EVENT.get(event.type) ?? stage;
        if ("ms" in event && stage !== "admission") metrics.staged(stage, event.ms);
        if (event.type === "answer") metrics.answered(event.answer);
        yield event;
      }
    } catch (error) {
      if (options.signal?.aborted !== true) metrics.failed(stage, failureOf(error).code);
      throw error;
    }
  };
  return withAsk(engine, ask);
}

/** Stage by event type, e.g. `verify-end` → `verify`. */
const STAGE_OF_EVENT: ReadonlyMap<string, AnswerStage> = new Map(
  ANSWER_STAGES.flatMap((stage) => [`${stage}-start`, `${stage}-end`].map((type) => [type, stage] as const)),
);
