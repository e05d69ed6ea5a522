import { describe, expect, it } from "vitest";
import { fakePassage } from "../testing/passages.ts";
import { type QuoteCandidate, quotesOf } from "./compress.ts";
import { ANSWER_WORDS, writeExtractive } from "./extract.ts";
import { piecesOf } from "./pieces.ts";

/** A piece of the passage by its text, with the chance that it answers and what of the question it covers. */
type Scored = readonly [text: string, score: number, covers: readonly string[]];

function candidatesOf(passage: Parameters<typeof fakePassage>[0], scored: readonly Scored[]): QuoteCandidate[] {
  const made = fakePassage(passage);
  const quotes = piecesOf(made, { maxCharacters: 1200, maxPieces: 20, wholeLists: false }).map((piece) => quotesOf(made, piece));
  return scored.map(([text, score, covers]) => {
    const found = quotes.find(({ quote }) => quote.text === text);
    if (found === undefined) throw new Error(`no piece "${text}"`);
    return { ...found, score, covers: new Set(covers) };
  });
}

const write = (
  pieces: Parameters<typeof fakePassage>[0]["pieces"],
  scored: readonly Scored[],
  { quotes = 3, words = ANSWER_WORDS.normal as number } = {},
) => writeExtractive(candidatesOf({ pieces }, scored), { quotes, words });
const texts = (...args: Parameters<typeof write>) => write(...args).map(({ text }) => text);

describe("writeExtractive", () => {
  it("writes exact quotes, each citing itself", () => {
    const drafts = write(["A lost card costs 3."], [["A lost card costs 3.", 0.8, ["card"]]]);
    expect(drafts).toMatchObject([{ text: "A lost card costs 3.", quotes: [{ text: "A lost card costs 3." }] }]);
  });

  it("leads with the quote that answers, then goes on in the order of the source", () => {
    const pieces = ["The card is due.", "Zebras.", "A duty is 7.", "A wait is lost."];
    const scored: Scored[] = [
      ["A duty is 7.", 0.8, ["duty"]],
      ["A wait is lost.", 0.7, ["wait"]],
      ["The card is due.", 0.6, ["card"]],
    ];
    expect(texts(pieces, scored)).toEqual(["A duty is 7.", "The card is due.", "A wait is lost."]);
  });

  it("puts conditions right behind the quote that they limit", () => {
    const pieces = ["The card is due.", "Zebras.", "A duty is 7.", "However, members pay 3."];
    const scored: Scored[] = [
      ["A duty is 7.", 0.8, ["duty"]],
      ["The card is due.", 0.6, ["card"]],
    ];
    expect(texts(pieces, scored)).toEqual(["A duty is 7.", "However, members pay 3.", "The card is due."]);
  });

  it("keeps a place for what answers another thing that is asked, however little it scores and however long it is", () => {
    const passage = { pieces: ["A card is due.", "A duty is 7.", "A wait is lost, and nobody knows where it went."] };
    const scored: Scored[] = [
      ["A card is due.", 0.8, ["card"]],
      ["A duty is 7.", 0.7, ["duty"]],
      ["A wait is lost, and nobody knows where it went.", 0.01, []],
    ];
    const candidates = candidatesOf(passage, scored);
    const withPart = candidates.map((one, i) => (i === 2 ? { ...one, answersPart: true as const } : one));
    const shown = (given: typeof candidates) => writeExtractive(given, { quotes: 2, words: 8 }).map(({ text }) => text);
    expect(shown(candidates)).toEqual(["A card is due.", "A duty is 7."]);
    expect(shown(withPart)).toEqual(["A card is due.", "A wait is lost, and nobody knows where it went."]);
  });

  it("keeps a place for each kind of value that is asked for", () => {
    const pieces = ["A card is sad.", "You pay $7.", "You wait 3 weeks.", "A lost card."];
    const scored: Scored[] = [
      ["A card is sad.", 0.8, ["card"]],
      ["A lost card.", 0.7, ["lost"]],
      ["You pay $7.", 0.3, ["value:1"]],
      ["You wait 3 weeks.", 0.25, ["value:4"]],
    ];
    expect(texts(pieces, scored)).toEqual(expect.arrayContaining(["You pay $7.", "You wait 3 weeks."]));
  });

  it("aims at the words that it may use, but always gives the best quote whole", () => {
    const long = `A lost card ${"with many words ".repeat(10)}is due.`;
    const few = { quotes: 4, words: 20 };
    const both: Scored[] = [
      ["A lost card costs 3.", 0.8, ["card"]],
      [long, 0.7, ["due"]],
    ];
    expect(texts(["A lost card costs 3.", long], both, few)).toEqual(["A lost card costs 3."]);
    expect(texts([long], [[long, 0.7, ["due"]]], few)).toEqual([long]);
  });

  it("leaves out what adds nothing of the question and is far from the best, and whatever is far below it", () => {
    const pieces = ["A blue card is sad.", "Blue is nice.", "The fee is due."];
    const scored: Scored[] = [
      ["A blue card is sad.", 0.9, ["blue", "card"]],
      ["Blue is nice.", 0.5, ["blue"]],
      ["The fee is due.", 0.3, ["fee"]],
    ];
    expect(texts(pieces, scored)).toEqual(["A blue card is sad."]);
  });

  it("shows a table's rows with their header at hand, not as a sentence", () => {
    const row = (text: string) => ({ type: "table-row" as const, text, header: 0 });
    const scored: Scored[] = [
      ["atlas | 3 days", 0.8, ["atlas"]],
      ["map | 2 days", 0.7, ["map"]],
    ];
    const drafts = write([row("item | days"), row("atlas | 3 days"), row("map | 2 days")], scored, { quotes: 5 });
    expect(drafts.map(({ text }) => text)).toEqual(["atlas | 3 days", "map | 2 days"]);
    for (const { quotes } of drafts) expect(quotes[0]?.header?.text).toBe("item | days");
  });

  it("writes nothing from nothing", () => expect(writeExtractive([], { quotes: 3, words: 100 })).toEqual([]));
});
