import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { ConnectTarget, WebNetwork } from "../models/web-page.ts";

export type WebHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface FakeHost {
  /** Addresses to which the host resolves, one list per lookup; the last list repeats. @default a public address */
  readonly addresses?: readonly (readonly string[])[];
  /** HTML pages or handlers by path. */
  readonly pages: Readonly<Record<string, string | WebHandler>>;
}

export interface FakeWeb {
  readonly network: WebNetwork;
  /** Received requests, as `host path`. */
  readonly requests: readonly string[];
  /** Names that were resolved, in order. */
  readonly lookups: readonly string[];
  readonly connections: readonly ConnectTarget[];
  /** Requests that the client aborted. */
  readonly hungUp: readonly string[];
  /** URL of the server, for requests that do not use `network`, such as those to a search endpoint. */
  readonly url: string;
  close(): Promise<void>;
}

/** Default address of every fake host. */
export const PUBLIC_ADDRESS = "93.184.216.34";

/**
 * Starts one local server for all hosts. Names resolve to the given addresses, which the real code checks, but every
 * connection leads to this server. Connections by https are not encrypted.
 */
export async function startFakeWeb(hosts: Readonly<Record<string, FakeHost>>): Promise<FakeWeb> {
  const requests: string[] = [];
  const lookups: string[] = [];
  const connections: ConnectTarget[] = [];
  const hungUp: string[] = [];
  const server = createServer({ keepAlive: false }, (request, response) => {
    const host = (request.headers.host ?? "").replace(/:\d+$/, "");
    const { pathname } = new URL(request.url ?? "/", "http://x");
    const name = `${host} ${request.url}`;
    requests.push(name);
    response.on("close", () => {
      if (!response.writableFinished) hungUp.push(name);
    });
    const page = (hosts[host] ?? hosts["*"])?.pages[pathname];
    if (page === undefined) response.writeHead(404, { "content-type": "text/html" }).end("nothing here");
    else if (typeof page === "string") response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
    else page(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const network: WebNetwork = {
    async resolve(host) {
      const scripted = hosts[host]?.addresses ?? [[PUBLIC_ADDRESS]];
      const before = lookups.filter((one) => one === host).length;
      lookups.push(host);
      return scripted[Math.min(before, scripted.length - 1)] ?? [];
    },
    connect(target) {
      connections.push(target);
      return connect({ host: "127.0.0.1", port });
    },
  };
  return {
    network,
    requests,
    lookups,
    connections,
    hungUp,
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export function redirectTo(location: string, status = 302): WebHandler {
  return (_request, response) => response.writeHead(status, { location }).end();
}

/** Returns a handler that replies like SearXNG. */
export function searxngReply(results: readonly { readonly url: string; readonly title?: string; readonly content?: string }[]): WebHandler {
  return (request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://x");
    if (searchParams.get("format") !== "json") return response.writeHead(403).end();
    const body = { query: searchParams.get("q"), number_of_results: 0, results, answers: [], suggestions: [], unresponsive_engines: [] };
    return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
}
