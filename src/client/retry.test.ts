import { gzipSync } from "node:zlib";
import { build } from "vite";
import { afterEach, describe, expect, it, vi } from "vitest";
import { silentLog } from "../server/access/guard.ts";
import { createApp, ENDPOINTS, type Endpoint } from "../server/app.ts";
import { createFakeAskEngine } from "../testing/fake-ask-engine.ts";
import { ApiError, ClientError, type ClientOptions, createClient, RetryExhaustedError, TimeoutError } from "./index.ts";

const problem = (status: number, code: string, data: Record<string, unknown> = {}) =>
  Response.json({ error: { code, message: "No.", data } }, { status, headers: { "x-request-id": "r1" } });

/** Creates a client whose fetch returns these replies in turn, then repeats the last one. */
function setUp(replies: readonly (Response | Error | (() => Promise<Response>))[], options: Partial<ClientOptions> = {}) {
  const sent: { url: string; init: RequestInit }[] = [];
  const fetch: typeof globalThis.fetch = async (url, init = {}) => {
    const reply = replies[Math.min(sent.push({ url: String(url), init }), replies.length) - 1];
    if (reply instanceof Error) throw reply;
    if (typeof reply === "function") return reply();
    return (reply as Response).clone();
  };
  return { sent, client: createClient({ baseUrl: "http://server.test", fetch, backoffMs: 1, ...options }) };
}
const never = (signal: AbortSignal | null | undefined) =>
  new Promise<Response>((_, reject) => signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true }));

afterEach(() => {
  vi.useRealTimers();
});

describe("retries", () => {
  it.each([
    ["a connection that fails", new TypeError("fetch failed")],
    ["503", problem(503, "not_ready")],
    ["502 without a body", new Response("bad gateway", { status: 502 })],
    ["a 429 that ends soon", problem(429, "too_many_requests", { retry_after_s: 0.001 })],
    ["a first try that is still under way", problem(409, "idempotency_in_progress", { retry_after_s: 0.001 })],
  ])("repeat the same request after %s", async (_name, failure) => {
    const { client, sent } = setUp([failure, Response.json({ id: "a" })]);
    expect(await client.ask({ question: "q" })).toEqual({ id: "a" });
    const keys = sent.map(({ init }) => (init.headers as Record<string, string>)["idempotency-key"]);
    expect([sent.length, new Set(keys).size, keys[0]?.length]).toEqual([2, 1, 32]);
  });

  it.each([400, 401, 403, 404, 409, 413, 422, 500, 501])("do not occur after %i", async (status) => {
    const { client, sent } = setUp([problem(status, "some_code")]);
    const failed = await client.ask({ question: "q" }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ApiError);
    expect(failed).toMatchObject({ name: "ApiError", code: "some_code", status, requestId: "r1" });
    expect(sent).toHaveLength(1);
  });

  it("stop after the configured number, with the count and the reason", async () => {
    const { client, sent } = setUp([problem(503, "not_ready")], { retries: 3 });
    const failed = await client.search({ query: "q" }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(RetryExhaustedError);
    expect(failed).toBeInstanceOf(ClientError);
    expect(failed).toMatchObject({ attempts: 4, code: "not_ready", status: 503, cause: expect.any(ApiError) });
    expect(sent).toHaveLength(4);
    const single = setUp([problem(503, "not_ready")], { retries: 0 });
    await expect(single.client.health()).rejects.toBeInstanceOf(ApiError);
  });

  it("wait as long as the server asks, but fail at once if that is too long", async () => {
    const { client, sent } = setUp([problem(429, "too_many_requests", { retry_after_s: 0.2 }), Response.json({ id: "a" })]);
    vi.useFakeTimers();
    const asked = client.ask({ question: "q" });
    await vi.advanceTimersByTimeAsync(199);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect([await asked, sent.length]).toEqual([{ id: "a" }, 2]);
    const long = setUp([problem(429, "too_many_requests", { retry_after_s: 3_000 })]);
    await expect(long.client.ask({ question: "q" })).rejects.toMatchObject({ name: "ApiError", status: 429 });
    expect(long.sent).toHaveLength(1);
  });

  it("end at once with the reason of an abort, also between two attempts", async () => {
    const abort = new AbortController();
    const { client } = setUp([problem(503, "not_ready", { retry_after_s: 20 })]);
    const pending = client.ask({ question: "q" }, { signal: abort.signal });
    setTimeout(() => abort.abort(new Error("enough")), 20);
    await expect(pending).rejects.toThrow("enough");
  });
});

describe("the timeout", () => {
  it("expires for a silent server", async () => {
    const signals: (AbortSignal | null | undefined)[] = [];
    const fetch: typeof globalThis.fetch = (_url, init) => {
      signals.push(init?.signal);
      return never(init?.signal);
    };
    const client = createClient({ baseUrl: "http://server.test", fetch, timeoutMs: 20, retries: 0 });
    await expect(client.ask({ question: "q" })).rejects.toBeInstanceOf(TimeoutError);
    expect(signals[0]?.aborted).toBe(true);
    const more = createClient({ baseUrl: "http://server.test", fetch, timeoutMs: 20, retries: 1, backoffMs: 1 });
    await expect(more.ask({ question: "q" })).rejects.toMatchObject({ name: "RetryExhaustedError", code: "timeout", attempts: 2 });
  });

  it("of a stream restarts with every message, and expires in silence", async () => {
    vi.useFakeTimers();
    const encoder = new TextEncoder();
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          init?.signal?.addEventListener("abort", () => controller.error(new Error("aborted")), { once: true });
          for (let i = 0; i < 6; i++) {
            await new Promise((resolve) => setTimeout(resolve, 60));
            controller.enqueue(encoder.encode(i === 3 ? 'event: stage\ndata: {"stage":"admit","phase":"start"}\n\n' : ": heartbeat\n\n"));
          }
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    const events = createClient({ baseUrl: "http://server.test", fetch, timeoutMs: 200 }).stream({ question: "q" });
    const first = events.next();
    await vi.advanceTimersByTimeAsync(240);
    expect((await first).value).toMatchObject({ event: "stage" });
    const silence = expect(events.next()).rejects.toBeInstanceOf(TimeoutError);
    await vi.advanceTimersByTimeAsync(320);
    await silence;
  });
});

describe("requests of the client", () => {
  it("match the API description for every call", async () => {
    const { client, sent } = setUp([Response.json({ session_id: "s", messages: [], items: [] })], { apiKey: "sb_k" });
    const calls: Partial<Record<keyof typeof client, () => Promise<unknown>>> = {
      ask: () => client.ask({ question: "q", domain: "d" }),
      stream: () =>
        client
          .stream({ question: "q" })
          .next()
          .catch(() => null),
      search: () => client.search({ query: "q", limit: 3 }),
      check: () => client.check({ question: "q", answer: "a", documents: ["d"] }),
      answer: () => client.answer("a/b"),
      citations: () => client.citations("a/b"),
      feedback: () => client.feedback({ id: "a", verdict: "up" }),
      newSession: () => client.newSession(),
      session: () => client.session("s", { user_id: "u" }),
      endSession: () => client.endSession("s"),
      domains: () => client.domains(),
      documents: () => client.documents({ limit: 2, cursor: "bzI" }),
      document: () => client.document("d", { domain: "x" }),
      upload: () => client.upload([new File(["x"], "a.md")], { tenant: "t", access: "public" }),
      documentStatus: () => client.documentStatus("f"),
      deleteDocument: () => client.deleteDocument("f", { tenant: "t" }),
      health: () => client.health(),
      request: () => client.request("/v1/experiments"),
      bytes: () => client.bytes("/v1/documents/d/original"),
    };
    expect(Object.keys(calls)).toEqual(Object.keys(client));
    for (const run of Object.values(calls)) await run();
    expect(sent).toHaveLength(Object.keys(client).length);
    const engine = createFakeAskEngine();
    const app = createApp({ engine, log: silentLog, webRoot: "/nowhere" });
    const { paths } = (await (await app.request("/openapi.json")).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    for (const { url, init } of sent) {
      const { pathname, searchParams } = new URL(url);
      const [, methods] =
        Object.entries(paths).find(([path]) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(pathname)) ?? [];
      const name = methods?.[(init.method ?? "GET").toLowerCase()]?.operationId;
      const endpoint: Endpoint = ENDPOINTS[name as keyof typeof ENDPOINTS];
      endpoint.query?.parse(Object.fromEntries(searchParams));
      if (typeof init.body === "string" && typeof endpoint.body === "object") endpoint.body.schema.parse(JSON.parse(init.body));
      if (init.body instanceof FormData) expect(endpoint.body).toBe("files");
      const headers = init.headers as Record<string, string>;
      expect(headers.authorization).toBe("Bearer sb_k");
      if (headers["idempotency-key"] !== undefined) expect(endpoint.idempotent).toBe(true);
    }
  });
});

it("the client has at most 15 kB, bundled for a browser and gzipped", async () => {
  const built = await build({
    ...{ configFile: false, logLevel: "silent", root: import.meta.dirname },
    build: { write: false, minify: true, lib: { entry: "index.ts", formats: ["es"], fileName: "client" } },
  });
  const [{ output }] = [built].flat() as { output: { type: string; code?: string }[] }[] as [{ output: { type: string; code?: string }[] }];
  const code = output.map((chunk) => chunk.code ?? "").join("");
  expect(code).toContain("idempotency-key");
  expect(gzipSync(code).length).toBeLessThanOrEqual(15_000);
});
