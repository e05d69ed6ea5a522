import { describe, expect, it } from "vitest";
import { createLineTransport } from "./mcp-stdio.ts";

const call = (id: number, method = "tools/call") => JSON.stringify({ jsonrpc: "2.0", id, method });
const cancel = (id: number) => JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });

/** Returns a transport that has received the whole input in chunks. */
async function fed(input: string, chunkBytes = 1_000) {
  const written: unknown[] = [];
  const received: unknown[] = [];
  const bytes = Buffer.from(input);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, i) =>
    bytes.subarray(i * chunkBytes, (i + 1) * chunkBytes),
  );
  const ended = Promise.withResolvers<void>();
  const stdin = (async function* () {
    yield* chunks;
    ended.resolve();
  })();
  const transport = createLineTransport(stdin, (line) => written.push(JSON.parse(line)));
  transport.onmessage = (message) => received.push(message);
  let isDone = false;
  void transport.done.then(() => {
    isDone = true;
  });
  await transport.start();
  await ended.promise;
  await new Promise((resolve) => setImmediate(resolve));
  return { transport, written, received, isDone: () => new Promise((resolve) => setImmediate(() => resolve(isDone))) };
}

describe("MCP by lines", () => {
  it("is done when the input has ended and the last request is answered", async () => {
    const { transport, received, isDone } = await fed(`${call(1)}\n${call(2)}`);
    expect(received).toHaveLength(2);
    expect(await isDone()).toBe(false);
    await transport.send({ jsonrpc: "2.0", id: 2, result: {} });
    expect(await isDone()).toBe(false);
    await transport.send({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "no" } });
    expect(await isDone()).toBe(true);
  });

  it("waits for no answer to what was cancelled, or stays open as long as the connection", async () => {
    expect(await (await fed(`${call(1)}\n${cancel(1)}\n${call(2, "subscriptions/listen")}\n`)).isDone()).toBe(true);
  });

  it("is done when it is closed, whatever is open", async () => {
    const { transport, isDone } = await fed(call(1));
    await transport.close();
    expect(await isDone()).toBe(true);
  });

  it.each([
    ["no JSON", "{oops", -32700],
    ["no message", '{"id":1}', -32600],
    ["a line beyond all measure", `"${"x".repeat(11 * 1024 * 1024)}"`, -32700],
  ])("says of %s that it is no message, and reads on", async (_name, line, code) => {
    const { written, received } = await fed(`${line}\r\n\n${call(1)}\n`, 1_000_000);
    expect(written).toMatchObject([{ jsonrpc: "2.0", id: null, error: { code } }]);
    expect(received).toMatchObject([{ id: 1 }]);
  });

  it("puts lines together from pieces of any size", async () => {
    const question = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { question: "Où est la clé ?" } });
    expect((await fed(`${question}\n${call(2)}\n`, 1)).received).toMatchObject([{ params: { question: "Où est la clé ?" } }, { id: 2 }]);
  });
});
