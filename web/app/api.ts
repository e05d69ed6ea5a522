import { type Client, ClientError, createClient } from "../../src/client/index.ts";

/** HTTP client of the page; sends the current key with each call. */
export interface Api extends Client {
  /** Fetches JSON. @throws ClientError; an aborted call throws the signal's reason */
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  /** Fetches bytes. Throws as `get` does. */
  bytes(path: string, signal?: AbortSignal): Promise<ArrayBuffer>;
  /** Sends JSON and returns the JSON response; `null` when the server sends no body. */
  send<T>(method: "POST" | "DELETE", path: string, body?: unknown): Promise<T>;
}

/** @param keyOf returns the current key; `null`: nobody has signed in */
export function createApi(keyOf: () => string | null, fetch: typeof globalThis.fetch = globalThis.fetch.bind(globalThis)): Api {
  const keyed: typeof globalThis.fetch = (url, init = {}) => {
    const key = keyOf();
    if (key === null) return fetch(url, init);
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${key}`);
    return fetch(url, { ...init, headers });
  };
  const reach = (path: string, init: RequestInit): Promise<Response> =>
    keyed(path, init).catch((cause: unknown) => {
      init.signal?.throwIfAborted();
      throw new ClientError("unreachable", "The server cannot be reached. Check that it is running.", { cause });
    });
  const call = async (path: string, init: RequestInit): Promise<unknown> => {
    const response = await reach(path, init);
    const body: unknown = response.status === 204 ? null : await response.json().catch(() => undefined);
    if (response.ok && body !== undefined) return body;
    throw failureOf(response.status, body);
  };
  return {
    ...createClient({ baseUrl: "", fetch: keyed }),
    get: async <T>(path: string, signal?: AbortSignal) => (await call(path, signal === undefined ? {} : { signal })) as T,
    bytes: async (path, signal) => {
      const response = await reach(path, signal === undefined ? {} : { signal });
      if (response.ok) return response.arrayBuffer();
      throw failureOf(response.status, await response.json().catch(() => undefined));
    },
    send: async <T>(method: "POST" | "DELETE", path: string, body?: unknown) => {
      const json = body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      return (await call(path, { method, ...json })) as T;
    },
  };
}

/** User-facing texts for error codes of the server; other errors show the server's own message. */
const FOR_PEOPLE: ReadonlyMap<string, string> = new Map([["key_missing", "This server requires an API key."]]);

function failureOf(status: number, body: unknown): ClientError {
  const error = typeof body === "object" && body !== null && "error" in body ? (body.error as { code?: unknown; message?: unknown }) : null;
  if (typeof error?.code === "string" && typeof error.message === "string")
    return new ClientError(error.code, FOR_PEOPLE.get(error.code) ?? error.message, { status });
  return new ClientError("invalid_response", `The server returned status ${status} without an explanation.`, { status });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
