import { afterEach, describe, expect, it } from "vitest";
import { failureOf } from "../../testing/failure-of.ts";
import { type FakeWeb, redirectTo, startFakeWeb, type WebHandler } from "../../testing/fake-web.ts";
import { createWebSearch, type SearchEndpoint, withSites } from "./web-search.ts";

const KEY = "key-very-secret-0123456789";
let web: FakeWeb;
afterEach(() => web?.close());

interface Asked {
  method?: string | undefined;
  url?: URL;
  headers?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

/** Formats results as each service returns them. */
const REPLIES: Readonly<Record<SearchEndpoint["type"], (results: readonly { url: string; title: string; text: string }[]) => unknown>> = {
  searxng: (results) => ({ query: "q", results: results.map(({ text, ...one }) => ({ ...one, content: text, engine: "x", score: 1 })) }),
  brave: (results) => ({
    type: "search",
    query: {},
    web: { type: "search", results: results.map(({ text, ...one }) => ({ ...one, description: text })) },
  }),
  tavily: (results) => ({
    query: "q",
    answer: null,
    images: [],
    results: results.map(({ text, ...one }) => ({ ...one, content: text, score: 0.9 })),
  }),
};
const TYPES = Object.keys(REPLIES) as SearchEndpoint["type"][];
const RESULTS = [
  { url: "https://example.org/fees", title: "Fees", text: "A card costs $5." },
  { url: "https://example.org/other", title: "Other", text: "" },
];

async function start(type: SearchEndpoint["type"], handler: WebHandler, over: Partial<SearchEndpoint> = {}) {
  web = await startFakeWeb({ "*": { pages: { "/": handler, "/search": handler } } });
  return createWebSearch({ type, url: web.url, apiKey: KEY, timeoutMs: 5000, ...over });
}

function replying(body: string | Buffer, status = 200, asked: Asked = {}): WebHandler {
  return (request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString();
      Object.assign(asked, {
        method: request.method,
        url: new URL(request.url ?? "/", "http://x"),
        headers: request.headers,
        body: text === "" ? null : JSON.parse(text),
      });
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
  };
}

const OPTIONS = { signal: new AbortController().signal, limit: 5, hosts: ["example.org", "example.net"] };

describe.each(TYPES)("web search: %s", (type) => {
  it("returns addresses, titles and snippets up to the limit", async () => {
    const search = await start(type, replying(JSON.stringify(REPLIES[type](RESULTS))));
    const all = RESULTS.map(({ url, title, text }) => ({ url, title, snippet: text }));
    expect(await search.search("card fee", OPTIONS)).toEqual(all);
    expect(await search.search("card fee", { ...OPTIONS, limit: 1 })).toEqual(all.slice(0, 1));
    expect(search.id).toMatch(new RegExp(`^${type} at 127\\.0\\.0\\.1:\\d+$`));
  });

  it("returns nothing when nothing was found", async () => {
    expect(await (await start(type, replying(JSON.stringify(REPLIES[type]([]))))).search("card", OPTIONS)).toEqual([]);
  });

  it.each([
    ["a reply that is not JSON", "<html>Sign in</html>", 200],
    ["JSON of another shape", '{"results": "none"}', 200],
    ["null", "null", 200],
    ["a result without an address", type === "brave" ? '{"web":{"results":[{"title":"x"}]}}' : '{"results":[{"url":5}]}', 200],
    ["403", "{}", 403],
    ["429", "{}", 429],
    ["500", "oops", 500],
    ["an empty reply", "", 200],
    ["garbage", Buffer.from(Uint8Array.from({ length: 4096 }, (_, i) => (i * 197 + 31) % 256)), 200],
    ["an endless reply", `"${"a".repeat(3 * 1024 * 1024)}"`, 200],
  ])("throws a WebError after %s", async (_name, body, status) => {
    const search = await start(type, replying(body, status));
    await expect(search.search("card", OPTIONS)).rejects.toMatchObject({ name: "WebError", code: "search_failed" });
  });

  it("stops an endless reply at the limit", async () => {
    const search = await start(type, replying(`{"results":[],"type":"search","x":"${"a".repeat(3 * 1024 * 1024)}"}`));
    await expect(search.search("card", OPTIONS)).rejects.toThrow(/the reply exceeds 2097152 bytes/);
  });

  it("never reveals the key, even if the service repeats it", async () => {
    const search = await start(type, replying(`bad key ${KEY} ${"x".repeat(5000)}`, 401));
    const error = await failureOf(search.search("card", OPTIONS));
    expect(error?.message).toContain("HTTP 401: bad key [key]");
    expect(error?.message.length).toBeLessThan(400);
    expect(JSON.stringify([error, error?.cause, error?.stack])).not.toContain(KEY);
  });

  it("has a timeout, and does not follow a redirect with its key", async () => {
    const slow = await start(type, () => undefined, { timeoutMs: 100 });
    await expect(slow.search("card", OPTIONS)).rejects.toThrow(/no response within 100 ms/);
    await web.close();
    const sent = await start(type, redirectTo("/elsewhere"));
    await expect(sent.search("card", OPTIONS)).rejects.toMatchObject({ code: "search_failed" });
    expect(web.requests).toHaveLength(1);
  });

  it("closes the connection when it is cancelled, and reports an unreachable service", async () => {
    const controller = new AbortController();
    const search = await start(type, () => undefined);
    const asking = search.search("card", { ...OPTIONS, signal: controller.signal });
    await expect.poll(() => web.requests.length).toBe(1);
    controller.abort(new Error("reader left"));
    await expect(asking).rejects.toThrow("reader left");
    await web.close();
    await expect(search.search("card", OPTIONS)).rejects.toThrow(/ECONNREFUSED/);
  });
});

describe("a search request", () => {
  it("to SearXNG: the query with its hosts, as JSON", async () => {
    const asked: Asked = {};
    const search = await start("searxng", replying('{"results":[]}', 200, asked), { apiKey: "" });
    await search.search("card fee", OPTIONS);
    expect(asked.url?.pathname).toBe("/search");
    expect(asked.url?.searchParams.get("q")).toBe("card fee (site:example.org OR site:example.net)");
    expect(asked.url?.searchParams.get("format")).toBe("json");
    expect(asked.headers?.authorization).toBeUndefined();
  });

  it("to Brave: the token in its header, plain text requested", async () => {
    const asked: Asked = {};
    await (await start("brave", replying('{"type":"search"}', 200, asked))).search("card fee", OPTIONS);
    expect(asked.headers?.["x-subscription-token"]).toBe(KEY);
    expect(Object.fromEntries(asked.url?.searchParams ?? [])).toMatchObject({
      count: "5",
      result_filter: "web",
      text_decorations: "false",
    });
    expect(asked.url?.href).not.toContain(KEY);
  });

  it("to Tavily: a body with hosts, the key as bearer token", async () => {
    const asked: Asked = {};
    await (await start("tavily", replying('{"results":[]}', 200, asked))).search("card fee", OPTIONS);
    expect(asked).toMatchObject({
      method: "POST",
      headers: { authorization: `Bearer ${KEY}` },
      body: { query: "card fee", max_results: 5, include_domains: OPTIONS.hosts },
    });
  });

  it("stays within the length limits of services", () => {
    expect(withSites("card fee", ["example.org"])).toBe("card fee site:example.org");
    expect(withSites("card fee", [])).toBe("card fee");
    const many = Array.from({ length: 9 }, (_, i) => `host${i}.example`);
    expect(withSites("card fee", many)).toBe("card fee");
    expect(withSites("x".repeat(390), ["example.org"])).toBe("x".repeat(390));
  });
});
