import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../src/client/index.ts";
import { fakeChatModel } from "../src/testing/fake-chat-model.ts";
import { runCli } from "./support/cli.ts";
import { libraryForAll, openInTest } from "./support/engine.ts";
import { appOf, callApp, createKey, serveInTest } from "./support/keyed-app.ts";
import { LIBRARY_DOCUMENTS, LIBRARY_PACK, writeFiles } from "./support/library.ts";

const SETTINGS = { documents: {}, settings: { access: ["public", "staff"], "server.port": 0, answer_from: 0.1 } };

describe("access labels of a tenant", () => {
  /** The configuration grants two labels. Alice has both, Bob names none (so the public one), Carol has an empty list. */
  const PACK = LIBRARY_PACK.replace(
    /tenants:[\s\S]*$/,
    "tenants:\n  alice: { title: A, access: [public, staff, board] }\n  bob: { title: B }\n  carol: { title: C, access: [] }\n",
  );
  const QUESTION = "What is the code of the side door?";
  const CODE = "4711";
  const library = libraryForAll(SETTINGS);
  beforeAll(async () => {
    writeFiles(library.sandbox.folder, {
      "domains/library/domain.yaml": PACK,
      "staff/door.md": `# The side door\n\nThe code of the side door is ${CODE}.\n`,
      "staff/hours.md": "# Hours of the side door\n\nThe side door opens at 7 am on Mondays.\n",
      "staff/hours-2.md": "# Hours of the side door\n\nThe side door opens at 9 am on Mondays.\n",
      "open/books.md": "# Books\n\nBooks may be kept for 21 days.\n",
      "board/safe.md": "# The safe\n\nThe code of the safe is 9182.\n",
    });
    await library.ingest("staff", { access: "staff" });
    await library.ingest("open");
    await library.ingest("board", { access: "board" });
  });
  const everything = (value: unknown) => JSON.stringify(value);

  it("are the intersection of configuration and pack", async () => {
    const answer = await library.ask(QUESTION, { tenant: "alice" });
    expect(everything(answer.sentences)).toContain(CODE);
  });

  it("never exceed those of the configuration", async () => {
    expect(everything(await library.ask("What is the code of the safe?", { tenant: "alice" }))).not.toContain("9182");
  });

  it("are not lost by an ingest that states none", async () => {
    await expect(library.ingest("board")).rejects.toMatchObject({
      code: "access_missing",
      message: expect.stringContaining("--access board"),
    });
    await library.ingest("board", { access: "board" });
    expect(everything(await library.ask("What is the code of the safe?", { tenant: "alice" }))).not.toContain("9182");
  });

  // An entry point that ignores the tenant's labels reveals the code, or counts hidden documents.
  const ways: [string, (tenant: string) => Promise<unknown>][] = [
    ["ask", (tenant) => library.ask(QUESTION, { tenant })],
    ["ask again, with the answer to another tenant in the cache", (tenant) => library.ask(QUESTION, { tenant, sessionId: "shared" })],
    ["every event of ask", (tenant) => library.events(QUESTION, { tenant })],
    ["the explanation of the cache", (tenant) => library.engine.explainCache(QUESTION, { tenant })],
    ["the scan for conflicts", (tenant) => Array.fromAsync(library.engine.conflicts({ tenant }))],
    ["diagnostic reports", (tenant) => library.engine.reports({ tenant })],
    [
      "the command line",
      (tenant) =>
        runCli(["ask", "--json", "--tenant", tenant, QUESTION], {
          cwd: library.sandbox.folder,
          env: { ...library.sandbox.env, SOURCEBOUND_ACCESS: "public,staff" },
        }),
    ],
    ["HTTP", async (tenant) => createClient({ baseUrl: (await serveInTest(library.engine)).url }).ask({ question: QUESTION, tenant })],
  ];
  describe.each(ways)("by %s", (_name, way) => {
    it.each(["bob", "carol"])("hides from %s what the tenant's labels exclude", async (tenant) => {
      const told = everything(await way(tenant));
      expect(told).not.toContain(CODE);
      expect(told).not.toMatch(/7 am|9 am|door\.md|hours/);
    });
  });

  it("limit the number of searched documents", async () => {
    const searched = async (tenant: string) =>
      (await library.ask("Which vaccines do penguins need?", { tenant })).refusal?.searched.documents;
    expect([await searched("alice"), await searched("bob"), await searched("carol")]).toEqual([4, 1, 0]);
  });

  it("protect a session from a tenant with fewer labels", async () => {
    await library.ask(QUESTION, { tenant: "alice", sessionId: "s" });
    const { memory, scope } = library.engine;
    expect(await memory.session({ id: "s" }, scope({ tenant: "alice" }))).not.toEqual([]);
    await expect(memory.session({ id: "s" }, scope({ tenant: "bob" }))).rejects.toMatchObject({ code: "unknown_session" });
  });
});

describe("words of a tenant's documents", () => {
  const PACK = LIBRARY_PACK.replace(
    /tenants:[\s\S]*$/,
    "tenants:\n  alice: { title: A, access: [public, staff] }\n  bob: { title: B, access: [public] }\n",
  );
  const BOTH = "How long may a parcel be kept?";
  /** Only documents for Bob's users and the staff contain `Beta` and `quokkaflix`. */
  const NAMED = "Within how many days does Beta take parcels back?";
  const UNHELD = "Within how many days are quokkaflix parcels taken back?";
  const LABELLED = "Within how many days does Timbuktu take parcels back?";

  const BOXES = "\nEvery quokkaflix is taken back, and a quokkaflix is a box.\n";
  const parcels = (name: string, days: number) =>
    `# Parcels\n\n${name} takes parcels back within ${days} days of delivery.\n\nA parcel may be kept for ${days} weeks.\n`;

  const library = libraryForAll(SETTINGS);
  let get: (path: string, key: string) => Promise<unknown>;
  const keys = new Map<string, string>();

  beforeAll(async () => {
    const { engine, sandbox } = library;
    writeFiles(sandbox.folder, {
      "domains/library/domain.yaml": PACK,
      "alice/parcels.md": parcels("Alpha", 14),
      "bob/parcels.md": parcels("Beta", 30) + BOXES,
      "staff/parcels.md": parcels("Timbuktu", 60),
    });
    writeFiles(join(sandbox.folder, "open"), LIBRARY_DOCUMENTS);
    await library.ingest("open");
    await library.ingest("alice", { tenant: "alice" });
    await library.ingest("bob", { tenant: "bob" });
    await library.ingest("staff", { access: "staff" });
    const app = appOf(engine);
    for (const tenant of ["alice", "bob"]) {
      const grant = { roles: ["ask", "review"], domains: ["library"], tenants: [tenant], access: ["public"] } as const;
      keys.set(tenant, await createKey(library, grant));
    }
    get = async (path, whose) => (await callApp(app, "GET", path, { key: keys.get(whose) })).body;
  });

  const asAlice = (question: string, options = {}) => library.ask(question, { tenant: "alice", access: ["public"], ...options });
  const namedIn = ({ warnings }: { readonly warnings: readonly { readonly code: string; readonly message: string }[] }) =>
    warnings.filter(({ code }) => code === "not_named" || code === "not_held").map(({ message }) => message);

  describe("words in hidden documents", () => {
    it.each([
      ["of another tenant", NAMED, "Beta"],
      ["of another label", LABELLED, "Timbuktu"],
    ])("a name %s is reported as missing", async (_whose, question, name) => {
      const answer = await asAlice(question);
      expect(answer.status).toBe("ok");
      expect(namedIn(answer).join(" ")).toContain(name);
      const whoMay = name === "Beta" ? { tenant: "bob", access: ["public"] } : { tenant: "alice", access: ["public", "staff"] };
      expect(namedIn(await library.ask(question, whoMay))).toEqual([]);
    });

    it("do not affect confidence and scores", async () => {
      const told = async () => {
        const { sentences, evidence, confidence, warnings } = await asAlice(UNHELD, { privacy: "ephemeral" });
        return {
          sentences: sentences.map(({ text }) => text),
          confidence,
          warnings,
          scores: evidence.map(({ score, passage }) => [score, passage.scores]),
        };
      };
      const before = await told();
      expect(before.warnings.map(({ message }) => message).join(" ")).toContain("quokkaflix");
      writeFiles(library.sandbox.folder, { "bob/parcels.md": parcels("Beta", 30) + BOXES.replaceAll("quokkaflix", "cardboard") });
      await library.ingest("bob", { tenant: "bob" });
      expect(await told()).toEqual(before);
    });

    it("are not revealed by events", async () => {
      const events = await Array.fromAsync(library.engine.ask(NAMED, { tenant: "alice", access: ["public"] }));
      expect(JSON.stringify(events)).not.toMatch(/30 (days|weeks)|quokkaflix/);
    });
  });

  describe("the frequency of a question", () => {
    beforeAll(async () => {
      for (let times = 0; times < 4; times++) await library.ask(BOTH, { tenant: "bob", access: ["public"] });
      await library.ask(BOTH, { tenant: "alice", access: ["public", "staff"] });
      await asAlice(BOTH);
    });

    it.each([
      ["alice", 1],
      ["bob", 4],
    ] as const)("counts for %s only the askers whom the key may see, in the queue and for one answer", async (tenant, asked) => {
      const { items } = (await get("/v1/review", tenant)) as { items: { id: string; question: string; asked: number }[] };
      const item = items.find(({ question }) => question === BOTH);
      expect(item?.asked).toBe(asked);
      expect(await get(`/v1/review/${item?.id}`, tenant)).toMatchObject({ asked });
    });
  });
});

it("the prompt contains no earlier answer from a document that is now hidden", async () => {
  const model = fakeChatModel([["The reading room closes at nine [1]."]]);
  const { engine, sandbox, ask, ingest } = await openInTest({
    documents: { "room.md": "# The reading room\n\nThe reading room closes at nine.\n" },
    models: { small: model, large: model },
    settings: { embeddings: "none", "cache.enabled": false },
  });
  const question = "When does the reading room close?";
  const first = await ask(question, { sessionId: "s" });
  expect(first.sentences.map(({ text }) => text).join(" ")).toContain("nine");
  await ask(question, { sessionId: "kept" });
  const before = model.calls.length;
  await ask(question, { sessionId: "kept" });
  const said = (call: number) => model.calls[call]?.prompt.user ?? "";
  expect(said(before)).toContain("A: The reading room closes at nine");
  await ingest("documents", { access: "staff" });
  writeFiles(sandbox.folder, { "other/archive.md": "# The archive\n\nThe archive opens on Mondays.\n" });
  await ingest("other");
  const after = model.calls.length;
  await engine.answer("When does the archive open?", { sessionId: "s" });
  expect(said(after)).toContain(question);
  expect(said(after)).not.toContain("nine");
});
