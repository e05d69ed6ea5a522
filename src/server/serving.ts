import type { Engine } from "../engine/engine.ts";
import { type Admission, createAdmission, createSharedAdmission } from "./access/admission.ts";
import { createSessionIds, type SessionIds } from "./access/session-ids.ts";
import { admitQuestions } from "./admission/admit-questions.ts";
import { createBudgets } from "./admission/budgets.ts";
import { createDiskQuota } from "./admission/disk.ts";
import { createFairQueue } from "./admission/fair-queue.ts";
import { assignQuestions } from "./assign-questions.ts";
import { type IdempotencyRecords, recordsInMemory } from "./idempotency.ts";
import { createMetrics, type Metrics } from "./telemetry/metrics.ts";
import { observeQuestions } from "./telemetry/observe-questions.ts";
import { createSpans } from "./telemetry/spans.ts";

/** Milliseconds that a named request may take beyond the time of an answer before its process counts as dead. */
const CLAIM_MARGIN_MS = 10_000;

/** What a server puts around an engine that many ask at once. */
export interface Serving {
  /** Whose questions wait their turn, stay in their budget, end in time, and are counted. */
  readonly engine: Engine;
  readonly sessions: SessionIds;
  readonly metrics: Metrics;
  readonly idempotency: IdempotencyRecords;
  readonly admission: Admission;
  /** Ends what was opened beside the engine. */
  close(): Promise<void>;
}

/** Wires admission, telemetry and what is kept for second tries, as the configuration says. */
export async function openServing(engine: Engine): Promise<Serving> {
  const { store, config } = engine;
  const { server, privacy, data_dir } = config;
  const metrics = createMetrics();
  const spans = createSpans();
  const unwatch = engine.watchCalls((call) => {
    metrics.called(call);
    spans.called(call);
  });
  const queue = createFairQueue({ atOnce: server.answers_at_once, most: server.queue, timeoutMs: server.queue_timeout_ms });
  metrics.gauge("questions_running", "Questions, searches and checks that are worked on", () => queue.counts().running);
  metrics.gauge("questions_waiting", "Those that wait for their turn", () => queue.counts().waiting);
  const assigned = await assignQuestions(engine);
  const admitted = admitQuestions(assigned.engine, {
    queue,
    budgets: createBudgets({
      ...{ usage: store.usage, tokensPerDay: server.tokens_per_day, usdPerDay: server.usd_per_day },
      ...{
        perAnswer: { tokens: server.tokens_per_answer, costUsd: server.usd_per_answer },
        holdMs: server.answer_timeout_ms + CLAIM_MARGIN_MS,
      },
      now: () => new Date(),
    }),
    assertRoom: createDiskQuota(data_dir, server.disk_bytes),
    timeoutMs: server.answer_timeout_ms,
    waited: metrics.waited,
  });
  return {
    engine: observeQuestions(admitted, { metrics, spans }),
    sessions: createSessionIds(await store.secret()),
    metrics,
    admission: store.counters === null ? createAdmission() : createSharedAdmission(store.counters, await store.secret()),
    // Where no text may be stored, none is, not even sealed.
    idempotency:
      privacy === "ephemeral" ? recordsInMemory() : { ...store.idempotency, claimMs: server.answer_timeout_ms + CLAIM_MARGIN_MS },
    close: async () => {
      unwatch();
      await assigned.close();
    },
  };
}
