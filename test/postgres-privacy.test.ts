// @module-tag all/postgres
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openPostgres } from "../src/store/postgres.ts";
import { openInTest } from "./support/engine.ts";
import { query, usePostgres, whyNoPostgres } from "./support/postgres.ts";

/** A word that no document contains: its bytes can only come from a question. */
const WORD = "quokkaflix";
const SECRET = `How much does a library card cost per year, asks ${WORD}?`;

describe.skipIf(whyNoPostgres !== null)("forgetting on PostgreSQL", () => {
  const server = usePostgres();

  const inStatistics = async (url: string) =>
    (await query(url, "select tablename || '.' || attname as name, pg_stats::text as said from pg_stats where schemaname = 'public'"))
      .filter(({ said }) => String(said).toLowerCase().includes(WORD))
      .map(({ name }) => name);

  /** Returns files of tables, including PostgreSQL's own, that contain the word. The server's log is outside the program's control. */
  const filesWith = () =>
    readdirSync(join(server().folder, "data", "base"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path, "latin1").toLowerCase().includes(WORD));

  it("leaves no word of a question in statistics, which outlive deleted rows, or in files of tables", async () => {
    const url = await server().createDatabase();
    const { ask, engine } = await openInTest({ settings: { "database.url": url } });
    for (let times = 0; times < 3; times++) {
      const { id } = await ask(SECRET, { sessionId: "s", userId: "u" });
      await ask(`Which ${WORD} flies?`, { sessionId: "s" });
      await engine.feedback({ id, verdict: "down", reason: `${WORD} again` });
      if (times === 0) await engine.memory.review.correct(id, "A library card costs 5 dollars per year [1].\n[1]: cards.md", "Ann");
    }
    await query(url, "analyze");
    expect(await inStatistics(url)).toEqual([]);
    await query(url, "checkpoint");
    expect(filesWith().length).toBeGreaterThan(0);
    const report = await engine.memory.forget({ type: "all" }, { by: "Ann" });
    expect(report).toMatchObject({ scrubbed: false, left: expect.stringMatching(/write-ahead log.*replicas.*docs\/privacy\.md/) });
    expect(report.left).not.toContain("Another process");
    await query(url, "checkpoint");
    expect(filesWith()).toEqual([]);
  });

  it("removes words from the statistics of an older database, and keeps its columns", async () => {
    const url = await server().createDatabase();
    const before = await openPostgres({ url, connections: 1, timeoutMs: 20_000 }, "012_contents");
    const values = (n: number) => ({ domain: "d", type: "thing", value: `${WORD} ${n % 2}` });
    await before
      .insertInto("sessions")
      .values({
        ...{ id: "s", nameHash: "h", domain: "d", tenant: "", access: "[]", userId: null },
        ...{ createdAt: "2026", updatedAt: "2026", expiresAt: "2027" },
      })
      .execute();
    for (let n = 0; n < 2; n++) await before.insertInto("entities").values(values(n)).execute();
    for (let n = 0; n < 6; n++)
      await before
        .insertInto("session_turns")
        .values({ sessionId: "s", question: WORD, answer: WORD, citations: "[]", shown: "[]", createdAt: "2026" })
        .execute();
    await before.destroy();
    await query(url, "analyze");
    expect(await inStatistics(url)).toEqual(expect.arrayContaining(["session_turns.question", "session_turns.answer"]));
    const columns =
      "select table_name, column_name, data_type, collation_name, is_nullable from information_schema.columns where table_schema = 'public' order by 1, 2";
    const shape = await query(url, columns);
    await (await openPostgres({ url, connections: 1, timeoutMs: 20_000 }, "013_planning")).destroy();
    expect(await inStatistics(url)).toEqual([]);
    expect(await query(url, columns)).toEqual(shape);
    await query(url, "analyze");
    expect(await inStatistics(url)).toEqual([]);
  });
});
