import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../src/server/app.ts";
import { silentLog } from "../src/server/log.ts";
import { collect, type Library, openLibrary } from "./support/engine.ts";
import { LIBRARY_DOCUMENTS, LIBRARY_PACK, writeFiles } from "./support/library.ts";

const PACK = LIBRARY_PACK.replace(
  /tenants:[\s\S]*$/,
  "tenants:\n  alice: { title: A, access: [public, staff] }\n  bob: { title: B, access: [public] }\n",
);
const BOTH = "How long may a parcel be kept?";
/** `Beta` and `quokkaflix` stand in what Bob's readers and the staff may see alone. */
const NAMED = "Within how many days does Beta take parcels back?";
const UNHELD = "Within how many days are quokkaflix parcels taken back?";
const LABELLED = "Within how many days does Timbuktu take parcels back?";

const BOXES = "\nEvery quokkaflix is taken back, and a quokkaflix is a box.\n";
const parcels = (name: string, days: number) =>
  `# Parcels\n\n${name} takes parcels back within ${days} days of delivery.\n\nA parcel may be kept for ${days} weeks.\n`;

let library: Library;
let get: (path: string, key: string) => Promise<unknown>;
const keys = new Map<string, string>();

beforeAll(async () => {
  library = await openLibrary({ documents: {}, settings: { access: ["public", "staff"], "server.port": 0 } });
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
  const app = createApp({
    ...{ engine, keys: engine.store.keys },
    ...{ log: silentLog, webRoot: "/nowhere" },
  });
  for (const tenant of ["alice", "bob"]) {
    const grant = { roles: ["ask", "review"], domains: ["library"], tenants: [tenant], access: ["public"], expiresAt: null } as const;
    keys.set(tenant, (await engine.store.keys.create({ name: tenant, ...grant, requestsPerHour: 0 }, "test")).key);
  }
  get = async (path, whose) => {
    const response = await app.request(path, { headers: { authorization: `Bearer ${keys.get(whose)}` } });
    return response.json();
  };
});
afterAll(() => library.close());

const asAlice = (question: string, options = {}) => library.ask(question, { tenant: "alice", access: ["public"], ...options });
const namedIn = ({ warnings }: { readonly warnings: readonly { readonly code: string; readonly message: string }[] }) =>
  warnings.filter(({ code }) => code === "not_named" || code === "not_held").map(({ message }) => message);

describe("words of those whom the asker may not see", () => {
  it.each([
    ["of another tenant", NAMED, "Beta"],
    ["of another label", LABELLED, "Timbuktu"],
  ])("a name %s is named as one that no document holds", async (_whose, question, name) => {
    const answer = await asAlice(question);
    expect(answer.status).toBe("ok");
    expect(namedIn(answer).join(" ")).toContain(name);
    const whoMay = name === "Beta" ? { tenant: "bob", access: ["public"] } : { tenant: "alice", access: ["public", "staff"] };
    expect(namedIn(await library.ask(question, whoMay))).toEqual([]);
  });

  it("change nothing: confidence and scores are the same when nobody holds the word any more", async () => {
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

  it("tell nothing in events either", async () => {
    const events = await collect(library.engine.ask(NAMED, { tenant: "alice", access: ["public"] }));
    expect(JSON.stringify(events)).not.toMatch(/30 (days|weeks)|quokkaflix/);
  });
});

describe("how often a question was asked", () => {
  beforeAll(async () => {
    for (let times = 0; times < 4; times++) await library.ask(BOTH, { tenant: "bob", access: ["public"] });
    await library.ask(BOTH, { tenant: "alice", access: ["public", "staff"] });
    await asAlice(BOTH);
  });

  it.each([
    ["alice", 1],
    ["bob", 4],
  ] as const)("counts for %s those alone whom the key may see, in the queue and of one answer", async (tenant, asked) => {
    const { items } = (await get("/v1/review", tenant)) as { items: { id: string; question: string; asked: number }[] };
    const item = items.find(({ question }) => question === BOTH);
    expect(item?.asked).toBe(asked);
    expect(await get(`/v1/review/${item?.id}`, tenant)).toMatchObject({ asked });
  });

  it("finds no answer of others", async () => {
    const { items } = (await get("/v1/review", "bob")) as { items: { id: string }[] };
    expect(await get(`/v1/review/${items[0]?.id}`, "alice")).toMatchObject({ error: { code: "unknown_interaction" } });
  });

  it("counts everybody for who sees everything", async () => {
    const queue = await library.engine.memory.review.queue();
    expect(queue.find(({ question }) => question === BOTH)?.asked).toBe(6);
  });
});
