import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { createEngine, type Engine } from "../engine/engine.ts";
import { loadConfig } from "../shared/config.ts";
import { hashedWords } from "../testing/fake-encoder.ts";
import { type FakeEndpoint, startFakeEndpoint } from "../testing/fake-endpoint.ts";

let folder = "";
let endpoint: FakeEndpoint;
let engine: Engine | null = null;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "cost-"));
  mkdirSync(join(folder, "pages"));
  for (const name of ["a", "b", "c"])
    writeFileSync(join(folder, "pages", `${name}.md`), `# ${name}\n\nTinnitus is rated at 10 percent, says ${name}.\n`);
  endpoint = await startFakeEndpoint({
    chat: [{ type: "stream", pieces: ["Tinnitus is rated at 10 percent [1]."], usage: { prompt_tokens: 1000, completion_tokens: 500 } }],
    embeddings: [{ type: "vectors", vectorOf: (text) => [...hashedWords(text, 1536)] }],
  });
});
afterEach(async () => {
  await engine?.close();
  await endpoint.close();
  rmSync(folder, { recursive: true });
});

async function run(embeddings: string, small: string) {
  const model = { base_url: endpoint.url, small };
  // Measure the cost whether or not the gate would answer.
  const overrides = { model, embeddings: { base_url: endpoint.url, model: embeddings }, answer_from: 0 };
  engine = await createEngine(loadConfig({ cwd: folder, env: {}, overrides }), SHARED_PARTS);
  const events = await Array.fromAsync(engine.ingest(join(folder, "pages")));
  const end = events.at(-1);
  return { embedding: end?.type === "ingest-end" ? end.embedding : undefined, answer: await engine.answer("How is tinnitus rated?") };
}

describe("cost", () => {
  it("counts the vectors of an ingest, and the question's vector and the model's tokens in an answer", async () => {
    const { embedding, answer } = await run("text-embedding-3-small", "gpt-4o-mini");
    expect(embedding).toEqual({ model: "text-embedding-3-small", tokens: 3, costUsd: (3 * 0.02) / 1e6 });
    expect(answer.costUsd).toBeCloseTo((1000 * 0.15 + 500 * 0.6 + 1 * 0.02) / 1e6, 12);
  });

  it("is null where one price is not known", async () => {
    const { embedding, answer } = await run("nomic-embed-text", "gpt-4o-mini");
    expect(embedding).toEqual({ model: "nomic-embed-text", tokens: 3, costUsd: null });
    expect(answer.costUsd).toBeNull();
  });
});
