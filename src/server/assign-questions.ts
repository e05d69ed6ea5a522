import { createEngine, type Engine } from "../engine/engine.ts";
import { assignVariant, experimentsByDomain, overlayConfig } from "../experiments/experiments.ts";
import { spentOn } from "./admission/budgets.ts";
import { withAsk } from "./with-ask.ts";

export interface Assigned {
  readonly engine: Engine;
  /** Closes the engines of variants. */
  close(): Promise<void>;
}

/**
 * The same engine, whose sessions are answered by the variants of the configured experiments. Every variant that sets something otherwise has an
 * engine of its own on the same store. A question that belongs to no session takes part in none.
 * @throws ConfigError when two experiments are of one domain, or a variant's settings are not valid
 */
export async function assignQuestions(engine: Engine): Promise<Assigned> {
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
