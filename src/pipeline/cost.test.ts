import { describe, expect, it, onTestFinished } from "vitest";
import { openInTest } from "../../test/support/engine.ts";
import { writeFiles } from "../../test/support/library.ts";
import { hashedWords } from "../testing/fake-encoder.ts";
import { startFakeEndpoint } from "../testing/fake-endpoint.ts";

const DOCUMENTS = Object.fromEntries(
  ["a", "b", "c"].map((name) => [`documents/${name}.md`, `# ${name}\n\nTinnitus is rated at 10 percent, says ${name}.\n`]),
);

async function run(embeddings: string, small: string) {
  const endpoint = await startFakeEndpoint({
    chat: [{ type: "stream", pieces: ["Tinnitus is rated at 10 percent [1]."], usage: { prompt_tokens: 1000, completion_tokens: 500 } }],
    embeddings: [{ type: "vectors", vectorOf: (text) => [...hashedWords(text, 1536)] }],
  });
  onTestFinished(() => endpoint.close());
  const model = { base_url: endpoint.url, small };
  // Measure the cost whether or not the gate would answer.
  const settings = { model, embeddings: { base_url: endpoint.url, model: embeddings }, answer_from: 0 };
  const { sandbox, ingest, ask } = await openInTest({ documents: {}, settings });
  writeFiles(sandbox.folder, DOCUMENTS);
  const end = (await ingest()).at(-1);
  return { embedding: end?.type === "ingest-end" ? end.embedding : undefined, answer: await ask("How is tinnitus rated?") };
}

describe("cost", () => {
  it("sums the vectors of an ingest, and in an answer the question's vector and the model's tokens", async () => {
    const { embedding, answer } = await run("text-embedding-3-small", "gpt-4o-mini");
    expect(embedding).toEqual({ model: "text-embedding-3-small", tokens: 3, costUsd: (3 * 0.02) / 1e6 });
    expect(answer.costUsd).toBeCloseTo((1000 * 0.15 + 500 * 0.6 + 1 * 0.02) / 1e6, 12);
  });

  it("is null if one price is unknown", async () => {
    const { embedding, answer } = await run("nomic-embed-text", "gpt-4o-mini");
    expect(embedding).toEqual({ model: "nomic-embed-text", tokens: 3, costUsd: null });
    expect(answer.costUsd).toBeNull();
  });
});
