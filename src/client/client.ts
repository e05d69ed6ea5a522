import type * as wire from "../wire/index.ts";
import { ApiError, ClientError, RetryExhaustedError, TimeoutError } from "./errors.ts";
import { parseEvents } from "./parse-events.ts";

/** Default number of retries after a failed attempt. */
export const DEFAULT_RETRIES = 2;
/** Milliseconds before the first retry; doubles each time, with random jitter of up to 100 %, so that clients do not retry in step. */
export const DEFAULT_BACKOFF_MS = 300;
/** Maximum wait in milliseconds that a server may request; a longer one fails at once. */
const MAX_WAIT_MS = 30_000;

/** Statuses of transient failures: too early, too many requests, or a temporary outage between client and server. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

export interface RetryOptions {
  /** @default 2 */
  readonly retries: number;
  /** @default 300 */
  readonly backoffMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Retries `attempt` after transient failures, but not before the time that the server requests.
 * @throws RetryExhaustedError after several attempts; other errors of `attempt` unchanged
 */
export async function withRetries<T>(attempt: () => Promise<T>, { retries, backoffMs, signal }: RetryOptions): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (!passes(error)) throw error;
      if (tried > retries) throw tried > 1 ? new RetryExhaustedError(error, tried) : error;
      const backoff = Math.min(MAX_WAIT_MS, backoffMs * 2 ** (tried - 1) * (1 + Math.random()));
      await sleep(Math.max(backoff, msAsked(error)), signal);
    }
  }
}

function passes(error: unknown): error is ClientError {
  if (!(error instanceof ClientError) || msAsked(error) > MAX_WAIT_MS) return false;
  if (error instanceof ApiError) return PASSING.has(error.status ?? 0) || error.code === "idempotency_in_progress";
  return error instanceof TimeoutError || error.code === "unreachable";
}

/** Returns the wait that `Retry-After` requests, in milliseconds; 0 without a request. */
function msAsked({ data: { retry_after_s: seconds } }: ClientError): number {
  return typeof seconds === "number" ? seconds * 1000 : 0;
}

async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const pause = createDeadline(Math.max(1, ms), signal);
  await new Promise((resolve) => pause.signal.addEventListener("abort", resolve, { once: true }));
  pause.end();
  signal?.throwIfAborted();
}

/** A signal that aborts after a timeout or when the caller aborts. */
export type Deadline = ReturnType<typeof createDeadline>;

/** @param ms time without a `touch`; 0: unlimited */
export function createDeadline(ms: number, outer: AbortSignal | undefined) {
  const own = new AbortController();
  const signal = outer === undefined ? own.signal : AbortSignal.any([outer, own.signal]);
  const late = new TimeoutError("timeout", "The server did not respond in time. Ask again, or allow more time with timeoutMs.");
  let timer: ReturnType<typeof setTimeout> | undefined;
  const touch = () => {
    clearTimeout(timer);
    if (ms > 0) timer = setTimeout(() => own.abort(late), ms);
  };
  touch();
  return {
    signal,
    /** The caller's signal. */
    outer,
    /** Restarts the timeout after received data. */
    touch,
    /** Returns the error to throw: the abort reason, the timeout, or the failure itself. */
    reasonOr: (failure: () => unknown): unknown => (signal.aborted ? signal.reason : failure()),
    end: () => clearTimeout(timer),
  };
}

/** Default time limit in milliseconds, per attempt and for gaps in a stream. The server sends a heartbeat every 15 s. */
export const DEFAULT_TIMEOUT_MS = 60_000;

export interface ClientOptions {
  /** Address of the server, e.g. `http://127.0.0.1:8787`; empty for the page's own origin. */
  readonly baseUrl: string;
  /** Sent as bearer token. */
  readonly apiKey?: string | undefined;
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch;
  /** Maximum milliseconds per attempt, and of a gap in a stream; 0: unlimited. @default 60000 */
  readonly timeoutMs?: number | undefined;
  /** Retries after transient failures; a stream is retried only before it begins. @default 2 */
  readonly retries?: number | undefined;
  /** Milliseconds before the first retry, doubled for each further one. @default 300 */
  readonly backoffMs?: number | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ScopeQuery {
  readonly domain?: string | undefined;
  readonly tenant?: string | undefined;
}

/** Every event except `error`, which is thrown. */
export type StreamEvent = Exclude<wire.WireEvent, { readonly event: "error" }>;

/** Calls of the HTTP API; see `createClient`. */
export type Client = ReturnType<typeof createClient>;

type UserScope = ScopeQuery & { readonly user_id?: string };
type Page = ScopeQuery & { readonly limit?: number; readonly cursor?: string };

export interface Sending extends CallOptions {
  readonly method?: "POST" | "DELETE";
  readonly body?: unknown;
  readonly query?: object | undefined;
  /** Sends an idempotency key, so that a retry does not repeat the work. */
  readonly once?: true;
}

/**
 * Creates a client of a Sourcebound server, for browsers and Node.js. Each call throws `ApiError` (the server refused or failed, with its
 * code), `TimeoutError`, `RetryExhaustedError` after several attempts, or `ClientError` (`unreachable`, `stream_cut`, `invalid_response`), the
 * base class of all; an aborted call throws the signal's reason.
 * @example
 * const client = createClient({ baseUrl: "http://127.0.0.1:8787", apiKey: process.env.KEY });
 * for await (const { event, data } of client.stream({ question: "How long is a Higher-Level Review?" }))
 *   if (event === "sentence") console.log(data.text);
 */
export function createClient({ baseUrl, apiKey, fetch = (...request) => globalThis.fetch(...request), ...given }: ClientOptions) {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES, backoffMs = DEFAULT_BACKOFF_MS } = given;
  const root = baseUrl.replace(/\/+$/, "");
  const send = async (path: string, { headers, ...init }: RequestParts, deadline: Deadline): Promise<Response> => {
    const key = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${root}${path}`, { ...init, headers: { ...headers, ...key }, signal: deadline.signal }).catch((cause) => {
      const where = root === "" ? "" : ` at ${root}`;
      throw deadline.reasonOr(
        () => new ClientError("unreachable", `The server${where} cannot be reached. Check that it is running.`, { cause }),
      );
    });
    if (response.ok) return response;
    throw await toApiError(response);
  };
  /** Retries until a response arrives. The deadline of that attempt keeps running while the body is read. */
  const begin = <T>(path: string, request: RequestParts, signal: AbortSignal | undefined, read: Read<T>): Promise<T> =>
    withRetries(
      async () => {
        signal?.throwIfAborted();
        const deadline = createDeadline(timeoutMs, signal);
        try {
          return await read(await send(path, request, deadline), deadline);
        } catch (error) {
          deadline.end();
          throw error;
        }
      },
      { retries, backoffMs, signal },
    );
  const call = <T>(path: string, { signal, ...sending }: Sending = {}): Promise<T> =>
    begin(withQuery(path, sending.query), requestOf(sending, "application/json"), signal, async (response, deadline) => {
      const body = response.status === 204 ? null : await readJson(response, deadline);
      deadline.end();
      return body as T;
    });
  const get = <T>(path: string, query?: object, options: CallOptions = {}) => call<T>(path, { ...options, query });
  const post = <T>(path: string, sending: Sending, options: CallOptions = {}) => call<T>(path, { ...options, ...sending, method: "POST" });
  const remove = async (path: string, query?: object, options: CallOptions = {}) => {
    await call(path, { ...options, query, method: "DELETE" });
  };
  return {
    /** Asks a question and returns the complete answer. */
    ask: (body: wire.WireAskRequest, options?: CallOptions) => post<wire.WireAnswer>("/v1/ask", { body, once: true }, options),
    /** Asks a question and yields the events of the answer; the last one is `answer`. */
    async *stream(body: wire.WireAskRequest, { signal }: CallOptions = {}): AsyncGenerator<StreamEvent, void> {
      const request = requestOf({ method: "POST", body }, "text/event-stream");
      yield* await begin("/v1/ask", request, signal, async (response, deadline) => readEvents(response, deadline));
    },
    /** Returns passages, best first. */
    search: (body: wire.WireSearchRequest, options?: CallOptions) => post<wire.WireSearch>("/v1/search", { body }, options),
    /** Checks an external answer. */
    check: (body: wire.WireCheckRequest, options?: CallOptions) => post<wire.WireCheck>("/v1/check", { body, once: true }, options),
    /** Returns a stored answer. */
    answer: (id: string, options?: CallOptions) => get<wire.WireAnswer>(`/v1/answers/${part(id)}`, undefined, options),
    /** Compares the answer's quotes with today's documents. */
    citations: (id: string, options?: CallOptions) => get<wire.WireCitationStates>(`/v1/answers/${part(id)}/citations`, undefined, options),
    /** Stores a user's verdict on an answer, replacing an earlier one. */
    async feedback(body: wire.WireFeedbackRequest, options?: CallOptions): Promise<void> {
      await post("/v1/feedback", { body, once: true }, options);
    },
    /** Creates a session id for questions. */
    newSession: async (options?: CallOptions) => (await post<{ session_id: string }>("/v1/sessions", {}, options)).session_id,
    /** Returns the messages of a session. */
    session: async (id: string, scope?: UserScope, options?: CallOptions) =>
      (await get<{ messages: wire.WireMessage[] }>(`/v1/sessions/${part(id)}`, scope, options)).messages,
    endSession: (id: string, scope?: UserScope, options?: CallOptions) => remove(`/v1/sessions/${part(id)}`, scope, options),
    domains: (options?: CallOptions) => get<wire.WireDomains>("/v1/domains", undefined, options),
    /** Returns a page of files with their documents; pass its `cursor` for the next page. */
    documents: (page?: Page, options?: CallOptions) => get<wire.WireFileList>("/v1/documents", page, options),
    /** Returns a complete document by its id. */
    document: (id: string, scope?: ScopeQuery, options?: CallOptions) =>
      get<wire.WireDocument>(`/v1/documents/${part(id)}`, scope, options),
    /** Uploads files; `documentStatus` returns their ingestion status. */
    async upload(files: readonly File[], query?: ScopeQuery & { readonly access?: string }, options?: CallOptions) {
      const body = new FormData();
      for (const file of files) body.append("file", file, file.name);
      return (await post<{ items: wire.WireFile[] }>("/v1/documents", { body, query }, options)).items;
    },
    documentStatus: (id: string, scope?: ScopeQuery, options?: CallOptions) =>
      get<wire.WireFile>(`/v1/documents/${part(id)}/status`, scope, options),
    deleteDocument: (id: string, scope?: ScopeQuery, options?: CallOptions) => remove(`/v1/documents/${part(id)}`, scope, options),
    health: (options?: CallOptions) => get<wire.WireHealth>("/healthz", undefined, options),
    /** Calls any endpoint with JSON; `null`: the response has no body. */
    request: call,
    /** Returns the bytes that an endpoint sends. */
    bytes: (path: string, { signal }: CallOptions = {}): Promise<ArrayBuffer> =>
      begin(path, requestOf({}, "*/*"), signal, async (response, deadline) => {
        const bytes = await response.arrayBuffer();
        deadline.end();
        return bytes;
      }),
  };
}

type RequestParts = Pick<RequestInit, "method" | "body"> & { readonly headers: Readonly<Record<string, string>> };
type Read<T> = (response: Response, deadline: Deadline) => Promise<T>;

/** Yields events and ends the deadline when the stream or its consumer stops. */
async function* readEvents(response: Response, deadline: Deadline): AsyncGenerator<StreamEvent, void> {
  try {
    if (response.body === null || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
      throw new ClientError("invalid_response", "The server did not answer with an event stream.", { status: response.status });
    }
    let answered = false;
    for await (const event of parseEvents(response.body, deadline.touch)) {
      deadline.outer?.throwIfAborted();
      if (event.event === "error") throw toError(event.data, null, response);
      answered ||= event.event === "answer";
      yield event;
      deadline.outer?.throwIfAborted();
    }
    if (!answered) throw streamCut(undefined);
  } catch (cause) {
    throw deadline.reasonOr(() => (cause instanceof ClientError ? cause : streamCut(cause)));
  } finally {
    deadline.end();
  }
}

function requestOf({ method, body, once }: Sending, accept: string): RequestParts {
  const headers = { accept, ...(once === true ? { "idempotency-key": randomKey() } : {}) };
  const parts = method === undefined ? {} : { method };
  if (body === undefined) return { ...parts, headers };
  if (body instanceof FormData) return { ...parts, headers, body };
  return { ...parts, headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** Returns a random key. Pages served without TLS have no `randomUUID`. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function withQuery(path: string, query: Sending["query"]): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

function part(id: string): string {
  return encodeURIComponent(id);
}

function readJson(response: Response, deadline: Deadline): Promise<unknown> {
  return response.json().catch((cause) => {
    const { status } = response;
    throw deadline.reasonOr(
      () => new ClientError("invalid_response", "The server's response is not valid JSON or was cut off. Try again.", { status, cause }),
    );
  });
}

async function toApiError(response: Response): Promise<ClientError> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => null);
  if (isWireError(body)) return toError(body.error, status, response);
  const wait = Number(response.headers.get("retry-after") ?? "none");
  const data = Number.isFinite(wait) ? { retry_after_s: wait } : {};
  return new ApiError("invalid_response", `The server returned status ${status} without an explanation.`, { status, data });
}

function toError(
  { code, message, data = {}, warnings = [] }: wire.WireError["error"],
  status: number | null,
  response: Response,
): ApiError {
  return new ApiError(code, message, { status, data, warnings, requestId: response.headers.get("x-request-id") });
}

function isWireError(body: unknown): body is Pick<wire.WireError, "error"> {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  const { error } = body;
  return typeof error === "object" && error !== null && "code" in error && "message" in error && typeof error.code === "string";
}

function streamCut(cause: unknown): ClientError {
  return new ClientError("stream_cut", "The connection closed before the answer was complete. Ask again.", { cause });
}
