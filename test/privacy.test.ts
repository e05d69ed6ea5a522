import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSqlite } from "../src/store/sqlite.ts";
import { type LibraryOptions, openInTest } from "./support/engine.ts";
import { CARD } from "./support/library.ts";
import { rounds } from "./support/trials.ts";

/** A word that no document contains: its bytes can only come from a question. */
const WORD = "quokkaflix";
const SECRET = `How much does a library card cost per year, asks ${WORD}?`;

async function open(options: LibraryOptions = {}) {
  const library = await openInTest(options);
  const { engine, sandbox } = library;
  const dataDir = join(sandbox.folder, "data");
  const scope = engine.scope();
  return { ...library, memory: engine.memory, store: engine.store, scope, dataDir, holds: (word: string) => filesWith(dataDir, word) };
}

/** Returns files that contain a word in UTF-8, ignoring case. */
function filesWith(folder: string, word: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, "latin1").toLowerCase().includes(word.toLowerCase()))
    .map((path) => path.slice(folder.length + 1));
}

describe("ephemeral privacy", () => {
  it.each([
    ["by the configuration", { settings: { privacy: "ephemeral" } }, undefined],
    ["by the request", {}, "ephemeral" as const],
  ])("stores only hashes and counts, no word of question or answer, %s", async (_how, options, privacy) => {
    const { ask, engine, holds, store, memory, scope } = await open(options);
    for (let n = 0; n < 2; n++) {
      for (const question of [SECRET, `Which ${WORD} flies?`])
        await ask(question, { sessionId: `${WORD}-session`, userId: `${WORD}-user`, privacy });
    }
    const answered = await ask(SECRET, { privacy });
    await engine.feedback({ id: answered.id, verdict: "down", reason: `${WORD} says no` });
    expect(holds(WORD)).toEqual([]);
    const rows = await store.interactions.list("library", 10);
    expect(rows).toHaveLength(5);
    for (const row of rows) expect([row.question, row.answer, row.privacy]).toEqual(["", "", "ephemeral"]);
    expect(await store.cache.count()).toBe(0);
    const session = memory.session({ id: `${WORD}-session`, userId: `${WORD}-user` }, scope);
    await expect(session).rejects.toMatchObject({ code: "unknown_session" });
    const counts = { interactions: 5, ephemeral: 5, topics: [], feedback: { down: 1 } };
    expect(await memory.statistics({ domain: null, since: null })).toMatchObject(counts);
    expect((await memory.review.queue()).length).toBe(0);
  });

  it("cannot be relaxed by a request", async () => {
    const { ask, holds } = await open({ settings: { privacy: "ephemeral" } });
    await ask(SECRET, { privacy: "redacted" });
    expect(holds(WORD)).toEqual([]);
  });

  it("is optional: by default redacted text is stored, as these tests assume", async () => {
    const { ask, holds } = await open();
    await ask(SECRET);
    expect(holds(WORD).length).toBeGreaterThan(0);
  });
});

describe("forgetting", () => {
  const ways = [
    ["a session", { type: "session", id: "s" }],
    ["a user", { type: "user", id: "u" }],
    ["a question, however it is spelt", { type: "question", question: ` ${SECRET.toUpperCase()}!` }],
    ["a time", { type: "before", time: "2999-01-01T00:00:00.000Z" }],
    ["everything", { type: "all" }],
  ] as const;

  it.each(ways)("removes %s from every table and from the bytes of all files", async (_what, target) => {
    const { ask, engine, memory, store, holds, scope } = await open();
    const { id } = await ask(SECRET, { sessionId: "s", userId: "u" });
    await ask(SECRET, { sessionId: "s", userId: "u" });
    await engine.feedback({ id, verdict: "down", reason: `${WORD} again` });
    const others = target.type === "question" ? 0 : 1;
    if (others > 0) await ask(`Which ${WORD} flies?`, { sessionId: "s", userId: "u" });
    const kept = await ask(CARD, { sessionId: "other" });
    expect(holds(WORD).length).toBeGreaterThan(0);
    const counted = await memory.forget(target, { by: "Ann", dryRun: true });
    expect(counted).toMatchObject({ scrubbed: null });
    expect(holds(WORD).length).toBeGreaterThan(0);
    const forgotten = await memory.forget(target, { by: "Ann" });
    expect({ ...forgotten, scrubbed: null }).toEqual(counted);
    expect(forgotten.scrubbed).toBe(true);
    expect(forgotten.interactions).toBeGreaterThanOrEqual(2);
    expect([forgotten.feedback, forgotten.reports]).toEqual([1, others]);
    expect(holds(WORD)).toEqual([]);
    const wide = target.type === "all" || target.type === "before";
    const left = await store.interactions.list("library", 10);
    expect(left.map((one) => one.id)).toEqual(wide ? [] : [kept.id]);
    if (!wide) expect(await memory.session({ id: "other" }, scope)).toHaveLength(2);
    const { rows, chain } = await memory.review.history();
    expect(rows[0]).toMatchObject({ actor: "Ann", action: "forget", subject: target.type });
    expect(JSON.stringify(rows)).not.toContain(WORD);
    expect(chain.intact).toBe(true);
    expect((await ask(CARD)).status).toBe("ok");
  });

  it("keeps a correction without the asker's words, and deletes it when the question is forgotten", async () => {
    const { ask, memory, holds } = await open();
    const { id } = await ask(SECRET, { sessionId: "s" });
    await memory.review.correct(id, "A library card costs 5 dollars per year [1].\n[1]: cards.md", "Ann");
    await memory.forget({ type: "session", id: "s" }, { by: "Ann" });
    expect(holds(WORD)).toEqual([]);
    expect((await ask(SECRET, { privacy: "ephemeral" })).cacheMode).toBe("curated");
    await memory.forget({ type: "question", question: SECRET }, { by: "Ann" });
    expect((await ask(SECRET, { privacy: "ephemeral" })).cacheMode).not.toBe("curated");
  });

  it("reports old pages that another process keeps in the log, and removes them the next time", async () => {
    const { ask, memory, dataDir, holds } = await open();
    await ask(SECRET, { sessionId: "s" });
    const reader = new DatabaseSync(join(dataDir, "sourcebound.db"));
    reader.exec("begin");
    expect(reader.prepare("select count(*) as n from interactions").all()).toEqual([{ n: 1 }]);
    expect(await memory.forget({ type: "session", id: "s" }, { by: "Ann" })).toMatchObject({ interactions: 1, scrubbed: false });
    expect(holds(WORD).length).toBeGreaterThan(0);
    reader.exec("commit");
    expect(await memory.forget({ type: "session", id: "s" }, { by: "Ann" })).toMatchObject({ interactions: 0, scrubbed: true });
    expect(holds(WORD)).toEqual([]);
    reader.close();
  });

  it("refuses an empty target, and requires the actor", async () => {
    const { ask, memory, store } = await open();
    await ask(CARD);
    for (const target of [
      { type: "session", id: "" },
      { type: "user", id: "" },
      { type: "question", question: "  " },
    ] as const) {
      await expect(memory.forget(target, { by: "Ann" })).rejects.toMatchObject({ code: "forget_nothing" });
    }
    await expect(memory.forget({ type: "all" }, { by: " " })).rejects.toMatchObject({ code: "review_actor" });
    expect(await memory.forget({ type: "session", id: "nobody's" }, { by: "Ann" })).toMatchObject({ interactions: 0, sessions: 0 });
    expect(await store.interactions.list("library", 10)).toHaveLength(1);
  });
});

describe("retention", () => {
  it("deletes expired data, also from the bytes of files, and nothing else", async () => {
    let now = Date.parse("2026-01-01T00:00:00Z");
    const settings = { "retention.interactions_days": 10, "retention.audit_days": 20 };
    const { ask, memory, store, holds } = await open({ settings, now: () => new Date(now) });
    const { id } = await ask(SECRET, { sessionId: "s" });
    await memory.review.flag(id, "Ann");
    now += 9 * 86_400_000;
    const young = await ask(CARD);
    expect(await memory.purge()).toMatchObject({ sessions: 1, interactions: 0, audit: 0 });
    now += 2 * 86_400_000;
    expect(holds(WORD).length).toBeGreaterThan(0);
    expect(await memory.purge()).toMatchObject({ interactions: 1, audit: 0 });
    expect(holds(WORD)).toEqual([]);
    expect((await store.interactions.list("library", 10)).map((one) => one.id)).toEqual([young.id]);
    now += 10 * 86_400_000;
    expect(await memory.purge()).toMatchObject({ audit: 1 });
    const { rows, chain } = await memory.review.history();
    expect([rows.map(({ action }) => action), chain.intact]).toEqual([["purge"], true]);
    expect(await memory.purge()).toMatchObject({ audit: 0 });
    await memory.review.flag(young.id, "Ann").catch(() => undefined);
    expect((await memory.review.history()).chain.intact).toBe(true);
  });
});

describe("the audit log", () => {
  const acts = ["approve", "flag", "approve", "flag", "approve"] as const;

  async function withActs() {
    const opened = await open();
    const { id } = await opened.ask(CARD);
    for (const act of acts) await opened.memory.review[act](id, "Ann");
    const db = await openSqlite(join(opened.dataDir, "sourcebound.db"));
    return { ...opened, db };
  }

  it("detects each row that was changed, deleted, moved or inserted", async () => {
    const { memory, db } = await withActs();
    const whole = await db.selectFrom("audit_log").selectAll().orderBy("seq").execute();
    const restore = async () => {
      await db.deleteFrom("audit_log").execute();
      await db.insertInto("audit_log").values(whole).execute();
    };
    await fc.assert(
      fc.asyncProperty(fc.nat(3), fc.constantFrom("actor", "action", "subject", "details", "at", "delete", "hash"), async (n, what) => {
        const row = whole[n] as (typeof whole)[number];
        if (what === "delete") await db.deleteFrom("audit_log").where("seq", "=", row.seq).execute();
        else
          await db
            .updateTable("audit_log")
            .set({ [what]: what === "details" ? '{"same":9}' : "other" })
            .where("seq", "=", row.seq)
            .execute();
        const { intact } = (await memory.review.history()).chain;
        await restore();
        return !intact && (await memory.review.history()).chain.intact;
      }),
      { numRuns: rounds({ all: 40, usually: 6 }) },
    );
    await db.destroy();
  });

  it("keeps one chain when two processes append at once", async () => {
    const { store, dataDir, db } = await withActs();
    const { createStore } = await import("../src/store/store.ts");
    const second = createStore(await openSqlite(join(dataDir, "sourcebound.db")), { now: () => new Date(), clock: () => 0 });
    const act = { actor: "Ann", action: "flag", subject: "x", details: {} } as const;
    await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? store : second).audit.append(act)));
    expect(await store.audit.verify()).toMatchObject({ intact: true, rows: 45 });
    await second.close();
    await db.destroy();
  });
});
