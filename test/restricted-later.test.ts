import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sessionMessages, sessionShown } from "../src/memory/session-messages.ts";
import type { Role } from "../src/store/keys.ts";
import { fakeChatModel } from "../src/testing/fake-chat-model.ts";
import { openInTest } from "./support/engine.ts";
import { appOf, callApp, createKey } from "./support/keyed-app.ts";
import { writeFiles } from "./support/library.ts";

const QUESTION = "What is the director's yearly salary?";
const TEXT = "The director's yearly salary is 83400 dollars.";
const PAY = `# What the board decided\n\n${TEXT}\n`;
/** Text that must be hidden from callers without access to the document. */
const SECRET = /83[, ]?400|What the board decided|salary\.md/;
const TOKEN = "a-token-of-some-length";

/** Opens a library whose model writes one supported and one unsupported sentence, so that a report exists too. */
async function open(
  written: readonly string[] | null = [`${TEXT.slice(0, -1)} [1].`, "The director's yearly salary is 99999 dollars [1]."],
) {
  const model = written === null ? null : fakeChatModel([[written.join(" ")]]);
  const documents = { "salary.md": PAY, "rooms.md": "# Rooms\n\nThe reading room closes at nine.\n" };
  const library = await openInTest({
    documents,
    models: model === null ? null : { small: model, large: model },
    settings: { access: ["public", "staff"] },
  });
  const { engine, sandbox, ingest } = library;
  const app = appOf(engine, { adminToken: TOKEN });
  const keyOf = (roles: Role[], access: string[]) => createKey(library, { roles, access });
  const send = (key: string, method: string, path: string, body?: unknown) =>
    callApp<Record<string, unknown>>(app, method, path, { key, body });
  /** Restricts the document to a label; `null` deletes it. */
  const restrict = async (label: string | null) => {
    const folder = join(sandbox.folder, "documents");
    if (label === null) rmSync(join(folder, "salary.md"));
    else writeFiles(folder, { "salary.md": `---\naccess: ${label}\n---\n${PAY}` });
    await ingest();
  };
  return { ...library, keyOf, send, restrict };
}

const routesOf = (id: string, document: string) => [
  `/v1/answers/${id}`,
  `/v1/answers/${id}/proof`,
  `/v1/answers/${id}/calls`,
  `/v1/answers/${id}/citations`,
  `/v1/sessions/mine`,
  `/v1/review`,
  `/v1/review/${id}`,
  `/v1/review/history`,
  `/v1/reports`,
  `/v1/reports/${id}`,
  `/v1/documents`,
  `/v1/documents/${document}`,
  `/v1/documents/${document}/versions`,
  `/v1/domains`,
];
/** Routes that never return text of documents. */
const SILENT = /\/review$|history$|versions$|domains$/;

describe.each(["restricted", "deleted"] as const)("a quote from a document that is later %s", (how) => {
  it("is returned by no route to callers without access", async () => {
    const { engine, keyOf, send, restrict } = await open();
    const key = await keyOf(["ask", "review"], ["public"]);
    const { id } = (await send(key, "POST", "/v1/ask", { question: QUESTION, session_id: "mine" })).body as { id: string };
    const document = (await engine.files()).find(({ path }) => path === "salary.md")?.documents[0]?.id ?? "";
    for (const route of routesOf(id, document))
      if (!SILENT.test(route)) expect([route, SECRET.test((await send(key, "GET", route)).text)]).toEqual([route, true]);
    await restrict(how === "restricted" ? "board" : null);
    for (const route of routesOf(id, document))
      expect([route, (await send(key, "GET", route)).text]).not.toEqual([route, expect.stringMatching(SECRET)]);
    const codes = await Promise.all(
      ["", "/proof", "/calls"].map(async (part) => (await send(key, "GET", `/v1/answers/${id}${part}`)).status),
    );
    expect(codes).toEqual([404, 404, 404]);
    expect((await send(key, "GET", `/v1/review/${id}`)).body).toMatchObject({ question: QUESTION, answer: null, withheld: true });
    const approved = await send(key, "POST", `/v1/review/${id}/approve`, { by: "Ann" });
    expect([approved.status, SECRET.test(approved.text)]).toEqual([409, false]);
    const flagged = await send(key, "POST", `/v1/review/${id}/flag`, { by: "Ann" });
    expect([flagged.status, SECRET.test(flagged.text)]).toEqual([200, false]);
    await expect(engine.replay(id)).rejects.toMatchObject({ code: "replay_impossible" });
    expect((await send(TOKEN, "GET", `/v1/review/${id}`)).body).toMatchObject({ withheld: false, answer: { id } });
    expect((await send(TOKEN, "GET", `/v1/answers/${id}/calls`)).text).toMatch(SECRET);
  });

  it("is withheld as a correction too", async () => {
    const { keyOf, send, restrict } = await open();
    const key = await keyOf(["ask", "review"], ["public"]);
    const { id } = (await send(key, "POST", "/v1/ask", { question: QUESTION })).body as { id: string };
    const corrected = await send(key, "POST", `/v1/review/${id}/correct`, { by: "Ann", answer: `${TEXT.slice(0, -1)} [1].` });
    expect([corrected.status, SECRET.test(corrected.text)]).toEqual([200, true]);
    const limited = { question: QUESTION, filters: { document: "What the board decided" } };
    const within = (await send(key, "POST", "/v1/ask", limited)).body as { id: string };
    expect((await send(key, "GET", "/v1/review")).text).toMatch(SECRET);
    await restrict(how === "restricted" ? "staff" : null);
    for (const route of ["/v1/review", `/v1/review/${within.id}`]) expect((await send(key, "GET", route)).text).not.toMatch(SECRET);
    const shown = await send(key, "GET", `/v1/review/${id}`);
    expect([SECRET.test(shown.text), shown.body]).toMatchObject([false, { curated: null, withheld: true }]);
    expect((await send(key, "GET", `/v1/answers/${id}`)).status).toBe(404);
    expect((await send(TOKEN, "GET", `/v1/review/${id}`)).text).toMatch(SECRET);
  });

  it("is not named in the graph", async () => {
    const { keyOf, send, restrict } = await open([`${TEXT.slice(0, -1)} [1].`]);
    const key = await keyOf(["ask", "review"], ["public"]);
    await send(key, "POST", "/v1/ask", { question: QUESTION });
    expect((await send(key, "GET", "/v1/graph")).text).toMatch(SECRET);
    await restrict(how === "restricted" ? "staff" : null);
    expect((await send(key, "GET", "/v1/graph")).text).not.toMatch(SECRET);
  });
});

describe("a quote from a document whose label changes", () => {
  it("remains visible to callers with the current label only", async () => {
    const { keyOf, send, restrict } = await open();
    const both = await keyOf(["ask", "review"], ["public", "staff"]);
    const { id } = (await send(both, "POST", "/v1/ask", { question: QUESTION })).body as { id: string };
    const shown = async () => [
      ...[(await send(both, "GET", `/v1/answers/${id}`)).status, (await send(both, "GET", `/v1/answers/${id}/proof`)).status],
      SECRET.test((await send(both, "GET", `/v1/review/${id}`)).text),
    ];
    await restrict("staff");
    expect(await shown()).toEqual([200, 200, true]);
    await restrict("board");
    expect(await shown()).toEqual([404, 404, false]);
    expect((await send(both, "GET", `/v1/answers/${id}/proof`)).body).toMatchObject({ error: { code: "proof_documents_gone" } });
  });
});

describe("evidence beside the quotes of an answer", () => {
  it.each([
    ["quotes", null, false],
    ["a model", ["The reading room closes at nine [1]."], true],
  ] as const)("is removed for a reviewer without access; an answer by %s is withheld as well: %s", async (_who, written, withheld) => {
    const { keyOf, send, restrict } = await open(written);
    const key = await keyOf(["ask", "review"], ["public"]);
    const { id } = (await send(key, "POST", "/v1/ask", { question: "When does the reading room close?" })).body as { id: string };
    expect((await send(key, "GET", `/v1/review/${id}`)).text).toMatch(SECRET);
    await restrict(null);
    const shown = await send(key, "GET", `/v1/review/${id}`);
    expect([SECRET.test(shown.text), shown.body]).toMatchObject([false, { withheld, answer: withheld ? null : { id } }]);
  });
});

describe("a model's sentence without a citation", () => {
  it("is withheld in a session if any document that it may come from is hidden", async () => {
    const { ask, engine, restrict } = await open();
    const answer = await ask(QUESTION);
    const sentences = answer.sentences.map((one) => ({ ...one, citations: [] }));
    const shown = sessionShown({ ...answer, sentences, citations: [] });
    const turns = [{ question: QUESTION, answer: TEXT, citations: [], shown, createdAt: "2026-01-01T00:00:00.000Z" }];
    const said = async () => (await sessionMessages(turns, engine.scope(), engine.store.documents))[1]?.content;
    expect(await said()).toMatch(SECRET);
    await restrict("board");
    expect(await said()).toBeNull();
  });
});

describe("the prompt of a model", () => {
  it("after earlier turns is shown to administrators only, because those turns may contain anything", async () => {
    const { keyOf, send, restrict } = await open();
    const key = await keyOf(["ask", "review"], ["public"]);
    await send(key, "POST", "/v1/ask", { question: QUESTION, session_id: "mine" });
    const next = (await send(key, "POST", "/v1/ask", { question: "When does the reading room close?", session_id: "mine" })).body;
    await restrict("staff");
    const calls = await send(key, "GET", `/v1/answers/${next.id}/calls`);
    expect([calls.status, SECRET.test(calls.text)]).toEqual([404, false]);
    expect((await send(TOKEN, "GET", `/v1/answers/${next.id}/calls`)).status).toBe(200);
  });
});

describe("a link to a flagged answer", () => {
  it("shows a warning first, until a correction replaces the answer", async () => {
    const { keyOf, send } = await open();
    const [key, reviewer] = [await keyOf(["ask"], ["public"]), await keyOf(["ask", "review"], ["public"])];
    const { id } = (await send(key, "POST", "/v1/ask", { question: QUESTION })).body as { id: string };
    const codes = async () =>
      ((await send(key, "GET", `/v1/answers/${id}`)).body as { warnings: { code: string }[] }).warnings.map(({ code }) => code);
    expect(await codes()).not.toContain("flagged");
    await send(reviewer, "POST", `/v1/review/${id}/flag`, { by: "Ann" });
    expect((await codes())[0]).toBe("flagged");
    await send(reviewer, "POST", `/v1/review/${id}/correct`, { by: "Ann", answer: `${TEXT.slice(0, -1)} [1].` });
    expect(await codes()).not.toContain("flagged");
  });
});
