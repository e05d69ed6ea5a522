import type { AnswerEvent, AnswerStage } from "../shared/events.ts";
import type { AskRequest } from "../shared/types.ts";

export type StageFact = string | number | boolean | null;
export type StageFacts = Record<string, StageFact>;

/** What a stage may say of itself while it runs. */
export interface StageLog {
  fact(name: string, value: StageFact): void;
  /** A fact for who looks for the cause of an answer: worked out only where it was asked for with `verbose`. */
  detail(name: string, value: () => StageFact): void;
  notice(code: string, message: string): void;
}

/** Of a stage that runs where nobody listens. */
export const SILENT_LOG: StageLog = { fact: () => undefined, detail: () => undefined, notice: () => undefined };

export interface TraceParts {
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
  /** Waited for before each stage; that time is in `elapsed`, not in the stage's own. */
  readonly turn: () => Promise<void>;
}

/** Times the stages of one question and turns each into its `-start` and `-end` events. */
export function createTrace({ clock, turn }: TraceParts, { verbose = false }: Pick<AskRequest, "verbose">) {
  const begun = clock();
  const timings: Record<string, number> = {};
  return {
    timings,
    /** Milliseconds since the trace began. */
    elapsed: () => round(clock() - begun),
    /** Runs one stage; what it returns is the value of the `yield*`. */
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
