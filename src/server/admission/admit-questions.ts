import type { AskOptions, Engine } from "../../engine/engine.ts";
import type { ScopeOptions } from "../../engine/engine-types.ts";
import { RequestError, withWarnings } from "../../errors.ts";
import type { AnswerEvent } from "../../events.ts";
import { withAsk } from "../with-ask.ts";
import type { Budgets } from "./budgets.ts";
import type { AssertRoom } from "./disk.ts";
import type { FairQueue } from "./fair-queue.ts";

/** Lane of those who are counted with nobody. */
const OWN_LANE = "this machine";

export interface AdmissionParts {
  readonly queue: FairQueue;
  readonly budgets: Budgets;
  readonly assertRoom: AssertRoom;
  /** Milliseconds for a whole answer, search or check, waiting not counted. */
  readonly timeoutMs: number;
  /** Told how long each waited for its turn. */
  readonly waited?: (ms: number) => void;
}

/** The same engine for a server that many ask at once: its work waits its turn, stays in its budget and ends in time. */
export function admitQuestions(engine: Engine, { queue, budgets, assertRoom, timeoutMs, waited = () => {} }: AdmissionParts): Engine {
  const enter = async (message: string, { lane, domain }: ScopeOptions, signal: AbortSignal | undefined) => {
    try {
      const came = performance.now();
      const release = await queue.enter(lane?.name ?? OWN_LANE, signal);
      waited(performance.now() - came);
      try {
        return { release, allowance: await budgets.enter(lane) };
      } catch (error) {
        release();
        throw error;
      }
    } catch (error) {
      throw withWarnings(error, await engine.hotlines(message, domain));
    }
  };
  const ask: Engine["ask"] = async function* (question, options = {}): AsyncGenerator<AnswerEvent, void> {
    const { release, allowance } = await enter(question, options, options.signal);
    const limit = createLimit(timeoutMs, options.signal, release);
    try {
      for await (const event of engine.ask(question, { ...options, signal: limit.signal })) {
        if (event.type === "answer") await allowance.settle(event.answer.calls);
        limit.assertInTime();
        yield event;
      }
    } catch (error) {
      throw limit.reasonFor(error);
    } finally {
      limit.end();
      await allowance.settle([]);
    }
  };
  const bounded = async <T>(
    message: string,
    options: ScopeOptions & Pick<AskOptions, "signal">,
    work: (signal: AbortSignal) => Promise<T>,
  ) => {
    const { release, allowance } = await enter(message, options, options.signal);
    const limit = createLimit(timeoutMs, options.signal, release);
    try {
      return await Promise.race([work(limit.signal), limit.over()]);
    } catch (error) {
      throw limit.reasonFor(error);
    } finally {
      limit.end();
      await allowance.settle([]);
    }
  };
  return {
    ...withAsk(engine, ask),
    search: (query, options = {}) => bounded(query, options, (signal) => engine.search(query, { ...options, signal })),
    check: (question, answer, options = {}) =>
      bounded(question, options, (signal) => engine.check(question, answer, { ...options, signal })),
    async upload(file, options) {
      await assertRoom(file.bytes.length);
      return engine.upload(file, options);
    },
    async uploadAll(files, options) {
      await assertRoom(files.reduce((sum, { bytes }) => sum + bytes.length, 0));
      return engine.uploadAll(files, options);
    },
  };
}

interface Limit {
  /** Aborted when the time is over, or by whoever asked. */
  readonly signal: AbortSignal;
  /** Rejects when the time is over. */
  over(): Promise<never>;
  assertInTime(): void;
  /** What the asker is told of an error: that the time was over, where that was the cause. */
  reasonFor(error: unknown): unknown;
  end(): void;
}

/**
 * A time limit that also gives the turn back: work whose reader takes nothing more must not keep its place.
 */
function createLimit(timeoutMs: number, given: AbortSignal | undefined, release: () => void): Limit {
  const abort = new AbortController();
  const { signal } = abort;
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = !signal.aborted;
    abort.abort(answerTimeout(timeoutMs));
    release();
  }, timeoutMs);
  const gone = () => abort.abort(given?.reason);
  if (given?.aborted === true) gone();
  else given?.addEventListener("abort", gone, { once: true });
  return {
    signal,
    over: () =>
      new Promise<never>((_, reject) => {
        const tell = () => {
          if (isOver) reject(signal.reason);
        };
        if (isOver) tell();
        else signal.addEventListener("abort", tell, { once: true });
      }),
    assertInTime: () => {
      if (isOver) throw signal.reason;
    },
    reasonFor: (error) => (isOver ? signal.reason : error),
    end() {
      clearTimeout(timer);
      given?.removeEventListener("abort", gone);
      release();
    },
  };
}

function answerTimeout(timeoutMs: number): RequestError {
  const message = `This took longer than ${timeoutMs / 1000} s and was given up: ask again, or ask for less at once.`;
  return new RequestError("answer_timeout", message, { timeout_ms: timeoutMs });
}
