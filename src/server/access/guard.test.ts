import { describe, expect, it } from "vitest";
import type { KeyRecord, KeyStore } from "../../store/keys.ts";
import { createFakeAskEngine, sendFrom } from "../../testing/fake-ask-engine.ts";
import { createApp } from "../app.ts";
import { MAX_FAILED_ATTEMPTS } from "./admission.ts";
import type { GuardOptions } from "./guard.ts";

const TOKEN = "a-token-of-some-length";
const KEY = "sb_key";
const STRANGER = "203.0.113.7";

function keysOf(made: Readonly<Record<string, Partial<KeyRecord>>>): Pick<KeyStore, "find" | "any"> {
  const record = (id: string): KeyRecord => ({
    ...{ id, name: id, roles: ["ask"], domains: ["d"], tenants: [], access: null },
    ...{ requestsPerHour: null, tokensPerDay: null, usdPerDay: null },
    ...{ createdAt: "", expiresAt: null, revokedAt: null },
    ...made[id],
  });
  return { find: async (key) => (key in made ? record(key) : null), any: async () => Object.keys(made).length > 0 };
}

function setUp(options: GuardOptions & { host?: string } = {}) {
  const engine = createFakeAskEngine();
  const withHotline = {
    ...engine,
    hotlines: async (text: string) => (text.includes("emergency") ? [{ code: "hotline", message: "Call 988." }] : []),
  };
  const logged: Readonly<Record<string, unknown>>[] = [];
  const log = { info: (_: string, facts: Readonly<Record<string, unknown>>) => logged.push(facts), error: () => undefined };
  const app = createApp({ engine: withHotline, log, webRoot: "/nowhere", ...options });
  const send = (path: string, given: Parameters<typeof sendFrom>[2]) => sendFrom(app, path, given);
  const ask = (given: Parameters<typeof sendFrom>[2] = {}) => send("/v1/ask", given);
  return { engine, send, ask, logged };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("without a key", () => {
  it("the server's own page on this machine may upload, until there is a key or token", async () => {
    const own = { host: "localhost:8787", origin: "http://localhost:8787" };
    const refresh = (headers: Record<string, unknown>, options: GuardOptions & { host?: string } = {}) =>
      setUp({ host: "0.0.0.0", ...options }).send("/v1/admin/refresh", { body: {}, ...headers });
    expect((await refresh(own)).status).toBe(200);
    expect((await refresh({ host: own.host, "sec-fetch-site": "same-origin" })).status).toBe(200);
    const refused: Record<string, Record<string, unknown>> = {
      "no page": { host: own.host },
      "another site": { ...own, origin: "https://attacker.example", "sec-fetch-site": "cross-site" },
      "a page of another port": { ...own, origin: "http://localhost:3000", "sec-fetch-site": "same-site" },
      "no origin of its own": { ...own, origin: "null" },
      "a rebound name": { host: "attacker.example:8787", origin: "http://attacker.example:8787", "sec-fetch-site": "same-origin" },
      "a proxy": { ...own, "x-forwarded-for": STRANGER },
    };
    for (const [who, headers] of Object.entries(refused)) expect((await refresh(headers)).status, who).toBe(403);
    expect((await refresh({ ...own, from: STRANGER })).status).toBe(403);
    expect((await refresh(own, { keys: keysOf({ [KEY]: {} }) })).status).toBe(403);
    expect((await refresh(own, { adminToken: TOKEN })).status).toBe(401);
    expect((await refresh(own, { withoutKeys: "anyone" })).status).toBe(403);
  });

  it("only this machine is served", async () => {
    const { ask } = setUp();
    expect((await ask()).status).toBe(200);
    expect((await ask({ from: "::1" })).status).toBe(200);
    expect((await ask({ from: "::ffff:127.0.0.1" })).status).toBe(200);
    for (const from of [STRANGER, "2001:db8::1", "10.0.0.1", "nonsense"]) {
      const { status, code, headers } = await ask({ from });
      expect([status, code, headers.get("www-authenticate")]).toEqual([401, "key_missing", "Bearer"]);
    }
  });

  it.each(["x-forwarded-for", "forwarded", "x-real-ip", "via", "x-forwarded-host"])(
    "a proxy that sends %s is not this machine",
    async (name) => {
      expect((await setUp().ask({ [name]: "127.0.0.1" })).code).toBe("key_missing");
    },
  );

  it("nobody is served once a key exists, unless the setting allows it", async () => {
    const keys = keysOf({ [KEY]: {} });
    expect((await setUp({ keys }).ask()).code).toBe("key_missing");
    expect((await setUp({ keys, withoutKeys: "this-machine" }).ask()).status).toBe(200);
    expect((await setUp({ keys, withoutKeys: "this-machine" }).ask({ from: STRANGER })).code).toBe("key_missing");
    expect((await setUp({ keys, withoutKeys: "anyone", host: "0.0.0.0" }).ask({ from: STRANGER })).status).toBe(200);
  });

  it("an emergency gets its hotline with any error", async () => {
    const { ask } = setUp({ withoutKeys: "anyone", requestsPerHour: 1 });
    const body = { question: "an emergency" };
    await ask({ from: STRANGER });
    expect((await ask({ from: STRANGER, body })).error).toMatchObject({ code: "too_many_requests", warnings: [{ message: "Call 988." }] });
    expect((await setUp().ask({ from: STRANGER, body })).error?.warnings).toHaveLength(1);
    const keys = keysOf({ [KEY]: {} });
    const refused = [
      ask({ "content-type": "text/plain", body }),
      setUp({ keys }).ask({ ...bearer(KEY), body: { ...body, domain: "other" } }),
      setUp({ keys }).ask({ ...bearer(KEY), body: { ...body, sesion: "x" } }),
    ];
    const warnings = [{ code: "hotline", message: "Call 988." }];
    for (const [i, code] of ["unsupported_content_type", "scope_denied", "invalid_request"].entries())
      expect((await refused[i])?.error).toMatchObject({ code, warnings });
  });
});

describe("a key", () => {
  it("is accepted from anywhere, and an unknown one is rejected", async () => {
    const { ask } = setUp({ keys: keysOf({ [KEY]: {} }) });
    expect((await ask({ from: STRANGER, ...bearer(KEY) })).status).toBe(200);
    expect(await ask({ from: STRANGER, ...bearer(`${KEY}x`) })).toMatchObject({ status: 401, code: "key_wrong" });
    expect((await ask({ ...bearer("sb_wrong") })).code).toBe("key_wrong");
    expect((await setUp().ask({ ...bearer("sb_wrong") })).code).toBe("key_wrong");
  });

  it.each(["Bearer mistyped", "Bearer", "Basic c2I6a2V5", KEY])("that is malformed is invalid, not missing: %s", async (authorization) => {
    const { code, status } = await setUp({ keys: keysOf({ [KEY]: {} }) }).ask({ from: STRANGER, authorization });
    expect([status, code]).toEqual([401, "key_wrong"]);
  });

  it("determines domain, tenant and labels, which the body can only narrow", async () => {
    const { ask, engine } = setUp({ keys: keysOf({ [KEY]: { domains: ["d", "e"], tenants: ["alice", "bob"], access: ["staff"] } }) });
    expect((await ask({ ...bearer(KEY) })).code).toBe("tenant_missing");
    await ask({ ...bearer(KEY), body: { question: "q", tenant: "bob", domain: "e" } });
    const lane = { name: `key ${KEY}`, tokensPerDay: null, usdPerDay: null };
    expect(engine.calls.at(-1)?.scope).toEqual({ domain: "e", tenant: "bob", access: ["staff"], caller: KEY, lane });
    const exists = await ask({ ...bearer(KEY), body: { question: "q", tenant: "carol" } });
    const doesNot = await ask({ ...bearer(KEY), body: { question: "q", domain: "nowhere", tenant: "bob" } });
    expect([exists.status, exists.error]).toEqual([403, doesNot.error]);
    expect(JSON.stringify(exists.error)).not.toMatch(/carol|alice|bob|"d"|"e"/);
    expect(engine.calls).toHaveLength(1);
  });

  it("allows exactly its roles", async () => {
    const keys = keysOf({ sb_ask: {}, sb_ingest: { roles: ["ingest"] }, sb_admin: { roles: ["admin"], domains: null, tenants: null } });
    const { send, ask, engine } = setUp({ keys });
    expect((await send("/v1/admin/refresh", { body: {}, ...bearer("sb_ask") })).code).toBe("role_missing");
    expect((await ask(bearer("sb_ingest"))).code).toBe("role_missing");
    expect((await send("/refresh-cache", { body: {}, ...bearer("sb_ingest") })).status).toBe(200);
    expect((await send("/refresh-cache", { body: { domain: "other" }, ...bearer("sb_ingest") })).code).toBe("scope_denied");
    expect((await send("/v1/admin/refresh", { body: { domain: "other" }, ...bearer("sb_admin") })).status).toBe(200);
    expect((await ask(bearer("sb_admin"))).status).toBe(200);
    expect(engine.refreshes).toEqual(["d", "other"]);
  });

  it("blocks addresses that guess, but not valid keys", async () => {
    const { ask } = setUp({ keys: keysOf({ [KEY]: {} }) });
    for (let i = 0; i < MAX_FAILED_ATTEMPTS; i++) expect((await ask({ from: STRANGER, ...bearer("sb_wrong") })).status).toBe(401);
    const { status, code, headers } = await ask({ from: STRANGER, ...bearer("sb_wrong") });
    expect([status, code]).toEqual([429, "too_many_attempts"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await ask({ from: STRANGER, ...bearer(KEY) })).status).toBe(200);
    expect((await ask({ from: "203.0.113.8", ...bearer("sb_wrong") })).status).toBe(401);
  });
});

describe("the administration token", () => {
  it.each([`Bearer ${TOKEN}0`, `Bearer ${TOKEN.slice(1)}`, TOKEN, `Basic ${TOKEN}`, "Bearer "])("rejects %j", async (authorization) => {
    const { send, engine } = setUp({ adminToken: TOKEN });
    const { status, code, headers } = await send("/v1/admin/refresh", { body: {}, authorization });
    expect([status, code, headers.get("www-authenticate")]).toEqual([401, "admin_token_wrong", "Bearer"]);
    expect(engine.refreshes).toEqual([]);
  });

  it("is rejected if none is configured", async () => {
    const { send } = setUp();
    for (const given of [{}, bearer(TOKEN), bearer("null")])
      expect(await send("/v1/admin/refresh", { body: {}, ...given })).toMatchObject({ status: 403, code: "admin_off" });
  });

  it("blocks guesses: after ten wrong ones the right one waits too", async () => {
    const { send } = setUp({ adminToken: TOKEN });
    const refresh = (token: string, from = "127.0.0.1") => send("/v1/admin/refresh", { body: {}, from, ...bearer(token) });
    expect((await refresh(TOKEN)).status).toBe(200);
    for (let i = 0; i < MAX_FAILED_ATTEMPTS; i++) expect((await refresh(`${TOKEN}${i}`)).status).toBe(401);
    expect((await refresh(TOKEN)).status).toBe(429);
    expect((await refresh(TOKEN, STRANGER)).status).toBe(200);
  });

  it("counts a missing token as no guess, and blocks nobody for it", async () => {
    const { send } = setUp({ adminToken: TOKEN, keys: keysOf({ [KEY]: {} }) });
    const refresh = (given: Record<string, string> = {}) => send("/v1/admin/refresh", { body: {}, from: STRANGER, ...given });
    for (let i = 0; i < 2 * MAX_FAILED_ATTEMPTS; i++) {
      const { status, headers } = await refresh();
      expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
    expect((await refresh(bearer("sb_mistyped"))).code).toBe("key_wrong");
    expect((await refresh(bearer(TOKEN))).status).toBe(200);
    for (let i = 1; i < MAX_FAILED_ATTEMPTS; i++) expect((await refresh(bearer("wrong"))).status).toBe(401);
    expect((await refresh(bearer("wrong"))).status).toBe(429);
    expect((await refresh()).status).toBe(401);
  });

  it("allows questions like an administrator's key, from anywhere, with and without keys, without a limit", async () => {
    for (const keys of [keysOf({}), keysOf({ [KEY]: {} })]) {
      const { ask, engine, logged } = setUp({ adminToken: TOKEN, keys, requestsPerHour: 1, labels: ["public"] });
      for (const from of [STRANGER, STRANGER, "127.0.0.1"]) expect((await ask({ from, ...bearer(TOKEN) })).status).toBe(200);
      // By default, the scope has the configured labels and the sessions of this machine.
      expect(engine.calls.map(({ scope }) => scope)).toEqual([0, 1, 2].map(() => ({ domain: undefined, tenant: undefined })));
      expect(logged.map(({ key }) => key)).toEqual([0, 1, 2].map(() => "administration token"));
    }
  });

  it("reports a wrong one if a key is required, counts it as a guess, and shows an emergency its hotline", async () => {
    const { ask } = setUp({ adminToken: TOKEN, keys: keysOf({ [KEY]: {} }) });
    const urgent = await ask({ from: STRANGER, ...bearer("wrong"), body: { question: "an emergency" } });
    const error = { code: "admin_token_wrong", warnings: [{ code: "hotline", message: "Call 988." }] };
    expect(urgent).toMatchObject({ status: 401, error });
    for (let i = 1; i < MAX_FAILED_ATTEMPTS; i++) expect((await ask({ from: STRANGER, ...bearer("wrong") })).status).toBe(401);
    expect((await ask({ from: STRANGER, ...bearer(TOKEN) })).code).toBe("too_many_attempts");
    expect((await ask({ from: STRANGER, ...bearer(KEY) })).status).toBe(200);
  });

  it("is not needed for public questions: a repeated wrong token is no further guess, other ones are", async () => {
    const { ask, send } = setUp({ adminToken: TOKEN, withoutKeys: "anyone" });
    const refresh = () => send("/v1/admin/refresh", { body: {}, from: STRANGER, ...bearer(TOKEN) });
    for (let i = 0; i < 2 * MAX_FAILED_ATTEMPTS; i++) expect((await ask({ from: STRANGER, ...bearer("of-a-client") })).status).toBe(200);
    expect((await refresh()).status).toBe(200);
    for (let i = 0; i < MAX_FAILED_ATTEMPTS; i++) expect((await ask({ from: STRANGER, ...bearer(`guess${i}`) })).status).toBe(200);
    expect((await refresh()).status).toBe(429);
    expect((await ask({ from: STRANGER, ...bearer(TOKEN) })).status).toBe(200);
  });
});

describe("admission", () => {
  it("limits requests per address and hour, with the time to wait", async () => {
    const { ask, send } = setUp({ withoutKeys: "anyone", requestsPerHour: 3 });
    for (let i = 0; i < 3; i++) expect((await ask({ from: STRANGER })).status).toBe(200);
    const { status, code, headers } = await ask({ from: STRANGER });
    expect([status, code]).toEqual([429, "too_many_requests"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(3500);
    expect((await ask({ from: "203.0.113.8" })).status).toBe(200);
    for (const path of ["/healthz", "/readyz"])
      for (let i = 0; i < 10; i++) expect((await send(path, { from: STRANGER, body: null })).status).toBe(200);
  });

  it("allows 100 requests by default, and any number from this machine", async () => {
    const { ask } = setUp({ withoutKeys: "anyone" });
    const statuses = [];
    for (let i = 0; i < 101; i++) statuses.push((await ask({ from: STRANGER })).status);
    expect([statuses.indexOf(429), statuses.length]).toEqual([100, 101]);
    for (let i = 0; i < 110; i++) expect((await ask()).status).toBe(200);
  });

  it("counts an IPv6 network as one address, and each key separately", async () => {
    const { ask } = setUp({
      withoutKeys: "anyone",
      requestsPerHour: 1,
      keys: keysOf({ sb_a: {}, sb_b: { requestsPerHour: 2 }, sb_c: { requestsPerHour: 0 } }),
    });
    expect((await ask({ from: "2001:db8:1:2::1" })).status).toBe(200);
    expect((await ask({ from: "2001:db8:1:2:ffff::9" })).status).toBe(429);
    expect((await ask({ from: "2001:db8:1:3::1" })).status).toBe(200);
    for (const [key, statuses] of Object.entries({ sb_a: [200, 429, 429], sb_b: [200, 200, 429], sb_c: [200, 200, 200] }))
      for (const status of statuses) expect((await ask(bearer(key))).status, key).toBe(status);
  });

  it("trusts X-Forwarded-For of trusted proxies only", async () => {
    const { ask } = setUp({ withoutKeys: "anyone", requestsPerHour: 1, trustedProxies: ["10.0.0.0/8"] });
    const via = (from: string, forwarded: string) => ask({ from, "x-forwarded-for": forwarded });
    expect((await via("10.0.0.1", "6.6.6.6, 198.51.100.1")).status).toBe(200);
    expect((await via("10.0.0.2", "7.7.7.7, 198.51.100.1, 10.0.0.9")).status).toBe(429);
    expect((await via("10.0.0.1", "198.51.100.2")).status).toBe(200);
    expect((await via(STRANGER, "198.51.100.3")).status).toBe(200);
    expect((await via(STRANGER, "198.51.100.4")).status).toBe(429);
  });
});

it("logs caller and time, but no text and no session", async () => {
  const { ask, send, logged } = setUp({ keys: keysOf({ [KEY]: {} }) });
  await ask({ from: STRANGER, ...bearer(KEY), body: { question: "my secret illness" } });
  await send("/v1/sessions/secret-session", { from: STRANGER, ...bearer(KEY) });
  expect(logged).toEqual([
    { method: "POST", path: "/v1/ask", status: 200, ms: expect.any(Number), address: STRANGER, key: KEY, request_id: expect.any(String) },
    expect.objectContaining({ path: "/v1/sessions/:id" }),
  ]);
  expect(JSON.stringify(logged)).not.toContain("secret");
});
