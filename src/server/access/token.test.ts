import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { tokenSchema } from "../../shared/config/server.ts";
import { failureOf } from "../../testing/failure-of.ts";
import { createFakeAskEngine, sendFrom } from "../../testing/fake-ask-engine.ts";
import { createApp } from "../app.ts";
import { MAX_FAILED_ATTEMPTS } from "./admission.ts";
import { silentLog } from "./guard.ts";
import { createTokenReader, MAX_JSON_BYTES, MAX_TOKEN_CHARACTERS } from "./token.ts";

const ISSUER = "https://login.example";
const JWKS = `${ISSUER}/keys`;
const DESCRIPTION = `${ISSUER}/.well-known/openid-configuration`;
const STRANGER = "203.0.113.7";
const KID = "k1";
type Pair = Awaited<ReturnType<typeof generateKeyPair>>;

let issuer: Pair;
let forger: Pair;
let keys: JWK[];
beforeAll(async () => {
  [issuer, forger] = await Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")]);
  keys = [{ ...(await exportJWK(issuer.publicKey)), kid: KID, alg: "ES256", use: "sig" }];
});

const SETTINGS = {
  ...{ issuer: ISSUER, audience: "sourcebound" },
  claims: { roles: "realm.roles", tenants: "tenant", access: "labels" },
};
const CLAIMS = { realm: { roles: ["ask"] }, tenant: "alice", labels: ["public", "staff"] };

type Responses = Readonly<Record<string, () => Response | Promise<Response>>>;
const describing = (issuer: string, jwks_uri: string): Responses => ({ [DESCRIPTION]: () => Response.json({ issuer, jwks_uri }) });

/** Returns an issuer that counts its requests. */
function issuerOf(answers: Responses = {}) {
  const asked: string[] = [];
  const known: Responses = { ...describing(ISSUER, JWKS), [JWKS]: () => Response.json({ keys }), ...answers };
  const fetch = async (url: string) => {
    asked.push(url);
    return (await known[url]?.()) ?? new Response(null, { status: 404 });
  };
  return { fetch, asked };
}

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const payload = (over: Readonly<Record<string, unknown>> = {}): JWTPayload => ({
  ...{ iss: ISSUER, aud: "sourcebound", sub: "ann", exp: inSeconds(300) },
  ...CLAIMS,
  ...over,
});
const sign = (over: Readonly<Record<string, unknown>> = {}, by = issuer, header: Readonly<Record<string, string>> = {}) =>
  new SignJWT(payload(over)).setProtectedHeader({ alg: "ES256", kid: KID, ...header }).sign(by.privateKey);

const readerOf = (settings: Record<string, unknown> = {}, from = issuerOf()) =>
  createTokenReader(tokenSchema.parse({ ...SETTINGS, ...settings }), "library", from.fetch);
const codeOf = async (work: Promise<unknown>) => (await failureOf(work))?.code ?? "read";

describe("a token of the issuer", () => {
  it("grants what the mapping derives from its claims, with one id per caller", async () => {
    const reader = readerOf();
    const caller = await reader.read(await sign());
    expect(caller).toMatchObject({ domains: ["library"], tenants: ["alice"], access: ["public", "staff"] });
    expect([...caller.roles]).toEqual(["ask"]);
    expect((await reader.read(await sign({ other: 1 }))).keyId).toBe(caller.keyId);
    expect((await reader.read(await sign({ sub: "ben" }))).keyId).not.toBe(caller.keyId);
    expect(caller.keyId).not.toContain("ann");
  });

  it("fetches the issuer's keys once for many tokens", async () => {
    const from = issuerOf();
    const reader = readerOf({}, from);
    for (let i = 0; i < 20; i++) await reader.read(await sign());
    expect(from.asked).toEqual([DESCRIPTION, JWKS]);
  });

  it.each([
    ["roles with other names", { roles: { ask: ["Reader"], admin: ["Root"] } }, { realm: { roles: ["Reader", "admin"] } }, ["ask"]],
    ["roles in one string", {}, { realm: { roles: "ask review unknown" } }, ["ask", "review"]],
    ["a claim with dots in its name", { claims: { roles: "https://x.example/roles" } }, { "https://x.example/roles": ["ask"] }, ["ask"]],
    ["roles for every token", { claims: {}, default_roles: ["ask"] }, { roles: ["admin"] }, ["ask"]],
    ["no roles", { claims: {} }, { roles: ["admin"] }, []],
    ["an administrator", { claims: { roles: "r" } }, { r: ["admin"] }, ["ask", "ingest", "review", "metrics", "admin"]],
  ])("maps %s", async (_what, settings, claims, roles) => {
    const caller = await readerOf(settings).read(await sign(claims));
    expect([...caller.roles]).toEqual(roles);
  });

  it("without a mapped tenant sees none, even if another claim names one", async () => {
    const caller = await readerOf({ claims: { roles: "realm.roles" } }).read(await sign());
    expect(caller).toMatchObject({ tenants: [], access: null, domains: ["library"] });
  });

  it.each([
    ["lacks a mapped claim", { tenant: undefined }],
    ["has a number as its tenant", { tenant: 7 }],
    ["has a list of lists", { tenant: [["alice"]] }],
    ["has an object as its labels", { labels: { public: true } }],
    ["has too many values", { labels: Array.from({ length: 101 }, (_, i) => `l${i}`) }],
    ["names an administrator of one tenant", { realm: { roles: ["admin"] } }],
  ])("that %s is rejected", async (_what, claims) => {
    expect(await codeOf(readerOf().read(await sign(claims)))).toBe("token_claims");
  });

  it("does not read claims from the prototype", async () => {
    expect(await codeOf(readerOf({ claims: { roles: "constructor.name" } }).read(await sign()))).toBe("token_claims");
  });
});

describe("a token that is forged, expired or of another issuer", () => {
  const b64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const cases: readonly (readonly [string, () => Promise<string> | string])[] = [
    ["alg none", () => new UnsecuredJWT(payload()).encode()],
    [
      "HMAC with the public key as secret",
      () => new SignJWT(payload()).setProtectedHeader({ alg: "HS256", kid: KID }).sign(Buffer.from(JSON.stringify(keys[0]))),
    ],
    ["another key under the right key id", () => sign({}, forger)],
    ["a key id that does not exist", () => sign({}, forger, { kid: "../../etc/passwd" })],
    ["a key in its own header", () => sign({}, forger, { jku: "https://evil.example/keys" })],
    ["another issuer", () => sign({ iss: "https://evil.example" })],
    ["the issuer with a slash", () => sign({ iss: `${ISSUER}/` })],
    ["another audience", () => sign({ aud: "another-service" })],
    ["no subject", () => sign({ sub: undefined })],
    ["no expiry", () => sign({ exp: undefined })],
    ["a past expiry, and another key", () => sign({ exp: inSeconds(-60) }, forger)],
    ["a start in the future", () => sign({ nbf: inSeconds(600) })],
    [
      "an unknown critical header",
      async () => `${b64({ alg: "ES256", kid: KID, crit: ["x"], x: 1 })}.${(await sign()).split(".").slice(1).join(".")}`,
    ],
    [
      "changed claims under the same signature",
      async () => {
        const [head, , signature] = (await sign()).split(".");
        return `${head}.${b64(payload({ tenant: "bob" }))}.${signature}`;
      },
    ],
    ["a signature cut off", async () => (await sign()).replace(/[^.]+$/, "")],
    ["a million characters", async () => `${await sign()}${"A".repeat(1_000_000)}`],
    ["claims of 100 kB", () => sign({ x: "y".repeat(MAX_TOKEN_CHARACTERS) })],
  ];
  it.each(cases)("is rejected: %s", async (_what, make) => {
    expect(await codeOf(readerOf().read(await make()))).toBe("token_wrong");
  });

  it("is accepted within the clock tolerance only", async () => {
    const token = await sign({ exp: inSeconds(-20) });
    expect(await codeOf(readerOf({ clock_tolerance_s: 30 }).read(token))).toBe("read");
    expect(await codeOf(readerOf({ clock_tolerance_s: 0 }).read(token))).toBe("token_expired");
  });

  it("with one of a thousand unknown key ids fetches the keys at most once more", async () => {
    const from = issuerOf();
    const reader = readerOf({}, from);
    await reader.read(await sign());
    for (let i = 0; i < 1000; i++) expect(await codeOf(reader.read(await sign({}, forger, { kid: `k${i}x` })))).toBe("token_wrong");
    expect(from.asked.length).toBeLessThanOrEqual(3);
  });
});

describe("an issuer", () => {
  it.each([
    ["is down", { [JWKS]: () => Promise.reject(new TypeError("fetch failed")) }],
    ["answers 500", { [JWKS]: () => new Response("secret stack", { status: 500 }) }],
    ["answers without JSON", { [JWKS]: () => new Response("<html>") }],
    ["answers without keys", { [JWKS]: () => Response.json({ keys: "none" }) }],
    [
      "answers without end",
      { [JWKS]: () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(MAX_JSON_BYTES / 4)) })) },
    ],
    ["names another issuer", describing("https://evil.example", JWKS)],
    ["names a key address without TLS", describing(ISSUER, "http://login.example/keys")],
    ["names a file", describing(ISSUER, "file:///etc/passwd")],
  ])("that %s: tokens cannot be checked, and are rejected", async (_what, answers) => {
    const failure = await failureOf(readerOf({}, issuerOf(answers)).read(await sign()));
    expect(failure).toMatchObject({ code: "issuer_unreachable", message: expect.not.stringContaining("secret") });
  });

  const addresses = ["http://login.example", "ftp://login.example", "login.example"].map((issuer) => ({ issuer }));
  it.each([...addresses, { algorithms: ["none"] }, { algorithms: ["HS256"] }])("with %j is rejected by the configuration", (bad) => {
    expect(tokenSchema.safeParse({ ...SETTINGS, ...bad }).success).toBe(false);
  });
});

describe("over HTTP", () => {
  it("a wrong token is rejected and counts as an attempt, also on this machine; an expired one does not count", async () => {
    const app = createApp({ engine: createFakeAskEngine(), log: silentLog, webRoot: "/nowhere", tokens: readerOf() });
    const ask = (token: string, from = STRANGER) => sendFrom(app, "/v1/ask", { from, authorization: `Bearer ${token}` });
    expect((await ask(await sign({}, forger), "127.0.0.1")).status).toBe(401);
    expect((await sendFrom(app, "/v1/ask")).code).toBe("key_missing");
    const old = await sign({ exp: inSeconds(-60) });
    for (let i = 0; i < MAX_FAILED_ATTEMPTS + 5; i++) {
      const { status, code, headers } = await ask(old);
      expect([status, code, headers.get("www-authenticate")]).toEqual([401, "token_expired", 'Bearer error="invalid_token"']);
    }
    for (let i = 0; i < MAX_FAILED_ATTEMPTS; i++) expect((await ask(await sign({}, forger))).status).toBe(401);
    expect((await ask(await sign({}, forger))).code).toBe("too_many_attempts");
    expect((await ask(await sign())).status).toBe(200);
  });
});
