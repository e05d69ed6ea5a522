import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import type { Server } from "node:http";
import { createServer, type Server as TlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { createSecureContext } from "node:tls";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { DEFAULT_CONNECTIONS, DEFAULT_REQUEST_TIMEOUT_MS, DEFAULT_STOP_GRACE_MS } from "../shared/config/server.ts";
import type { Config } from "../shared/config.ts";
import { ConfigError, messageOf, SourceboundError, systemCodeOf } from "../shared/errors.ts";

/** Maximum milliseconds to receive the headers of a request. */
const MAX_HEADERS_MS = 10_000;
/** Milliseconds between two checks for requests that exceed their time limit. */
const TIMEOUT_CHECK_MS = 1_000;

type Settings = Config["server"];
export type ServeSettings = Pick<Settings, "host" | "port"> &
  Partial<Pick<Settings, "stop_grace_ms" | "request_timeout_ms" | "connections">>;

export type RunningServer = Awaited<ReturnType<typeof serve>>;

/**
 * Serves the app.
 * @param tls enables HTTPS; absent: plain HTTP
 * @param tlsFailed called when replaced certificate files cannot be loaded
 * @throws ConfigError `port_in_use`, `port_not_allowed`, `host_not_available` when it cannot listen
 */
export async function serve(app: Hono, settings: ServeSettings, tls?: Tls, tlsFailed: (reason: string) => void = () => {}) {
  const { host, port, request_timeout_ms: requestTimeoutMs = DEFAULT_REQUEST_TIMEOUT_MS } = settings;
  const server = createAdaptorServer({
    fetch: app.fetch,
    ...(tls === undefined ? {} : { createServer: tls.createServer }),
    serverOptions: {
      ...tls?.options,
      requestTimeout: requestTimeoutMs,
      headersTimeout: Math.min(requestTimeoutMs, MAX_HEADERS_MS),
      connectionsCheckingInterval: Math.min(requestTimeoutMs / 2, TIMEOUT_CHECK_MS),
    },
  }) as Server;
  server.maxConnections = settings.connections ?? DEFAULT_CONNECTIONS;
  const connections = trackConnections(server, tls === undefined ? "connection" : "secureConnection");
  server.listen(port, host);
  await once(server, "listening").catch((error: Error) => {
    throw describeListenError(error, host, port);
  });
  const address = server.address() as AddressInfo;
  const unfollow = tls?.follow(server as TlsServer, tlsFailed);
  let closing: Promise<void> | undefined;
  return {
    /** URL with the actual port, e.g. `http://127.0.0.1:8787`. */
    url: `${tls === undefined ? "http" : "https"}://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`,
    /** Stops new requests, lets running answers finish, then closes all connections. May be called repeatedly. */
    close: (): Promise<void> => {
      unfollow?.();
      closing ??= closeServer(server, connections, settings.stop_grace_ms ?? DEFAULT_STOP_GRACE_MS);
      return closing;
    },
  };
}

function describeListenError(cause: Error, host: string, port: number): SourceboundError {
  const failure = (code: string, message: string) => new ConfigError(code, message, { host, port }, { cause });
  const advice = "use --port with another number, or stop the program that uses the port";
  switch (systemCodeOf(cause)) {
    case "EADDRINUSE":
      return failure("port_in_use", `Port ${port} on ${host} is in use: ${advice}.`);
    case "EACCES":
      return failure("port_not_allowed", `This user may not open port ${port} on ${host}. Use --port with a number above 1023.`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return failure("host_not_available", `"${host}" is not an address of this machine. Use --host 127.0.0.1.`);
    default:
      return new SourceboundError("cannot_listen", `Cannot listen on ${host}:${port}: ${messageOf(cause)}.`, { host, port }, { cause });
  }
}

/**
 * Counts the running requests of each connection. Node's `closeIdleConnections` is not enough: clients open connections
 * in advance, and it misses those that have not sent a request yet.
 */
function trackConnections(server: Server, opened: "connection" | "secureConnection"): { closeWhenIdle(): void } {
  const requestsOf = new Map<Socket, number>();
  let closing = false;
  const count = (socket: Socket, change: number) => {
    const before = requestsOf.get(socket);
    if (before === undefined) return;
    requestsOf.set(socket, before + change);
    if (closing && before + change === 0) socket.destroySoon();
  };
  server.on(opened, (socket: Socket) => {
    requestsOf.set(socket, 0);
    socket.once("close", () => requestsOf.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    count(socket, 1);
    response.once("close", () => count(socket, -1));
  });
  return {
    closeWhenIdle() {
      closing = true;
      for (const socket of requestsOf.keys()) count(socket, 0);
    },
  };
}

async function closeServer(server: Server, connections: { closeWhenIdle(): void }, graceMs: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  const closed = once(server, "close");
  server.close();
  connections.closeWhenIdle();
  await closed.finally(() => clearTimeout(cut));
}

/** Milliseconds between two checks whether the certificate files changed. */
const CHECK_MS = 60_000;

type Tls = ReturnType<typeof openTls>;

/**
 * @param files PEM files of a certificate chain and its key
 * @throws ConfigError `config_tls` when the files cannot be read or do not match
 */
export function openTls(files: { readonly cert: string; readonly key: string }, checkMs: number = CHECK_MS) {
  const changedAt = () => Math.max(statSync(files.cert).mtimeMs, statSync(files.key).mtimeMs);
  const read = () => {
    const options = { cert: readFileSync(files.cert), key: readFileSync(files.key), minVersion: "TLSv1.2" as const };
    createSecureContext(options);
    return options;
  };
  let options: ReturnType<typeof read>;
  let seen: number;
  try {
    seen = changedAt();
    options = read();
  } catch (cause) {
    const message = `server.tls cannot be used (${messageOf(cause)}). Set it to PEM files of a certificate and its key that this user can read.`;
    throw new ConfigError("config_tls", message, { cert: files.cert }, { cause });
  }
  return {
    createServer,
    /** The current certificate and key. */
    options,
    /** Reloads changed files. If they are invalid, the old certificate stays. Returns a function that stops watching. */
    follow(server: TlsServer, failed: (reason: string) => void): () => void {
      const timer = setInterval(() => {
        try {
          const at = changedAt();
          if (at === seen) return;
          seen = at;
          server.setSecureContext(read());
        } catch (error) {
          failed(messageOf(error));
        }
      }, checkMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}
