import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/package.ts";
import { DEFAULT_SERVER_LIMITS } from "../src/server/endpoint.ts";
import { DEFAULT_ANSWER_TIMEOUT_MS, DEFAULT_QUEUE_TIMEOUT_MS } from "../src/shared/config/server.ts";
import { folderOfFile } from "./support/folders.ts";
import { freePort } from "./support/postgres.ts";

const folder = folderOfFile();
const HOST = "answers.example.org";

const PROXIES = [
  {
    program: "nginx",
    path: "deploy/nginx.conf",
    timeout: /proxy_read_timeout (\d+)s/,
    size: /client_max_body_size (\d+)m/,
    configure(text: string, ports: Ports): readonly string[] {
      const own = text
        .replace("listen 80;", `listen 127.0.0.1:${ports.plain};`)
        .replace("listen 443 ssl", `listen 127.0.0.1:${ports.tls} ssl`)
        .replace(/\/etc\/\S+\.pem/, join(folder, "cert.pem"))
        .replace(/\/etc\/\S+\.key/, join(folder, "key.pem"));
      const user = process.getuid?.() === 0 ? "user root;" : "";
      writeFileSync(
        join(folder, "nginx.conf"),
        `${user} daemon off; pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; ${temporary()} ${own} }`,
      );
      return ["-c", join(folder, "nginx.conf"), "-e", "stderr"];
    },
  },
  {
    program: "caddy",
    path: "deploy/Caddyfile",
    timeout: /response_header_timeout (\d+)s/,
    size: /max_size (\d+)MB/,
    configure(text: string, ports: Ports): readonly string[] {
      const own = text.replace(`${HOST} {`, `${HOST} {\n\ttls ${folder}/cert.pem ${folder}/key.pem`);
      const options = `{\n\tadmin off\n\thttp_port ${ports.plain}\n\thttps_port ${ports.tls}\n\tdefault_bind 127.0.0.1\n}\n`;
      writeFileSync(join(folder, "Caddyfile"), options + own);
      return ["run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"];
    },
  },
] as const;

interface Ports {
  readonly plain: number;
  readonly tls: number;
}

/** nginx's folders for bodies of requests and responses. */
function temporary(): string {
  return ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, [program === "nginx" ? "-v" : "version"], { stdio: "pipe" });
    return true;
  } catch {
    process.stderr.write(`the configuration of ${program} is not tried: it is not installed\n`);
    return false;
  }
}

/** Stands for Sourcebound. The second event of `/stream` waits for `release`; every other path returns the request's headers. */
function upstream() {
  let release = () => {};
  const server = createServer((incoming, response) => {
    if (incoming.url === "/stream") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: first\n\n");
      release = () => response.end("data: second\n\n");
      return;
    }
    let bytes = 0;
    incoming.on("data", (part: Buffer) => (bytes += part.length));
    incoming.on("end", () => response.end(JSON.stringify({ ...incoming.headers, bytes })));
  });
  return { server, release: () => release() };
}

describe("the settings of the proxies", () => {
  it.each(PROXIES)("have longer timeouts than an answer may take, and accept the largest upload: $program", ({ path, timeout, size }) => {
    const text = readFileSync(join(PACKAGE_ROOT, path), "utf8");
    expect(Number(timeout.exec(text)?.[1]) * 1_000).toBeGreaterThan(DEFAULT_ANSWER_TIMEOUT_MS + DEFAULT_QUEUE_TIMEOUT_MS);
    expect(Number(size.exec(text)?.[1]) * 1_000_000).toBeGreaterThan(DEFAULT_SERVER_LIMITS.uploadBytes);
  });
});

describe.each(PROXIES)("$program before Sourcebound", ({ program, path, configure }) => {
  const given = isInstalled(program);
  const behind = upstream();
  let child: ChildProcess | null = null;
  let ports: Ports = { plain: 0, tls: 0 };

  /** Sends a request over TLS to the proxy, as the host that it serves. */
  const send = (target: string, options: { body?: Buffer; headers?: Readonly<Record<string, string>> } = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const to = { host: "127.0.0.1", port: ports.tls, path: target, servername: HOST, rejectUnauthorized: false };
      const method = options.body === undefined ? "GET" : "POST";
      const one = request({ ...to, method, headers: { host: HOST, ...options.headers } }, resolve);
      one.on("error", reject);
      one.end(options.body);
    });
  const textOf = async (response: IncomingMessage) => Buffer.concat(await response.toArray()).toString("utf8");

  beforeAll(async () => {
    if (!given) return;
    await new Promise<void>((resolve) => behind.server.listen(0, "127.0.0.1", resolve));
    const { port } = behind.server.address() as AddressInfo;
    ports = { plain: await freePort(), tls: await freePort() };
    const subject = ["-subj", `/CN=${HOST}`, "-addext", `subjectAltName=DNS:${HOST}`];
    const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "cert.pem")];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...subject, ...files], { stdio: "pipe" });
    const text = readFileSync(join(PACKAGE_ROOT, path), "utf8").replace("127.0.0.1:8787", `127.0.0.1:${port}`);
    const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    child = spawn(program, configure(text, ports), { env, stdio: "pipe" });
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (part: string) => (said += part));
    for (let tries = 0; ; tries++) {
      const response = await send("/").catch(() => null);
      if (response?.resume().statusCode === 200) return;
      if (tries === 200) throw new Error(`${program} does not answer: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }, 60_000);
  afterAll(async () => {
    // A killed nginx would leave its workers running.
    child?.kill("SIGTERM");
    await new Promise((resolve) => behind.server.close(resolve).closeAllConnections());
  });

  it.runIf(given)("forwards each event before the next one is written", async () => {
    const response = await send("/stream");
    const parts = response.setEncoding("utf8")[Symbol.asyncIterator]();
    expect((await parts.next()).value).toBe("data: first\n\n");
    behind.release();
    expect((await parts.next()).value).toBe("data: second\n\n");
  });

  it.runIf(given)("replaces forwarding headers of the caller, and keeps the host", async () => {
    const response = await send("/", { headers: { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "http" } });
    expect(JSON.parse(await textOf(response))).toMatchObject({ host: HOST, "x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "https" });
  });

  it.runIf(given)("accepts the largest upload and rejects a larger body", async () => {
    const largest = await send("/", { body: Buffer.alloc(DEFAULT_SERVER_LIMITS.uploadBytes) });
    expect(JSON.parse(await textOf(largest))).toMatchObject({ bytes: DEFAULT_SERVER_LIMITS.uploadBytes });
    const refused = await send("/", { body: Buffer.alloc(DEFAULT_SERVER_LIMITS.uploadBytes * 2) }).catch(() => null);
    // A proxy may close the connection while the caller still sends. Caddy answers 502 when it cuts a body that the server still reads.
    expect([413, 502, undefined]).toContain(refused?.resume().statusCode);
  });
});
