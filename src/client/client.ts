import type { WireAnswer, WireAskRequest, WireError, WireEvent, WireHealth } from "../wire/index.ts";
import type { WireFeedbackRequest } from "../wire/memory.ts";
import { ClientError } from "./errors.ts";
import { parseEvents } from "./parse-events.ts";

export interface ClientOptions {
  /** Where the server is, e.g. `http://127.0.0.1:8787`; empty for the page's own origin. */
  readonly baseUrl: string;
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Every event but `error`, which is thrown. */
export type StreamEvent = Exclude<WireEvent, { readonly event: "error" }>;

export interface Client {
  /** The whole answer at once. Throws `ClientError`; an aborted call throws the signal's reason. */
  ask(request: WireAskRequest, options?: CallOptions): Promise<WireAnswer>;
  /**
   * The answer as it is made; the last event is `answer`. Throws `ClientError`: with the server's code when it refused or failed,
   * `unreachable` without a connection, `stream_cut` when the connection ended before the answer did.
   */
  stream(request: WireAskRequest, options?: CallOptions): AsyncGenerator<StreamEvent, void>;
  /** A reader's verdict on an answer; a later one takes its place. Throws `ClientError`. */
  feedback(request: WireFeedbackRequest, options?: CallOptions): Promise<void>;
  health(options?: CallOptions): Promise<WireHealth>;
}

/**
 * A client of a Sourcebound server.
 *
 * @example
 * const client = createClient({ baseUrl: "http://127.0.0.1:8787" });
 * const answer = await client.ask({ question: "How long is a Higher-Level Review?" });
 */
export function createClient({ baseUrl, fetch = globalThis.fetch.bind(globalThis) }: ClientOptions): Client {
  const root = baseUrl.replace(/\/+$/, "");

  async function send(path: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(`${root}${path}`, signal === undefined ? init : { ...init, signal });
    } catch (cause) {
      throwIfAborted(signal);
      throw new ClientError("unreachable", `The server${root === "" ? "" : ` at ${root}`} cannot be reached: is it running?`, { cause });
    }
    if (response.ok) return response;
    throw await toClientError(response);
  }

  return {
    async ask(request, { signal } = {}) {
      const response = await send("/v1/ask", post(request, "application/json"), signal);
      return (await readJson(response, signal)) as WireAnswer;
    },

    async *stream(request, { signal } = {}) {
      const response = await send("/v1/ask", post(request, "text/event-stream"), signal);
      if (response.body === null || !isEventStream(response)) {
        throw new ClientError("invalid_response", "The server did not answer with an event stream.", { status: response.status });
      }
      let answered = false;
      try {
        for await (const event of parseEvents(response.body)) {
          throwIfAborted(signal);
          if (event.event === "error") throw toError(event.data, null);
          answered ||= event.event === "answer";
          yield event;
          throwIfAborted(signal);
        }
      } catch (cause) {
        throwIfAborted(signal);
        if (cause instanceof ClientError) throw cause;
        throw streamCut(cause);
      }
      throwIfAborted(signal);
      if (!answered) throw streamCut(undefined);
    },

    async feedback(request, { signal } = {}) {
      await readJson(await send("/v1/feedback", post(request, "application/json"), signal), signal);
    },

    async health({ signal } = {}) {
      const response = await send("/healthz", { headers: { accept: "application/json" } }, signal);
      return (await readJson(response, signal)) as WireHealth;
    },
  };
}

function post(request: WireAskRequest | WireFeedbackRequest, accept: string): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json", accept }, body: JSON.stringify(request) };
}

function isEventStream(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

async function readJson(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  try {
    return await response.json();
  } catch (cause) {
    throwIfAborted(signal);
    throw new ClientError("invalid_response", "The server's answer is not JSON or was cut.", { status: response.status, cause });
  }
}

async function toClientError(response: Response): Promise<ClientError> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => null);
  if (isWireError(body)) return toError(body.error, status);
  return new ClientError("invalid_response", `The server answered ${status} without saying why.`, { status });
}

function toError({ code, message, data = {}, warnings = [] }: WireError["error"], status: number | null): ClientError {
  return new ClientError(code, message, { status, data, warnings });
}

function isWireError(body: unknown): body is WireError {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  const { error } = body;
  return typeof error === "object" && error !== null && "code" in error && "message" in error && typeof error.code === "string";
}

function streamCut(cause: unknown): ClientError {
  return new ClientError("stream_cut", "The connection ended before the answer did: what came so far is incomplete. Ask again.", { cause });
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  signal?.throwIfAborted();
}
