import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { tokenSchema } from "../../shared/config/server.ts";
import { RequestError } from "../../shared/errors.ts";
import { eventsOf, sampleAnswer } from "../../testing/answers.ts";
import { createFakeAskEngine } from "../../testing/fake-ask-engine.ts";
import { createApp } from "../app.ts";
import { MAX_FAILED_ATTEMPTS } from "./admission.ts";
import { createTokenReader, MAX_JSON_BYTES, MAX_TOKEN_CHARACTERS } from "./token.ts";

const ISSUER = "https://login.example";
const JWKS = `${ISSUER}/keys`;
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

/** Returns an issuer that counts its requests. */
function issuerOf(answers: Readonly<Record<string, () => Response | Promise<Response>>> = {}) {
  const asked: string[] = [];
  const known: Readonly<Record<string, () => Response | Promise<Response>>> = {
    [`${ISSUER}/.well-known/openid-configuration`]: () => Response.json({ issuer: ISSUER, jwks_uri: JWKS }),
    [JWKS]: () => Response.json({ keys }),
    ...answers,
  };
  const fetch = async (url: string) => {
    asked.push(url);
    return (await known[url]?.()) ?? new Response(null, { status: 404 });
  };
  return { fetch, asked };
}

interface Signed {
  readonly claims?: JWTPayload;
  readonly header?: Record<string, string>;
  readonly by?: Pair;
  readonly expires?: string | number;
  readonly notBefore?: string;
  readonly iss?: string;
  readonly aud?: string;
  readonly sub?: string | null;
}
function sign({
  claims = CLAIMS,
  header = {},
  by = issuer,
  expires = "5m",
  notBefore,
  iss = ISSUER,
  aud = "sourcebound",
  sub = "ann",
}: Signed = {}) {
  const token = new SignJWT(claims)
    .setProtectedHeader({ alg: "ES256", kid: KID, ...header })
    .setIssuer(iss)
    .setAudience(aud);
  if (sub !== null) token.setSubject(sub);
  if (expires !== "never") token.setExpirationTime(expires);
  if (notBefore !== undefined) token.setNotBefore(notBefore);
  return token.sign(by.privateKey);
}

const readerOf = (settings: Record<string, unknown> = {}, from = issuerOf()) =>
  createTokenReader(tokenSchema.parse({ ...SETTINGS, ...settings }), "library", from.fetch);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "read",
    (error: unknown) => (error instanceof RequestError ? error.code : String(error)),
  );

describe("a token of the issuer", () => {
  it("opens what the mapping makes of its claims, and the same caller every time", async () => {
    const reader = readerOf();
    const caller = await reader.read(await sign());
    expect(caller).toMatchObject({ domains: ["library"], tenants: ["alice"], access: ["public", "staff"] });
    expect([...caller.roles]).toEqual(["ask"]);
    expect((await reader.read(await sign({ claims: { ...CLAIMS, other: 1 } }))).keyId).toBe(caller.keyId);
    expect((await reader.read(await sign({ sub: "ben" }))).keyId).not.toBe(caller.keyId);
    expect(caller.keyId).not.toContain("ann");
  });

  it("has the issuer asked once, however many tokens come", async () => {
    const from = issuerOf();
    const reader = readerOf({}, from);
    for (let i = 0; i < 20; i++) await reader.read(await sign());
    expect(from.asked).toEqual([`${ISSUER}/.well-known/openid-configuration`, JWKS]);
  });

  it.each([
    ["roles by other names", { roles: { ask: ["Reader"], admin: ["Root"] } }, { realm: { roles: ["Reader", "admin"] } }, ["ask"]],
    ["roles as one text", {}, { realm: { roles: "ask review unknown" } }, ["ask", "review"]],
    ["a claim whose name holds dots", { claims: { roles: "https://x.example/roles" } }, { "https://x.example/roles": ["ask"] }, ["ask"]],
    ["roles of every token", { claims: {}, default_roles: ["ask"] }, { roles: ["admin"] }, ["ask"]],
    ["no roles", { claims: {} }, { roles: ["admin"] }, []],
    ["an administrator", { claims: { roles: "r" } }, { r: ["admin"] }, ["ask", "ingest", "review", "metrics", "admin"]],
  ])("maps %s", async (_what, settings, claims, roles) => {
    const caller = await readerOf(settings).read(await sign({ claims: { ...CLAIMS, ...claims } }));
    expect([...caller.roles]).toEqual(roles);
  });

  it("that is bound to no tenant sees none, also where it names one in a claim that is not mapped", async () => {
    const caller = await readerOf({ claims: { roles: "realm.roles" } }).read(await sign());
    expect(caller).toMatchObject({ tenants: [], access: null, domains: ["library"] });
  });

  it.each([
    ["lacks a claim that is mapped", { realm: { roles: ["ask"] }, labels: ["public"] }],
    ["has a number for a tenant", { ...CLAIMS, tenant: 7 }],
    ["has a list of lists", { ...CLAIMS, tenant: [["alice"]] }],
    ["has an object for labels", { ...CLAIMS, labels: { public: true } }],
    ["has more values than anybody", { ...CLAIMS, labels: Array.from({ length: 101 }, (_, i) => `l${i}`) }],
    ["is an administrator's and bound", { ...CLAIMS, realm: { roles: ["admin"] } }],
  ])("that %s opens nothing", async (_what, claims) => {
    expect(await codeOf(readerOf().read(await sign({ claims })))).toBe("token_claims");
  });

  it("does not take a claim from the prototype", async () => {
    expect(await codeOf(readerOf({ claims: { roles: "constructor.name" } }).read(await sign()))).toBe("token_claims");
  });
});

describe("a token that is forged, old or strange is refused", () => {
  const b64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const cases: readonly (readonly [string, () => Promise<string> | string, string])[] = [
    [
      "alg none",
      () => new UnsecuredJWT(CLAIMS).setIssuer(ISSUER).setAudience("sourcebound").setSubject("ann").setExpirationTime("5m").encode(),
      "token_wrong",
    ],
    [
      "HMAC with the public key as secret",
      async () =>
        new SignJWT(CLAIMS)
          .setProtectedHeader({ alg: "HS256", kid: KID })
          .setIssuer(ISSUER)
          .setAudience("sourcebound")
          .setSubject("ann")
          .setExpirationTime("5m")
          .sign(Buffer.from(JSON.stringify(keys[0]))),
      "token_wrong",
    ],
    ["another key under the right key id", () => sign({ by: forger }), "token_wrong"],
    ["a key id that does not exist", () => sign({ by: forger, header: { kid: "../../etc/passwd" } }), "token_wrong"],
    ["a key that it brings itself", async () => sign({ by: forger, header: { jku: "https://evil.example/keys" } }), "token_wrong"],
    ["another issuer", () => sign({ iss: "https://evil.example" }), "token_wrong"],
    ["the issuer with a slash", () => sign({ iss: `${ISSUER}/` }), "token_wrong"],
    ["another audience", () => sign({ aud: "another-service" }), "token_wrong"],
    ["no subject", () => sign({ sub: null }), "token_wrong"],
    ["no expiry", () => sign({ expires: "never" }), "token_wrong"],
    ["an expiry that is over", () => sign({ expires: Math.floor(Date.now() / 1000) - 60 }), "token_expired"],
    ["an expiry that is over, and another key", () => sign({ by: forger, expires: Math.floor(Date.now() / 1000) - 60 }), "token_wrong"],
    ["a beginning that is to come", () => sign({ notBefore: "10m" }), "token_wrong"],
    [
      "an unknown critical header",
      async () => `${b64({ alg: "ES256", kid: KID, crit: ["x"], x: 1 })}.${(await sign()).split(".").slice(1).join(".")}`,
      "token_wrong",
    ],
    [
      "claims exchanged under the signature",
      async () => {
        const [head, , signature] = (await sign()).split(".");
        return `${head}.${b64({ ...CLAIMS, tenant: "bob", iss: ISSUER, aud: "sourcebound", sub: "ann", exp: 9_999_999_999 })}.${signature}`;
      },
      "token_wrong",
    ],
    ["a signature cut off", async () => (await sign()).replace(/[^.]+$/, ""), "token_wrong"],
    ["a million characters", async () => `${await sign()}${"A".repeat(1_000_000)}`, "token_wrong"],
    ["claims of 100 kB", () => sign({ claims: { ...CLAIMS, x: "y".repeat(MAX_TOKEN_CHARACTERS) } }), "token_wrong"],
  ];
  it.each(cases)("%s", async (_what, make, code) => {
    expect(await codeOf(readerOf().read(await make()))).toBe(code);
  });

  it("takes what clocks may differ by, and no more", async () => {
    const now = Math.floor(Date.now() / 1000);
    expect(await codeOf(readerOf({ clock_tolerance_s: 30 }).read(await sign({ expires: now - 20 })))).toBe("read");
    expect(await codeOf(readerOf({ clock_tolerance_s: 0 }).read(await sign({ expires: now - 20 })))).toBe("token_expired");
  });

  it("a thousand key ids that do not exist have the keys fetched again once at most", async () => {
    const from = issuerOf();
    const reader = readerOf({}, from);
    await reader.read(await sign());
    for (let i = 0; i < 1000; i++)
      expect(await codeOf(reader.read(await sign({ by: forger, header: { kid: `k${i}x` } })))).toBe("token_wrong");
    expect(from.asked.length).toBeLessThanOrEqual(3);
  });
});

describe("an issuer", () => {
  it.each([
    ["is down", { [JWKS]: () => Promise.reject(new TypeError("fetch failed")) }],
    ["answers 500", { [JWKS]: () => new Response("secret stack", { status: 500 }) }],
    ["answers no JSON", { [JWKS]: () => new Response("<html>") }],
    ["answers no keys", { [JWKS]: () => Response.json({ keys: "none" }) }],
    [
      "answers without end",
      { [JWKS]: () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(MAX_JSON_BYTES / 4)) })) },
    ],
    [
      "names another issuer",
      { [`${ISSUER}/.well-known/openid-configuration`]: () => Response.json({ issuer: "https://evil.example", jwks_uri: JWKS }) },
    ],
    [
      "names keys without TLS",
      { [`${ISSUER}/.well-known/openid-configuration`]: () => Response.json({ issuer: ISSUER, jwks_uri: "http://login.example/keys" }) },
    ],
    [
      "names a file",
      { [`${ISSUER}/.well-known/openid-configuration`]: () => Response.json({ issuer: ISSUER, jwks_uri: "file:///etc/passwd" }) },
    ],
  ])("that %s: tokens cannot be checked now, and nothing is let in", async (_what, answers) => {
    const read = readerOf({}, issuerOf(answers)).read(await sign());
    expect(await codeOf(read)).toBe("issuer_unreachable");
    await read.catch((error: RequestError) => expect(error.message).not.toContain("secret"));
  });

  it.each(["http://login.example", "ftp://login.example", "login.example"])("%s is refused by the configuration", (bad) => {
    expect(tokenSchema.safeParse({ ...SETTINGS, issuer: bad }).success).toBe(false);
  });

  it.each(["none", "HS256"])("signatures by %s cannot be configured", (algorithm) => {
    expect(tokenSchema.safeParse({ ...SETTINGS, algorithms: [algorithm] }).success).toBe(false);
  });
});

describe("over HTTP", () => {
  function setUp() {
    const engine = createFakeAskEngine(async function* () {
      yield* eventsOf(sampleAnswer({ question: "q", sentences: [{ text: "One.", citations: [] }] }));
    });
    const app = createApp({ engine, log: { info: () => {}, error: () => {} }, webRoot: "/nowhere", tokens: readerOf() });
    return async (token: string | undefined, from = STRANGER) => {
      const headers = { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
      const init = { method: "POST", headers, body: JSON.stringify({ question: "q" }) };
      const response = await app.request("/v1/ask", init, { incoming: { socket: { remoteAddress: from } } });
      const { error } = (await response.json()) as { error?: { code: string } };
      return { status: response.status, code: error?.code, headers: response.headers };
    };
  }

  it("a wrong token is refused on this machine too, and counts as an attempt; an expired one is told so and does not", async () => {
    const ask = setUp();
    expect((await ask(await sign({ by: forger }), "127.0.0.1")).status).toBe(401);
    expect((await ask(undefined, "127.0.0.1")).code).toBe("key_missing");
    const old = await sign({ expires: Math.floor(Date.now() / 1000) - 60 });
    for (let i = 0; i < MAX_FAILED_ATTEMPTS + 5; i++) {
      const { status, code, headers } = await ask(old);
      expect([status, code, headers.get("www-authenticate")]).toEqual([401, "token_expired", 'Bearer error="invalid_token"']);
    }
    for (let i = 0; i < MAX_FAILED_ATTEMPTS; i++) expect((await ask(await sign({ by: forger }))).status).toBe(401);
    expect((await ask(await sign({ by: forger }))).code).toBe("too_many_attempts");
    expect((await ask(await sign())).status).toBe(200);
  });
});
