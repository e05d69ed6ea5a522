import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";

export interface LoadOptions {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Body of the n-th request. */
  readonly body: (n: number) => string;
  /** Texts that each response body must contain. */
  readonly expected: readonly string[];
}

export interface LoadResult {
  readonly perSecond: number;
  readonly ms: readonly number[];
  /** Number of responses by status. `lost`: no response; `unexpected`: status 200 without the expected texts. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** Keeps `connections` busy for `seconds`; each sends its next request as soon as the last one is answered. */
export async function load({ url, connections, seconds, body, expected }: LoadOptions): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const until = performance.now() + seconds * 1000;
  const ms: number[] = [];
  const statuses: Record<string, number> = {};
  let sent = 0;
  const worker = async () => {
    while (performance.now() < until) {
      const from = performance.now();
      const status = await post(url, body(sent++), { agent, expected });
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === "200") ms.push(performance.now() - from);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: connections }, worker));
  agent.destroy();
  return { perSecond: (1000 * (statuses["200"] ?? 0)) / (performance.now() - begun), ms, statuses };
}

function post(url: string, body: string, { agent, expected }: { agent: Agent; expected: readonly string[] }): Promise<string> {
  return new Promise((resolve) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request(`${url}/v1/ask`, { method: "POST", agent, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.once("end", () => {
        const answer = Buffer.concat(parts);
        const isMeant = response.statusCode !== 200 || expected.every((text) => answer.includes(text));
        resolve(isMeant ? String(response.statusCode) : "unexpected");
      });
      response.once("error", () => resolve("lost"));
    });
    sent.once("error", () => resolve("lost")).end(body);
  });
}

/** Response times of `/healthz` in milliseconds, and the number of failed requests. */
export interface Health {
  readonly ms: readonly number[];
  readonly lost: number;
}

/** Requests `/healthz` repeatedly until stopped. */
export function watchHealth(url: string, everyMs: number): { stop(): Promise<Health> } {
  const ms: number[] = [];
  let lost = 0;
  let isStopped = false;
  const watching = (async () => {
    while (!isStopped) {
      const from = performance.now();
      try {
        await (await fetch(`${url}/healthz`)).arrayBuffer();
        ms.push(performance.now() - from);
      } catch {
        lost++;
      }
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await watching;
      return { ms, lost };
    },
  };
}
