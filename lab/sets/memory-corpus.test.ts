import { describe, expect, it } from "vitest";
import { createMemoryCorpus } from "./memory-corpus.ts";
import type { RetrievalDocument } from "./retrieval-sets.ts";

const text = "# Burial\n\nA flag drapes the casket. A marker of bronze costs nothing.\n";
const document: RetrievalDocument = { id: "a", title: "Benefits", text, scope: null };

async function search(one: RetrievalDocument, question: string) {
  const corpus = await createMemoryCorpus([one], null);
  return corpus.search({
    terms: corpus.tokens(question),
    codes: [],
    vector: null,
    scope: { domain: "set", tenant: null, access: ["public"] },
    selection: null,
    bm25: true,
    candidates: 10,
    alpha: 0,
    beta: 1,
    fusion: "min-max",
  });
}

describe("createMemoryCorpus", () => {
  it("reads a document as its path says: plain text has no headings", async () => {
    const [plain] = await search(document, "bronze marker");
    const [headed] = await search({ ...document, path: "document.md" }, "bronze marker");
    expect(plain?.chunk.headingPath).toEqual([]);
    expect(headed?.chunk.headingPath).toEqual(["Burial"]);
  });

  it("finds a document by its description alone", async () => {
    expect(await search(document, "cemetery")).toEqual([]);
    expect(await search({ ...document, description: "Graves in a national cemetery" }, "cemetery")).not.toEqual([]);
  });
});
