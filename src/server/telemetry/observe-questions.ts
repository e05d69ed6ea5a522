import type { Engine } from "../../engine/engine.ts";
import { SourceboundError } from "../../errors.ts";
import { ANSWER_STAGES, type AnswerEvent, type AnswerStage } from "../../events.ts";
import { withAsk } from "../with-ask.ts";
import type { Metrics } from "./metrics.ts";
import type { Spans } from "./spans.ts";

export interface Telemetry {
  readonly metrics: Metrics;
  readonly spans: Spans;
}

const STAGE_OF_EVENT: ReadonlyMap<string, { readonly stage: AnswerStage; readonly phase: "start" | "end" }> = new Map(
  ANSWER_STAGES.flatMap((stage) => (["start", "end"] as const).map((phase) => [`${stage}-${phase}`, { stage, phase }] as const)),
);

/** The same engine, whose questions are counted, timed and traced. */
export function observeQuestions(engine: Engine, { metrics, spans }: Telemetry): Engine {
  const ask: Engine["ask"] = async function* (question, options = {}) {
    const span = spans.question({ domain: options.domain ?? engine.config.domain, profile: options.profile });
    const events = span.run(() => engine.ask(question, options));
    let stage: AnswerStage | "admission" = "admission";
    try {
      for (;;) {
        const next = await span.run(() => events.next());
        if (next.done) return;
        const event: AnswerEvent = next.value;
        stage = STAGE_OF_EVENT.get(event.type)?.stage ?? stage;
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
