import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fakeChatModel } from "../src/testing/fake-chat-model.ts";
import { type LibraryOptions, openInTest } from "./support/engine.ts";
import { appOf } from "./support/keyed-app.ts";
import { CARD, LIBRARY_DOCUMENTS, writeFiles } from "./support/library.ts";

const TOKEN = "a-token-of-some-length";
const AS_ADMIN = { headers: { authorization: `Bearer ${TOKEN}` } };

async function open(options: LibraryOptions = {}) {
  const library = await openInTest(options);
  const app = appOf(library.engine, { adminToken: TOKEN, withoutKeys: "this-machine" });
  const idOf = async (path: string) =>
    (await library.engine.files()).flatMap(({ documents }) => documents).find((one) => one.path === path)?.id ?? "";
  return { library, app, idOf };
}

const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code;

describe("routes behind an answer", () => {
  it("return the original file byte for byte, and refuse a changed one", async () => {
    const { library, app, idOf } = await open();
    const id = await idOf("cards.md");
    const file = join(library.sandbox.folder, "documents", "cards.md");
    const response = await app.request(`/v1/documents/${id}/original`);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/octet-stream"]);
    expect(response.headers.get("content-disposition")).toContain("attachment");
    expect(Buffer.from(await response.arrayBuffer()).equals(readFileSync(file))).toBe(true);
    writeFileSync(file, "# Another file\n");
    const changed = await app.request(`/v1/documents/${id}/original`);
    expect([changed.status, await codeOf(changed)]).toEqual([409, "original_changed"]);
    rmSync(file);
    expect((await app.request(`/v1/documents/${id}/original`)).status).toBe(404);
    expect((await app.request("/v1/documents/nobody/original")).status).toBe(404);
  });

  it("list versions, and return the text of one that an answer cites", async () => {
    const { library, app, idOf } = await open();
    await library.ask(CARD);
    const id = await idOf("cards.md");
    writeFiles(join(library.sandbox.folder, "documents"), {
      "cards.md": LIBRARY_DOCUMENTS["cards.md"]?.replace("5 dollars", "9 dollars") ?? "",
    });
    await library.ingest();
    const { items } = (await (await app.request(`/v1/documents/${id}/versions`)).json()) as { items: { version: string; kept: boolean }[] };
    expect(items.map(({ kept }) => kept)).toEqual([true, true]);
    const old = (await (await app.request(`/v1/documents/${id}?version=${items[1]?.version}`)).json()) as { text: string; version: string };
    expect([old.version, old.text.includes("5 dollars")]).toEqual([items[1]?.version, true]);
    expect((await app.request(`/v1/documents/${id}?version=nothing`)).status).toBe(404);
  });

  it("return the graph of questions and sources, to reviewers only", async () => {
    const { library, app } = await open();
    await library.ask(CARD);
    expect((await app.request("/v1/graph")).status).toBeGreaterThanOrEqual(401);
    const graph = (await (await app.request("/v1/graph", AS_ADMIN)).json()) as { nodes: { type: string; label: string }[] };
    expect(graph.nodes.map(({ label }) => label)).toEqual(expect.arrayContaining([CARD, "Library cards"]));
    const none = (await (await app.request("/v1/graph?words=camel", AS_ADMIN)).json()) as { fitting: number };
    expect(none.fitting).toBe(0);
    expect((await app.request("/v1/graph?types=secrets", AS_ADMIN)).status).toBe(400);
  });

  it("show a tenant's questions to no other tenant", async () => {
    const { library, app } = await open();
    await library.ask(CARD, { tenant: "alice" });
    const labels = async (query: string) =>
      ((await (await app.request(`/v1/graph${query}`, AS_ADMIN)).json()) as { nodes: { label: string }[] }).nodes.map(({ label }) => label);
    expect(await labels("?tenant=alice")).toContain(CARD);
    expect(await labels("?tenant=bob")).not.toContain(CARD);
    expect(await labels("")).not.toContain(CARD);
  });

  it("count stages and days", async () => {
    const { library, app } = await open();
    await library.ask(CARD);
    const made = (await (await app.request("/v1/admin/stats/made", AS_ADMIN)).json()) as { answers: number; stages: { stage: string }[] };
    expect(made.answers).toBe(1);
    expect(made.stages.map(({ stage }) => stage)).toEqual(expect.arrayContaining(["retrieve", "write", "check"]));
    const { days } = (await (await app.request("/v1/admin/stats", AS_ADMIN)).json()) as { days: { interactions: number }[] };
    expect(days.map(({ interactions }) => interactions)).toEqual([1]);
  });
});

describe("the prompts and outputs of a model", () => {
  it("are shown to reviewers only", async () => {
    const model = fakeChatModel([["A library card costs 5 dollars per year [1]."]]);
    const { library, app } = await open({ models: { small: model, large: model } });
    const { id } = await library.ask(CARD);
    expect((await app.request(`/v1/answers/${id}/calls`)).status).toBeGreaterThanOrEqual(401);
    const { recorded, calls } = (await (await app.request(`/v1/answers/${id}/calls`, AS_ADMIN)).json()) as {
      recorded: boolean;
      calls: { prompt: { user: string }; text: string }[];
    };
    expect([recorded, calls.length]).toEqual([true, model.calls.length]);
    expect(calls[0]?.prompt.user).toContain("library card");
    expect(calls[0]?.text).toContain("5 dollars");
  });
});
