import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { load, watchHealth } from "./load.ts";

let server: Server | null = null;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)));
  server = null;
});

/** Answers the n-th question with a body, a status, or by hanging up. */
async function serving(reply: (n: number) => string | number | "hang up"): Promise<string> {
  let asked = 0;
  server = createServer((request, response) => {
    const made = request.method === "POST" ? reply(asked++) : "fine";
    request.resume().once("end", () => {
      if (made === "hang up") request.socket.destroy();
      else if (typeof made === "number") response.writeHead(made).end();
      else response.end(made);
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const HIT = '{"status":"ok","cache_mode":"exact"}';
const expected = ['"status":"ok"', '"cache_mode":"exact"'];

it("counts an answer that is not what is measured as unexpected, and takes no time of it", async () => {
  const replies = [HIT, '{"status":"insufficient_context","cache_mode":"miss"}', '{"status":"ok","cache_mode":"miss"}', 503, "hang up"];
  const url = await serving((n) => replies[n % replies.length] as string);
  const { statuses, ms } = await load({ url, connections: 1, seconds: 0.5, body: () => "{}", expected });
  const n = statuses["200"] ?? 0;
  expect(n).toBeGreaterThan(1);
  expect(ms).toHaveLength(n);
  for (const [status, times] of [
    ["unexpected", 2],
    ["503", 1],
    ["lost", 1],
  ] as const) {
    expect(Math.abs((statuses[status] ?? 0) - times * n)).toBeLessThanOrEqual(times);
  }
});

it("counts health checks that nobody answered", async () => {
  const url = await serving(() => HIT);
  const health = watchHealth(url, 5);
  await new Promise((resolve) => setTimeout(resolve, 100));
  server?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { ms, lost } = await health.stop();
  expect(ms.length).toBeGreaterThan(0);
  expect(lost).toBeGreaterThan(0);
});
