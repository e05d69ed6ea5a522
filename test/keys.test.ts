import { randomInt } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../src/server/app.ts";
import { silentLog } from "../src/server/log.ts";
import { serveEngine, toAskEngine } from "../src/server/start.ts";
import { runCli } from "./support/cli.ts";
import { type Library, openLibrary } from "./support/engine.ts";
import { LIBRARY_PACK, writeFiles } from "./support/library.ts";

const TENANTS = Array.from({ length: 20 }, (_, i) => `party${String.fromCharCode(97 + i)}`);
/** What only this tenant's documents say; no hash holds such letters. */
const codeOf = (tenant: string) => `K${4000 + 37 * TENANTS.indexOf(tenant)}W`;
const QUESTION = "What is the code of the side door?";
const PACK = LIBRARY_PACK.replace(
  /tenants:[\s\S]*$/,
  `tenants:\n${TENANTS.map((tenant) => `  ${tenant}: { title: ${tenant}, access: [public] }\n`).join("")}`,
);

let library: Library;
const keys = new Map<string, string>();
const open = { roles: ["ask", "review"], domains: ["library"], access: null, expiresAt: null, requestsPerHour: 0 } as const;
beforeAll(async () => {
  library = await openLibrary({ documents: {}, settings: { "server.port": 0 } });
  writeFiles(library.sandbox.folder, { "domains/library/domain.yaml": PACK });
  for (const tenant of TENANTS) {
    writeFiles(library.sandbox.folder, { [`${tenant}/door.md`]: `# The side door\n\nThe code of the side door is ${codeOf(tenant)}.\n` });
    await library.ingest(tenant, { tenant });
    keys.set(tenant, (await library.engine.store.keys.create({ ...open, name: tenant, tenants: [tenant] }, "test")).key);
  }
}, 300_000);
afterAll(() => library.close());

function caller() {
  const { engine } = library;
  const app = createApp({ engine: toAskEngine(engine), memory: engine, keys: engine.store.keys, log: silentLog, webRoot: "/nowhere" });
  return async (method: string, path: string, key: string | undefined, body?: unknown) => {
    const headers = { "content-type": "application/json", ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
    const response = await app.request(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    return { status: response.status, text: await response.text() };
  };
}

const pick = <T>(items: readonly T[]): T => items[randomInt(items.length)] as T;
const keyOf = (tenant: string): string => keys.get(tenant) ?? "";

describe("20 tenants with keys", () => {
  it("2,000 requests with forged bodies, of which every tenant's code shows to its own key alone", async () => {
    const call = caller();
    const forged: (() => Record<string, unknown>)[] = [
      () => ({}),
      () => ({ tenant: pick(TENANTS) }),
      () => ({ tenant: pick(TENANTS), domain: pick(["library", "veterans", "nowhere"]) }),
      () => ({ tenant: pick(["", "*", "null", "__proto__", "constructor", "partya,partyb", "PARTYA", "partyа"]) }),
      () => ({ tenant: [pick(TENANTS)] }),
      () => ({ access: ["public", "staff"], tenant: pick(TENANTS) }),
      () => ({ session_id: "shared", user_id: pick(["ann", "ben"]) }),
      () => ({ scope: { tenant: pick(TENANTS) }, caller: pick(TENANTS) }),
      () => ({ filters: { document: `${pick(TENANTS)}/door.md` } }),
    ];
    const leaks: string[] = [];
    let own = 0;
    let nameless = 0;
    for (let i = 0; i < 2_000; i++) {
      const tenant = pick(TENANTS);
      const key = randomInt(10) === 0 ? pick([undefined, `${keyOf(tenant)}x`, keyOf(tenant).slice(0, -1)]) : keyOf(tenant);
      const valid = key === keyOf(tenant);
      const isSession = randomInt(5) === 0;
      const { status, text } = isSession
        ? await call("GET", `/v1/sessions/shared?tenant=${pick(TENANTS)}`, key)
        : await call("POST", "/v1/ask", key, { question: QUESTION, ...pick(forged)() });
      const shown = TENANTS.filter((other) => text.includes(codeOf(other)));
      leaks.push(...shown.filter((other) => !valid || other !== tenant).map((other) => `${other} to ${tenant}: ${text}`));
      if (shown.includes(tenant) && valid) own++;
      if (status === 403 && TENANTS.every((other) => !text.includes(other))) nameless++;
      if (status === 403) expect(text).not.toMatch(/party[a-t]|library|veterans/);
      if (!valid) expect([401, 429]).toContain(status);
    }
    expect(leaks).toEqual([]);
    expect(own).toBeGreaterThan(200);
    expect(nameless).toBeGreaterThan(300);
  }, 300_000);

  it("a session is its key's, also where another key has the same tenant and user", async () => {
    const call = caller();
    const [tenant] = TENANTS as [string];
    const second = (await library.engine.store.keys.create({ ...open, name: "second", tenants: [tenant] }, "test")).key;
    const ask = { question: QUESTION, session_id: "s", user_id: "ann" };
    expect((await call("POST", "/v1/ask", keyOf(tenant), ask)).text).toContain(codeOf(tenant));
    expect((await call("GET", "/v1/sessions/s?user_id=ann", keyOf(tenant))).status).toBe(200);
    expect((await call("GET", "/v1/sessions/s?user_id=ann", second)).status).toBe(404);
    expect((await call("GET", "/v1/sessions/s?user_id=ben", keyOf(tenant))).status).toBe(404);
    expect((await call("DELETE", "/v1/sessions/s?user_id=ann", second)).status).toBe(404);
  });

  it("a reviewer sees, approves and flags answers of its own tenant alone", async () => {
    const call = caller();
    const [mine, other] = TENANTS as [string, string];
    const idOf = async (tenant: string) =>
      (JSON.parse((await call("POST", "/v1/ask", keyOf(tenant), { question: QUESTION })).text) as { id: string }).id;
    const ids = { mine: await idOf(mine), other: await idOf(other) };
    const queue = await call("GET", "/v1/admin/review", keyOf(mine));
    expect(queue.text).toContain(mine);
    expect(queue.text).not.toContain(other);
    expect((await call("GET", `/v1/admin/review/${ids.mine}`, keyOf(mine))).status).toBe(200);
    const denied = await call("GET", `/v1/admin/review/${ids.other}`, keyOf(mine));
    const never = await call("GET", "/v1/admin/review/never", keyOf(mine));
    expect([denied.status, denied.text.replaceAll(ids.other, "never")]).toEqual([404, never.text]);
    for (const act of ["approve", "flag"]) {
      expect((await call("POST", `/v1/admin/review/${ids.other}/${act}`, keyOf(mine), { by: "x" })).status).toBe(404);
    }
    expect((await call("POST", `/v1/admin/review/${ids.mine}/flag`, keyOf(mine), { by: "Ann" })).text).toMatch(/Ann \(key [0-9a-f]{12}\)/);
    expect((await call("GET", "/v1/admin/review/history", keyOf(mine))).status).toBe(403);
    expect((await call("DELETE", "/v1/admin/memory", keyOf(mine), { by: "x", all: true })).status).toBe(403);
    expect((await call("GET", "/v1/admin/stats", keyOf(mine))).status).toBe(403);
  });
});

it("an address that others can reach is not served without a key, unless a setting says so in words", async () => {
  const bare = await openLibrary({ documents: {}, settings: { "server.port": 0, "server.host": "0.0.0.0" } });
  try {
    await expect(serveEngine(bare.engine, () => undefined)).rejects.toMatchObject({ code: "config_keys_missing" });
    const told = {
      ...bare.engine,
      config: { ...bare.engine.config, server: { ...bare.engine.config.server, without_keys: "anyone" as const } },
    };
    await (await serveEngine(told, () => undefined)).close();
    await bare.engine.store.keys.create({ ...open, name: "n", tenants: [], expiresAt: "2020-01-01T00:00:00.000Z" }, "test");
    await expect(serveEngine(bare.engine, () => undefined)).rejects.toMatchObject({ code: "config_keys_missing" });
    await bare.engine.store.keys.create({ ...open, name: "n", tenants: [] }, "test");
    await (await serveEngine(bare.engine, () => undefined)).close();
  } finally {
    await bare.close();
  }
});

describe("sourcebound keys", () => {
  const cli = (...args: string[]) => runCli(["keys", ...args], { cwd: library.sandbox.folder, env: library.sandbox.env });

  it("makes a key that works, lists it without its secret, and ends it for a running server", async () => {
    const made = await cli("create", "website", "--tenant", "partyb", "--expires", "90d", "--by", "Ann");
    expect(made.code).toBe(0);
    const key = made.stdout.trim();
    expect(made.stderr).toContain("shown this once");
    const call = caller();
    expect((await call("POST", "/v1/ask", key, { question: QUESTION })).text).toContain(codeOf("partyb"));
    const listed = await cli("list", "--json");
    const [first] = JSON.parse(listed.stdout) as { id: string; name: string; state: string }[];
    expect(first).toMatchObject({ name: "website", state: "live", tenants: ["partyb"] });
    expect(listed.stdout).not.toContain(key);
    expect((await cli("revoke", first?.id ?? "")).code).toBe(0);
    expect((await call("POST", "/v1/ask", key, { question: QUESTION })).status).toBe(401);
    expect((await cli("list")).stdout).toMatch(/revoked {2}website/);
    expect((await cli("revoke", first?.id ?? "")).code).toBe(2);
  }, 60_000);

  it.each([
    ["a tenant that does not exist", ["create", "x", "--tenant", "nobody"]],
    ["a domain that does not exist", ["create", "x", "--domain", "nowhere"]],
    ["an administrator who is bound", ["create", "x", "--role", "admin", "--tenant", "partya"]],
    ["a time that is over", ["create", "x", "--expires", "2020-01-01"]],
    ["a role that does not exist", ["create", "x", "--role", "root"]],
    ["no name", ["create", " "]],
  ])("refuses %s", async (_what, args) => {
    const { code, stdout } = await cli(...args);
    expect([code, stdout]).toEqual([2, ""]);
  });
});
