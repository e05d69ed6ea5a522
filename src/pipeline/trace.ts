import type { AnswerEvent, AnswerStage } from "../shared/events.ts";
import type { AskRequest } from "../shared/types.ts";

export type StageFact = string | number | boolean | null;
export type StageFacts = Record<string, StageFact>;

/** The log of a running stage. */
export interface StageLog {
  fact(name: string, value: StageFact): void;
  /** A diagnostic fact, computed only with `verbose`. */
  detail(name: string, value: () => StageFact): void;
  notice(code: string, message: string): void;
}

/** Discards everything. */
export const SILENT_LOG: StageLog = { fact: () => undefined, detail: () => undefined, notice: () => undefined };

export interface TraceParts {
  /** Monotonic clock in milliseconds. */
  readonly clock: () => number;
  /** Awaited before each stage; this time counts in `elapsed`, not in the stage's timing. */
  readonly turn: () => Promise<void>;
}

/** Times the stages of one question and yields their `-start` and `-end` events. */
export function createTrace({ clock, turn }: TraceParts, { verbose = false }: Pick<AskRequest, "verbose">) {
  const begun = clock();
  const timings: Record<string, number> = {};
  return {
    timings,
    /** Milliseconds since the trace began. */
    elapsed: () => round(clock() - begun),
    /** Runs one stage; the value of `yield*` is the stage's result. */
    async *stage<T>(name: AnswerStage, run: (log: StageLog) => T | Promise<T>): AsyncGenerator<AnswerEvent, T> {
      yield { type: `${name}-start` };
      await turn();
      const start = clock();
      const facts: StageFacts = {};
      const notices: { code: string; message: string }[] = [];
      const result = await run({
        fact: (fact, value) => Object.assign(facts, { [fact]: value }),
        detail: (fact, value) => verbose && Object.assign(facts, { [fact]: value() }),
        notice: (code, message) => notices.push({ code, message }),
      });
      timings[name] = round(clock() - start);
      for (const notice of notices) yield { type: "notice", stage: name, ...notice };
      yield { type: `${name}-end`, ms: timings[name], facts };
      return result;
    },
  };
}
export type Trace = ReturnType<typeof createTrace>;

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
