import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { folderOfFile } from "../../test/support/folders.ts";
import { parseEvents } from "../client/index.ts";
import { ModelError, RequestError, StoreError } from "../shared/errors.ts";
import { sampleAnswer, sampleCitation } from "../testing/answers.ts";
import { type AskScript, answering, createFakeAskEngine, playing, waitFor } from "../testing/fake-ask-engine.ts";
import type { WireEvent } from "../wire/index.ts";
import { silentLog } from "./access/guard.ts";
import { type AppOptions, createApp } from "./app.ts";

const QUOTE = "You have one year from the date on your decision letter.";
const passage = {
  title: "Higher-Level Reviews",
  url: "https://www.va.gov/decision-reviews/higher-level-review/",
  asOf: "2026-01-15",
  headingPath: ["Decision reviews", "Deadlines"],
  path: "hlr.md",
  context: `A reviewer looks again.\n${QUOTE} Some cases differ.`,
};
const citation = sampleCitation(1, passage, QUOTE);
const answer = sampleAnswer({ question: "How long?", sentences: [{ text: QUOTE, citations: [1] }], citations: [citation] });

const LONG_SCRIPT = `export const words = ${JSON.stringify(Array.from({ length: 2_000 }, (_, i) => `word ${i % 40}`))};`;

const webRoot = folderOfFile();
beforeAll(() => {
  mkdirSync(join(webRoot, "assets"));
  writeFileSync(join(webRoot, "index.html"), "<!doctype html><title>page</title>");
  writeFileSync(join(webRoot, "assets", "page-abc123.js"), "export {};");
  writeFileSync(join(webRoot, "assets", "long-abc123.js"), LONG_SCRIPT);
  writeFileSync(join(webRoot, "favicon.svg"), "<svg/>");
});

function setUp({ script = answering(answer), ...options }: { script?: AskScript } & Pick<AppOptions, "limits" | "cors"> = {}) {
  const engine = createFakeAskEngine(script);
  const failures: Readonly<Record<string, unknown>>[] = [];
  const log = { ...silentLog, error: (_: string, facts: Readonly<Record<string, unknown>>) => failures.push(facts) };
  const app = createApp({ engine, log, webRoot, ...options });
  return { app, engine, failures };
}

type App = ReturnType<typeof setUp>["app"];

function post(app: App, body: BodyInit, headers: Record<string, string> = {}) {
  return app.request("/v1/ask", { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
}

async function errorOf(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; message: string; data?: Record<string, unknown> } };
  return { status: response.status, ...error };
}

describe("hostile requests", () => {
  const cases: [name: string, body: BodyInit, status: number, code: string, message: RegExp][] = [
    ["an empty body", "", 400, "invalid_json", /empty/],
    ["a cut-off JSON body", '{"question":\n "x', 400, "invalid_json", /line 2, column \d/],
    ["text that is not JSON", "hello", 400, "invalid_json", /not valid JSON/],
    ["bad UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 400, "invalid_utf8", /UTF-8/],
    ["an array", "[]", 400, "invalid_request", /the request.*expected object, received array/],
    ["a body without a question", "{}", 400, "invalid_request", /"question".*expected string, received undefined/],
    ["an unknown detail", '{"question":"x","detail":"loads"}', 400, "invalid_request", /"detail"/],
    ["a misspelt key", '{"question":"x","sesion_id":"s"}', 400, "invalid_request", /Unknown key "sesion_id".*Did you mean "session_id"\?/],
    ["a key unlike any known one", '{"question":"x","zzzzzzzzzzzz":1}', 400, "invalid_request", /Known keys: "question"/],
    [
      "a misspelt nested key",
      '{"question":"x","selection":{"document_id":"d","start":0,"end":1,"ends":1}}',
      400,
      "invalid_request",
      /Unknown key "ends" in "selection"\. Did you mean "end"\?/,
    ],
    [
      "an offset below zero",
      '{"question":"x","selection":{"document_id":"d","start":-1,"end":1}}',
      400,
      "invalid_request",
      /"selection\.start"/,
    ],
    ["a body of 1 MB", JSON.stringify({ question: "x".repeat(1_000_000) }), 413, "body_too_large", /65536 bytes/],
    ["JSON nested too deep for its schema", `${"[".repeat(20_000)}${"]".repeat(20_000)}`, 400, "invalid_request", /expected object/],
    ["a key that sets the prototype", '{"question":"x","__proto__":{"detail":"more"}}', 400, "invalid_request", /__proto__/],
  ];

  it.each(cases)("refuses %s", async (_name, body, status, code, message) => {
    const { app, engine } = setUp();
    const error = await errorOf(await post(app, body));
    expect(error).toMatchObject({ status, code });
    expect(error.message).toMatch(message);
    expect(engine.calls).toHaveLength(0);
  });

  it("refuses a chunked body that grows past the limit", async () => {
    const { app } = setUp();
    const chunks = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(30_000).fill(0x20)),
    });
    const init = {
      method: "POST",
      body: chunks,
      duplex: "half",
      headers: { "content-type": "application/json", "transfer-encoding": "chunked" },
    };
    expect(await errorOf(await app.request("/v1/ask", init as RequestInit))).toMatchObject({ status: 413, code: "body_too_large" });
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data"])("refuses %s", async (type) => {
    const { app } = setUp();
    const refused = { status: 415, code: "unsupported_content_type" };
    expect(await errorOf(await post(app, '{"question":"x"}', { "content-type": type }))).toMatchObject(refused);
  });

  it.each([
    ["501 characters", new RequestError("question_too_long", "The question has 501 characters: at most 500.", { limit: 500 }), 400],
    ["an unknown document", new RequestError("unknown_document", 'There is no document "hrl". Did you mean "hlr"?'), 404],
    ["a failing model", new ModelError("model_failed", "The model answered 500 three times: try later."), 502],
    ["a broken store", new StoreError("database_corrupt", "The database is damaged: restore it."), 503],
  ])("returns the engine's reason and status for %s, in both forms", async (_name, thrown, status) => {
    for (const accept of ["application/json", "text/event-stream"]) {
      const { app } = setUp({ script: playing([{ type: "admit-start" }], thrown) });
      const body = JSON.stringify({ question: "x".repeat(501) });
      expect(await errorOf(await post(app, body, { accept }))).toMatchObject({ status, code: thrown.code, message: thrown.message });
    }
  });

  it.each(["unknown_domain", "unknown_tenant"])("does not name domains or tenants of the server for %s", async (code) => {
    const failure = new RequestError(code, "Known: veterans, alice.", { known: ["veterans", "alice"] });
    const script = playing([{ type: "admit-start" }], failure);
    for (const accept of ["application/json", "text/event-stream"]) {
      const error = await errorOf(await post(setUp({ script }).app, '{"question":"x"}', { accept }));
      expect(error).toMatchObject({ status: 404, code });
      expect(JSON.stringify(error)).not.toMatch(/veterans|alice/);
    }
  });

  it.each([
    ["an unexpected error says", playing([], new Error("SELECT secret FROM /srv/data")), "SELECT secret FROM /srv/data"],
    ["goes wrong if the engine ends without an answer", playing([{ type: "admit-start" }]), expect.any(String)],
  ])("hides what %s, and logs it with its id", async (_what, script, message) => {
    const { app, failures } = setUp({ script });
    const error = await errorOf(await post(app, '{"question":"x"}'));
    expect(error).toMatchObject({ status: 500, code: "internal" });
    expect(error.message).not.toContain("SELECT");
    expect(failures).toMatchObject([{ id: error.data?.id, message }]);
  });
});

describe("POST /v1/ask as Server-Sent Events", () => {
  const events = { accept: "text/event-stream" };

  it("sends each event as one frame and ends with the answer", async () => {
    const { app } = setUp();
    const response = await post(app, '{"question":"How long?"}', events);
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(response.headers.get("cache-control")).toContain("no-cache");
    const frames = (await response.text()).split("\n\n");
    expect(frames.pop()).toBe("");
    for (const frame of frames) expect(frame).toMatch(/^event: [a-z]+\ndata: \{.*\}$/);
    expect(frames[0]).toBe('event: stage\ndata: {"stage":"admit","phase":"start"}');
    expect(frames.at(-1)).toMatch(/^event: answer\n/);
  });

  it("keeps every line break of the text inside its frame", async () => {
    const text = "one\ntwo\r\nthree\rfour\u2028five\u2029six\u0085seven data: x\n\nevent: answer";
    const nasty = sampleAnswer({ question: "q", sentences: [{ text, citations: [] }] });
    const { app } = setUp({ script: answering(nasty) });
    const raw = await (await post(app, '{"question":"q"}', events)).text();
    expect(raw).not.toMatch(/[\r\u0085\u2028\u2029]/);
    const parsed: WireEvent[] = await Array.fromAsync(parseEvents(new Blob([raw]).stream()));
    expect(parsed.filter(({ event }) => event === "answer")).toHaveLength(1);
    expect(parsed.find(({ event }) => event === "sentence")?.data).toMatchObject({ index: 0, text });
  });

  it("reports an error after the start as an event, then ends", async () => {
    const failure = new ModelError("model_failed", "The model failed: try later.");
    const { app } = setUp({ script: playing([{ type: "admit-start" }, { type: "admit-end", ms: 1, facts: {} }], failure) });
    const response = await post(app, '{"question":"q"}', events);
    expect(response.status).toBe(200);
    const last = 'event: error\ndata: {"code":"model_failed","message":"The model failed: try later."}';
    expect((await response.text()).split("\n\n").slice(-2)).toEqual([last, ""]);
  });

  it("sends heartbeats as comments while the engine is silent", async () => {
    const { app } = setUp({
      limits: { heartbeatMs: 5 },
      script: async function* ({ signal }) {
        yield { type: "admit-start" };
        yield { type: "admit-end", ms: 1, facts: {} };
        await waitFor(40, signal);
        yield { type: "answer", answer };
      },
    });
    expect(await (await post(app, '{"question":"q"}', events)).text()).toContain("\n\n: heartbeat\n\n");
  });
});

describe("the other routes", () => {
  it("returns unknown routes and wrong methods as errors", async () => {
    const { app } = setUp();
    expect(await errorOf(await app.request("/v1/answers"))).toMatchObject({ status: 404, code: "unknown_route" });
    const wrong = await app.request("/v1/ask");
    expect(wrong.headers.get("allow")).toBe("POST");
    expect(await errorOf(wrong)).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect(await errorOf(await app.request("/healthz", { method: "DELETE" }))).toMatchObject({ status: 405 });
    expect(await errorOf(await app.request("/", { method: "POST" }))).toMatchObject({ status: 405 });
  });

  it("sets security headers on every response, and no CORS header", async () => {
    const { app } = setUp();
    for (const path of ["/", "/healthz", "/nowhere"]) {
      const { headers } = await app.request(path, { headers: { origin: "https://elsewhere.example" } });
      expect(headers.get("content-security-policy")).toMatch(/default-src 'self'.*frame-ancestors 'none'/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  it("allows only pages of the configured origins to call the API", async () => {
    const { app } = setUp({ cors: ["https://app.example"] });
    const preflight = (origin: string) =>
      app.request("/v1/ask", { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } });
    expect((await preflight("https://app.example")).headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect((await preflight("https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("the page", () => {
  it("serves the page with revalidation and hashed assets as immutable", async () => {
    const { app } = setUp();
    const index = await app.request("/");
    expect(index.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(index.headers.get("cache-control")).toBe("no-cache");
    const asset = await app.request("/assets/page-abc123.js");
    expect(asset.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(asset.headers.get("cache-control")).toContain("immutable");
    const again = await app.request("/", { headers: { "if-none-match": `W/${index.headers.get("etag")}` } });
    expect(again.status).toBe(304);
    expect((await app.request("/", { method: "HEAD" })).status).toBe(200);
  });

  it.each(["br, gzip", "gzip;q=0.5, deflate", "br;q=0, GZIP"])("compresses for a browser that accepts %s", async (accepted) => {
    const { app } = setUp();
    const sent = await app.request("/assets/long-abc123.js", { headers: { "accept-encoding": accepted } });
    expect([sent.headers.get("content-encoding"), sent.headers.get("vary")]).toEqual(["gzip", "Accept-Encoding"]);
    const bytes = Buffer.from(await sent.arrayBuffer());
    expect(bytes.length).toBeLessThan(LONG_SCRIPT.length / 10);
    expect(gunzipSync(bytes).toString()).toBe(LONG_SCRIPT);
    const headers = { "accept-encoding": accepted, "if-none-match": sent.headers.get("etag") ?? "" };
    expect((await app.request("/assets/long-abc123.js", { headers })).status).toBe(304);
  });

  it.each([undefined, "identity", "gzip;q=0", "zstd", ""])("does not compress for a browser that accepts %s", async (accepted) => {
    const { app } = setUp();
    const headers: Record<string, string> = accepted === undefined ? {} : { "accept-encoding": accepted };
    const sent = await app.request("/assets/long-abc123.js", { headers });
    expect([sent.headers.get("content-encoding"), await sent.text()]).toEqual([null, LONG_SCRIPT]);
    // Compression would make a short body longer.
    const short = await app.request("/", { headers: { "accept-encoding": "gzip" } });
    expect([short.headers.get("content-encoding"), short.headers.get("vary")]).toEqual([null, null]);
  });

  it.each(["/../package.json", "/..%2f..%2fetc/passwd", "/assets/%2e%2e/%2e%2e/etc/passwd", "/assets", "/assets/", "//etc/passwd", "/%00"])(
    "finds nothing at %s",
    async (path) => {
      expect((await setUp().app.request(path)).status).toBe(404);
    },
  );

  it("explains how to build the page when it is missing", async () => {
    const app = createApp({ engine: createFakeAskEngine(), log: silentLog, webRoot: join(webRoot, "absent") });
    expect(await errorOf(await app.request("/"))).toMatchObject({ status: 404, code: "page_not_built" });
  });
});
