import type { ScopeOptions } from "../engine/engine-types.ts";
import type { AnswerEvent } from "../events.ts";
import type { AskEngine, ParsedAskRequest } from "../server/endpoint.ts";
import type { Turn } from "../types.ts";
import type { WireHealth } from "../wire/service.ts";

export interface AskCall {
  readonly request: ParsedAskRequest;
  readonly signal: AbortSignal;
  readonly scope: ScopeOptions;
  readonly turns?: readonly Turn[] | undefined;
}

/** What the fake does for one question: yield events, wait, throw. */
export type AskScript = (call: AskCall) => AsyncGenerator<AnswerEvent, void>;

export interface FakeAskEngine extends AskEngine {
  readonly calls: readonly AskCall[];
  /** Domains that were asked to be read again. */
  readonly refreshes: readonly (string | undefined)[];
}

const HEALTH: WireHealth = {
  status: "ok",
  domain: "veterans",
  title: "US veterans' benefits",
  examples: ["How long is a library card valid?"],
  documents: 28,
  chunks: 312,
  revision: 4,
  version: "0.1.0",
  encoder: "none",
  model: "extractive",
  calibration: null,
  warnings: [],
};

/** An engine that plays a script and records its calls. */
export function createFakeAskEngine(script: AskScript, health: Partial<WireHealth> = {}): FakeAskEngine {
  const calls: AskCall[] = [];
  const refreshes: (string | undefined)[] = [];
  return {
    calls,
    refreshes,
    async refresh(domain = HEALTH.domain) {
      refreshes.push(domain);
      return { status: "ok", domain, sources: [], documents: 28, windows: 312, revision: 4, cache: { before: 2, after: 1 }, ms: 5 };
    },
    ask(request, { signal, scope, turns }) {
      const call = { request, signal, scope, turns };
      calls.push(call);
      return script(call);
    },
    hotlines: async () => [],
    health: async () => ({ ...HEALTH, ...health }),
  };
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
export function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const leave = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", leave);
      resolve();
    }, ms);
    signal.addEventListener("abort", leave, { once: true });
  });
}
