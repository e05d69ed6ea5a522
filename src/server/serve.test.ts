import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../client/index.ts";
import { eventsOf, sampleAnswer } from "../testing/answers.ts";
import { type AskScript, createFakeAskEngine, waitFor } from "../testing/fake-ask-engine.ts";
import { type ServerLog, silentLog } from "./access/guard.ts";
import { createApp } from "./app.ts";
import { type ServeSettings, serve } from "./serve.ts";

const answer = sampleAnswer({ question: "q", sentences: [{ text: "One.", citations: [] }] });

interface StartOptions extends Pick<ServeSettings, "stop_grace_ms" | "request_timeout_ms"> {
  readonly log?: ServerLog;
}

async function start(script: AskScript, { log = silentLog, ...limits }: StartOptions = {}) {
  const engine = createFakeAskEngine(script);
  const app = createApp({ engine, log, webRoot: "/nowhere" });
  const server = await serve(app, { host: "127.0.0.1", port: 0, ...limits });
  onTestFinished(() => server.close());
  return { engine, app, server, client: createClient({ baseUrl: server.url }) };
}

const slow = (ms: number): AskScript =>
  async function* ({ signal }) {
    yield { type: "admit-start" };
    yield { type: "admit-end", ms: 0, facts: {} };
    await waitFor(ms, signal);
    yield* eventsOf(answer);
  };

describe("serve", () => {
  it("answers over a real socket, whole and streamed, 50 at once", async () => {
    const { client } = await start(slow(5));
    const wholes = await Promise.all(Array.from({ length: 50 }, () => client.ask({ question: "q" })));
    expect(new Set(wholes.map(({ answer_plain }) => answer_plain))).toEqual(new Set(["One."]));
    const names = await Array.fromAsync(client.stream({ question: "q" }), ({ event }) => event);
    expect(names.at(-1)).toBe("answer");
  });

  it("says what to do when the port is in use", async () => {
    const { app, server } = await start(slow(0));
    const port = Number(new URL(server.url).port);
    await expect(serve(app, { host: "127.0.0.1", port })).rejects.toMatchObject({
      code: "port_in_use",
      message: expect.stringMatching(/--port .*stop/),
      data: { host: "127.0.0.1", port },
    });
  });

  it("says what to do when the host is not of this machine", async () => {
    const { app } = await start(slow(0));
    await expect(serve(app, { host: "192.0.2.1", port: 0 })).rejects.toMatchObject({ code: "host_not_available" });
  });

  it.each(["a streaming client", "a client that waits for JSON"])("aborts the engine when %s disconnects", async (who) => {
    const { client, engine } = await start(slow(60_000));
    const abort = new AbortController();
    const asked = [{ question: "q" }, { signal: abort.signal }] as const;
    const pending = who === "a streaming client" ? Array.fromAsync(client.stream(...asked)) : client.ask(...asked);
    await expect.poll(() => engine.calls.length).toBe(1);
    abort.abort();
    await expect(pending).rejects.toThrow();
    await expect.poll(() => engine.calls[0]?.signal.aborted).toBe(true);
  });

  it("stops an answer that exceeds the grace period, and informs the client", async () => {
    const { client, engine, server } = await start(slow(60_000), { stop_grace_ms: 50 });
    const events = client.stream({ question: "q" });
    await events.next();
    await server.close();
    await expect(
      events
        .next()
        .then(() => events.next())
        .then(() => events.next()),
    ).rejects.toMatchObject({ code: "stream_cut" });
    await expect.poll(() => engine.calls[0]?.signal.aborted).toBe(true);
  });

  it.each([
    ["with a stated length", 'content-length: 100\r\n\r\n{"quest'],
    ["in chunks", 'transfer-encoding: chunked\r\n\r\n7\r\n{"quest\r\n'],
  ])("treats a body %s that breaks off as a disconnection, not as a server error", async (_what, rest) => {
    const statuses: unknown[] = [];
    const errors: unknown[] = [];
    const log = {
      info: (_message: string, { status }: Readonly<Record<string, unknown>>) => statuses.push(status),
      error: (...entry: unknown[]) => errors.push(entry),
    };
    const { server } = await start(slow(0), { log });
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write(`POST /v1/ask HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${rest}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    await expect.poll(() => statuses).toEqual([499]);
    expect(errors).toEqual([]);
  });

  it("closes 300 bodies that never end, and answers others meanwhile", async () => {
    const { client, server } = await start(slow(0), { request_timeout_ms: 400 });
    const port = Number(new URL(server.url).port);
    const closed = Array.from(
      { length: 300 },
      () =>
        new Promise<void>((resolve) => {
          const socket = connect(port, "127.0.0.1");
          const drip = setInterval(() => socket.write(" "), 50);
          socket.write("POST /v1/ask HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n\r\n{");
          socket.on("error", () => undefined);
          socket.resume().once("close", () => {
            clearInterval(drip);
            resolve();
          });
        }),
    );
    expect((await client.ask({ question: "q" })).status).toBe("ok");
    await Promise.all(closed);
    expect((await client.ask({ question: "q" })).status).toBe("ok");
  });
});
