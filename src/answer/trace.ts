import type { AnswerEvent, AnswerStage } from "../events.ts";

export type StageFacts = Record<string, string | number | boolean | null>;

/** What a stage may say of itself while it runs. */
export interface StageLog {
  fact(name: string, value: string | number | boolean | null): void;
  notice(code: string, message: string): void;
}

/** Times the stages of one question and turns each into its `-start` and `-end` events. */
export interface Trace {
  readonly timings: Record<string, number>;
  /** Runs one stage; what it returns is the value of the `yield*`. */
  stage<T>(name: AnswerStage, run: (log: StageLog) => T | Promise<T>): AsyncGenerator<AnswerEvent, T>;
  /** Milliseconds since the trace began. */
  elapsed(): number;
}

/**
 * @param clock milliseconds, monotonic
 * @param turn waited for before each stage; that time is in `elapsed`, not in the stage's own
 */
export function createTrace(clock: () => number, turn: () => Promise<void> = async () => undefined): Trace {
  const begun = clock();
  const timings: Record<string, number> = {};
  return {
    timings,
    elapsed: () => round(clock() - begun),
    async *stage(name, run) {
      yield { type: `${name}-start` };
      await turn();
      const start = clock();
      const facts: StageFacts = {};
      const notices: { code: string; message: string }[] = [];
      const result = await run({
        fact: (fact, value) => {
          facts[fact] = value;
        },
        notice: (code, message) => {
          notices.push({ code, message });
        },
      });
      timings[name] = round(clock() - start);
      for (const notice of notices) yield { type: "notice", stage: name, ...notice };
      yield { type: `${name}-end`, ms: timings[name], facts };
      return result;
    },
  };
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
