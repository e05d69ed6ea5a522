import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { PACKAGE_ROOT } from "../src/package.ts";
import { DEFAULT_STOP_GRACE_MS } from "../src/shared/config/server.ts";
import { isRoot, NOBODY } from "./support/cli.ts";
import { type BuiltImage, buildImage, hereOf, openToNobody } from "./support/dockerfile.ts";
import { CARD } from "./support/library.ts";
import { freePort, usePostgres, whyNoPostgres } from "./support/postgres.ts";
import { TRIES_ALL } from "./support/trials.ts";

const DOCUMENT = "# Library cards\n\nA library card costs 5 dollars per year.\n";

const serviceSchema = z.object({
  image: z.string().optional(),
  build: z.string().optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  depends_on: z.unknown().optional(),
  healthcheck: z.unknown().optional(),
  deploy: z.object({ replicas: z.int() }).optional(),
  expose: z.array(z.string()).optional(),
});
const composeSchema = z.object({ services: z.record(z.string(), z.looseObject(serviceSchema.shape)) });

/** Starts a container's process with its user and environment; only the path comes from this process. */
function start(image: BuiltImage, args: readonly string[], env: Readonly<Record<string, string>>) {
  const [program = "", ...first] = image.entrypoint.map((part) => hereOf(image.root, part));
  const own = Object.fromEntries(Object.entries(image.env).map(([name, value]) => [name, hereOf(image.root, value)]));
  const child = spawn(program, [...first, ...args], {
    cwd: join(image.root, image.workdir),
    env: { PATH: process.env.PATH, HOME: join(image.root, "data"), ...own, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(image.user !== null && isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (part: string) => (text += part));
  const ended = new Promise<{ code: number | null; text: string }>((resolve) => child.once("close", (code) => resolve({ code, text })));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const shows = async (pattern: RegExp) => {
    for (let tries = 0; tries < 1_200; tries++) {
      const found = pattern.exec(text);
      if (found !== null) return found;
      if (child.exitCode !== null) throw new Error(`ended without ${pattern}: ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`never showed ${pattern}: ${text}`);
  };
  return { child, ended, shows };
}

/** Asks what a card costs; returns the response's text. */
async function askAt(port: number | undefined, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`http://127.0.0.1:${port}/v1/ask`, { method: "POST", headers, body: JSON.stringify({ question: CARD }) });
  return response.text();
}

const STEPS = { timeout: 900_000, tags: ["all/package"] };

describe.skipIf(!TRIES_ALL)("the image and the compose file, each step in a clean folder", STEPS, () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sourcebound-image-")));
  let image: BuiltImage;
  beforeAll(() => {
    openToNobody(folder);
    image = buildImage(join(PACKAGE_ROOT, "Dockerfile"), folder);
  }, 900_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);

  const keyOf = async (env: Readonly<Record<string, string>>, ...roles: string[]) => {
    // The command documented in the compose file.
    const said = /run --rm replica (keys create .*)$/m.exec(readFileSync(join(PACKAGE_ROOT, "deploy", "compose.yaml"), "utf8"))?.[1];
    const args = [...(said?.split(" ") ?? []), ...roles.flatMap((role) => ["--role", role])];
    const { code, text } = await start(image, args, env).ended;
    expect(text, text).toMatch(/sb_/);
    expect(code).toBe(0);
    return /sb_[\w-]+/.exec(text)?.[0] ?? "";
  };

  it("runs every instruction, excludes tests and the lab, and starts as an unprivileged user", async () => {
    expect(image.done.filter((line) => line.startsWith("RUN")).length).toBeGreaterThanOrEqual(4);
    for (const gone of ["lab", "test", "node_modules/vitest", "node_modules/typescript", ".git"])
      expect(() => readFileSync(join(image.root, "app", gone))).toThrow(/ENOENT/);
    const { code, text } = await start(image, ["--version"], {}).ended;
    expect(text).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(code).toBe(0);
  });

  it("refuses public access without a key, then answers and passes its health check", async () => {
    const port = await freePort();
    const env = { SOURCEBOUND_PORT: String(port) };
    const refused = await start(image, image.command, env).ended;
    expect(refused.code).not.toBe(0);
    expect(refused.text).toContain("keys create");
    const key = await keyOf(env, "ask");
    mkdirSync(join(folder, "documents"));
    writeFileSync(join(folder, "documents", "cards.md"), DOCUMENT);
    expect((await start(image, ["ingest", join(folder, "documents")], env).ended).code).toBe(0);
    const server = start(image, image.command, env);
    await server.shows(/Listening on/);
    expect(await askAt(port, key)).toContain("5 dollars");
    const [program = "", ...args] = image.healthcheck.map((part) => part.replaceAll("8787", String(port)));
    execFileSync(program, args, { stdio: "pipe", timeout: 120_000 });
    server.child.kill("SIGTERM");
    expect((await server.ended).code).toBe(0);
    expect(() => execFileSync(program, args, { stdio: "pipe", timeout: 120_000 })).toThrow();
  });

  describe.skipIf(whyNoPostgres !== null)("compose", () => {
    const postgres = usePostgres();

    it("starts replicas and a worker on one PostgreSQL, which share uploads", async () => {
      const { services } = composeSchema.parse(parse(readFileSync(join(PACKAGE_ROOT, "deploy", "compose.yaml"), "utf8"), { merge: true }));
      const { single, replica, worker, proxy, database } = services;
      expect(Object.keys(services).sort()).toEqual(["database", "proxy", "replica", "search", "single", "worker"]);
      for (const one of [single, replica, worker]) expect(one).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
      expect(replica?.build).toBe("..");
      expect(database?.image).toMatch(/^pgvector\/pgvector:.*pg18$/);
      expect(proxy?.command?.at(-1)).toBe(`replica:${replica?.expose?.[0]}`);
      const address = await postgres().createDatabase();
      const envOf = (given: Readonly<Record<string, string>> = {}, port = 0) => {
        expect(given.DATABASE_URL).toMatch(/^postgres:\/\/sourcebound:\$\{POSTGRES_PASSWORD\}@database:5432\/sourcebound$/);
        const data = mkdtempSync(join(folder, "container-"));
        openToNobody(data);
        // Compose replaces an unset variable by its default.
        const set = Object.entries(given).map(([name, value]) => [name, value.replaceAll(/\$\{\w+-(.*?)\}/g, "$1")]);
        return { ...Object.fromEntries(set), DATABASE_URL: address, SOURCEBOUND_DATA_DIR: data, SOURCEBOUND_PORT: String(port) };
      };
      const key = await keyOf(envOf(replica?.environment), "ask", "ingest");
      const ports = await Promise.all(Array.from({ length: replica?.deploy?.replicas ?? 0 }, () => freePort()));
      expect(ports).toHaveLength(2);
      const reading = start(image, worker?.command ?? [], envOf(worker?.environment));
      const servers = ports.map((port) => start(image, replica?.command ?? [], envOf(replica?.environment, port)));
      for (const server of servers) await server.shows(/Listening on/);
      const headers = { authorization: `Bearer ${key}` };
      const form = new FormData();
      form.append("file", new File([DOCUMENT], "cards.md", { type: "text/markdown" }));
      const uploaded = await fetch(`http://127.0.0.1:${ports[0]}/v1/documents`, { method: "POST", headers, body: form });
      expect(uploaded.status, await uploaded.clone().text()).toBeLessThan(300);
      await expect.poll(() => askAt(ports[1], key), { interval: 300 }).toContain("5 dollars");
      for (const { child, ended } of [...servers, reading]) {
        child.kill("SIGTERM");
        expect((await ended).code).toBe(0);
      }
    });
  });
});

describe("a container whose root file system is read-only", () => {
  const read = (path: string) => readFileSync(join(PACKAGE_ROOT, path), "utf8");

  it("has a writable /tmp in the Compose file, in the docs and in CI", () => {
    const { services } = composeSchema.parse(parse(read("deploy/compose.yaml"), { merge: true }));
    const locked = Object.values(services).filter(({ read_only }) => read_only === true);
    expect(locked.map(({ tmpfs }) => tmpfs)).toEqual([["/tmp"], ["/tmp"], ["/tmp"]]);
    const lines = ["docs/operate.md", ".github/workflows/ci.yml"].flatMap((path) => read(path).split("\n"));
    const runs = lines.filter((line) => /docker run.* --read-only/.test(line));
    expect(runs).toHaveLength(4);
    expect(runs.filter((line) => !line.includes("--tmpfs /tmp"))).toEqual([]);
  });
});

describe("the systemd unit", () => {
  const path = join(PACKAGE_ROOT, "deploy", "sourcebound.service");
  const unit = readFileSync(path, "utf8");

  it("gives running answers time to finish, writes only into its own folder, and starts the installed command", () => {
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1];
    expect(Number(value("TimeoutStopSec")) * 1000).toBeGreaterThan(DEFAULT_STOP_GRACE_MS);
    expect(value("Environment")).toBe(`SOURCEBOUND_DATA_DIR=/var/lib/${value("StateDirectory")}/data`);
    const [, program, command] = value("ExecStart")?.split(" ") ?? [];
    const { bin } = z
      .object({ bin: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8")));
    expect([Object.keys(bin), command]).toEqual([[program], "serve"]);
  });

  it("is accepted by systemd with its settings", (context) => {
    try {
      execFileSync("systemd-analyze", ["--version"], { stdio: "pipe" });
    } catch {
      process.stderr.write("the unit is not checked by systemd: there is none\n");
      return context.skip();
    }
    const said = execFileSync("sh", ["-c", 'systemd-analyze verify "$1" 2>&1', "sh", path], { encoding: "utf8" });
    expect(said).toBe("");
  });
});
