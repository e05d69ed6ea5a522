import { describe, expect, it } from "vitest";
import { sampleQuote } from "../testing/quotes.ts";
import { isSaid } from "./write.ts";

const quote = sampleQuote("A reader may keep a borrowed book for 21 days.");
const draft = { text: quote.text, quotes: [quote], missing: [] };
const said = (text: string, quotes = [quote]) => isSaid(draft, [{ text, quotes, missing: [] }]);

describe("isSaid", () => {
  it.each([
    "\u{1f600} A reader may keep a borrowed book for 21 days!",
    "Yes: a reader may keep a borrowed book for 21 days, and no longer.",
  ])("takes a quote for said by %j, which rests on it", (text) => expect(said(text)).toBe(true));

  it("does not where a word of the quote is missing, or where the sentence rests on something else", () => {
    expect(said("You may keep a borrowed book for 21 days.")).toBe(false);
    expect(said(quote.text, [sampleQuote("Elsewhere a reader may keep one.")])).toBe(false);
    expect(isSaid(draft, [])).toBe(false);
  });
});
