import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { WireAnswer, WireCitationStates, WireDocument, WireDomains } from "../src/client/index.ts";
import { runCli } from "./support/cli.ts";
import { type LibraryOptions, openInTest } from "./support/engine.ts";
import { appOf, callApp, createKey } from "./support/keyed-app.ts";
import { CARD, writeFiles } from "./support/library.ts";

async function open(options: LibraryOptions = {}) {
  const library = await openInTest(options);
  const { engine, sandbox, ingest, ask } = library;
  const app = appOf(engine, { adminToken: "secret-token", withoutKeys: "anyone" });
  const get = <T>(path: string, key?: string) => callApp<T>(app, "GET", path, { key });
  const keyFor = (grant: Parameters<typeof createKey>[1]) => createKey({ engine }, grant);
  return { engine, sandbox, ingest, ask, app, get, keyFor };
}

describe("GET /v1/domains", () => {
  it("lists domains with documents, their tenants and examples, and marks the default", async () => {
    const { get } = await open();
    const { body, headers } = await get<WireDomains>("/v1/domains");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body.domains.map(({ name, title, default: meant }) => [name, title, meant])).toEqual([["library", "Town library", true]]);
    expect(body.domains[0]?.tenants).toEqual([
      { name: "alice", title: "Alice's branch" },
      { name: "bob", title: "Bob's branch" },
    ]);
    expect(body.domains[0]?.documents).toBeGreaterThan(3);
    expect(body.profiles[0]?.name).toBe("sourcebound");
  });

  it("describes user documents by their titles", async () => {
    const documents = { "a.md": "# Cards\n\nA card costs 3 dollars.\n", "b.md": "# Fines\n\nA day costs 20 cents.\n" };
    const { get } = await open({ documents, settings: { domain: "documents" } });
    const { body } = await get<WireDomains>("/v1/domains");
    expect(body.domains.map(({ name, description }) => [name, description])).toEqual([["documents", "Cards, Fines."]]);
  });

  it("shows a key only its own domains and tenants", async () => {
    const { get, keyFor } = await open();
    const bob = await get<WireDomains>("/v1/domains", await keyFor({ tenants: ["bob"] }));
    expect(bob.body.domains.map(({ tenants }) => tenants.map(({ name }) => name))).toEqual([["bob"]]);
    const elsewhere = await get<WireDomains>("/v1/domains", await keyFor({ domains: ["veterans"] }));
    expect(elsewhere.body.domains.map(({ name, documents }) => [name, documents])).toEqual([["veterans", 0]]);
    expect((await get("/v1/domains", await keyFor({ roles: ["review"] }))).status).toBe(403);
  });
});

describe("GET /v1/answers/ID/citations", () => {
  it("returns the state of each quote, also after its document was deleted, and nothing to others", async () => {
    const { get, ask, ingest, sandbox, keyFor } = await open();
    const { id, citations } = await ask(CARD);
    const quote = citations[0]?.quote ?? "";
    const file = join(sandbox.folder, "documents", "cards.md");
    const states = async () => {
      const { status, body } = await get<WireCitationStates>(`/v1/answers/${id}/citations`);
      return { status, first: body.citations[0] };
    };
    expect(await states()).toMatchObject({
      status: 200,
      first: { n: 1, state: "same", likeness: 1, now: { quote, start: citations[0]?.start } },
    });

    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("# Library cards\n", "# Library cards\n\nWelcome, whoever you are.\n"));
    await ingest();
    expect((await states()).first).toMatchObject({ state: "moved", now: { quote } });

    writeFileSync(file, text.replace("5 dollars", "7 dollars"));
    await ingest();
    expect((await states()).first).toMatchObject({ state: "changed", now: { quote: quote.replace("5", "7") } });

    rmSync(file);
    await ingest();
    expect(await states()).toEqual({ status: 200, first: { n: 1, state: "gone", likeness: 0, now: null } });
    expect((await get(`/v1/answers/${id}`)).status).toBe(404);

    for (const grant of [{ tenants: ["bob"] }, { access: ["other"] }, { domains: ["veterans"] }])
      expect((await get(`/v1/answers/${id}/citations`, await keyFor(grant))).status).toBe(404);
    expect((await get("/v1/answers/unknown/citations")).status).toBe(404);
  });

  it("is printed by the command line, with exit code 5 when a quote has changed", async () => {
    const { ask, ingest, sandbox } = await open();
    const { id } = await ask(CARD);
    const file = join(sandbox.folder, "documents", "cards.md");
    const run = async () => runCli(["citations", id], { cwd: sandbox.folder, env: sandbox.env });
    expect(await run()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\[1\] same: cards\.md, characters \d+–\d+\n/) });
    writeFileSync(file, readFileSync(file, "utf8").replace("5 dollars", "7 dollars"));
    await ingest();
    expect(await run()).toMatchObject({ code: 5, stdout: expect.stringMatching(/^\[1\] changed: cards\.md, .*7 dollars/) });
    expect((await runCli(["citations", "none"], { cwd: sandbox.folder, env: sandbox.env })).code).toBe(2);
  });
});

describe("GET /v1/answers/ID", () => {
  it("returns an answer without its session to callers who could receive it today", async () => {
    const { get, ask, keyFor } = await open();
    const { id, sentences } = await ask(CARD, { sessionId: "mine" });
    const { status, body } = await get<WireAnswer>(`/v1/answers/${id}`);
    expect([status, body.session_id, body.sentences]).toEqual([200, null, sentences]);
    for (const grant of [{ tenants: ["bob"] }, { access: ["other"] }, { domains: ["veterans"] }])
      expect((await get(`/v1/answers/${id}`, await keyFor(grant))).status).toBe(404);
    expect((await get("/v1/answers/unknown")).status).toBe(404);
    expect((await get(`/v1/answers/${"x".repeat(500)}`)).status).toBe(400);
  });
});

describe("GET /v1/documents/ID", () => {
  it("returns the whole text with its outline, in which offsets of citations are valid", async () => {
    const { get, ask } = await open();
    const { citations } = await ask(CARD);
    const [citation] = citations;
    const { status, body } = await get<WireDocument>(`/v1/documents/${citation?.documentId}?start=${citation?.start}&end=${citation?.end}`);
    expect(status).toBe(200);
    expect(body.text.slice(citation?.start, citation?.end)).toBe(citation?.quote);
    expect(body.version).toBe(citation?.documentVersion);
    expect(body.outline.map(({ text }) => text)).toContain("Lost cards");
    expect(body.blocks.every(([start, end]) => start < end && end <= body.text.length)).toBe(true);
  });

  it("is not found without access, with the same error as for an unknown document", async () => {
    const { get, ingest, sandbox, engine, keyFor } = await open();
    writeFiles(sandbox.folder, { "alice/door.md": "# The side door\n\nThe side door opens with code K4000W.\n" });
    await ingest("alice", { tenant: "alice" });
    const [file] = await engine.files({ tenant: "alice" }).then((files) => files.filter(({ tenant }) => tenant === "alice"));
    const path = `/v1/documents/${file?.documents[0]?.id}`;
    expect((await get(`${path}?tenant=alice`)).status).toBe(200);
    const refused = await get<{ error: { message: string } }>(path, await keyFor({ tenants: ["bob"] }));
    const unknown = await get<{ error: { message: string } }>("/v1/documents/nothing", await keyFor({ tenants: ["bob"] }));
    expect([refused.status, refused.body.error.message]).toEqual([404, unknown.body.error.message]);
    expect((await get(`${path}?tenant=alice`, await keyFor({ tenants: ["bob"] }))).status).toBe(403);
  });
});
