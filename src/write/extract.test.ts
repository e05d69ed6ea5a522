import { describe, expect, it } from "vitest";
import { fakeEvidence, fakePassage, fakeWords } from "../testing/passages.ts";
import { chooseQuotes } from "./compress.ts";
import { writeExtractive } from "./extract.ts";

const write = (question: string, passages: Parameters<typeof fakePassage>[0][], sentences: number) => {
  const evidence = passages.map((passage) => fakeEvidence(fakePassage(passage)));
  return writeExtractive(chooseQuotes(question, evidence, fakeWords(), { limit: 12, maxCharacters: 1200 }), sentences);
};

describe("writeExtractive", () => {
  it("writes exact quotes, each citing itself", () => {
    const drafts = write("lost card", [{ pieces: ["A lost card costs 3."] }], 3);
    expect(drafts).toMatchObject([{ text: "A lost card costs 3.", quotes: [{ text: "A lost card costs 3." }] }]);
  });

  it("takes no more than it may, the best first, then in the order of the source", () => {
    const drafts = write("lost blue card fee", [{ pieces: ["The lost fee is due.", "A lost blue card is sad.", "Blue is nice."] }], 2);
    expect(drafts.map(({ text }) => text)).toEqual(["The lost fee is due.", "A lost blue card is sad."]);
  });

  it("leaves out what adds no word of the question and is far from the best", () => {
    const drafts = write("lost blue card", [{ pieces: ["A lost blue card is sad.", "Blue is nice."] }], 5);
    expect(drafts).toHaveLength(1);
  });

  it("leaves out what holds one common word of the question and nothing else", () => {
    const drafts = write("lost blue card fee", [{ pieces: ["A lost blue card is sad.", "The fee is due."] }], 5);
    expect(drafts.map(({ text }) => text)).toEqual(["A lost blue card is sad."]);
  });

  it("puts a table's header before its row, once", () => {
    const row = (text: string) => ({ type: "table-row" as const, text, header: 0 });
    const drafts = write("atlas map days", [{ pieces: [row("item | days"), row("atlas | 3 days"), row("map | 2 days")] }], 5);
    expect(drafts.map(({ text }) => text)).toEqual(["item | days", "atlas | 3 days", "map | 2 days"]);
  });

  it("writes nothing from nothing", () => expect(writeExtractive([], 3)).toEqual([]));
});
