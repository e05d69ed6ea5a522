import { ClientError, createClient } from "../../src/client/index.ts";

export type Api = ReturnType<typeof createApi>;

/** Creates the client. @param key `null`: nobody is signed in */
export function createApi(key: string | null) {
  const server = { baseUrl: "", apiKey: key ?? undefined };
  // No retries: a view shows a failure immediately and has a button to try again.
  const { request, bytes } = createClient({ ...server, retries: 0, timeoutMs: 0 });
  return {
    ...createClient(server),
    bytes: (path: string, signal?: AbortSignal) => bytes(path, { signal }),
    get: <T>(path: string, signal?: AbortSignal) => request<T>(path, { signal }),
    send: <T>(method: "POST" | "DELETE", path: string, body?: unknown) => request<T>(path, { method, body }),
  };
}

/** Why a request or the page failed. `status`: HTTP status; `null`: there was no response. */
export type Failure = Pick<ClientError, "code" | "message" | "status">;

export function failureOf(error: unknown): Failure {
  const { code, status } = error instanceof ClientError ? error : { code: "page_failed", status: null };
  return { code, message: messageOf(error), status };
}

export function messageOf(error: unknown): string {
  // The server's message explains how programs send a key, so show another one.
  if (error instanceof ClientError && error.code === "key_missing") return "This server requires an API key.";
  return error instanceof Error ? error.message : String(error);
}
