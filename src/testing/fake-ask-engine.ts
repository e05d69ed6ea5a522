import type { AskOptions, Engine } from "../engine/engine.ts";
import type { ScopeOptions } from "../engine/engine-types.ts";
import type { AnswerEvent } from "../shared/events.ts";
import type { Answer, Turn } from "../shared/types.ts";
import type { WireAskRequest } from "../wire/index.ts";
import type { WireHealth } from "../wire/service.ts";
import { eventsOf, sampleAnswer } from "./answers.ts";

export interface AskCall {
  readonly request: WireAskRequest;
  readonly signal: AbortSignal;
  readonly scope: ScopeOptions;
  readonly turns?: readonly Turn[] | undefined;
}

/** What the engine does for one question: it yields events, waits or throws. */
export type AskScript = (call: AskCall) => AsyncGenerator<AnswerEvent, void>;

/** Returns a script that yields these events, then throws `failure` if one is given. */
export const playing = (events: readonly AnswerEvent[], failure?: Error): AskScript =>
  async function* () {
    yield* events;
    if (failure !== undefined) throw failure;
  };

/** Returns a script that yields the events of an answer. */
export const answering = (answer: Answer): AskScript => playing([...eventsOf(answer)]);

/** The answer "One.". */
const ONE = answering(sampleAnswer({ question: "q", sentences: [{ text: "One.", citations: [] }] }));

export interface FakeAskEngine extends Engine {
  readonly calls: readonly AskCall[];
  /** Domains for which a refresh was requested. */
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

/** Creates an engine that runs a script and records its calls. It has only the methods that tests of asking need. */
export function createFakeAskEngine(script: AskScript = ONE, health: Partial<WireHealth> = {}): FakeAskEngine {
  const calls: AskCall[] = [];
  const refreshes: (string | undefined)[] = [];
  const engine: Partial<FakeAskEngine> = {
    calls,
    refreshes,
    store: { documents: {} } as Engine["store"],
    async refresh(domain = HEALTH.domain) {
      refreshes.push(domain);
      return { status: "ok", domain, sources: [], documents: 28, windows: 312, revision: 4, cache: { before: 2, after: 1 }, ms: 5 };
    },
    ask(question, options = {}) {
      const call = callOf(question, options);
      calls.push(call);
      return script(call);
    },
    hotlines: async () => [],
    searchStates: async () => [],
    health: async () => ({ ...HEALTH, ...health }),
    domain: () => ({ title: HEALTH.title }) as ReturnType<Engine["domain"]>,
  };
  return engine as FakeAskEngine;
}

/** Converts the options of an engine back to the request from which they came. */
function callOf(question: string, options: AskOptions): AskCall {
  const { domain, tenant, access, caller, lane, turns, signal, sessionId, selection, userId, filters, ...request } = options;
  const bound = { access, caller, lane };
  return {
    request: {
      ...{ question, ...request },
      // A session for which the server passes turns was created by the server, so the request named none.
      ...(turns === undefined && sessionId != null ? { session_id: sessionId } : {}),
      ...(selection == null ? {} : { selection: { document_id: selection.documentId, start: selection.start, end: selection.end } }),
    },
    signal: signal ?? new AbortController().signal,
    scope: { domain, tenant, ...Object.fromEntries(Object.entries(bound).filter(([, value]) => value !== undefined)) },
    turns,
  };
}

interface Sent {
  readonly from?: string;
  readonly encrypted?: boolean;
  readonly body?: unknown;
  readonly [header: string]: unknown;
}

/**
 * Sends JSON to an app from the address `from`; with `body: null`, sends a GET request. Other fields become headers.
 * @default a question from this machine
 */
export async function sendFrom(
  app: { request(path: string, init: RequestInit, env: object): Response | Promise<Response> },
  path: string,
  { from = "127.0.0.1", encrypted = false, body = { question: "q" }, ...headers }: Sent = {},
) {
  const init = body === null ? {} : { method: "POST", body: JSON.stringify(body) };
  const all = { "content-type": "application/json", ...(headers as Record<string, string>) };
  const response = await app.request(path, { ...init, headers: all }, { incoming: { socket: { remoteAddress: from, encrypted } } });
  const { error } = (await response.json()) as { error?: { code: string; message: string; warnings?: { message: string }[] } };
  return { status: response.status, headers: response.headers, code: error?.code, error };
}

/** Resolves after `ms` milliseconds, or rejects with the signal's reason when it aborts. */
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
