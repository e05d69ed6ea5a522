import { describe, expect, it } from "vitest";
import { parseFile } from "../ingest/parse.ts";
import type { Scope, StoredDocument } from "../shared/types.ts";
import { createSuggester } from "./suggestions.ts";

const HENS = `# Hens

## Moulting

Moulting is the yearly change of feathers. It takes two months, and moulting hens do not lay.

## Where do hens sleep?

On a perch.

## Of feed

Feeds that are old spoil.`;
const TOWERS = `# Towers

Towers stand at the coast.

| Tower | Built | Height (m) | Keeper (name) |
| --- | --- | --- | --- |
| In the north | 1850 | 40 | Ames |
| Old Head | 1791 | 18 | Boyd |`;

describe("suggestions", () => {
  const scope: Scope = { domain: "d", tenant: null, access: ["public"] };
  const documents = new Map(
    Object.entries({ hens: HENS, towers: TOWERS }).flatMap(([id, text]) =>
      parseFile({ path: `${id}.md`, bytes: Buffer.from(text) }).map((parsed): [string, StoredDocument] => [
        id,
        { id, title: parsed.metadata.title, text: parsed.text, blocks: parsed.blocks, units: parsed.units } as unknown as StoredDocument,
      ]),
    ),
  );
  const outlines = [...documents.keys()].map((id) => ({ id, version: "1", path: "", title: id, headings: [], pages: null }));
  const suggester = (refused: readonly string[]) => {
    const asked: string[] = [];
    const suggest = createSuggester({ outlines: async () => outlines, load: async () => documents }, async (question) => {
      asked.push(question);
      return !refused.includes(question);
    });
    return { asked, suggest };
  };

  it("are complete questions that are answered, those of the pack first, then in turn from each document", async () => {
    expect(await suggester([]).suggest(scope, 1, [])).toEqual([
      "What is moulting?",
      "What is the height of Old Head?",
      "Where do hens sleep?",
    ]);
    expect(await suggester(["Who feeds them?"]).suggest(scope, 1, ["Who feeds them?", "What do hens eat?"])).toEqual([
      "What do hens eat?",
      "What is moulting?",
      "What is the height of Old Head?",
    ]);
  });

  it("are fewer where fewer questions are answered", async () => {
    const { asked, suggest } = suggester(["What is moulting?", "What is the height of Old Head?"]);
    expect(await suggest(scope, 1, [])).toEqual(["Where do hens sleep?"]);
    expect(asked).toHaveLength(3);
  });

  it("are asked once for each revision of the documents", async () => {
    const { asked, suggest } = suggester([]);
    await Promise.all([suggest(scope, 1, []), suggest(scope, 1, [])]);
    expect(asked).toHaveLength(3);
    await suggest(scope, 2, []);
    expect(asked).toHaveLength(6);
  });
});
