import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../src/client/index.ts";
import { serveEngine } from "../src/server/start.ts";
import { runCli } from "./support/cli.ts";
import { collect, type Library, openLibrary } from "./support/engine.ts";
import { LIBRARY_PACK, writeFiles } from "./support/library.ts";

/** Two labels are granted to whoever asks; of the tenants, Alice has both, Bob names none (so the public one), Carol has an empty list. */
const PACK = LIBRARY_PACK.replace(
  /tenants:[\s\S]*$/,
  "tenants:\n  alice: { title: A, access: [public, staff, board] }\n  bob: { title: B }\n  carol: { title: C, access: [] }\n",
);
const QUESTION = "What is the code of the side door?";
const CODE = "4711";

let library: Library;
beforeAll(async () => {
  library = await openLibrary({ documents: {}, settings: { access: ["public", "staff"], "server.port": 0 } });
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
afterAll(() => library.close());

const everything = (value: unknown) => JSON.stringify(value);

describe("access of a tenant", () => {
  it("shows a tenant what both the configuration and its entry grant", async () => {
    const answer = await library.ask(QUESTION, { tenant: "alice" });
    expect(everything(answer.sentences)).toContain(CODE);
  });

  it("never raises what the configuration grants", async () => {
    expect(everything(await library.ask("What is the code of the safe?", { tenant: "alice" }))).not.toContain("9182");
  });

  // A way in that forgets the tenant's labels shows the code, or counts documents that the tenant may not see.
  const ways: [string, (tenant: string) => Promise<unknown>][] = [
    ["ask", (tenant) => library.ask(QUESTION, { tenant })],
    ["ask again, with the answer to another tenant in the cache", (tenant) => library.ask(QUESTION, { tenant, sessionId: "shared" })],
    ["every event of ask", (tenant) => library.events(QUESTION, { tenant })],
    ["the explanation of the cache", (tenant) => library.engine.explainCache(QUESTION, { tenant })],
    ["the scan for conflicts", (tenant) => collect(library.engine.conflicts({ tenant }))],
    ["diagnostic reports", (tenant) => library.engine.reports({ tenant })],
    [
      "the command line",
      (tenant) =>
        runCli(["ask", "--json", "--tenant", tenant, QUESTION], {
          cwd: library.sandbox.folder,
          env: { ...library.sandbox.env, SOURCEBOUND_ACCESS: "public,staff" },
        }),
    ],
    [
      "HTTP",
      async (tenant) => {
        const server = await serveEngine(library.engine, () => undefined);
        try {
          return await createClient({ baseUrl: server.url }).ask({ question: QUESTION, tenant });
        } finally {
          await server.close();
        }
      },
    ],
  ];
  describe.each(ways)("by %s", (_name, way) => {
    it.each(["bob", "carol"])("keeps from %s what the tenant's entry does not name", async (tenant) => {
      const told = everything(await way(tenant));
      expect(told).not.toContain(CODE);
      expect(told).not.toMatch(/7 am|9 am|door\.md|hours/);
    });
  });

  it("counts as searched only what the tenant may read", async () => {
    const searched = async (tenant: string) =>
      (await library.ask("Which vaccines do penguins need?", { tenant })).refusal?.searched.documents;
    expect([await searched("alice"), await searched("bob"), await searched("carol")]).toEqual([4, 1, 0]);
  });

  it("keeps the session of a tenant from one that reads less", async () => {
    await library.ask(QUESTION, { tenant: "alice", sessionId: "s" });
    const { memory, scope } = library.engine;
    expect(await memory.session({ id: "s" }, scope({ tenant: "alice" }))).not.toEqual([]);
    await expect(memory.session({ id: "s" }, scope({ tenant: "bob" }))).rejects.toMatchObject({ code: "unknown_session" });
  });
});
