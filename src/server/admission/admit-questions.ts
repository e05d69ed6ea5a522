import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AskOptions, Engine } from "../../engine/engine.ts";
import type { Lane, ScopeOptions } from "../../engine/engine-types.ts";
import type { Config } from "../../shared/config.ts";
import { RequestError, systemCodeOf, withWarnings } from "../../shared/errors.ts";
import { answerIn } from "../../shared/events.ts";
import type { PricedCall } from "../../shared/types.ts";
import type { Amount, UsageStore } from "../../store/usage.ts";
import type { FairQueue } from "./fair-queue.ts";

/** Name of the queue lane for all callers that have no lane. */
const OWN_LANE = "this machine";

interface Admitting {
  readonly queue: FairQueue;
  readonly budgets: ReturnType<typeof createBudgets>;
  readonly assertRoom: AssertRoom;
  /** Maximum milliseconds for a whole answer, search or check. Time in the queue does not count. */
  readonly timeoutMs: number;
  /** Receives the waiting time of each request. */
  readonly waited: (ms: number) => void;
}

/** Wraps an engine for concurrent use: each question waits in the queue, stays within its budget and has a timeout. */
export function admitQuestions(engine: Engine, { queue, budgets, assertRoom, timeoutMs, waited }: Admitting): Engine {
  const take = async (message: string, { lane, domain, signal }: Asked) => {
    try {
      const came = performance.now();
      const release = await queue.enter(lane?.name ?? OWN_LANE, signal);
      waited(performance.now() - came);
      try {
        return openTurn(await budgets.enter(lane), timeoutMs, signal, release);
      } catch (error) {
        release();
        throw error;
      }
    } catch (error) {
      throw withWarnings(error, await engine.hotlines(message, domain));
    }
  };
  const ask: Engine["ask"] = async function* (question, options = {}) {
    const turn = await take(question, options);
    try {
      for await (const event of engine.ask(question, { ...options, signal: turn.signal, timeLimitMs: timeoutMs })) {
        if (event.type === "answer") await turn.settle(event.answer.calls);
        turn.assertInTime();
        yield event;
      }
    } catch (error) {
      throw turn.reasonFor(error);
    } finally {
      await turn.end();
    }
  };
  const bounded = async <T>(message: string, options: Asked, work: (signal: AbortSignal) => Promise<T>) => {
    const turn = await take(message, options);
    try {
      return await Promise.race([work(turn.signal), turn.over]);
    } catch (error) {
      throw turn.reasonFor(error);
    } finally {
      await turn.end();
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

type Asked = ScopeOptions & Pick<AskOptions, "signal">;

/** Starts the timeout of an answer, search or check. On timeout its place in the queue becomes free, even if the client stalls. */
function openTurn({ settle }: Allowance, timeoutMs: number, given: AbortSignal | undefined, release: () => void) {
  // Do not use `AbortSignal.any`: it keeps weak references, whose garbage collection slows every answer.
  const ended = new AbortController();
  const limit = new AbortController();
  const leave = () => ended.abort(given?.reason);
  if (given?.aborted === true) leave();
  else given?.addEventListener("abort", leave, { once: true });
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => {});
  const timer = setTimeout(() => {
    release();
    if (ended.signal.aborted) return;
    const message = `The request exceeded ${timeoutMs / 1000} s and was cancelled. Retry, or ask for less at once.`;
    limit.abort(new RequestError("answer_timeout", message, { timeout_ms: timeoutMs }));
    ended.abort(limit.signal.reason);
    over.reject(limit.signal.reason);
  }, timeoutMs);
  return {
    settle,
    /** Aborted on timeout or by the caller. */
    signal: ended.signal,
    /** Rejects on timeout. */
    over: over.promise,
    assertInTime: (): void => limit.signal.throwIfAborted(),
    /** Returns the timeout error if the time is over, otherwise `error`. */
    reasonFor: (error: unknown): unknown => (limit.signal.aborted ? limit.signal.reason : error),
    async end() {
      clearTimeout(timer);
      given?.removeEventListener("abort", leave);
      release();
      await settle([]);
    },
  };
}

/** Returns the engine with `ask` replaced. Its `answer` calls the new `ask`. */
export function withAsk<Asking extends Engine>(engine: Asking, ask: Engine["ask"]): Asking {
  return {
    ...engine,
    ask,
    answer: (question: string, options: Parameters<Engine["ask"]>[1]) => answerIn(ask(question, options)),
  };
}

const DAY_MS = 86_400_000;

/** A granted budget reservation. */
interface Allowance {
  /** Replaces the reservation by the real cost. Only the first call has an effect. */
  settle(calls: readonly PricedCall[]): Promise<void>;
}

/** `retry_after_s`, in seconds, if running answers have reserved the whole budget: about the time of one answer. */
const TAKEN_RETRY_S = 5;
const FREE: Allowance = { settle: async () => undefined };

/**
 * Limits the model cost per day (UTC) of a key, person or address. Each answer reserves an amount and later replaces it
 * by the real cost, so that concurrent answers in all processes stay within the budget. Tokens that an endpoint does not
 * report and calls without a known price count as 0.
 * @param holdMs milliseconds after which an unsettled reservation expires
 */
export function createBudgets(usage: UsageStore, server: Config["server"], holdMs: number) {
  const today = () => new Date().toISOString().slice(0, 10);
  const most = { tokens: server.tokens_per_answer, costUsd: server.usd_per_answer };
  return {
    /** Reserves budget for an answer. @throws RequestError `budget_spent`, `budget_taken` with `retry_after_s` */
    async enter(lane: Lane | undefined): Promise<Allowance> {
      if (lane === undefined) return FREE;
      const { name: caller } = lane;
      const limits = { tokens: lane.tokensPerDay ?? server.tokens_per_day, costUsd: lane.usdPerDay ?? server.usd_per_day };
      if (limits.tokens === 0 && limits.costUsd === 0) {
        return { settle: async (calls) => (calls.length === 0 ? undefined : usage.add(caller, today(), spentOn(calls))) };
      }
      const day = today();
      const reserved = await usage.reserve({ caller, day, most, limits, holdMs });
      if (reserved.type === "spent") {
        const message = "Today's model budget is used up. Ask again tomorrow (UTC), or have the budget of this key raised.";
        const seconds = Math.max(1, Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / 1000));
        throw new RequestError("budget_spent", message, { retry_after_s: seconds });
      }
      if (reserved.type !== "reserved") {
        const message = `The rest of today's model budget is reserved for your running questions. Retry in ${TAKEN_RETRY_S} s.`;
        throw new RequestError("budget_taken", message, { retry_after_s: TAKEN_RETRY_S });
      }
      let isSettled = false;
      return {
        async settle(calls) {
          if (isSettled) return;
          isSettled = true;
          await usage.settle(reserved.id, calls.length === 0 ? null : { caller, day, amount: spentOn(calls) });
        },
      };
    },
  };
}

/** Sums the known cost of model calls. */
export function spentOn(calls: readonly PricedCall[]): Amount {
  return {
    tokens: calls.reduce((sum, { inputTokens, outputTokens }) => sum + (inputTokens ?? 0) + (outputTokens ?? 0), 0),
    costUsd: calls.reduce((sum, call) => sum + (call.costUsd ?? 0), 0),
  };
}

/** Milliseconds between two measurements of the folder. Uploads in between are added to the last result. */
const COUNTED_MS = 10_000;

/** @throws RequestError `disk_full` when the data folder would exceed its quota */
type AssertRoom = (bytes: number) => Promise<void>;

/** @param most maximum bytes of the whole folder; 0: unlimited */
export function createDiskQuota(folder: string, most: number): AssertRoom {
  let counted = { bytes: 0, at: Number.NEGATIVE_INFINITY };
  return async (bytes) => {
    if (most === 0) return;
    if (performance.now() - counted.at > COUNTED_MS) counted = { bytes: await sizeOf(folder), at: performance.now() };
    if (counted.bytes + bytes > most) {
      const message = "The storage limit for documents is reached. Delete some, or have `server.disk_bytes` raised.";
      throw new RequestError("disk_full", message, { limit_bytes: most });
    }
    counted = { ...counted, bytes: counted.bytes + bytes };
  };
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(nothing([]));
  let bytes = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await sizeOf(path);
    else if (entry.isFile()) bytes += (await stat(path).catch(nothing({ size: 0 }))).size;
  }
  return bytes;
}

/** Returns an error handler that gives `value` for a file that no longer exists and rethrows any other error. */
function nothing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (systemCodeOf(error) === "ENOENT") return value;
    throw error;
  };
}
