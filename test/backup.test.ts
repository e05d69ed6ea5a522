import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { backup, restore } from "../src/engine/backup.ts";
import { createEngine, type Engine } from "../src/engine/engine.ts";
import { loadConfig } from "../src/shared/config.ts";
import { TABLES } from "../src/store/schema.ts";
import { openSqlite } from "../src/store/sqlite.ts";
import { compareText } from "../src/text/normalise.ts";
import { engineInTest, type Library, openLibrary } from "./support/engine.ts";
import { CARD } from "./support/library.ts";
import { usePostgres, whyNoPostgres } from "./support/postgres.ts";

const VIOLIN = { name: "violin.md", bytes: new TextEncoder().encode("# Violin\n\nThe deposit for a violin is 40 dollars.\n") };
const now = new Date("2026-11-22T00:00:00Z");

/** Returns a closed library with an answer, a review and an upload, and its backup. */
async function backedUp(settings: Readonly<Record<string, unknown>> = {}) {
  const library: Library = await openLibrary({ settings, warn: () => undefined });
  const { id } = await library.ask(CARD, { sessionId: "s" });
  await library.engine.memory.review.approve(id, "Ann");
  await library.engine.upload(VIOLIN);
  await expect.poll(() => library.engine.store.jobs.list("library"), { timeout: 60_000 }).toEqual([]);
  const key = library.engine.proofKey();
  const path = join(library.sandbox.folder, "copy.gz");
  const config = loadConfig({ cwd: library.sandbox.folder, env: library.sandbox.env, overrides: settings });
  await library.engine.close();
  onTestFinished(() => library.sandbox.remove());
  return { ...library, id, key, path, config };
}

const open = (config: Engine["config"]) => engineInTest(config, { warn: () => undefined });

const fresh = (sandbox: Library["sandbox"], name: string, settings: Readonly<Record<string, unknown>> = {}) =>
  loadConfig({ cwd: sandbox.folder, env: { ...sandbox.env, SOURCEBOUND_DATA_DIR: join(sandbox.folder, name) }, overrides: settings });

/** Asserts that everything is restored and that new rows follow the old ones. */
async function expectSame(engine: Engine, { id, key }: { id: string; key: string }): Promise<void> {
  const again = await engine.answer(CARD);
  expect(again.cacheMode).toBe("exact");
  expect(again.sentences.map(({ text }) => text).join(" ")).toContain("5 dollars");
  expect((await engine.store.sessions.turns("s", engine.scope(), 5)).map(({ question }) => question)).toEqual([CARD]);
  expect((await engine.store.interactions.list("library", 10)).map((one) => one.id)).toContain(id);
  expect(engine.proofKey()).toBe(key);
  expect(await engine.store.audit.verify()).toMatchObject({ intact: true });
  const violin = (await engine.library()).find(({ path }) => path === VIOLIN.name);
  expect(violin?.status).toBe("ok");
  expect((await engine.answer("What is the deposit for a violin?")).sentences.map(({ text }) => text).join(" ")).toContain("40 dollars");
  await engine.answer("How long may books be kept?", { sessionId: "s" });
  expect(await engine.store.sessions.turns("s", engine.scope(), 5)).toHaveLength(2);
  expect(await engine.deleteUpload(violin?.id ?? "")).toBe(true);
}

function linesOf(path: string) {
  const lines = gunzipSync(readFileSync(path))
    .toString("utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { table?: string; row?: unknown; file?: string });
  const files = lines.filter(({ file }) => file !== undefined).sort((a, b) => compareText(a.file ?? "", b.file ?? ""));
  return {
    rows: Object.groupBy(
      lines.filter(({ table }) => table !== undefined),
      ({ table }) => table as string,
    ),
    files,
  };
}

/** Inserts a row into every empty table, with a value for each column type. */
async function fillEveryTable(path: string, interactionId: string): Promise<void> {
  const db = await openSqlite(path);
  const values = { text: "naïve ☂", integer: 1_700_000_000_000, real: 0.1 + 0.2, blob: Buffer.from([0, 255, 10, 13]) };
  const tables = await db.introspection.getTables();
  for (const name of Object.keys(TABLES).filter((one) => one !== "originals")) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(db);
    if (rows[0]?.n !== 0) continue;
    const columns = tables.find((table) => table.name === name)?.columns ?? [];
    const row = columns.map(({ name: column, dataType }) =>
      column === "interaction_id" ? interactionId : values[dataType.toLowerCase() as keyof typeof values],
    );
    await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column.name)))}) values (${sql.join(row)})`.execute(
      db,
    );
  }
  await sql`update jobs set work = ${JSON.stringify({ type: "folder", folder: "/nowhere" })}`.execute(db);
  await db.destroy();
}

describe("backup and restore", () => {
  it("restore a data folder completely; only its owner can read the backup", async () => {
    const made = await backedUp();
    const written = await backup(made.config, made.path, now);
    expect(written.rows).toBeGreaterThan(30);
    expect(statSync(made.path).mode & 0o777).toBe(0o600);
    const target = fresh(made.sandbox, "restored");
    expect(await restore(target, made.path)).toEqual(written);
    await expectSame(await open(target), made);
    await expect(restore(made.config, made.path)).rejects.toMatchObject({ code: "store_not_empty" });
  });

  it("overwrite an earlier backup, but no other file", async () => {
    const { path, config, sandbox } = await backedUp();
    await backup(config, path, now);
    const notes = join(sandbox.folder, "notes.txt");
    writeFileSync(notes, "Buy milk.");
    const database = join(config.data_dir, "sourcebound.db");
    const before = readFileSync(database);
    for (const taken of [notes, database, sandbox.folder]) {
      await expect(backup(config, taken, now)).rejects.toMatchObject({
        code: "backup_unwritable",
        message: expect.stringContaining(taken),
      });
    }
    expect(readFileSync(notes, "utf8")).toBe("Buy milk.");
    expect(readFileSync(database).equals(before)).toBe(true);
    expect((await backup(config, path, now)).rows).toBeGreaterThan(0);
  });

  it("refuse truncated, changed and foreign files, and restore nothing of them", async () => {
    const made = await backedUp();
    await backup(made.config, made.path, now);
    const bytes = readFileSync(made.path);
    const lines = gunzipSync(bytes).toString("utf8").trimEnd().split("\n");
    const without = [...lines.slice(0, 5), ...lines.slice(6)];
    for (const [n, broken] of [
      bytes.subarray(0, bytes.length / 2),
      gzipSync(without.join("\n")),
      gzipSync("{}"),
      Buffer.from("no backup"),
      Buffer.alloc(0),
    ].entries()) {
      const path = join(made.sandbox.folder, `broken${n}.gz`);
      writeFileSync(path, broken);
      const target = fresh(made.sandbox, `broken${n}`);
      await expect(restore(target, path)).rejects.toMatchObject({ code: expect.stringMatching(/^backup_(invalid|unreadable)$/) });
      expect(existsSync(join(target.data_dir, "sourcebound.db"))).toBe(false);
    }
    const escaping = [
      ...lines.slice(0, -1),
      JSON.stringify({ file: "../out.txt", base64: "" }),
      JSON.stringify({ ...JSON.parse(lines.at(-1) ?? "{}"), files: JSON.parse(lines.at(-1) ?? "{}").files + 1 }),
    ];
    writeFileSync(join(made.sandbox.folder, "escape.gz"), gzipSync(escaping.join("\n")));
    await expect(restore(fresh(made.sandbox, "escaped"), join(made.sandbox.folder, "escape.gz"))).rejects.toMatchObject({
      code: "backup_invalid",
    });
    expect(existsSync(join(made.sandbox.folder, "out.txt"))).toBe(false);
  });
});

describe.skipIf(whyNoPostgres !== null)("backup and restore on PostgreSQL", () => {
  const server = usePostgres();

  it("move a data folder into PostgreSQL, with uploads and proof key, and on to another database", async () => {
    const made = await backedUp();
    await backup(made.config, made.path, now);
    const first = fresh(made.sandbox, "first", { "database.url": await server().createDatabase() });
    await restore(first, made.path);
    const again = join(made.sandbox.folder, "again.gz");
    await backup(first, again, now);
    await expectSame(await open(first), made);
    const second = fresh(made.sandbox, "second", { "database.url": await server().createDatabase() });
    await restore(second, again);
    await expectSame(await open(second), made);
    const third = fresh(made.sandbox, "third");
    await restore(third, again);
    await expectSame(await open(third), made);
  });

  it("preserve every row and file on the way through PostgreSQL", async () => {
    const made = await backedUp();
    const web = "web/library/_/0123456789abcdef/pages/a.html";
    for (const path of [web, "input/library/alice/fedcba9876543210/b.txt", "uploads/library/alice/label-for%20staff/c.md"]) {
      mkdirSync(dirname(join(made.config.data_dir, path)), { recursive: true });
      writeFileSync(join(made.config.data_dir, path), Buffer.from([0, 255, 10, 13, 65]));
    }
    await fillEveryTable(join(made.config.data_dir, "sourcebound.db"), made.id);
    await backup(made.config, made.path, now);
    const shared = fresh(made.sandbox, "shared", { "database.url": await server().createDatabase() });
    await restore(shared, made.path);
    const [between, after] = ["between.gz", "after.gz"].map((name) => join(made.sandbox.folder, name)) as [string, string];
    await backup(shared, between, now);
    const target = fresh(made.sandbox, "target");
    await restore(target, between);
    await backup(target, after, now);
    expect(new Set(Object.keys(linesOf(made.path).rows))).toEqual(new Set(Object.keys(TABLES).filter((name) => name !== "originals")));
    expect(linesOf(after)).toEqual(linesOf(made.path));
    expect(linesOf(after).files.map(({ file }) => file)).toContain(web);
  });

  it("are suggested when PostgreSQL would hide the records of the data folder", async () => {
    const made = await backedUp();
    const hiding = {
      ...made.config,
      database: { url: await server().createDatabase(), connections: 3, timeout_ms: 10_000, vectors_from: 10_000 },
    };
    await expect(createEngine(hiding)).rejects.toMatchObject({
      code: "config_local_records",
      message: expect.stringContaining("sourcebound backup"),
    });
  });
});
