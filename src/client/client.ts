import type * as wire from "../wire/index.ts";
import { ApiError, ClientError, RetryExhaustedError, TimeoutError } from "./errors.ts";
import { parseEvents } from "./parse-events.ts";

/** Default number of retries after a failed attempt. */
export const DEFAULT_RETRIES = 2;
/**
 * Milliseconds before the first retry; doubled before each further retry. A random addition of up to 100 % keeps many
 * clients from retrying at the same time.
 */
export const DEFAULT_BACKOFF_MS = 300;
/** Maximum wait in milliseconds that a server may request. If it requests more, the call fails immediately. */
const MAX_WAIT_MS = 30_000;

/** HTTP statuses after which a retry may succeed: timeouts, too early, too many requests, and temporary failures of a gateway or server. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

const part = encodeURIComponent;

function passes(error: unknown): error is ClientError {
  if (!(error instanceof ClientError) || msAsked(error) > MAX_WAIT_MS) return false;
  if (error instanceof ApiError) return PASSING.has(error.status ?? 0) || error.code === "idempotency_in_progress";
  return error instanceof TimeoutError || error.code === "unreachable";
}

/** Returns the wait in milliseconds that the server requests (`Retry-After`); 0 if it requests none. */
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
type Deadline = ReturnType<typeof createDeadline>;

/** @param ms time limit in milliseconds, restarted by `touch`; 0: unlimited. @param outer signal of the caller */
function createDeadline(ms: number, outer: AbortSignal | undefined) {
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
    /** The signal of the caller. */
    outer,
    /** Restarts the timeout. Called when data arrives. */
    touch,
    /** Returns the error to throw: the abort reason if the signal aborted, otherwise the result of `failure`. */
    reasonOr: (failure: () => unknown): unknown => (signal.aborted ? signal.reason : failure()),
    end: () => clearTimeout(timer),
  };
}

/** Timeout in milliseconds of an attempt, and of each pause in a stream. The server sends a heartbeat every 15 s. */
export const DEFAULT_TIMEOUT_MS = 60_000;

export interface ClientOptions {
  /** Address of the server, e.g. `http://127.0.0.1:8787`; empty for the origin of the current page. */
  readonly baseUrl: string;
  /** API key, which is sent as bearer token. */
  readonly apiKey?: string | undefined;
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch;
  /** Maximum milliseconds of an attempt, and of each pause in a stream; 0: unlimited. @default 60000 */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries after temporary failures. A stream is retried only before its first event. @default 2 */
  readonly retries?: number | undefined;
  /** Milliseconds before the first retry; doubled before each further retry. @default 300 */
  readonly backoffMs?: number | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface ScopeQuery {
  readonly domain?: string | undefined;
  readonly tenant?: string | undefined;
}

/** An event of a stream. The event `error` is missing here, because it is thrown. */
export type StreamEvent = Exclude<wire.WireEvent, { readonly event: "error" }>;

/** The client that `createClient` returns, with one function per call of the HTTP API. */
export type Client = ReturnType<typeof createClient>;

type UserScope = ScopeQuery & { readonly user_id?: string };
type Page = ScopeQuery & { readonly limit?: number; readonly cursor?: string };

export interface Sending extends CallOptions {
  readonly method?: "POST" | "DELETE";
  readonly body?: unknown;
  readonly query?: object | undefined;
  /** True: send an idempotency key, so that the server does the work only once if the client retries. */
  readonly once?: true;
}

/**
 * Creates a client of a Sourcebound server, for browsers and Node.js. All its errors are `ClientError`s: `ApiError` if the
 * server refused or failed, `TimeoutError`, `RetryExhaustedError` after several attempts, otherwise `ClientError` itself
 * with code `unreachable`, `stream_cut` or `invalid_response`. An aborted call throws the reason of its signal.
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
      const address = root === "" ? "" : ` at ${root}`;
      const message = `The server${address} cannot be reached. Check that it runs and that the address is right.`;
      throw deadline.reasonOr(() => new ClientError("unreachable", message, { cause }));
    });
    if (response.ok) return response;
    throw await toApiError(response);
  };
  /**
   * Sends a request and retries until a response begins. Only failures that may be temporary are retried, never before the
   * time that the server requests. The last attempt's time limit also applies to reading the body.
   */
  const begin = async <T>(path: string, request: RequestParts, signal: AbortSignal | undefined, read: Read<T>): Promise<T> => {
    for (let tried = 1; ; tried++) {
      signal?.throwIfAborted();
      const deadline = createDeadline(timeoutMs, signal);
      try {
        return await read(await send(path, request, deadline), deadline);
      } catch (error) {
        deadline.end();
        signal?.throwIfAborted();
        if (!passes(error)) throw error;
        if (tried > retries) throw tried > 1 ? new RetryExhaustedError(error, tried) : error;
        const backoff = Math.min(MAX_WAIT_MS, backoffMs * 2 ** (tried - 1) * (1 + Math.random()));
        await sleep(Math.max(backoff, msAsked(error)), signal);
      }
    }
  };
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
    /** Checks an answer of another system. */
    check: (body: wire.WireCheckRequest, options?: CallOptions) => post<wire.WireCheck>("/v1/check", { body, once: true }, options),
    /** Returns a stored answer. */
    answer: (id: string, options?: CallOptions) => get<wire.WireAnswer>(`/v1/answers/${part(id)}`, undefined, options),
    /** Says for each quote of a stored answer whether the current documents still contain it. */
    citations: (id: string, options?: CallOptions) => get<wire.WireCitationStates>(`/v1/answers/${part(id)}/citations`, undefined, options),
    /** Stores a user's rating of an answer. It replaces an earlier rating of the same answer. */
    async feedback(body: wire.WireFeedbackRequest, options?: CallOptions): Promise<void> {
      await post("/v1/feedback", { body, once: true }, options);
    },
    /** Creates a session and returns its id, to be sent with questions. */
    newSession: async (options?: CallOptions) => (await post<{ session_id: string }>("/v1/sessions", {}, options)).session_id,
    /** Returns the messages of a session. */
    session: async (id: string, scope?: UserScope, options?: CallOptions) =>
      (await get<{ messages: wire.WireMessage[] }>(`/v1/sessions/${part(id)}`, scope, options)).messages,
    endSession: (id: string, scope?: UserScope, options?: CallOptions) => remove(`/v1/sessions/${part(id)}`, scope, options),
    domains: (options?: CallOptions) => get<wire.WireDomains>("/v1/domains", undefined, options),
    /** Returns a page of files with their documents; pass its `next_cursor` as `cursor` for the next page. */
    documents: (page?: Page, options?: CallOptions) => get<wire.WireFileList>("/v1/documents", page, options),
    /** Returns a complete document by its id. */
    document: (id: string, scope?: ScopeQuery, options?: CallOptions) =>
      get<wire.WireDocument>(`/v1/documents/${part(id)}`, scope, options),
    /** Uploads files, which the server then ingests. `documentStatus` returns the progress. */
    async upload(files: readonly File[], query?: ScopeQuery & { readonly access?: string }, options?: CallOptions) {
      const body = new FormData();
      for (const file of files) body.append("file", file, file.name);
      return (await post<{ items: wire.WireFile[] }>("/v1/documents", { body, query }, options)).items;
    },
    documentStatus: (id: string, scope?: ScopeQuery, options?: CallOptions) =>
      get<wire.WireFile>(`/v1/documents/${part(id)}/status`, scope, options),
    deleteDocument: (id: string, scope?: ScopeQuery, options?: CallOptions) => remove(`/v1/documents/${part(id)}`, scope, options),
    health: (options?: CallOptions) => get<wire.WireHealth>("/healthz", undefined, options),
    /** Calls any endpoint that sends JSON. Returns `null` if the response has no body. */
    request: call,
    /** Returns the body of a response as bytes. */
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

/** Yields the events of a response. The time limit ends when the stream ends or the caller stops reading. */
async function* readEvents(response: Response, deadline: Deadline): AsyncGenerator<StreamEvent, void> {
  try {
    if (response.body === null || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
      const message = "The address answers, but not with a stream of answer events as a Sourcebound server does. Check the address.";
      throw new ClientError("invalid_response", message, { status: response.status });
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

/** Returns a random key. It does not use `crypto.randomUUID`, which is missing on pages served without TLS. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function withQuery(path: string, query: Sending["query"]): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

function readJson(response: Response, deadline: Deadline): Promise<unknown> {
  return response.json().catch((cause) => {
    const message = "The server's response is not valid JSON or was cut off. Try again.";
    throw deadline.reasonOr(() => new ClientError("invalid_response", message, { status: response.status, cause }));
  });
}

async function toApiError(response: Response): Promise<ClientError> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => null);
  if (isWireError(body)) return toError(body.error, status, response);
  const wait = Number(response.headers.get("retry-after") ?? "none");
  const data = Number.isFinite(wait) ? { retry_after_s: wait } : {};
  return new ApiError("invalid_response", `The server returned status ${status} and no explanation. Check its log.`, { status, data });
}

function toError(error: wire.WireError["error"], status: number | null, { headers }: Response): ApiError {
  const { code, message, data = {}, warnings = [] } = error;
  return new ApiError(code, message, { status, data, warnings, requestId: headers.get("x-request-id") });
}

function isWireError(body: unknown): body is Pick<wire.WireError, "error"> {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  const { error } = body;
  return typeof error === "object" && error !== null && "code" in error && "message" in error && typeof error.code === "string";
}

function streamCut(cause: unknown): ClientError {
  return new ClientError("stream_cut", "The connection closed before the answer was complete. Ask again.", { cause });
}
