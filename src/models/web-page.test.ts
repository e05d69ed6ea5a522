import { createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { failureOf } from "../testing/failure-of.ts";
import { type FakeHost, type FakeWeb, redirectTo, startFakeWeb, type WebHandler } from "../testing/fake-web.ts";
import { type FetchOptions, fetchWebPage, INTERNET, MAX_REDIRECTS } from "./web-page.ts";

let web: FakeWeb;
afterEach(() => web?.close());

const OPTIONS: FetchOptions = { hosts: ["example.org"], signal: new AbortController().signal };

async function fetched(url: string, hosts: Readonly<Record<string, FakeHost>>, over: Partial<FetchOptions> = {}) {
  web = await startFakeWeb(hosts);
  return fetchWebPage(url, web.network, { ...OPTIONS, ...over });
}

/** Returns code and message of the error with which a page is refused. */
async function refusal(...parts: Parameters<typeof fetched>): Promise<string> {
  const failure = await failureOf(fetched(...parts));
  return failure === null ? "fetched" : `${failure.code}: ${failure.message}`;
}

const page = (pages: FakeHost["pages"], addresses?: FakeHost["addresses"]): Record<string, FakeHost> => ({
  "example.org": { pages, ...(addresses === undefined ? {} : { addresses }) },
});
const typed =
  (type: string, body = "text"): WebHandler =>
  (_request, response) =>
    response.writeHead(200, { "content-type": type }).end(body);
const compressed =
  (body: string | Uint8Array, encoding = "gzip"): WebHandler =>
  (_request, response) =>
    response.writeHead(200, { "content-type": "text/html", "content-encoding": encoding }).end(body);

describe("fetching a page", () => {
  it("returns bytes, type and charset, and sends no cookie and no referrer", async () => {
    let headers: unknown;
    const found = await fetched("https://example.org/fees?x=1#part", {
      ...page({
        "/fees": (request, response) => {
          headers = request.headers;
          response.writeHead(200, { "content-type": 'text/html; charset="ISO-8859-1"' }).end("<p>Five");
        },
      }),
    });
    expect(found).toMatchObject({ url: "https://example.org/fees?x=1", type: "text/html", charset: "iso-8859-1" });
    expect(Buffer.from(found.bytes).toString()).toBe("<p>Five");
    expect(headers).toMatchObject({ host: "example.org", connection: "close" });
    expect(Object.keys(headers as object).sort()).toEqual(["accept", "accept-encoding", "connection", "host", "user-agent"]);
    expect(web.connections).toEqual([{ address: "93.184.216.34", port: 443, host: "example.org", secure: true }]);
  });

  it.each([
    "file:///etc/passwd",
    "ftp://example.org/",
    "data:text/html,<p>x",
    "javascript:alert(1)",
    "gopher://example.org/",
    "//example.org/",
    "example.org",
    "",
    "http://",
    "http://example.org:8080/",
    "http://example.org:443/",
    "https://example.org:80/",
    "http://user@example.org/",
    "http://user:pass@example.org/",
    "http://example.org@evil.test/",
    "http://evil.test/",
    "http://evil-example.org/",
    "http://example.org.evil.test/",
    "http://example.org./",
    "http://127.0.0.1/",
    "http://localhost/",
    `http://example.org/${"a".repeat(3000)}`,
  ])("refuses %s without resolving its name", async (url) => {
    expect(await refusal(url, { "*": { pages: { "/": "reached" } } })).toMatch(/^web_refused: /);
    expect(web.lookups).toEqual([]);
    expect(web.connections).toEqual([]);
  });

  it.each(["http://8.8.8.8/", "http://127.0.0.1/", "http://[::1]/"])("refuses the address %s even if it is listed", async (url) => {
    const host = new URL(url).hostname;
    expect(await refusal(url, {}, { hosts: [host] })).toMatch(/^web_refused: the host is an IP address/);
  });

  it.each([
    [["127.0.0.1"]],
    [["93.184.216.34", "10.0.0.1"]],
    [["169.254.169.254"]],
    [["::ffff:10.0.0.1"]],
    [["2606:4700:4700::1111", "::1"]],
    [["not an address"]],
  ])("refuses a name that resolves to %s, without a connection", async (addresses) => {
    expect(await refusal("http://example.org/", page({ "/": "reached" }, [addresses]))).toMatch(/^web_refused: .*only public/);
    expect(web.connections).toEqual([]);
    expect(web.requests).toEqual([]);
  });

  it("connects to the verified address, even if the name changes meanwhile", async () => {
    await fetched("http://example.org/", page({ "/": "ok" }, [["93.184.216.34"], ["127.0.0.1"]]));
    expect(web.lookups).toEqual(["example.org"]);
    expect(web.connections.map(({ address }) => address)).toEqual(["93.184.216.34"]);
  });

  it("verifies every redirect: a name that now resolves to a private address is refused", async () => {
    const pages = { "/": redirectTo("/next"), "/next": "reached" };
    expect(await refusal("http://example.org/", page(pages, [["93.184.216.34"], ["127.0.0.1"]]))).toMatch(/^web_refused: .*only public/);
    expect(web.requests).toEqual(["example.org /"]);
  });

  it.each([
    "http://127.0.0.1/secret",
    "http://127.0.0.1:9200/",
    "http://[::ffff:7f00:1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://evil.test/",
    "file:///etc/passwd",
    "ftp://example.org/",
    "data:text/html,x",
    "http://u:p@example.org/",
    "http://",
    "https://inside.example.org/",
  ])("refuses a redirect to %s", async (location) => {
    const hosts = {
      ...page({ "/": redirectTo(location) }),
      "inside.example.org": { pages: { "/": "reached" }, addresses: [["10.1.2.3"]] },
    };
    expect(await refusal("http://example.org/", hosts)).toMatch(/^web_refused: /);
    expect(web.requests).toEqual(["example.org /"]);
  });

  it("refuses a redirect from https to http, and follows one from http to https", async () => {
    const pages = { "/down": redirectTo("http://example.org/end"), "/up": redirectTo("https://example.org/end"), "/end": "ok" };
    expect(await refusal("https://example.org/down", page(pages))).toMatch(/from https to http/);
    await web.close();
    expect(await fetched("http://example.org/up", page(pages))).toMatchObject({ url: "https://example.org/end" });
  });

  it("follows a few redirects and stops a loop", async () => {
    expect(await refusal("http://example.org/", page({ "/": redirectTo("/") }))).toMatch(/more than 4 redirects/);
    expect(web.requests).toHaveLength(MAX_REDIRECTS + 1);
  });

  it.each(["application/pdf", "application/json", "image/svg+xml", "application/xhtml+xml", "text/htmlx", ""])(
    "rejects type %j",
    async (type) => {
      expect(await refusal("http://example.org/", page({ "/": typed(type) }))).toMatch(/^web_type: /);
    },
  );

  it.each([204, 304, 400, 404, 500])("rejects a reply with status %i", async (status) => {
    const handler: WebHandler = (_request, response) => response.writeHead(status, { "content-type": "text/html" }).end();
    expect(await refusal("http://example.org/", page({ "/": handler }))).toBe(`web_status: HTTP ${status}`);
  });

  it("rejects multiple or unknown compression", async () => {
    for (const encoding of ["gzip, gzip", "zstd", "compress"]) {
      expect(await refusal("http://example.org/", page({ "/": compressed("x", encoding) }))).toMatch(/^web_type: compression/);
      await web.close();
    }
  });
});

describe("hostile replies", () => {
  it("stops a body of a gigabyte at the limit, with little memory", async () => {
    let sent = 0;
    const endless: WebHandler = (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      const part = Buffer.alloc(256 * 1024, "a");
      const send = () => {
        while (sent < 1024 ** 3 && !response.destroyed) {
          sent += part.length;
          if (!response.write(part)) return response.once("drain", send);
        }
        return response.end();
      };
      send();
    };
    const before = process.memoryUsage().rss;
    expect(await refusal("http://example.org/", page({ "/": endless }))).toBe("web_too_large: more than 2097152 bytes");
    expect(sent).toBeLessThan(64 * 1024 ** 2);
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 ** 2);
    await expect.poll(() => web.hungUp).toEqual(["example.org /"]);
  });

  it("rejects a reply whose stated length is above the limit", async () => {
    const handler: WebHandler = (_request, response) => {
      response.writeHead(200, { "content-type": "text/html", "content-length": 1024 ** 3 });
      response.write("a");
    };
    expect(await refusal("http://example.org/", page({ "/": handler }))).toMatch(/^web_too_large/);
  });

  it("limits the decompressed size", async () => {
    const bomb = gzipSync(Buffer.alloc(512 * 1024 ** 2));
    expect(bomb.length).toBeLessThan(1024 ** 2);
    const before = process.memoryUsage().rss;
    expect(await refusal("http://example.org/", page({ "/": compressed(bomb) }), { timeoutMs: 60_000 })).toMatch(/^web_too_large/);
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 ** 2);
  });

  it("limits the compressed size too", async () => {
    const empty = gzipSync("");
    const pages = { "/": compressed(Buffer.concat(Array.from({ length: 2000 }, () => empty))) };
    expect(await refusal("http://example.org/", page(pages), { maxBytes: 10_000 })).toMatch(/^web_too_large/);
  });

  it("reports a damaged or truncated compressed body", async () => {
    const whole = gzipSync("x".repeat(1000));
    for (const body of [whole.subarray(0, -9), Buffer.from("no gzip")]) {
      expect(await refusal("http://example.org/", page({ "/": compressed(body) }))).toMatch(/^web_failed/);
      await web.close();
    }
  });

  it.each([
    ["sends nothing", (() => undefined) as WebHandler],
    [
      "sends its headers very slowly",
      ((_request, response) => {
        response.socket?.write("HTTP/1.1 200 OK\r\n");
        const timer = setInterval(() => response.socket?.write("x-a: 1\r\n"), 20);
        response.on("close", () => clearInterval(timer));
      }) as WebHandler,
    ],
    [
      "sends its body very slowly",
      ((_request, response) => {
        response.writeHead(200, { "content-type": "text/html" });
        const timer = setInterval(() => response.write("<b>"), 20);
        response.on("close", () => clearInterval(timer));
      }) as WebHandler,
    ],
    ["sends without end, slowly", ((_request, response) => setTimeout(() => redirectTo("/")(_request, response), 120)) as WebHandler],
  ])("stops at the timeout when the server %s", async (_name, handler) => {
    expect(await refusal("http://example.org/", page({ "/": handler }), { timeoutMs: 300 })).toBe(
      "web_timeout: the page was not complete within 300 ms",
    );
  });

  it("stops at the timeout when the name is never resolved", async () => {
    web = await startFakeWeb({});
    const network = { ...web.network, resolve: () => new Promise<never>(() => undefined) };
    await expect(fetchWebPage("http://example.org/", network, { ...OPTIONS, timeoutMs: 100 })).rejects.toMatchObject({
      code: "web_timeout",
    });
  });

  it("rejects endless headers", async () => {
    const handler: WebHandler = (_request, response) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\nx-a: ${"a".repeat(100_000)}\r\n\r\n`);
    };
    expect(await refusal("http://example.org/", page({ "/": handler }))).toMatch(/^web_failed/);
  });

  it("rejects another protocol", async () => {
    const handler: WebHandler = (_request, response) => {
      response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n");
    };
    expect(await refusal("http://example.org/", page({ "/": handler }))).toMatch(/^web_failed/);
  });

  it("closes the connection when it is cancelled", async () => {
    const controller = new AbortController();
    web = await startFakeWeb(page({ "/": () => undefined }));
    const reading = fetchWebPage("http://example.org/", web.network, { ...OPTIONS, signal: controller.signal });
    await expect.poll(() => web.requests.length).toBe(1);
    controller.abort(new Error("reader left"));
    await expect(reading).rejects.toThrow("reader left");
    await expect.poll(() => web.hungUp).toHaveLength(1);
  });

  it("tries another address of the host, and reports the failure when none answers", async () => {
    web = await startFakeWeb(page({ "/": "ok" }, [["1.1.1.1", "93.184.216.34"]]));
    const dead = await deadPort();
    const network = {
      ...web.network,
      connect: (target: Parameters<typeof web.network.connect>[0]) =>
        target.address === "1.1.1.1" ? INTERNET.connect({ ...target, address: "127.0.0.1", port: dead }) : web.network.connect(target),
    };
    expect(await fetchWebPage("http://example.org/", network, OPTIONS)).toMatchObject({ type: "text/html" });
    const none = { ...network, resolve: async () => ["1.1.1.1"] };
    await expect(fetchWebPage("http://example.org/", none, OPTIONS)).rejects.toThrow(/ECONNREFUSED/);
  });

  it("rejects an unencrypted reply to a secure request", async () => {
    web = await startFakeWeb(page({ "/": "ok" }));
    const { port } = new URL(web.url);
    const network = {
      ...web.network,
      connect: () => INTERNET.connect({ address: "127.0.0.1", port: Number(port), host: "example.org", secure: true }),
    };
    await expect(fetchWebPage("https://example.org/", network, OPTIONS)).rejects.toMatchObject({ code: "web_failed" });
    expect(web.requests).toEqual([]);
  });
});

describe("the real network", () => {
  it("resolves a name, and refuses addresses of this machine", async () => {
    expect((await INTERNET.resolve("localhost")).length).toBeGreaterThan(0);
    await expect(fetchWebPage("http://localhost/", INTERNET, { ...OPTIONS, hosts: ["localhost"] })).rejects.toMatchObject({
      code: "web_refused",
    });
  });
});

async function deadPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
