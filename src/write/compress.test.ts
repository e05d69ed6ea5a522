import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fakeEvidence, fakePassage, fakeWords } from "../testing/passages.ts";
import { chooseQuotes } from "./compress.ts";

const options = { limit: 12, maxCharacters: 1200 };
const choose = (question: string, pieces: Parameters<typeof fakePassage>[0]["pieces"], over = options) =>
  chooseQuotes(question, [fakeEvidence(fakePassage({ pieces }))], fakeWords(), over);
const texts = (...args: Parameters<typeof choose>) => choose(...args).map(({ quote }) => quote.text);

describe("chooseQuotes", () => {
  it("puts the sentence with most of the question's words first and leaves out those with none", () => {
    expect(texts("lost card price", ["A card is blue.", "The price of a lost card is 3.", "Zebras."])).toEqual([
      "The price of a lost card is 3.",
      "A card is blue.",
    ]);
  });

  it("prefers a sentence with a value when a value is asked for", () => {
    expect(texts("How much is a card?", ["A card is pretty.", "A card is 5 dollars."])[0]).toBe("A card is 5 dollars.");
  });

  it("keeps a short list with its lead-in in one quote", () => {
    const pieces = ["Bring a card and:", { type: "list-item" as const, text: "a pen" }, { type: "list-item" as const, text: "a book" }];
    expect(texts("card", pieces)).toEqual(["Bring a card and:\na pen\na book"]);
  });

  it("quotes a list under a heading that asks the same, though it repeats no word of the question", () => {
    const heading = (text: string) => ({ type: "heading" as const, text });
    const item = (text: string) => ({ type: "list-item" as const, text });
    const pieces = [
      heading("Who is exempt"),
      item("a surviving spouse"),
      item("a service member"),
      heading("Other matters"),
      item("a visitor"),
    ];
    expect(texts("who is exempt", pieces)).toEqual(["a surviving spouse\na service member"]);
  });

  it("cites items of a long list with their lead-in", () => {
    const item = (n: number) => ({ type: "list-item" as const, text: `${"word ".repeat(40)}card ${n}` });
    const [first] = choose("card 3", ["These cards:", item(1), item(2), item(3), item(4), item(5)]);
    expect(first?.quote.text.endsWith("card 3")).toBe(true);
    expect(first?.context.map(({ text }) => text)).toEqual(["These cards:"]);
  });

  it("cites a table row with its header, never the header alone", () => {
    const row = (text: string) => ({ type: "table-row" as const, text, header: 0 });
    const chosen = choose("atlas period", [row("item | period"), row("atlas | 3 days"), row("map | 2 days")]);
    expect(chosen[0]?.quote.text).toBe("atlas | 3 days");
    expect(chosen[0]?.context.map(({ text }) => text)).toEqual(["item | period"]);
    expect(chosen.map(({ quote }) => quote.text)).not.toContain("item | period");
  });

  it("never cuts: what is longer than the limit is not taken", () => {
    expect(texts("card", [`card ${"x".repeat(50)}`, "card y"], { limit: 12, maxCharacters: 20 })).toEqual(["card y"]);
  });

  it("gives at most `limit` quotes, byte for byte, none twice, none overlapping", () => {
    const sentence = fc
      .array(fc.constantFrom("card", "cost", "zoo", "lost", "5", "fee"), { minLength: 1, maxLength: 6 })
      .map((some) => `${some.join(" ")}.`);
    fc.assert(
      fc.property(fc.array(sentence, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 5 }), (pieces, limit) => {
        const passage = fakePassage({ pieces });
        const chosen = chooseQuotes("lost card fee 5", [fakeEvidence(passage)], fakeWords(), { limit, maxCharacters: 1200 });
        expect(chosen.length).toBeLessThanOrEqual(limit);
        expect(new Set(chosen.map(({ quote }) => quote.text)).size).toBe(chosen.length);
        for (const { quote } of chosen) expect(passage.text.slice(quote.start, quote.end)).toBe(quote.text);
        const places = chosen.map(({ quote }) => quote).sort((a, b) => a.start - b.start);
        for (let i = 1; i < places.length; i++) expect(places[i]?.start).toBeGreaterThanOrEqual(places[i - 1]?.end ?? 0);
      }),
    );
  });
});
