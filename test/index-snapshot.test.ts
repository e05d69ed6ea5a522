import { readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Engine } from "../src/engine/engine.ts";
import { loadConfig } from "../src/shared/config.ts";
import { engineInTest } from "./support/engine.ts";
import { createSandbox, LIBRARY_QUESTIONS } from "./support/library.ts";

const sandbox = createSandbox();
afterAll(() => sandbox.remove());
const warnings: string[] = [];

const config = loadConfig({ cwd: sandbox.folder, env: sandbox.env, overrides: { "cache.enabled": false } });
const open = () => engineInTest(config, { warn: (message) => warnings.push(message) });

const ingest = (engine: Engine) => Array.fromAsync(engine.ingest(join(sandbox.folder, "documents"), { source: "documents" }));
const snapshotOf = ({ config, domain }: Engine) => join(config.data_dir, "index", `${domain().name}.snapshot`);
const cited = async (engine: Engine, question: string) =>
  (await engine.answer(question)).citations.map(({ documentId }) => documentId).sort();

describe("the index of an engine", () => {
  it("is saved on close and loaded by the next engine; a damaged one is rebuilt with a warning", async () => {
    const first = await open();
    await ingest(first);
    const [{ question = "" } = {}] = LIBRARY_QUESTIONS;
    const before = await cited(first, question);
    expect(before).not.toEqual([]);
    const file = snapshotOf(first);
    await first.close();
    const { length } = readFileSync(file);

    const second = await open();
    expect(await cited(second, question)).toEqual(before);
    await second.close();
    expect(warnings).toEqual([]);

    truncateSync(file, length - 10);
    const third = await open();
    expect(await cited(third, question)).toEqual(before);
    expect(warnings).toEqual([expect.stringMatching(/nothing is lost.*truncated/)]);
    await third.close();
    expect(readFileSync(file)).toHaveLength(length);
  });
});
