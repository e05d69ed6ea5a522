import { type Client, ClientError, createClient } from "../../src/client/index.ts";

/** The server as the page's rooms speak with it, with the key of whoever has signed in. */
export interface Api extends Client {
  /** JSON of a route. Throws `ClientError`; an aborted call throws the signal's reason. */
  get<T>(path: string, signal?: AbortSignal): Promise<T>;
  /** Bytes of a route. Throws as `get` does. */
  bytes(path: string, signal?: AbortSignal): Promise<ArrayBuffer>;
  /** Sends JSON and reads JSON back; `null` where the server sends nothing. */
  send<T>(method: "POST" | "DELETE", path: string, body?: unknown): Promise<T>;
}

/** @param keyOf the key of now; `null`: nobody has signed in */
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
      throw new ClientError("unreachable", "The server cannot be reached: is it running?", { cause });
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

/** What the server says to programs, for people; what is not listed is shown as it says it. */
const FOR_PEOPLE: ReadonlyMap<string, string> = new Map([["key_missing", "This server wants a key."]]);

function failureOf(status: number, body: unknown): ClientError {
  const error = typeof body === "object" && body !== null && "error" in body ? (body.error as { code?: unknown; message?: unknown }) : null;
  if (typeof error?.code === "string" && typeof error.message === "string")
    return new ClientError(error.code, FOR_PEOPLE.get(error.code) ?? error.message, { status });
  return new ClientError("invalid_response", `The server answered ${status} without saying why.`, { status });
}

/** What a failure tells people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
