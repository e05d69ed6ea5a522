import { describe, expect, it } from "vitest";
import { createFakeAskEngine, sendFrom } from "../../testing/fake-ask-engine.ts";
import { type AppOptions, createApp } from "../app.ts";
import { createSessionIds } from "./caller.ts";
import { silentLog } from "./guard.ts";

const STRANGER = "203.0.113.7";
const PROXY = "10.0.0.1";
function setUp(options: Partial<AppOptions> = {}) {
  const app = createApp({ engine: createFakeAskEngine(), log: silentLog, webRoot: "/nowhere", withoutKeys: "anyone", ...options });
  return async (given: Parameters<typeof sendFrom>[2]) => {
    const { headers, error, ...rest } = await sendFrom(app, "/v1/ask", { from: STRANGER, ...given });
    return { ...rest, message: error?.message ?? "", hsts: headers.get("strict-transport-security") };
  };
}

describe("the name under which a server is reached", () => {
  it.each([
    ["evil.example", 403],
    ["answers.example.evil.example", 403],
    ["evil.example#answers.example", 403],
    ["answers.example.", 403],
    ["xn--answers.example", 403],
    ["", 403],
    [`${"a".repeat(5000)}.example`, 403],
    ["answers.example", 200],
    ["ANSWERS.example:8443", 200],
    ["localhost:8787", 200],
  ])("%s gives %i if names are listed", async (host, status) => {
    const ask = setUp({ host: "0.0.0.0", hosts: ["answers.example"] });
    const answered = await ask({ host });
    expect([answered.status, answered.code]).toEqual([status, status === 200 ? undefined : "host_not_allowed"]);
    expect(answered.message).not.toContain("answers.example:");
    expect(answered.message.length).toBeLessThan(400);
  });

  it("is one of this machine, on its own address, or a listed one", async () => {
    for (const host of ["rebound.example", "localhost.evil.example", "127.0.0.1.evil.example:8787", "169.254.0.1", "localhost:8787x"])
      expect((await setUp()({ host })).code).toBe("host_not_allowed");
    for (const host of ["localhost", "127.0.0.1:1", "[::1]:8787"]) expect((await setUp()({ host })).status).toBe(200);
    expect((await setUp({ hosts: ["proxied.example"] })({ host: "proxied.example" })).status).toBe(200);
  });
});

describe("HSTS", () => {
  it("is sent over TLS, or if a trusted proxy reports TLS", async () => {
    const ask = setUp({ host: "0.0.0.0", trustedProxies: [PROXY] });
    const https = { host: "x.example", "x-forwarded-proto": "https" };
    expect((await ask({ host: "x.example", encrypted: true })).hsts).toMatch(/^max-age=31536000/);
    expect((await ask({ ...https, from: PROXY })).hsts).toMatch(/^max-age=31536000/);
    expect((await ask(https)).hsts).toBeNull();
    expect((await ask({ ...https, "x-forwarded-proto": "http, https", from: PROXY })).hsts).toBeNull();
    expect((await ask({ host: "x.example" })).hsts).toBeNull();
  });
});

describe("a session without a key", () => {
  const sessions = createSessionIds("secret of the installation");
  const ask = setUp({ sessions });
  const asked = (session_id: string, from = STRANGER) => ask({ host: "localhost", from, body: { question: "q", session_id } });

  it("has an id from the server; an invented one is rejected", async () => {
    const issued = sessions.issue();
    expect((await asked(issued)).status).toBe(200);
    const changed = `${issued.slice(0, -1)}${issued.endsWith("0") ? "1" : "0"}`;
    for (const id of ["s1", "shared", crypto.randomUUID(), changed, issued.toUpperCase(), createSessionIds("another").issue()]) {
      const { status, code } = await asked(id);
      expect([id, status, code]).toEqual([id, 400, "session_not_issued"]);
    }
  });

  it("may have any name on this machine", async () => {
    expect((await asked("mine", "127.0.0.1")).status).toBe(200);
  });

  it("has ids that differ, in the form of a UUID", () => {
    const ids = Array.from({ length: 1000 }, () => sessions.issue());
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
