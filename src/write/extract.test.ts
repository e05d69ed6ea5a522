import { describe, expect, it } from "vitest";
import { chooseQuotesFrom } from "../testing/choose-quotes.ts";
import { fakeEvidence, fakePassage, fakeWords } from "../testing/passages.ts";
import { ANSWER_WORDS, writeExtractive } from "./extract.ts";

const write = async (
  question: string,
  passages: Parameters<typeof fakePassage>[0][],
  quotes: number,
  words: number = ANSWER_WORDS.normal,
) => {
  const evidence = passages.map((passage) => fakeEvidence(fakePassage(passage)));
  return writeExtractive(await chooseQuotesFrom(question, evidence, fakeWords(), { limit: 12, maxCharacters: 1200 }), { quotes, words });
};
const texts = async (...args: Parameters<typeof write>) => (await write(...args)).map(({ text }) => text);

describe("writeExtractive", () => {
  it("writes exact quotes, each citing itself", async () => {
    const drafts = await write("lost card", [{ pieces: ["A lost card costs 3."] }], 3);
    expect(drafts).toMatchObject([{ text: "A lost card costs 3.", quotes: [{ text: "A lost card costs 3." }] }]);
  });

  it("leads with the quote that answers, then goes on in the order of the source", async () => {
    const pieces = ["The lost blue card is due.", "Zebras.", "A lost blue card duty is 7.", "A blue card wait is lost."];
    expect(await texts("lost blue card duty wait", [{ pieces }], 3)).toEqual([
      "A lost blue card duty is 7.",
      "The lost blue card is due.",
      "A blue card wait is lost.",
    ]);
  });

  it("puts conditions right behind the quote that they limit", async () => {
    const pieces = ["The lost blue card is due.", "Zebras.", "A lost blue card duty is 7.", "However, members pay 3."];
    expect(await texts("lost blue card duty", [{ pieces }], 3)).toEqual([
      "A lost blue card duty is 7.",
      "However, members pay 3.",
      "The lost blue card is due.",
    ]);
  });

  it("keeps a place for each kind of value that is asked for", async () => {
    const pieces = ["A lost card and a long wait are sad.", "You pay $7.", "You wait 3 weeks.", "A lost card is sad."];
    const question = "how much is a lost card and how long is the wait";
    const shown = await texts(question, [{ title: "Lost card", pieces }], 3);
    expect(shown).toEqual(expect.arrayContaining(["You pay $7.", "You wait 3 weeks."]));
  });

  it("aims at the words that it may use, but always gives the best quote whole", async () => {
    const long = `A lost card ${"with many words ".repeat(10)}is due.`;
    expect(await texts("lost card", [{ pieces: ["A lost card costs 3.", long] }], 4, 20)).toEqual(["A lost card costs 3."]);
    expect(await texts("lost card", [{ pieces: [long] }], 4, 20)).toEqual([long]);
  });

  it("leaves out what adds no word of the question and is far from the best", async () => {
    expect(await texts("lost blue card", [{ pieces: ["A lost blue card is sad.", "Blue is nice."] }], 5)).toHaveLength(1);
  });

  it("leaves out what holds one common word of the question and nothing else", async () => {
    const pieces = ["A lost blue card is sad.", "The fee is due."];
    expect(await texts("lost blue card fee", [{ pieces }], 5)).toEqual(["A lost blue card is sad."]);
  });

  it("shows a table's rows with their header at hand, not as a sentence", async () => {
    const row = (text: string) => ({ type: "table-row" as const, text, header: 0 });
    const drafts = await write("atlas map days", [{ pieces: [row("item | days"), row("atlas | 3 days"), row("map | 2 days")] }], 5);
    expect(drafts.map(({ text }) => text)).toEqual(["atlas | 3 days", "map | 2 days"]);
    for (const { quotes } of drafts) expect(quotes[0]?.header?.text).toBe("item | days");
  });

  it("writes nothing from nothing", () => expect(writeExtractive([], { quotes: 3, words: 100 })).toEqual([]));
});
