import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { loadConfig } from "../config.ts";
import { createEngine, type Engine } from "./engine.ts";

const folder = mkdtempSync(join(tmpdir(), "following-"));
let engine: Engine;
beforeAll(async () => {
  mkdirSync(join(folder, "pages"));
  writeFileSync(
    join(folder, "pages", "library.md"),
    "# Library\n\nA library card costs 5 dollars per year. Children under 12 pay nothing for their card. The library is open from Monday to Friday.\n",
  );
  engine = await createEngine(loadConfig({ cwd: folder, env: {} }), SHARED_PARTS);
  for await (const _ of engine.ingest(join(folder, "pages")));
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

async function decided(question: string): Promise<Record<string, unknown>> {
  for await (const event of engine.ask(question)) if (event.type === "decide-end") return event.facts;
  return {};
}

describe("what follows the best piece", () => {
  it("is read for an answer, not for a refusal, which shows no quote", async () => {
    const answered = await decided("How much does a library card cost?");
    expect(answered).toMatchObject({ answer: true, read: true, following: expect.any(Number) });
    const refused = await decided("How much does the library pay its cook?");
    expect(refused).toMatchObject({ answer: false, read: true });
    expect(refused).not.toHaveProperty("following");
  });
});
