import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ENDPOINTS, type Endpoint, type EndpointName } from "../src/server/app.ts";
import { errorResponseSchema } from "../src/wire/index.ts";
import { libraryForAll } from "./support/engine.ts";
import { appOf, callApp, createKey, type KeyedApp } from "./support/keyed-app.ts";
import { CARD } from "./support/library.ts";

const TOKEN = "a-token-of-some-length";
const ADMIN = { authorization: `Bearer ${TOKEN}` };

const library = libraryForAll();
let app: KeyedApp["app"];
beforeAll(() => {
  app = appOf(library.engine, { adminToken: TOKEN, withoutKeys: "this-machine" });
});

/** Each test checks its own members of a response; `call` validates the whole response. */
type Json = ReturnType<typeof JSON.parse>;
const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  callApp<Json>(app, method, path, { body, headers });

/** Calls a route by name and validates the response against its schema. */
async function call(name: EndpointName, { parts = {}, query = "", body, headers = {} }: Call = {}) {
  const endpoint: Endpoint = ENDPOINTS[name];
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(parts[part] ?? ""));
  const answered = await send(endpoint.method, `${path}${query}`, body, headers);
  if (answered.status >= 400) {
    expect(answered.headers.get("content-type")).toBe("application/problem+json");
    const problem = errorResponseSchema.parse(answered.body);
    expect(problem).toMatchObject({
      status: answered.status,
      type: `urn:sourcebound:problem:${problem.error.code}`,
      detail: problem.error.message,
    });
    expect(problem.request_id).toBe(answered.headers.get("x-request-id"));
  } else {
    expect(answered.status).toBe(endpoint.gives.status);
    // Parsing drops undeclared members, so equality proves that there are none.
    if (endpoint.gives.schema !== null) expect((endpoint.gives.schema as z.ZodType).parse(answered.body)).toEqual(answered.body);
  }
  return answered;
}
interface Call {
  readonly parts?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

async function upload(files: readonly (readonly [name: string, text: string])[], query = "", headers: Record<string, string> = ADMIN) {
  const form = new FormData();
  for (const [name, text] of files) form.append("file", new File([text], name));
  const { status, body, headers: answered } = await send("POST", `/v1/documents${query}`, form, headers);
  return { status, location: answered.get("location"), body };
}

async function settled(location: string | null) {
  await expect
    .poll(async () => (await send("GET", location ?? "")).body.status, { timeout: 300_000, interval: 100 })
    .toMatch(/^(ok|failed)$/);
  return (await send("GET", location ?? "")).body;
}

describe("responses that match their schemas", () => {
  it("for asking, searching, checking and the validator's metrics", async () => {
    const { body } = await call("ask", { body: { question: CARD } });
    expect(body.status).toBe("ok");
    expect((await call("answer", { parts: { id: body.id } })).body.sentences).toEqual(body.sentences);
    const found = await call("search", { body: { query: CARD, limit: 2 } });
    expect(found.body.passages.length).toBeGreaterThan(0);
    expect(found.body.passages.length).toBeLessThanOrEqual(2);
    const document = await call("document", { parts: { id: found.body.passages[0].document_id } });
    const { start, end, text } = found.body.passages[0];
    expect(document.body.text.slice(start, end)).toBe(text);
    const asked = await call("query", { body: { query: CARD } });
    expect(Object.keys(asked.body.metrics)).toEqual(expect.arrayContaining(["pii_leakage", "token_budget", "faithfulness"]));
  });

  it("for sessions, domains, documents, review, reports and administration", async () => {
    const { body } = await call("newSession");
    expect(body.session_id).toMatch(/^[0-9a-f-]{36}$/);
    const answered = (await call("ask", { body: { question: "Where is the moon made of cheese?", session_id: body.session_id } })).body;
    await call("session", { parts: { id: body.session_id } });
    await call("feedback", { body: { id: answered.id, verdict: "down" } });
    for (const name of ["domains", "documents", "whoami", "schema", "openapi", "health", "ready"] as const) await call(name);
    for (const name of ["queue", "history", "statistics", "keys", "reports"] as const) await call(name, { headers: ADMIN });
    expect((await call("review", { parts: { id: answered.id }, headers: ADMIN })).body.feedback.verdict).toBe("down");
    expect((await call("report", { parts: { id: answered.id }, headers: ADMIN })).body.id).toEqual(expect.any(String));
    await call("flag", { parts: { id: answered.id }, body: { by: "Ann" }, headers: ADMIN });
    await call("refresh", { headers: ADMIN });
    await call("forget", { body: { by: "Ann", session_id: body.session_id, dry_run: true }, headers: ADMIN });
    expect((await call("endSession", { parts: { id: body.session_id } })).status).toBe(204);
  });

  it("for failures: a problem with a stable code and the request's id", async () => {
    for (const [name, given, status, code] of [
      ["answer", { parts: { id: "nobody" } }, 404, "unknown_answer"],
      ["documentStatus", { parts: { id: "file_nobody" } }, 404, "unknown_file"],
      ["document", { parts: { id: "nobody" } }, 404, "unknown_document"],
      ["search", { body: { query: "x", limit: 51 } }, 400, "invalid_request"],
      ["check", { body: { question: "q", answer: "..." } }, 400, "answer_empty"],
      ["check", { body: { question: "q", answer: "One.", documents: ["nobody"] } }, 404, "unknown_document"],
      ["documents", { query: "?cursor=!!" }, 400, "invalid_request"],
      ["documents", { query: "?cursor=abcd" }, 400, "cursor_invalid"],
      ["queue", {}, 401, "admin_token_wrong"],
      ["revokeKey", { parts: { id: "nobody" }, headers: ADMIN }, 404, "unknown_key"],
      ["deleteDocument", { parts: { id: "file_nobody" }, headers: ADMIN }, 404, "unknown_file"],
      ["newKey", { body: { name: "k", roles: ["admin"], tenants: ["alice"], by: "Ann" }, headers: ADMIN }, 400, "invalid_request"],
      ["newKey", { body: { name: "k", domains: ["nowhere"], by: "Ann" }, headers: ADMIN }, 404, "unknown_domain"],
    ] as const) {
      const failed = await call(name, given as Call);
      expect([name, failed.status, failed.body.error?.code]).toEqual([name, status, code]);
    }
    const named = await send("GET", "/v1/answers/x", undefined, { "x-request-id": "trace-7" });
    expect(named.body.request_id).toBe("trace-7");
    expect((await send("GET", "/v1/answers/x", undefined, { "x-request-id": "a b\u00e9" })).body.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });
});

/** Generates a function for each operation of an OpenAPI description, which validates body and response. */
function generateClient({ paths }: Json): (operation: string, given?: Call) => Promise<Json> {
  const operations = Object.entries<Json>(paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, { operationId, requestBody, responses }]) => {
      const parse = (schema: Json, value: unknown) => (schema === undefined ? value : z.fromJSONSchema(schema).parse(value));
      const run = async ({ parts = {}, body, headers = {} }: Call = {}) => {
        parse(requestBody?.content["application/json"]?.schema, body);
        const target = path.replaceAll(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(parts[part] ?? ""));
        const answered = await send(method.toUpperCase(), target, body, headers);
        const described = responses[String(answered.status)];
        expect([operationId, answered.status, described !== undefined]).toEqual([operationId, answered.status, true]);
        return parse(described.content?.["application/json"]?.schema, answered.body);
      };
      return [String(operationId), run] as const;
    }),
  );
  const byName = new Map(operations);
  return async (operation, given) => byName.get(operation)?.(given);
}

describe("a client generated from /openapi.json", () => {
  it("performs the requests of the getting-started page, with the described responses", async () => {
    const { body: description } = await send("GET", "/openapi.json");
    // Clients resolve a reference from the root of the description, not from its schema.
    expect(JSON.stringify(description).match(/"\$ref":"(?!#\/components\/schemas\/Problem")[^"]*"/g)).toBeNull();
    const client = generateClient(description);
    const session = await client("newSession");
    const asked = await client("ask", { body: { question: CARD, session_id: session.session_id } });
    expect(asked).toMatchObject({ status: "ok", citations: [{ n: 1 }] });
    expect((await client("answer", { parts: { id: asked.id } })).sentences).toEqual(asked.sentences);
    expect((await client("search", { body: { query: CARD } })).passages[0].document_id).toBe(asked.citations[0].document_id);
    expect((await client("ask", { body: { question: "Can I borrow a piano?" } })).refusal.reason).toEqual(expect.any(String));
    for (const name of ["documents", "domains", "health", "schema"]) expect(await client(name)).toEqual(expect.any(Object));
    await expect(client("ask", { body: { question: 7 } })).rejects.toThrow("expected string");
  });
});

describe("POST /v1/check", () => {
  it("searches documents by itself, or uses the given ones", async () => {
    const { body: asked } = await call("ask", { body: { question: CARD } });
    const [citation] = asked.citations;
    const found = await call("check", { body: { question: CARD, answer: citation.quote } });
    expect(found.body.sentences[0].status).toBe("supported");
    const named = await call("check", { body: { question: CARD, answer: `${citation.quote} [1]`, documents: [citation.document_id] } });
    expect(named.body.sources).toHaveLength(1);
    expect(named.body.sentences[0].status).toBe("supported");
  });
});

describe("documents over HTTP", () => {
  it("ingests a file, reports its status, answers from it, and deletes it with dependent answers", async () => {
    const taken = await upload([["notes/opening.md", "# Opening\n\nThe reading room opens at 7:45 on Thursdays.\n"]]);
    expect([taken.status, taken.body.items[0].status]).toEqual([202, "queued"]);
    const file = await settled(taken.location);
    expect(file).toMatchObject({ status: "ok", path: "notes/opening.md", uploaded: true, documents: [{ title: "Opening" }] });
    expect(file.id).toBe(taken.body.items[0].id);
    const question = "When does the reading room open on Thursdays?";
    expect((await call("search", { body: { query: question } })).body.passages[0].text).toContain("7:45");
    expect((await call("deleteDocument", { parts: { id: file.id }, headers: ADMIN })).status).toBe(204);
    expect((await call("documentStatus", { parts: { id: file.id } })).status).toBe(404);
    const after = await call("search", { body: { query: question } });
    expect(JSON.stringify(after.body)).not.toContain("7:45");
  }, 600_000);

  it("replaces a file of the same name, explains an unreadable one, and refuses to delete a file of a folder", async () => {
    const first = await upload([["fee.md", "# Fee\n\nThe locker fee is 3 dollars.\n"]]);
    await settled(first.location);
    const second = await upload([["fee.md", "# Fee\n\nThe locker fee is 4 dollars.\n"]]);
    expect(second.body.items[0].id).toBe(first.body.items[0].id);
    const file = await settled(second.location);
    expect(file.documents).toHaveLength(1);
    const broken = await upload([["table.json", "{ this is no JSON"]]);
    expect(await settled(broken.location)).toMatchObject({ status: "failed", reason: expect.stringMatching(/JSON/) });
    const listed = await call("documents");
    const folder = listed.body.items.find(({ uploaded }: { uploaded: boolean }) => !uploaded);
    const kept = await call("deleteDocument", { parts: { id: folder.id }, headers: ADMIN });
    expect([kept.status, kept.body.error.code]).toEqual([409, "file_not_uploaded"]);
  }, 600_000);

  it("pages through the list without gaps, and answers 304 while nothing changes", async () => {
    const all = (await call("documents", { query: "?limit=200" })).body.items.map(({ id }: { id: string }) => id);
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body } = await call("documents", { query: `?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}` });
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(all);
    const tag = (await call("documents")).headers.get("etag") ?? "";
    expect((await send("GET", "/v1/documents", undefined, { "if-none-match": tag })).status).toBe(304);
  });

  it("reject an invalid form, a form without files, and a key without the role", async () => {
    for (const [body, headers] of [
      ['{"file":"x"}', { "content-type": "application/json" }],
      ["--x\r\n", { "content-type": "multipart/form-data; boundary=y" }],
      ["", { "content-type": "multipart/form-data" }],
    ] as const) {
      const { status, body: failed } = await send("POST", "/v1/documents", body, { ...ADMIN, ...headers });
      expect([status, failed.error.code]).toEqual([400, "upload_invalid"]);
    }
    expect((await upload([["a.md", "x"]], "", { authorization: `Bearer ${await createKey(library)}` })).status).toBe(403);
  });

  it("limit a tenant's files to the tenant", async () => {
    const keyFor = (tenant: string) => createKey(library, { roles: ["ask", "ingest"], tenants: [tenant] });
    const alice = { authorization: `Bearer ${await keyFor("alice")}` };
    const bob = { authorization: `Bearer ${await keyFor("bob")}` };
    const { body, location } = await upload([["secret.md", "# Safe\n\nThe safe opens with K7711Q.\n"]], "", alice);
    const id = body.items[0].id as string;
    await expect.poll(async () => (await send("GET", location ?? "", undefined, alice)).body.status, { timeout: 300_000 }).toBe("ok");
    expect((await call("documentStatus", { parts: { id }, headers: bob })).status).toBe(404);
    expect(JSON.stringify((await call("documents", { headers: bob })).body)).not.toContain("secret.md");
    expect(JSON.stringify((await call("search", { body: { query: "What opens the safe?" }, headers: bob })).body)).not.toContain("K7711Q");
    expect((await call("deleteDocument", { parts: { id }, headers: bob })).status).toBe(404);
    expect((await upload([["x.md", "x"]], "?tenant=alice", bob)).status).toBe(403);
    expect((await call("deleteDocument", { parts: { id }, headers: alice })).status).toBe(204);
  }, 600_000);
});

describe("keys over HTTP", () => {
  it("creates a key with its grant, lists it without its secret, and revokes it", async () => {
    const made = await call("newKey", { body: { name: "site", by: "Ann" }, headers: ADMIN });
    const headers = { authorization: `Bearer ${made.body.key}` };
    expect((await call("whoami", { headers })).body).toEqual({ key_id: made.body.id, roles: ["ask"] });
    const listed = await call("keys", { headers: ADMIN });
    expect(JSON.stringify(listed.body)).not.toContain(made.body.key);
    expect((await call("keys", { headers })).status).toBe(403);
    expect((await call("revokeKey", { parts: { id: made.body.id }, headers: ADMIN })).status).toBe(204);
    expect((await call("whoami", { headers })).status).toBe(401);
  });
});

describe("Idempotency-Key", () => {
  it("runs a request once, and repeats its response", async () => {
    const headers = { "idempotency-key": "one" };
    const first = await call("ask", { body: { question: CARD }, headers });
    const second = await call("ask", { body: { question: CARD }, headers });
    expect(second.body).toEqual(first.body);
    expect([first.headers.get("idempotent-replayed"), second.headers.get("idempotent-replayed")]).toEqual([null, "true"]);
    const other = await call("ask", { body: { question: "How long may films be kept?" }, headers });
    const unstored = () => call("ask", { body: { question: CARD, privacy: "ephemeral" }, headers: { "idempotency-key": "unstored" } });
    for (const { headers } of [await unstored(), await unstored()]) expect(headers.get("idempotent-replayed")).toBeNull();
    expect([other.status, other.body.error.code]).toEqual([422, "idempotency_key_reused"]);
    // Each form has its own boundary.
    const form = { ...ADMIN, "idempotency-key": "form" };
    for (const [text, status] of [
      ["# Same", 202],
      ["# Same", 202],
      ["# Other", 422],
    ] as const)
      expect((await upload([["same.md", text]], "", form)).status).toBe(status);
    expect((await call("ask", { body: { question: CARD }, headers: { "idempotency-key": "a b" } })).body.error.code).toBe(
      "idempotency_key_invalid",
    );
  });

  it("runs one of many simultaneous requests, and repeats failed ones", async () => {
    const headers = { "idempotency-key": "many" };
    const all = await Promise.all(
      Array.from({ length: 8 }, () => call("ask", { body: { question: "How long may books be kept?" }, headers })),
    );
    expect(new Set(all.filter(({ status }) => status === 200).map(({ body }) => body.id)).size).toBe(1);
    for (const { status, body } of all) if (status !== 200) expect([status, body.error.code]).toEqual([409, "idempotency_in_progress"]);
    const failing = { "idempotency-key": "failing" };
    for (let i = 0; i < 2; i++)
      expect((await call("ask", { body: { question: " " }, headers: failing })).body.error.code).toBe("question_empty");
  });

  it("separates the responses of callers", async () => {
    const answers = [];
    for (const name of ["first", "second"]) {
      const headers = { authorization: `Bearer ${await createKey(library, { name, tenants: [] })}`, "idempotency-key": "shared" };
      answers.push((await call("ask", { body: { question: CARD }, headers })).body.id);
    }
    expect(answers[0]).not.toBe(answers[1]);
  });
});

it("the administration token may call every route, also with keys and from anywhere", async () => {
  const key = await createKey(library);
  const strict = appOf(library.engine, { adminToken: TOKEN });
  const from = { incoming: { socket: { remoteAddress: "203.0.113.7" } } };
  const statuses = async (headers: Record<string, string>) => {
    const found: [string, number][] = [];
    for (const { method, path } of Object.values<Endpoint>(ENDPOINTS).filter(({ opens }) => opens !== "anyone")) {
      const body = method === "POST" ? { body: "{}" } : {};
      const to = path.replaceAll(/\{\w+\}/g, "none");
      const { status } = await strict.request(to, { method, ...body, headers: { "content-type": "application/json", ...headers } }, from);
      found.push([`${method} ${path}`, status]);
    }
    return found.filter(([, status]) => status === 401 || status === 403).map(([route]) => route);
  };
  expect(await statuses(ADMIN)).toEqual([]);
  expect(await statuses({})).toContain("POST /v1/ask");
  const who = await strict.request("/v1/whoami", { headers: ADMIN }, from);
  const uploads = { files: 20, bytes: 33_533_952, file_bytes: 33_533_952 };
  expect(await who.json()).toEqual({ key_id: null, roles: ["admin", "ask", "ingest", "metrics", "review"], uploads });
  const asked = {
    method: "POST",
    body: JSON.stringify({ question: "What does a card cost?" }),
    headers: { ...ADMIN, "content-type": "application/json" },
  };
  expect((await strict.request("/v1/ask", asked, from)).status).toBe(200);
  await library.engine.store.keys.revoke(key.split("_")[1] ?? "", "test");
});
