import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Encoder } from "../src/models/encoder.ts";
import { serveEngine } from "../src/server/start.ts";
import type { NewKey } from "../src/store/keys.ts";
import { fakeChatModel, fakeEncoder } from "../src/testing/index.ts";
import { type Library, openLibrary } from "./support/engine.ts";
import { createKey } from "./support/keyed-app.ts";

const CARD = "How much does a library card cost?";
const SECRET = "Zyxwvutine";

async function serve(settings: Record<string, unknown>, parts: Parameters<typeof openLibrary>[0] = {}) {
  const library = await openLibrary({ ...parts, settings: { "server.port": 0, ...settings } });
  const said: string[] = [];
  const server = await serveEngine(library.engine, (line) => said.push(line));
  const send = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${server.url}${path}`, { ...init, headers: { "content-type": "application/json", ...headers } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const close = async () => {
    await server.close();
    await library.close();
  };
  return { library, server, said, send, close };
}

async function serveInTest(...args: Parameters<typeof serve>) {
  const world = await serve(...args);
  onTestFinished(world.close);
  return world;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const keyOf = (library: Library, over: Partial<NewKey> = {}) => createKey(library, { domains: ["library"], tenants: [], ...over });
const codeOf = (text: string) => (JSON.parse(text) as { error?: { code: string } }).error?.code;

describe("logs and metrics", () => {
  let world: Awaited<ReturnType<typeof serve>>;
  let metricsKey: string;
  let askKey: string;
  beforeAll(async () => {
    world = await serve({ "server.access_log": true });
    metricsKey = await keyOf(world.library, { roles: ["metrics"] });
    askKey = await keyOf(world.library);
    const questions = [CARD, `What does ${SECRET} do?`, `${SECRET}? ${"x".repeat(600)}`, CARD];
    for (const question of questions) {
      await world.send("/v1/ask", { question, session_id: `${SECRET}-session`, user_id: `${SECRET}-user` }, bearer(askKey));
    }
    await world.send("/v1/search", { query: `${SECRET} fees` }, bearer(askKey));
    await world.send(`/v1/sessions/${SECRET}-session?user_id=${SECRET}`, undefined, bearer(askKey));
    await world.send(`/v1/${SECRET}?q=${SECRET}`, undefined, bearer(askKey));
    await world.send("/v1/ask", { question: CARD, tenant: SECRET }, bearer(askKey));
  });
  afterAll(() => world.close());

  it("contain no word of a question, a session or a user", async () => {
    const figures = (await world.send("/metrics", undefined, bearer(metricsKey))).text;
    expect(world.said.length).toBeGreaterThan(6);
    expect(figures.length).toBeGreaterThan(2_000);
    const told = JSON.stringify([world.said.filter((line) => !line.includes('"path":"/v1/Zyxw')), figures]);
    expect(told.toLowerCase()).not.toContain(SECRET.toLowerCase());
    expect(told).not.toContain("library card");
  });

  it("count answers by cache level, stages with quantiles, refusals, checks, errors and resources", async () => {
    const { text, headers } = await world.send("/metrics", undefined, bearer(metricsKey));
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
    const value = (line: RegExp) => Number(new RegExp(`^${line.source} ([0-9.e+-]+)$`, "m").exec(text)?.[1] ?? Number.NaN);
    expect(value(/sourcebound_answers_total\{status="ok",cache="miss"\}/)).toBe(1);
    expect(value(/sourcebound_answers_total\{status="ok",cache="exact"\}/)).toBe(1);
    for (const quantile of ["0.5", "0.95", "0.99"]) {
      expect(value(new RegExp(`sourcebound_stage_seconds\\{quantile="${quantile}",stage="retrieve"\\}`))).toBeGreaterThan(0);
    }
    expect(text).toMatch(/^sourcebound_refusals_total\{reason="\w+"\} 1$/m);
    expect(text).toMatch(/^sourcebound_checks_total\{check="\w+",verdict="pass"\} \d/m);
    expect(value(/sourcebound_errors_total\{stage="admit",code="question_too_long"\}/)).toBe(1);
    expect(value(/sourcebound_confidence_count/)).toBeGreaterThan(0);
    expect(value(/sourcebound_questions_running/)).toBe(0);
    expect(value(/sourcebound_queue_seconds_count/)).toBeGreaterThan(3);
    expect(value(/sourcebound_rate_limit_requests\{outcome="limited"\}/)).toBe(0);
    expect(value(/process_resident_memory_bytes/)).toBeGreaterThan(1e6);
    expect(value(/process_cpu_seconds_total/)).toBeGreaterThan(0);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(text).toMatch(/^sourcebound_provider_seconds_count\{kind="embeddings",/m);
    expect(text).toMatch(/^sourcebound_http_request_seconds_count\{route="\/v1\/sessions\/:id",/m);
  });

  it("are shown to their own role only", async () => {
    expect((await world.send("/metrics", undefined, bearer(askKey))).status).toBe(403);
    expect((await world.send("/metrics")).status).toBe(403);
    expect((await world.send("/v1/ask", { question: CARD }, bearer(metricsKey))).status).toBe(403);
  });
});

describe("admission", () => {
  const costly = () =>
    fakeChatModel([["A library card costs 5 dollars [1]."]], { id: "gpt-4o-mini", usage: { inputTokens: 900, outputTokens: 100 } });

  it("stops a key for the day when its budget is spent, but no other key", async () => {
    const model = costly();
    const world = await serveInTest({ "server.tokens_per_day": 1_500, "cache.enabled": false }, { models: { small: model, large: model } });
    const [poor, rich] = [await keyOf(world.library), await keyOf(world.library, { tokensPerDay: 0 })];
    const ask = (key: string) => world.send("/v1/ask", { question: CARD }, bearer(key));
    const statuses = [];
    for (let i = 0; i < 4; i++) statuses.push((await ask(poor)).status);
    expect(statuses.slice(-2)).toEqual([429, 429]);
    expect(statuses[0]).toBe(200);
    const refused = await ask(poor);
    expect(codeOf(refused.text)).toBe("budget_spent");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    for (let i = 0; i < 4; i++) expect((await ask(rich)).status).toBe(200);
  });

  it("limits simultaneous answers to the budget", async () => {
    const model = costly();
    const settings = { "server.tokens_per_day": 5_500, "server.tokens_per_answer": 2_000, "cache.enabled": false };
    const world = await serveInTest(settings, { models: { small: model, large: model } });
    const key = await keyOf(world.library);
    const ask = (n: number) => world.send("/v1/ask", { question: `${CARD} ${"?".repeat(n)}` }, bearer(key));
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => ask(n)));
    const answered = all.filter(({ status }) => status === 200);
    const spent = answered.reduce((sum, { text }) => sum + (JSON.parse(text).token_usage.total as number), 0);
    expect(answered.length).toBeGreaterThanOrEqual(2);
    expect(spent).toBeLessThanOrEqual(5_500);
    for (const { status, text, headers } of all) {
      if (status === 200) continue;
      expect(["budget_taken", "budget_spent"]).toContain(codeOf(text));
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });

  it("answers or rejects each of 60 simultaneous requests with 2 running and 10 queued, and answers none wrongly", async () => {
    const world = await serveInTest({ "server.answers_at_once": 2, "server.queue": 10, "server.without_keys": "this-machine" });
    const all = await Promise.all(Array.from({ length: 60 }, (_, i) => world.send("/v1/ask", { question: `${CARD} ${"?".repeat(i)}` })));
    const by = Map.groupBy(all, ({ status }) => status);
    expect([...by.keys()].sort()).toEqual([200, 429]);
    expect(all.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(7);
    for (const { status, headers, text } of all) {
      if (status === 200) expect(text).toContain('"status":"ok"');
      else expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await world.send("/healthz")).status).toBe(200);
    expect((await world.send("/v1/ask", { question: CARD })).status).toBe(200);
  });

  it("stops an answer that takes too long, and frees its place", async () => {
    const encoder = fakeEncoder();
    const never = (signal: AbortSignal | undefined) =>
      new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    const slow: Encoder = {
      ...encoder,
      embed: (texts, options = {}) => (texts.includes(CARD) ? never(options.signal) : encoder.embed(texts, options)),
    };
    const settings = { "server.answer_timeout_ms": 1_000, "server.answers_at_once": 1, "server.queue_timeout_ms": 30_000 };
    const world = await serveInTest(settings, { encoder: slow });
    const both = await Promise.all([1, 2].map(() => world.send("/v1/ask", { question: CARD })));
    for (const { status, text } of both) expect([status, codeOf(text)]).toEqual([504, "answer_timeout"]);
  });

  it("rejects an upload beyond the disk limit", async () => {
    const world = await serveInTest({ "server.disk_bytes": 100 });
    const form = new FormData();
    form.append("file", new File(["# A\n\ntext\n"], "a.md"));
    const key = await keyOf(world.library, { roles: ["ingest"] });
    const response = await fetch(`${world.server.url}/v1/documents`, { method: "POST", body: form, headers: bearer(key) });
    expect([response.status, codeOf(await response.text())]).toEqual([507, "disk_full"]);
  });
});

describe("an idempotent request", () => {
  it("runs once, except for a question under ephemeral privacy, which is not stored", async () => {
    const world = await serveInTest({ privacy: "ephemeral" });
    const headers = { ...bearer(await keyOf(world.library, { roles: ["ask", "ingest"] })), "idempotency-key": "n1" };
    const part = 'Content-Disposition: form-data; name="file"; filename="a.md"';
    const upload = () =>
      fetch(`${world.server.url}/v1/documents`, {
        method: "POST",
        headers: { ...headers, "content-type": "multipart/form-data; boundary=b" },
        body: `--b\r\n${part}\r\n\r\n# A\r\n--b--\r\n`,
      });
    const replayed = async (sent: Promise<Pick<Response, "headers">>) => (await sent).headers.get("idempotent-replayed");
    const ask = () => world.send("/v1/ask", { question: CARD }, { ...headers, "idempotency-key": "n2" });
    expect([await replayed(ask()), await replayed(ask())]).toEqual([null, null]);
    expect([await replayed(upload()), await replayed(upload())]).toEqual([null, "true"]);
  });
});

describe("a shutdown", () => {
  it("finishes the running stream, accepts no request, and is not ready meanwhile", async () => {
    const model = fakeChatModel([[700, "A library card costs 5 dollars [1]."]], { id: "slow" });
    const world = await serve({}, { models: { small: model, large: model } });
    const { hostname, port } = new URL(world.server.url);
    const body = JSON.stringify({ question: CARD });
    let text = "";
    const stream = new Promise<void>((resolve, reject) => {
      const headers = { "content-type": "application/json", accept: "text/event-stream" };
      const sent = httpRequest({ hostname, port, path: "/v1/ask", method: "POST", headers }, (response) => {
        response.on("data", (part: Buffer) => {
          text += part.toString();
        });
        response.on("end", resolve).on("error", reject);
      });
      sent.on("error", reject).end(body);
    });
    await expect.poll(() => text.length).toBeGreaterThan(0);
    const closing = world.server.close();
    await expect(fetch(`${world.server.url}/readyz`)).rejects.toThrow();
    await stream;
    await closing;
    expect(text).toMatch(/event: answer\ndata: \{.*\}\n\n$/);
    await world.library.close();
  });
});
