import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../src/grading/metrics.ts";
import { createTokenReader, type TokenReader } from "../src/server/access/token.ts";
import { serveEngine } from "../src/server/start.ts";
import { tokenSchema } from "../src/shared/config/server.ts";
import type { WireHistory } from "../src/wire/memory.ts";
import { runCli } from "./support/cli.ts";
import { libraryForAll, openInTest } from "./support/engine.ts";
import { appOf, callApp, createKey } from "./support/keyed-app.ts";
import { LIBRARY_PACK, writeFiles } from "./support/library.ts";
import { rounds } from "./support/trials.ts";

const TENANTS = Array.from({ length: 20 }, (_, i) => `party${String.fromCharCode(97 + i)}`);
/** A code in this tenant's documents only. Hashes cannot contain these letters. */
const codeOf = (tenant: string) => `K${4000 + 37 * TENANTS.indexOf(tenant)}W`;
const QUESTION = "What is the code of the side door?";
const PACK = LIBRARY_PACK.replace(
  /tenants:[\s\S]*$/,
  `tenants:\n${TENANTS.map((tenant) => `  ${tenant}: { title: ${tenant}, access: [public] }\n`).join("")}`,
);

const library = libraryForAll({ documents: {}, settings: { "server.port": 0 } });
const keys = new Map<string, string>();
const ISSUER = "https://login.example";
let tokens: TokenReader;
/** Tokens by tenant. The forged ones name the tenant too and must be rejected. */
const tokenOf = new Map<string, { readonly right: string; readonly forged: readonly string[] }>();
async function issueTokens(): Promise<void> {
  const [issuer, forger] = await Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")]);
  const jwks = { keys: [{ ...(await exportJWK(issuer.publicKey)), kid: "k", alg: "ES256" }] };
  const settings = { issuer: ISSUER, audience: "sb", jwks_url: `${ISSUER}/keys`, claims: { roles: "roles", tenants: "tenant" } };
  tokens = createTokenReader(tokenSchema.parse(settings), "library", async () => Response.json(jwks));
  const known = { iss: ISSUER, aud: "sb" };
  const signed = (tenant: string, by: typeof issuer, expires: string) =>
    new SignJWT({ ...known, sub: `person of ${tenant}`, tenant, roles: "ask review" })
      .setProtectedHeader({ alg: "ES256", kid: "k" })
      .setExpirationTime(expires)
      .sign(by.privateKey);
  for (const tenant of TENANTS) {
    const right = await signed(tenant, issuer, "2h");
    const [head, , signature] = right.split(".");
    const [, others] = (await signed(TENANTS.find((other) => other !== tenant) ?? "", issuer, "2h")).split(".");
    const none = new UnsecuredJWT({ ...known, sub: "x", tenant, roles: "admin" }).setExpirationTime("2h").encode();
    const forged = [await signed(tenant, forger, "2h"), await signed(tenant, issuer, "-2h"), `${head}.${others}.${signature}`, none];
    tokenOf.set(tenant, { right, forged });
  }
}
const open = { roles: ["ask", "review"], domains: ["library"] } as const;
beforeAll(async () => {
  await issueTokens();
  writeFiles(library.sandbox.folder, { "domains/library/domain.yaml": PACK });
  for (const tenant of TENANTS) {
    writeFiles(library.sandbox.folder, { [`${tenant}/door.md`]: `# The side door\n\nThe code of the side door is ${codeOf(tenant)}.\n` });
    await library.ingest(tenant, { tenant });
    keys.set(tenant, await createKey(library, { ...open, name: tenant, tenants: [tenant] }));
  }
});

function caller() {
  const app = appOf(library.engine, { tokens, requestsPerHour: 0 });
  return (method: string, path: string, key: string | undefined, body?: unknown) => callApp(app, method, path, { key, body });
}

/** Seeded, so that the test can assert counts. */
const random = createRandom(16);
const below = (n: number): number => Math.floor(random() * n);
const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
const keyOf = (tenant: string): string => keys.get(tenant) ?? "";

/** Expected result of a request body: answered, denied for naming another tenant, or refused as invalid; `null`: either is allowed. */
type Comes = "answered" | "denied" | "refused" | null;
type Forged = readonly [body: Record<string, unknown>, comes: Comes];
const FORGED: readonly ((mine: string) => Forged)[] = [
  () => [{}, "answered"],
  (mine) => [{ tenant: mine, domain: "library" }, "answered"],
  (mine) => naming(pick(TENANTS), "library", mine),
  (mine) => naming(pick(TENANTS), pick(["library", "veterans", "nowhere"]), mine),
  () => [{ tenant: pick(["*", "null", "__proto__", "constructor", "partya,partyb", "PARTYA", "partyа"]) }, "denied"],
  () => [{ tenant: pick(["", null, 7, true]) }, "refused"],
  () => [{ tenant: [pick(TENANTS)] }, "refused"],
  () => [{ access: ["public", "staff"], tenant: pick(TENANTS) }, "refused"],
  () => [{ session_id: "shared", user_id: pick(["ann", "ben"]) }, "answered"],
  () => [{ scope: { tenant: pick(TENANTS) }, caller: pick(TENANTS) }, "refused"],
  () => [{ filters: { document: `${pick(TENANTS)}/door.md` } }, null],
];
function naming(tenant: string, domain: string, mine: string): Forged {
  return [{ tenant, domain }, tenant === mine && domain === "library" ? "answered" : "denied"];
}
type Send = (call: ReturnType<typeof caller>, key: string | undefined) => Promise<{ status: number; text: string }>;
const ask = ([body, comes]: Forged): readonly [Send, Comes] => [
  (call, key) => call("POST", "/v1/ask", key, { question: QUESTION, ...body }),
  comes,
];
const readSession = (tenant: string, mine: string): readonly [Send, Comes] => [
  (call, key) => call("GET", `/v1/sessions/shared?tenant=${tenant}`, key),
  tenant === mine ? null : "denied",
];
const REQUESTS = rounds({ all: 10_000, usually: 1_000 });

describe("20 tenants with keys and tokens", () => {
  it(`${REQUESTS} requests with forged bodies and credentials reveal each tenant's code only to its own key and token`, {
    timeout: 3_600_000,
  }, async () => {
    const call = caller();
    const leaks: string[] = [];
    const came = { answered: 0, denied: 0, refused: 0, keyless: 0 };
    for (let i = 0; i < REQUESTS; i++) {
      const mine = pick(TENANTS);
      const { right, forged } = tokenOf.get(mine) ?? { right: "", forged: [] };
      const isHis = below(10) !== 0;
      const key = isHis ? pick([keyOf(mine), right]) : pick([undefined, `${keyOf(mine)}x`, keyOf(mine).slice(0, -1), ...forged]);
      const [send, comes] = below(5) === 0 ? readSession(pick(TENANTS), mine) : ask(pick(FORGED)(mine));
      const { status, text } = await send(call, key);
      const shown = TENANTS.filter((other) => text.includes(codeOf(other)));
      leaks.push(...shown.filter((other) => !isHis || other !== mine).map((other) => `${other} to ${mine}: ${text}`));
      if (!isHis) {
        expect([401, 429]).toContain(status);
        came.keyless++;
      } else if (comes === "answered") {
        expect([status, shown]).toEqual([200, [mine]]);
        came.answered++;
      } else if (comes === "denied") {
        expect([status, text]).toEqual([403, expect.not.stringMatching(/party[a-t]|library|veterans|nowhere/)]);
        came.denied++;
      } else if (comes === "refused") {
        expect(status).toBe(400);
        came.refused++;
      }
    }
    expect(leaks).toEqual([]);
    expect(Math.min(...Object.values(came))).toBeGreaterThan(REQUESTS * 0.09);
    expect(came.answered).toBeGreaterThan(REQUESTS * 0.15);
  });

  it("a session belongs to its key, even if another key has the same tenant and user", async () => {
    const call = caller();
    const [tenant] = TENANTS as [string];
    const second = await createKey(library, { ...open, name: "second", tenants: [tenant] });
    const ask = { question: QUESTION, session_id: "s", user_id: "ann" };
    expect((await call("POST", "/v1/ask", keyOf(tenant), ask)).text).toContain(codeOf(tenant));
    expect((await call("GET", "/v1/sessions/s?user_id=ann", keyOf(tenant))).status).toBe(200);
    expect((await call("GET", "/v1/sessions/s?user_id=ann", second)).status).toBe(404);
    expect((await call("GET", "/v1/sessions/s?user_id=ben", keyOf(tenant))).status).toBe(404);
    expect((await call("DELETE", "/v1/sessions/s?user_id=ann", second)).status).toBe(404);
  });

  it("a reviewer sees, approves and flags answers of their own tenant only", async () => {
    const call = caller();
    const [mine, other] = TENANTS as [string, string];
    const idOf = async (tenant: string) =>
      (JSON.parse((await call("POST", "/v1/ask", keyOf(tenant), { question: QUESTION })).text) as { id: string }).id;
    const ids = { mine: await idOf(mine), other: await idOf(other) };
    const queue = await call("GET", "/v1/review", keyOf(mine));
    expect(queue.text).toContain(mine);
    expect(queue.text).not.toContain(other);
    expect((await call("GET", `/v1/review/${ids.mine}`, keyOf(mine))).status).toBe(200);
    const denied = await call("GET", `/v1/review/${ids.other}`, keyOf(mine));
    const never = await call("GET", "/v1/review/never", keyOf(mine));
    const plain = (text: string) => text.replaceAll(ids.other, "never").replace(/"request_id":"[^"]+"/, "");
    expect([denied.status, plain(denied.text)]).toEqual([404, plain(never.text)]);
    for (const act of ["approve", "flag"]) {
      expect((await call("POST", `/v1/review/${ids.other}/${act}`, keyOf(mine), { by: "x" })).status).toBe(404);
    }
    expect((await call("POST", `/v1/review/${ids.mine}/flag`, keyOf(mine), { by: "Ann" })).text).toMatch(/Ann \(key [0-9a-f]{12}\)/);
    await call("POST", `/v1/review/${ids.other}/flag`, keyOf(other), { by: "Ben" });
    const history = JSON.parse((await call("GET", "/v1/review/history", keyOf(mine))).text) as WireHistory;
    expect(history.chain.intact).toBe(true);
    expect(JSON.parse((await call("GET", "/v1/review/history?limit=1", keyOf(mine))).text)).toMatchObject({ next_cursor: null });
    expect(history.rows.map(({ action, subject }) => [action, subject])).toEqual([["flag", ids.mine]]);
    // The log also contains actions on keys and on other tenants' answers.
    const all = await library.engine.memory.review.history();
    expect(all.rows.map(({ action }) => action)).toEqual(expect.arrayContaining(["create_key", "flag"]));
    expect(all.rows.map(({ subject }) => subject)).toContain(ids.other);
    expect((await call("DELETE", "/v1/admin/memory", keyOf(mine), { by: "x", all: true })).status).toBe(403);
    expect((await call("GET", "/v1/admin/stats", keyOf(mine))).status).toBe(403);
  });
});

it("a reviewer whose key names no labels sees only answers for the configured labels, in the queue and in the log", async () => {
  const call = caller();
  const { engine } = library;
  const key = await createKey({ engine }, { ...open, name: "reviewer" });
  const hidden = await engine.answer(QUESTION, { access: ["public", "board"] });
  const seen = await engine.answer("Which side door is open?");
  for (const { id } of [hidden, seen]) await engine.memory.review.flag(id, "Ann");
  expect((await call("GET", `/v1/review/${seen.id}`, key)).status).toBe(200);
  expect((await call("GET", `/v1/review/${hidden.id}`, key)).status).toBe(404);
  const queue = (await call("GET", "/v1/review?limit=200", key)).text;
  expect([queue.includes(seen.id), queue.includes(hidden.id)]).toEqual([true, false]);
  const log = (await call("GET", "/v1/review/history", key)).text;
  expect([log.includes(seen.id), log.includes(hidden.id)]).toEqual([true, false]);
});

it("a public address is not served without a key, unless a setting allows it", async () => {
  const bare = await openInTest({ documents: {}, settings: { "server.port": 0, "server.host": "0.0.0.0" } });
  await expect(serveEngine(bare.engine, () => undefined)).rejects.toMatchObject({ code: "config_keys_missing" });
  const told = {
    ...bare.engine,
    config: { ...bare.engine.config, server: { ...bare.engine.config.server, without_keys: "anyone" as const } },
  };
  await (await serveEngine(told, () => undefined)).close();
  await createKey(bare, { expiresAt: "2020-01-01T00:00:00.000Z" });
  await expect(serveEngine(bare.engine, () => undefined)).rejects.toMatchObject({ code: "config_keys_missing" });
  await createKey(bare);
  await (await serveEngine(bare.engine, () => undefined)).close();
});

describe("sourcebound keys", () => {
  const cli = (...args: string[]) => runCli(["keys", ...args], { cwd: library.sandbox.folder, env: library.sandbox.env });

  it("creates a working key, lists it without its secret, and revokes it on a running server", async () => {
    const made = await cli("create", "website", "--tenant", "partyb", "--expires", "90d", "--by", "Ann");
    expect(made.code).toBe(0);
    const key = made.stdout.trim();
    expect(made.stderr).toContain("shown only once");
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
  });

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
