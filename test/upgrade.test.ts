import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { PACKAGE_ROOT } from "../src/package.ts";
import { loadConfig } from "../src/shared/config.ts";
import { engineInTest } from "./support/engine.ts";
import { createKey } from "./support/keyed-app.ts";
import { createSandbox } from "./support/library.ts";

/** Database after `ingest` and one `ask` of the version with migration 008, on the library's documents, without embeddings. */
const OLD = join(PACKAGE_ROOT, "test", "fixtures", "release-008.db.gz");

it("opens the database of the release before: documents, answers and cache are there, and new ones are taken in", async () => {
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
