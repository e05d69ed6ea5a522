import { describe, expect, it } from "vitest";
import { startFakeEndpoint } from "../src/testing/fake-endpoint.ts";
import type { WireAnswer } from "../src/wire/index.ts";
import type { WireMessage } from "../src/wire/memory.ts";
import { type LibraryOptions, openInTest } from "./support/engine.ts";
import { appOf, callApp } from "./support/keyed-app.ts";
import { CARD, UNANSWERABLE, writeFiles } from "./support/library.ts";

const TOKEN = "a-token-of-some-length";

/** Members of responses that the tests check. Each route returns some of them. */
interface Body extends WireAnswer {
  readonly error: { readonly code: string; readonly data: { readonly sentences: unknown } };
  readonly items: unknown;
  readonly rows: readonly { readonly action: string; readonly seq: number }[];
  readonly next_cursor: string | null;
  readonly interactions: number;
  readonly spent: { readonly [figure: string]: unknown };
  readonly saved: { readonly [figure: string]: unknown };
  readonly messages: readonly WireMessage[];
}

async function open(options: LibraryOptions = {}) {
  const library = await openInTest(options);
  const { engine } = library;
  const app = appOf(engine, { adminToken: TOKEN });
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    callApp<Body>(app, method, path, { body, headers });
  const admin = (method: string, path: string, body?: unknown) => callApp<Body>(app, method, path, { key: TOKEN, body });
  const ask = async (question: string, more: Record<string, unknown> = {}) => (await call("POST", "/v1/ask", { question, ...more })).body;
  return { ...library, call, admin, ask };
}

describe("GET and DELETE /v1/sessions/ID", () => {
  it("returns the last five turns with their citations, in order", async () => {
    const { ask, call } = await open();
    const questions = [
      CARD,
      "What do overdue books cost?",
      UNANSWERABLE,
      "How long may books be kept?",
      CARD,
      "How long may films be kept?",
    ];
    const answers = [];
    for (const question of questions) answers.push(await ask(question, { session_id: "s" }));
    const { status, headers, body } = await call("GET", "/v1/sessions/s");
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    const messages = body.messages as WireMessage[];
    expect(messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual(questions.slice(1));
    const last = messages.at(-1);
    expect(last).toMatchObject({ role: "assistant", answer_id: answers.at(-1)?.id });
    expect(last?.content).toMatch(/Films may be kept for 7 days\.? \[1\]/);
    const first = { n: 1, title: "Loans", quote: expect.stringContaining("7 days"), current: true };
    expect(last).toMatchObject({ citations: expect.arrayContaining([expect.objectContaining(first)]) });
    expect(messages[3]?.content).toBe(answers[2]?.refusal?.message);
  });

  it("is unknown to another scope or user, with the same error as for a session that never existed", async () => {
    const { ask, call } = await open();
    await ask(CARD, { session_id: "s", tenant: "alice", user_id: "ann" });
    expect((await call("GET", "/v1/sessions/s?tenant=alice&user_id=ann")).status).toBe(200);
    const never = await call("GET", "/v1/sessions/t?tenant=alice&user_id=ann");
    expect([never.status, never.body.error.code]).toEqual([404, "unknown_session"]);
    for (const query of ["", "?tenant=alice", "?tenant=bob&user_id=ann", "?user_id=ann", "?tenant=alice&user_id=ben"]) {
      const { status, body } = await call("GET", `/v1/sessions/s${query}`);
      const same = JSON.parse(JSON.stringify(never.body).replaceAll('\\"t\\"', '\\"s\\"').replaceAll('"t"', '"s"'));
      expect([status, { ...body, request_id: "" }]).toEqual([404, { ...same, request_id: "" }]);
      expect((await call("DELETE", `/v1/sessions/s${query}`)).status).toBe(404);
    }
    expect((await call("GET", "/v1/sessions/s?tenant=alice&user_id=ann")).status).toBe(200);
    expect((await call("DELETE", "/v1/sessions/s?tenant=alice&user_id=ann")).status).toBe(204);
    expect((await call("DELETE", "/v1/sessions/s?tenant=alice&user_id=ann")).status).toBe(404);
  });

  it("withholds answers from deleted or hidden documents, and marks those from older versions", async () => {
    const { ask, call, ingest, sandbox } = await open();
    await ask(CARD, { session_id: "s" });
    await ask("What do overdue books cost?", { session_id: "s" });
    writeFiles(`${sandbox.folder}/documents`, {
      "cards.md": "---\naccess: staff\n---\nA library card costs **5 dollars** per year.\n",
      "fines.txt": "Overdue books cost 20 cents per day. A fine never exceeds 12 dollars.\n",
    });
    await ingest();
    const { body } = await call("GET", "/v1/sessions/s");
    const [, hidden, , older] = body.messages as WireMessage[];
    expect(hidden).toMatchObject({ content: null, citations: [] });
    expect(JSON.stringify(hidden)).not.toContain("5 dollars");
    expect(older?.content).toContain("20 cents");
    expect(JSON.stringify(older)).not.toContain(`"current":true`);
    expect(JSON.stringify(older)).toContain(`"current":false`);
  });
});

describe("/v1/admin", () => {
  it("lists answers that wait for review, and names the unsupported sentence of a correction", async () => {
    const { ask, admin } = await open();
    const { id } = await ask(CARD);
    const listed = await admin("GET", "/v1/review?limit=5");
    expect(listed.headers.get("cache-control")).toBe("no-store");
    expect(listed.body.items).toMatchObject([{ id, question: CARD, within: null, asked: 1, review_status: "unreviewed" }]);
    const { status, body } = await admin("POST", `/v1/review/${id}/correct`, { by: "Ann", answer: "It costs 9 dollars [1]." });
    expect([status, body.error.code, body.error.data.sentences]).toMatchObject([422, "answer_unbound", [{ sentence: 1 }]]);
  });

  it("pages through the log and returns each entry once, although entries are added meanwhile", async () => {
    const { admin, engine } = await open({ documents: {} });
    const act = (n: number) => engine.store.audit.append({ actor: "Ann", action: "flag", subject: `a${n % 2}`, details: {} });
    for (let n = 1; n <= 5; n++) await act(n);
    const pages: number[][] = [];
    for (let next: string | null = ""; next !== null; await act(9)) {
      const { status, body }: { status: number; body: Body } = await admin("GET", `/v1/review/history?limit=2${next}`);
      expect(status).toBe(200);
      pages.push(body.rows.map(({ seq }) => seq));
      next = body.next_cursor === null ? null : `&cursor=${body.next_cursor}`;
    }
    expect(pages).toEqual([[5, 4], [3, 2], [1]]);
    const seen = { limit: 1, before: 5, sees: () => true };
    expect(await engine.memory.review.history(seen)).toMatchObject({ rows: [], olderThan: null });
    const offset = Buffer.from("o2").toString("base64url");
    for (const cursor of ["abc", offset]) {
      const { status, body } = await admin("GET", `/v1/review/history?cursor=${cursor}`);
      expect([status, body.error.code]).toEqual([400, "cursor_invalid"]);
    }
  });

  it("limits the pages of a reviewer to visible entries", async () => {
    const { ask, admin, engine } = await open();
    const { id } = await ask(CARD);
    for (const act of ["approve", "flag", "approve"]) {
      await admin("POST", `/v1/review/${id}/${act}`, { by: "Ann" });
      await engine.store.audit.append({ actor: "Ben", action: "flag", subject: "of another", details: {} });
    }
    const sees = ({ domain }: { domain: string }) => domain === "library";
    const newest = await engine.memory.review.history({ limit: 2, sees });
    expect([newest.rows.map(({ action }) => action), newest.olderThan]).toEqual([["approve", "flag"], newest.rows[1]?.seq]);
    const rest = await engine.memory.review.history({ limit: 2, before: newest.olderThan ?? 0, sees });
    expect([rest.rows.map(({ action }) => action), rest.olderThan]).toEqual([["approve"], null]);
  });

  it.each([
    ["POST", "/v1/review/ID/approve", { by: "" }, 400],
    ["POST", "/v1/review/nobody/approve", { by: "Ann" }, 404],
    ["GET", "/v1/review?limit=0", undefined, 400],
    ["GET", "/v1/review?domain=nowhere", undefined, 404],
    ["GET", "/v1/admin/stats?since=yesterday", undefined, 400],
    ["DELETE", "/v1/admin/memory", { by: "Ann" }, 400],
    ["DELETE", "/v1/admin/memory", { all: true }, 400],
  ])("%s %s with %j returns %i", async (method, path, body, status) => {
    const { ask, admin, engine } = await open();
    const { id } = await ask(CARD);
    expect((await admin(method, path.replace("ID", id), body)).status).toBe(status);
    expect((await engine.store.interactions.list("library", 5)).map(({ reviewStatus }) => reviewStatus)).toEqual(["unreviewed"]);
  });

  it("counts tokens and cost of a model, and what a cache hit saved", async () => {
    const pieces = ["A library card costs 5 dollars per year [1]."];
    const endpoint = await startFakeEndpoint({ chat: [{ type: "stream", pieces, usage: { prompt_tokens: 300, completion_tokens: 30 } }] });
    const { ask, admin } = await open({ settings: { "model.base_url": endpoint.url, "model.small": "gpt-4o-mini" } });
    const first = await ask(CARD);
    expect(first.token_usage.total).toBe(330);
    expect(first.cost_usd).toBeGreaterThan(0);
    expect(await ask(CARD)).toMatchObject({ cache_mode: "exact", cost_usd: 0 });
    const { body } = await admin("GET", "/v1/admin/stats");
    expect(body.spent).toEqual({ tokens: 330, usd: first.cost_usd, uncounted: 0 });
    expect(body.saved).toEqual(body.spent);
    await endpoint.close();
  });

  it("counts and forgets", async () => {
    const { ask, admin } = await open();
    await ask(CARD, { session_id: "s" });
    await ask(CARD);
    expect((await admin("GET", "/v1/admin/stats")).body).toMatchObject({ interactions: 2, levels: { miss: 1, exact: 1 }, hit_rate: 1 / 2 });
    expect((await admin("GET", "/v1/admin/stats?since=2999-01-01")).body.interactions).toBe(0);
    const forgotten = await admin("DELETE", "/v1/admin/memory", { by: "Ann", session_id: "s" });
    expect(forgotten.body).toMatchObject({ interactions: 1, sessions: 1, scrubbed: true });
    expect((await admin("DELETE", "/v1/admin/memory", { by: "Ann", before: "2999-01-01" })).body).toMatchObject({ interactions: 1 });
  });
});
