import { createEngine, type Engine } from "../engine/engine.ts";
import { assignVariant, experimentsByDomain, overlayConfig } from "../grading/experiments.ts";
import { createAdmission, createSharedAdmission } from "./access/admission.ts";
import { createSessionIds } from "./access/caller.ts";
import { admitQuestions, createBudgets, createDiskQuota, spentOn, withAsk } from "./admission/admit-questions.ts";
import { createFairQueue } from "./admission/fair-queue.ts";
import { createMetrics, observeQuestions } from "./telemetry/metrics.ts";

/** Milliseconds beyond the answer timeout after which the process of an idempotent request counts as dead. */
const CLAIM_MARGIN_MS = 10_000;

/** Wraps an engine for concurrent clients: admission, metrics, experiments and idempotency, as configured. */
export async function openServing(engine: Engine) {
  const { store, config } = engine;
  const { server, privacy, data_dir } = config;
  const claimMs = server.answer_timeout_ms + CLAIM_MARGIN_MS;
  const metrics = createMetrics();
  const unwatch = engine.watchCalls(metrics.called);
  const queue = createFairQueue({ atOnce: server.answers_at_once, most: server.queue, timeoutMs: server.queue_timeout_ms });
  metrics.gauge("questions_running", "Questions, searches and checks in progress", () => queue.counts().running);
  metrics.gauge("questions_waiting", "Requests waiting in the queue", () => queue.counts().waiting);
  metrics.gauges("database_connections", "Connections to PostgreSQL; awaited: requests for one", "state", () => store.connections());
  const admission = store.counters === null ? createAdmission() : createSharedAdmission(store.counters, await store.secret());
  metrics.gauges("rate_limit_requests", "Requests under an hourly limit since the start", "outcome", () =>
    Object.entries(admission.counts()),
  );
  const ofIndexes = (read: (index: ReturnType<Engine["corpus"]>) => number) => () =>
    engine.corpora().map((index) => [index.domain, read(index)] as const);
  metrics.gauges(
    "search_revision",
    "Revision of the domain that the search engine has indexed",
    "domain",
    ofIndexes((index) => index.indexedRevision),
  );
  metrics.gauges(
    "search_lag",
    "Stored changes that are not indexed yet",
    "domain",
    ofIndexes(({ lag }) => lag),
  );
  const assigned = await assignQuestions(engine);
  const admitted = admitQuestions(assigned.engine, {
    queue,
    budgets: createBudgets({
      ...{ usage: store.usage, tokensPerDay: server.tokens_per_day, usdPerDay: server.usd_per_day },
      perAnswer: { tokens: server.tokens_per_answer, costUsd: server.usd_per_answer },
      holdMs: claimMs,
      now: () => new Date(),
    }),
    assertRoom: createDiskQuota(data_dir, server.disk_bytes),
    timeoutMs: server.answer_timeout_ms,
    waited: metrics.waited,
  });
  return {
    engine: observeQuestions(admitted, metrics),
    sessions: createSessionIds(await store.secret()),
    metrics,
    admission,
    // With ephemeral privacy no text is stored, not even encrypted.
    idempotency: privacy === "ephemeral" ? undefined : { ...store.idempotency, claimMs },
    close: async () => {
      unwatch();
      await assigned.close();
    },
  };
}

/**
 * Returns an engine that answers sessions by the variants of the configured experiments. Every variant with other settings has its own
 * engine on the same store. Questions without a session take no part.
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
