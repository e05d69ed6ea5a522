import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { PACKAGE_ROOT } from "../src/package.ts";
import { runCli } from "./support/cli.ts";
import { createKey, keyedAppForAll } from "./support/keyed-app.ts";
import { CARD, UNANSWERABLE } from "./support/library.ts";

const keyed = keyedAppForAll("mcp");

type Negotiation = "legacy" | "auto";
async function connect(mode: Negotiation, token = keyed.key) {
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: async (url, init) => keyed.app.request(String(url), init),
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

interface Result {
  readonly isError?: boolean;
  readonly content?: unknown;
  readonly structuredContent?: Record<string, unknown>;
}
const call = async (client: Client, name: string, given: Record<string, unknown>) =>
  (await client.callTool({ name, arguments: given })) as Result;

describe.each(["legacy", "auto"] as const)("the MCP client over HTTP (%s)", (mode) => {
  it("lists every tool with its schema, and calls each one", async () => {
    const client = await connect(mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(["ask", "check_answer", "search"]);
    for (const { description, inputSchema } of tools)
      expect([description?.length ?? 0, inputSchema.type]).toEqual([expect.any(Number), "object"]);
    const asked = await call(client, "ask", { question: CARD });
    expect(asked.isError ?? false).toBe(false);
    expect(asked.structuredContent).toMatchObject({ status: "ok", citations: [{ n: 1 }] });
    expect(JSON.stringify(asked.content)).toContain("5 dollars");
    const found = await call(client, "search", { query: CARD, limit: 1 });
    expect(found.structuredContent?.passages).toHaveLength(1);
    const checked = await call(client, "check_answer", {
      ...{ question: "What does a lost card cost?", answer: "A lost card costs 7 dollars [1]." },
      sources: [{ name: "fees", text: "A lost card costs 5 dollars." }],
    });
    expect(checked.structuredContent).toMatchObject({ passed: false });
  });

  it("distinguishes a refusal, an empty search and an error", async () => {
    const client = await connect(mode);
    const refused = await call(client, "ask", { question: UNANSWERABLE });
    expect([refused.isError ?? false, refused.structuredContent?.status]).toEqual([false, "insufficient_context"]);
    const blind = await connect(mode, await createKey(keyed.library, { domains: ["library"], tenants: [], access: ["nobody"] }));
    const nothing = await call(blind, "search", { query: CARD });
    expect([nothing.isError ?? false, nothing.structuredContent?.passages]).toEqual([false, []]);
    expect(JSON.stringify(nothing.content)).toContain("No passage was found.");
    const wrong = await call(client, "ask", { question: "x".repeat(501) });
    expect(wrong.isError).toBe(true);
    expect(JSON.stringify(wrong.content)).toContain("question_too_long");
    const elsewhere = await call(client, "ask", { question: CARD, domain: "veterans" });
    expect(elsewhere.isError).toBe(true);
    expect(JSON.stringify(elsewhere.content)).toContain("scope_denied");
  });

  it("lists documents as resources, in which offsets of citations are valid", async () => {
    const client = await connect(mode);
    const { resources } = await client.listResources();
    expect(resources.length).toBeGreaterThan(2);
    const asked = await call(client, "ask", { question: CARD });
    const { citations } = asked.structuredContent as { citations: { document_id: string; start: number; end: number; quote: string }[] };
    const [citation] = citations;
    const resource = resources.find(({ uri }) => uri.includes(encodeURIComponent(citation?.document_id ?? "none")));
    const { contents } = await client.readResource({ uri: resource?.uri ?? "" });
    const text = (contents[0] as { text: string }).text;
    expect(text.slice(citation?.start, citation?.end)).toBe(citation?.quote);
    await expect(client.readResource({ uri: "sourcebound://library/documents/nobody" })).rejects.toThrow();
    await expect(client.readResource({ uri: "sourcebound://veterans/documents/nobody" })).rejects.toThrow();
  });
});

describe("POST /mcp", () => {
  it("rejects an unknown key", async () => {
    await expect(connect("legacy", "sb_guessed")).rejects.toThrow();
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["a number", "7"],
    ["a call without its parts", '{"jsonrpc":"2.0","id":1,"method":"tools/call"}'],
    ["a call of another tool", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm","arguments":{}}}'],
    ["a prototype", '{"jsonrpc":"2.0","id":1,"method":"__proto__"}'],
    ["sixty at once", JSON.stringify(Array.from({ length: 60 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" })))],
  ])("survives %s", async (_name, body) => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${keyed.key}`,
    };
    const response = await keyed.app.request("/mcp", { method: "POST", headers, body });
    expect(response.status).toBeLessThan(500);
    expect(await response.text()).not.toMatch(/at .*\.ts:\d+/);
  });
});

it("answers every call of a piped input, and continues after an invalid line", async () => {
  const ask = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "ask", arguments: { question: CARD } } });
  const info = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } };
  const lines = [
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: info }),
    "{oops",
    ...[2, 3].map(ask).map((one) => JSON.stringify(one)),
  ];
  const { folder: cwd, env } = keyed.library.sandbox;
  const { stdout, code } = await runCli(["mcp"], { cwd, env, stdin: [Buffer.from(lines.join("\n"))] });
  const answered = stdout
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  expect(answered).toHaveLength(3);
  expect(answered).toMatchObject([
    { id: 1 },
    { result: { structuredContent: { status: "ok" } } },
    { result: { structuredContent: { status: "ok" } } },
  ]);
  expect(code).toBe(0);
});

const openStdio = (stderr: "ignore" | "pipe") =>
  new StdioClientTransport({
    ...{ command: process.execPath, args: [join(PACKAGE_ROOT, "dist/src/cli/main.js"), "mcp"], cwd: keyed.library.sandbox.folder },
    env: { ...keyed.library.sandbox.env, PATH: process.env.PATH ?? "" } as Record<string, string>,
    stderr,
  });

it("ends after an over-long message, although the input stays open", async () => {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = openStdio("pipe");
  let stderr = "";
  transport.stderr?.on("data", (text: Buffer) => {
    stderr += text.toString();
  });
  await client.connect(transport);
  const ended = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  const request = client.callTool({ name: "ask", arguments: { question: "x".repeat(11 * 1024 * 1024) } });
  await expect(request).rejects.toThrow();
  await ended;
  expect(stderr).toContain("exceeded maximum size");
  // Node.js warns with this word about a process that ended before its work.
  expect(stderr).not.toContain("unsettled");
});

it("serves the MCP client over standard input and output, and ends with it", async () => {
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = openStdio("ignore");
  await client.connect(transport);
  const { pid } = transport;
  expect((await client.listTools()).tools).toHaveLength(3);
  expect((await call(client, "ask", { question: CARD })).structuredContent).toMatchObject({ status: "ok" });
  await client.close();
  await expect
    .poll(
      () => {
        try {
          process.kill(pid ?? 0, 0);
          return "runs";
        } catch {
          return "ended";
        }
      },
      { timeout: 60_000 },
    )
    .toBe("ended");
});
