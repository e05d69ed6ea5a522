import { describe, expect, it } from "vitest";
import { fakePassage, fakeWords } from "../testing/passages.ts";
import { createBinder, passageSource } from "./sources.ts";

const source = passageSource(
  fakePassage({
    pieces: [
      "Our branches open at nine.",
      "A lost card costs 7 dollars.",
      "A stolen card is replaced for free.",
      "Call within 24 hours.",
      "Cards are sent by post.",
    ],
  }),
);
const bind = createBinder(fakeWords());
const bound = (text: string) => bind(text, source).map((quote) => quote.text);

describe("createBinder", () => {
  it("binds a sentence to the quote that holds its words", () => {
    expect(bound("You pay 7 dollars: lost card.")).toEqual(["A lost card costs 7 dollars."]);
  });

  it("binds what two quotes say together to both, in the order of the source", () => {
    expect(bound("A stolen card is replaced for free; a lost card costs 7 dollars.")).toEqual([
      "A lost card costs 7 dollars.",
      "A stolen card is replaced for free.",
    ]);
  });

  it("takes a further quote for a number alone", () => {
    const long = "A stolen card that somebody else used is replaced for free by whoever took that, within 24.";
    expect(bound(long)).toContain("Call within 24 hours.");
  });

  it("binds what shares no word with the source to its beginning, and never to more than four quotes", () => {
    expect(bound("Whales swim.")).toEqual(["Our branches open at nine."]);
    const everything = source.citable.map(({ text }) => text).join(" ");
    expect(bound(everything)).toHaveLength(4);
  });

  it("weighs words: a rare one decides", () => {
    const weighing = createBinder(fakeWords({ post: 9 }));
    expect(weighing("A lost card by post.", source)[0]?.text ?? "").toBe("A lost card costs 7 dollars.");
    expect(weighing("Lost post.", source).map(({ text }) => text)).toContain("Cards are sent by post.");
    expect(weighing("Card post costs.", source).map(({ text }) => text)).toContain("Cards are sent by post.");
  });
});
