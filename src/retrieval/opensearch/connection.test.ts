import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { STATUS_OF_CODE } from "../../server/error-response.ts";
import { type ConnectionOptions, OpenSearchConnection } from "./connection.ts";

async function serverOf(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function connect(url: string | readonly string[], over: Partial<ConnectionOptions> = {}): OpenSearchConnection {
  const connection = new OpenSearchConnection({ nodes: [url].flat(), timeoutMs: 5_000, ...over });
  onTestFinished(() => connection.close());
  return connection;
}

/** Answers every request with a status and a JSON body. */
const answering =
  (status: number, body: unknown, seen: IncomingMessage[] = []): RequestListener =>
  (request, response) => {
    seen.push(request);
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  };

const get = { method: "GET", path: "/", schema: z.object({ ok: z.boolean() }) } as const;
const failure = { error: { type: "some_exception", reason: "it broke" }, status: 400 };

describe("OpenSearchConnection", () => {
  it("authenticates with name and password, or with a signature for AWS", async () => {
    const seen: IncomingMessage[] = [];
    const url = await serverOf(answering(200, { ok: true }, seen));
    await connect(url, { basic: { username: "me", password: "p:ä" } }).call(get);
    const keys = { accessKeyId: "AKID", secretAccessKey: "secret", sessionToken: "token" };
    await connect(url, { aws: { region: "eu-west-1", keys } }).call(get);
    const [basic, aws] = seen.map(({ headers }) => headers);
    expect(Buffer.from((basic?.authorization ?? "").slice("Basic ".length), "base64").toString()).toBe("me:p:ä");
    expect(aws?.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/es\/aws4_request/);
    expect(aws?.["x-amz-security-token"]).toBe("token");
  });

  it.each([
    [401, "search_denied"],
    [403, "search_denied"],
    [400, "search_failed"],
    [429, "search_unavailable"],
    [503, "search_unavailable"],
  ])("explains status %i with advice", async (status, code) => {
    const connection = connect(await serverOf(answering(status, failure)));
    await expect(connection.call(get)).rejects.toMatchObject({ code, message: expect.stringMatching(/search/) });
  });

  it("distinguishes a missing index from other failures", async () => {
    expect(await connect(await serverOf(answering(404, failure))).find(get)).toBeNull();
    await expect(connect(await serverOf(answering(400, failure))).find(get)).rejects.toMatchObject({ code: "search_failed" });
  });

  it("tries the next node when one is down, and reports when all are", async () => {
    const url = await serverOf(answering(200, { ok: true }));
    const connection = connect(["http://127.0.0.1:1", url]);
    for (let n = 0; n < 4; n++) expect(await connection.call(get)).toEqual({ ok: true });
    const away = { code: "search_unavailable", data: { retry_after_s: 5 } };
    await expect(connect("http://127.0.0.1:1").call(get)).rejects.toMatchObject(away);
    expect(STATUS_OF_CODE).toMatchObject({ search_unavailable: 503, search_denied: 502, search_failed: 502 });
  });

  it("can be cancelled while it waits, and has a timeout for each node", async () => {
    const url = await serverOf(() => undefined);
    const stop = new AbortController();
    const waiting = connect(url).call({ ...get, signal: stop.signal });
    setTimeout(() => stop.abort(new Error("stop")), 50);
    await expect(waiting).rejects.toThrow("stop");
    await expect(connect(url, { timeoutMs: 50 }).call(get)).rejects.toMatchObject({ code: "search_unavailable" });
  });

  it("rejects a reply of another format", async () => {
    const connection = connect(await serverOf(answering(200, { ok: "yes" })));
    await expect(connection.call(get)).rejects.toThrow(z.ZodError);
  });

  it("sends many documents in sequential parts, and repeats a rejected part", async () => {
    let running = 0;
    const sizes: number[] = [];
    const url = await serverOf(async (request, response) => {
      expect(++running).toBe(1);
      const lines = (await new Response(request as never).text()).trim().split("\n");
      const isRefused = sizes.push(lines.length / 2) === 2;
      running--;
      const items = Array.from({ length: lines.length / 2 }, () => ({ index: { status: 201 } }));
      response
        .writeHead(isRefused ? 429 : 200, { "Content-Type": "application/json" })
        .end(JSON.stringify(isRefused ? failure : { items }));
    });
    const items = Array.from({ length: 1_500 }, (_, i) => ({ action: { index: { _id: String(i) } }, source: { text: "x".repeat(7_000) } }));
    await connect(url, { compression: false }).bulk("i", items);
    expect(sizes).toEqual([sizes[0], sizes[0], sizes[0], 1_500 - 2 * (sizes[0] ?? 0)]);
  });

  it("repeats only requests that an overloaded cluster rejected, ignores deleted documents, and reports other failures", async () => {
    const bodies: string[][] = [];
    const statuses = [[429, 201, 404], [201]];
    const url = await serverOf(async (request, response) => {
      const lines = (await new Response(request as never).text()).trim().split("\n");
      bodies.push(lines.filter((line) => line.includes("_id")));
      const items = (statuses.shift() ?? [400]).map((status) => ({
        index: { _id: "x", status, ...(status > 201 ? { error: { type: "t", reason: "mapping differs" } } : {}) },
      }));
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ took: 1, errors: true, items }));
    });
    const item = (_id: string) => ({ action: { index: { _id } }, source: { a: 1 } });
    const connection = connect(url, { compression: false });
    await connection.bulk("i", ["a", "b", "c"].map(item));
    expect(bodies.map((lines) => lines.map((line) => (JSON.parse(line) as { index: { _id: string } }).index._id))).toEqual([
      ["a", "b", "c"],
      ["a"],
    ]);
    await expect(connection.bulk("i", [item("d")])).rejects.toMatchObject({
      code: "search_failed",
      message: expect.stringMatching("mapping"),
    });
  });
});
