import { describe, expect, it } from "vitest";
import type { Scope, StoredDocument } from "../shared/types.ts";
import { createSuggester } from "./suggestions.ts";

const document = (title: string, ...headings: readonly (readonly [number, string])[]) => ({
  title,
  headings: headings.map(([level, text]) => ({ level, text })),
});

describe("suggestions", () => {
  const scope: Scope = { domain: "d", tenant: null, access: ["public"] };
  const text = "Route | Adult fare | Deck\nHarbour to Seaton | €9.80 | Covered";
  const header = { start: 0, end: 25, type: "table-row" as const, level: 0, header: 0 };
  const fares = {
    id: "fares",
    title: "Fares",
    text,
    blocks: [header, { ...header, start: 26, end: text.length }],
  } as unknown as StoredDocument;
  const outlines = [document("Hens", [1, "Hens"], [2, "Feed"], [2, "Where do hens sleep?"]), document("fares")].map((one) => ({
    ...{ ...one, id: one.title, version: "1", path: "", pages: null },
    headings: one.headings.map((heading) => ({ ...heading, start: 0, end: 0 })),
  }));
  const suggester = (refused: readonly string[]) => {
    const asked: string[] = [];
    const suggest = createSuggester({ outlines: async () => outlines, load: async () => new Map([["fares", fares]]) }, async (question) => {
      asked.push(question);
      return !refused.includes(question);
    });
    return { asked, suggest };
  };

  it("are complete questions with an answer, those of the pack first", async () => {
    const { suggest } = suggester(["Who feeds them?"]);
    expect(await suggest(scope, 1, ["Who feeds them?", "What do hens eat?"])).toEqual([
      "What do hens eat?",
      "What does “Fares” say about Harbour to Seaton?",
      "What does “Hens” say about feed?",
    ]);
    expect(await suggester(["What does “Fares” say about Harbour to Seaton?"]).suggest(scope, 1, [])).toEqual([
      "What does “Hens” say about feed?",
      "Where do hens sleep?",
    ]);
  });

  it("are computed once for each revision of the documents", async () => {
    const { asked, suggest } = suggester([]);
    await Promise.all([suggest(scope, 1, []), suggest(scope, 1, [])]);
    expect(asked).toHaveLength(3);
    await suggest(scope, 2, []);
    expect(asked).toHaveLength(6);
  });
});
