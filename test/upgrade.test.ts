import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { backup, restore } from "../src/engine/backup.ts";
import { PACKAGE_ROOT } from "../src/package.ts";
import { loadConfig } from "../src/shared/config.ts";
import { openSqlite } from "../src/store/sqlite.ts";
import { engineInTest } from "./support/engine.ts";
import { createKey } from "./support/keyed-app.ts";
import { createSandbox } from "./support/library.ts";

/** A database after `ingest` and one `ask` of the version with migration 008, on the library's documents, without embeddings. */
const OLD = join(PACKAGE_ROOT, "test", "fixtures", "release-008.db.gz");
/** A backup by the version with migration 011 after `ingest` and one `ask`. */
const OLD_BACKUP = join(PACKAGE_ROOT, "test", "fixtures", "backup-011.gz");

it("opens the database of the previous release with documents, answers and cache, and ingests into it", async () => {
  const sandbox = createSandbox();
  onTestFinished(() => sandbox.remove());
  const config = loadConfig({ cwd: sandbox.folder, env: sandbox.env });
  mkdirSync(config.data_dir);
  writeFileSync(join(config.data_dir, "sourcebound.db"), gunzipSync(readFileSync(OLD)));
  const engine = await engineInTest(config, { warn: () => undefined });
  const [before] = await engine.store.interactions.list("library", 5);
  expect(before?.question).toBe("How much does a library card cost?");
  expect((await engine.library()).map(({ path, status }) => [path, status])).toHaveLength(4);
  const answer = await engine.answer("How much does a library card cost?");
  expect(answer.sentences.map(({ text }) => text).join(" ")).toContain("5 dollars");
  writeFileSync(join(sandbox.folder, "documents", "cards.md"), "# Library cards\n\nA library card costs 7 dollars per year.\n");
  for await (const _ of engine.ingest(join(sandbox.folder, "documents"), { source: "documents" }));
  const after = await engine.answer("How much does a library card cost?");
  expect(after.sentences.map(({ text }) => text).join(" ")).toContain("7 dollars");
  const key = await createKey({ engine });
  expect(await engine.store.keys.find(key)).toMatchObject({ name: "k" });
  expect(await engine.store.audit.verify()).toMatchObject({ intact: true });
});

const CARD = "How much does a library card cost?";

it.each(["009_service", "011_load", "012_contents", "013_planning", "014_cache"])(
  "opens a database of migration %s, whose backup restores the data",
  async (migration) => {
    const sandbox = createSandbox();
    onTestFinished(() => sandbox.remove());
    const configOf = (name: string) =>
      loadConfig({ cwd: sandbox.folder, env: { ...sandbox.env, SOURCEBOUND_DATA_DIR: join(sandbox.folder, name) } });
    const expectData = async (name: string) => {
      const engine = await engineInTest(configOf(name), { warn: () => undefined });
      expect((await engine.store.interactions.list("library", 5)).at(-1)?.question).toBe(CARD);
      expect((await engine.answer(CARD)).sentences.map(({ text }) => text).join(" ")).toContain("5 dollars");
      expect(await engine.store.audit.verify()).toMatchObject({ intact: true });
      await engine.close();
    };
    const old = configOf("old");
    mkdirSync(old.data_dir);
    const path = join(old.data_dir, "sourcebound.db");
    writeFileSync(path, gunzipSync(readFileSync(OLD)));
    await (await openSqlite(path, migration)).destroy();
    await expectData("old");
    const copy = join(sandbox.folder, "copy.gz");
    const written = await backup(old, copy, new Date("2026-11-30T00:00:00Z"));
    expect(await restore(configOf("restored"), copy)).toEqual(written);
    await expectData("restored");
  },
);

it("restores a backup of an older version and migrates it", async () => {
  const sandbox = createSandbox();
  onTestFinished(() => sandbox.remove());
  const config = loadConfig({ cwd: sandbox.folder, env: sandbox.env });
  expect(await restore(config, OLD_BACKUP)).toEqual({ rows: 18, files: 0 });
  const engine = await engineInTest(config, { warn: () => undefined });
  const question = "What does a lost library card cost to replace?";
  expect((await engine.store.interactions.list("documents", 5)).map((one) => one.question)).toEqual([question]);
  const answer = await engine.answer(question, { domain: "documents" });
  expect(answer.sentences.map(({ text }) => text).join(" ")).toContain("5 dollars");
});
