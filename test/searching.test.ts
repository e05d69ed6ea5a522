import { describe, expect, it } from "vitest";
import { openSharedReader } from "../src/cross-encoder/create-reader.ts";
import { createSearching } from "../src/engine/searching.ts";
import { libraryForAll } from "./support/engine.ts";

const QUESTION = "What do overdue books cost?";

describe("a search", () => {
  const library = libraryForAll();

  it("scores passages with the cross-encoder on request: log odds of the best candidate, in the same order", async () => {
    const { engine } = library;
    const plain = await engine.search(QUESTION);
    expect(plain.reader).toBeNull();
    expect(plain.passages.map(({ reading }) => reading)).toEqual(plain.passages.map(() => null));

    const found = await engine.search(QUESTION, { reading: true });
    expect(found.passages.map(({ chunkId }) => chunkId)).toEqual(plain.passages.map(({ chunkId }) => chunkId));
    expect(found.passages.length).toBeGreaterThan(1);
    expect(found.warnings).toEqual([]);

    // The cross-encoder alone gives the same scores.
    const reader = openSharedReader();
    const fines = found.passages.find(({ document }) => document.path === "fines.txt");
    const sentences = ["Overdue books cost 20 cents per day.", "A fine never exceeds 10 dollars."];
    const odds = await reader.read(sentences.map((text) => ({ question: QUESTION, text: `${fines?.document.title}\n${text}` })));
    await reader.close();
    expect(found.reader).toBe(reader.weights.name);
    expect(fines?.reading).toBeCloseTo(Math.max(...odds.map(({ answer }) => answer)), 5);
    const others = found.passages.filter((passage) => passage !== fines).map(({ reading }) => reading as number);
    for (const reading of others) expect(reading).toBeLessThan(fines?.reading as number);
  });

  it("reports a missing cross-encoder", async () => {
    const { engine } = library;
    const { search } = createSearching(
      { config: engine.config, store: engine.store, local: {} as never },
      { pack: engine.domain, scope: engine.scope },
      { of: engine.corpus },
      async (...named) => {
        const parts = await engine.pipelineContext(...named);
        return { ...parts, ranking: () => ({ ...parts.ranking(), read: null }) };
      },
    );
    const { passages, reader, warnings } = await search(QUESTION, { reading: true });
    expect(passages.map(({ reading }) => reading)).toEqual(passages.map(() => null));
    expect(reader).toBeNull();
    expect(warnings.map(({ code }) => code)).toEqual(["reader_missing"]);
    expect((await search(QUESTION)).warnings).toEqual([]);
  });
});
