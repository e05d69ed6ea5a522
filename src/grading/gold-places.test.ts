import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfTest, writeIn } from "../../test/support/folders.ts";
import type { StoredDocument } from "../shared/types.ts";
import { windowedDocument } from "../testing/windowed-document.ts";
import { locateGold, readLabelledQuestions } from "./ask-labelled.ts";

const scope = { domain: "d", tenant: null, access: ["public"] };
const document = (id: string, path: string, text: string): StoredDocument => ({ ...windowedDocument(id, [text]), path, text });
const store = (documents: readonly StoredDocument[]) => ({
  outlines: async () => documents.map(({ id, path, version, title }) => ({ id, path, version, title, headings: [], pages: null })),
  load: async (_: unknown, ids: readonly string[]) => new Map(documents.filter(({ id }) => ids.includes(id)).map((one) => [one.id, one])),
});
const gold = (page: string, quotes: string[]) => [{ id: "q", gold_pages: [page], gold_quotes: quotes }];

describe("locateGold", () => {
  const text = "Fees\n\nA card costs 5 dollars – per year. Children pay nothing, see the list.";
  const documents = store([document("one", "pages/fees.md", text), document("two", "pages/other/rules.md", "Rules.")]);
  const placed = async (page: string, quotes: string[]) => (await locateGold(gold(page, quotes), scope, documents)).get("q");

  it("finds a quote of the original in the normalised text, whatever its markup", async () => {
    const places = await placed("pages/fees.md", [
      "A card costs **5 dollars** &ndash; per year.".replace("&ndash;", "–"),
      "[Children](https://x.example/children?a=1) pay <b>nothing</b>",
    ]);
    expect(places?.get("one")?.map(({ start, end }) => text.slice(start, end))).toEqual([
      "A card costs 5 dollars – per year",
      "Children pay nothing",
    ]);
  });

  it("finds no place for a missing or empty quote", async () => {
    expect((await placed("pages/fees.md", ["A card costs 6 dollars", "**"]))?.get("one")).toEqual([]);
  });

  it("accepts a unique path with or without its leading folder", async () => {
    expect([...((await placed("rules.md", ["Rules."])) ?? [])][0]?.[0]).toBe("two");
    expect([...((await placed("corpus/pages/fees.md", [])) ?? [])][0]?.[0]).toBe("one");
    const twice = store([document("one", "a/rules.md", "Rules."), document("two", "b/rules.md", "Rules.")]);
    await expect(locateGold(gold("rules.md", []), scope, twice)).rejects.toThrowError(/1 of 1 answerable questions/);
  });

  it("rejects questions about pages that were not ingested", async () => {
    await expect(placed("pages/gone.md", [])).rejects.toMatchObject({
      code: "golden_pages_missing",
      message: expect.stringContaining("question q names pages/gone.md"),
    });
  });
});

describe("readLabelledQuestions", () => {
  const here = folderOfTest();
  const yes = (id: string, question: string) => ({ id, question, gold_pages: ["a.md"], key_values: ["3"] });
  const no = (id: string, question: string) => ({ id, question, kind: "near_miss" });
  const read = (...rows: object[]) => {
    writeIn(here.folder, "mine.jsonl", rows);
    return readLabelledQuestions(join(here.folder, "mine.jsonl"));
  };

  it("reads questions of both kinds once, and identifies them by their hash", () => {
    const { questions, repeated, sha256 } = read(yes("1", "What is A?"), yes("2", "what  is a?"), no("3", "What is C?"));
    expect([questions.map(({ id, kind }) => [id, kind]), repeated]).toEqual([
      [
        ["1", "answerable"],
        ["3", "near_miss"],
      ],
      1,
    ]);
    expect(read(yes("1", "What is A?"), no("3", "What is D?")).sha256).not.toBe(sha256);
  });

  it("rejects a question that is labelled both ways", () => {
    expect(() => read(yes("1", "What is A?"), no("2", "What is A?"))).toThrowError(
      /as answerable and once as unanswerable \(ids 1 and 2\)/,
    );
  });
});
