import { describe, expect, it } from "vitest";
import { sourcebound } from "../profiles/sourcebound.ts";
import { checkSentence } from "./check.ts";
import type { CitedQuote, Finding } from "./finding.ts";
import { createReader } from "./statements.ts";

const reader = createReader();

const quote = (text: string): CitedQuote => ({ text, above: [], url: null, exact: true });
const HOURS = "The main library is open from Monday to Friday from 9 am to 8 pm, and on Saturday from 10 am to 4 pm.";
const FARES = "Adults pay 9 euros and children pay 4 euros.";
const LOANS = "Books cost $1 a week, DVDs $2 a day.";
const THEFT = "Report theft to the police within 24 hours and to the insurer within three days.";
const LAMPS = "The repair shop took in 3,310 lamps, of which 2,640 went home mended.";
const STAY = "They stay in quarantine for ten days, marine fish for three weeks.";
const BIRTH = "Mothers rest during the eight weeks before a birth and the twelve weeks after it are free of work.";
const RANGE = "A room costs between 50 and 90 euros, and breakfast in the hall 8 to 12 euros.";
const MUSEUM = "From April to September the museum opens at 9 am, and from October to March at 10 am.";
const DAYS = "The fee for adults, 9 euros, for children, 4 euros, for dogs, 2 euros.";

async function pairing(text: string, cited: readonly string[], question = ""): Promise<Finding | undefined> {
  const context = { settings: sourcebound.check, hosts: [], homePage: null, reader, question, support: null };
  const { results } = await checkSentence({ text, cited: cited.map(quote) }, context);
  return results.find(({ name }) => name === "pairing");
}

describe("values of a cited sentence", () => {
  it.each([
    ["hours of another day", "The main library is open on Saturday from 9 am to 8 pm.", HOURS],
    ["the first price", "Children pay 9 euros.", FARES],
    ["both prices, clause by clause", "Children pay 9 euros, adults pay 4 euros.", FARES],
    ["a price with its unit", "A book costs $2 a day.", LOANS],
    ["durations in two units", "Report theft to the insurer within 24 hours.", THEFT],
    ["one range of two", "Breakfast in the hall costs between 50 and 90 euros.", RANGE],
  ])("are doubted where they are said of another part of it: %s", async (_what, text, source) => {
    expect(await pairing(text, [source])).toMatchObject({ name: "pairing", verdict: "warn" });
  });

  it("are named with what stands in their place", async () => {
    const text = "From 9 am to 8 pm the main library is open on Saturday.";
    const found = await pairing(text, [HOURS]);
    expect(found?.reason).toBe('"9 am to 8 pm" stands with "Friday" in the cited sentence; with "Saturday" stands "10 am to 4 pm"');
    expect(found?.spans.map(({ start, end }) => text.slice(start, end))).toEqual(["9 am", "8 pm"]);
  });

  it.each([
    ["its own part in other words", "Grown-ups are charged 9 euros.", FARES],
    ["its own part, with a word for it that the source lacks", "In winter the museum opens at 10 am.", MUSEUM],
    ["its own part, with another word and a shared verb", "Kids ride for 2 euros.", "Adults ride for 4 euros, and children for 2 euros."],
    ["both parts, in turn", "Adults and children pay 9 and 4 euros.", FARES],
    ["both parts, one in other words", "New fish stay in quarantine for ten days, marine fish for three weeks.", STAY],
    ["both parts, a word of the first behind both", "Mothers rest in the eight weeks before and the twelve weeks after a birth.", BIRTH],
    ["a part of what the first counts", "Of the lamps brought to the repair shop, 2,640 could be fixed.", LAMPS],
    ["one end of a range", "A room can be had for 90 euros.", RANGE],
    ["what no delimiter tells apart", "Children pay 4 euros.", DAYS],
    ["a denial", "Children do not pay 9 euros.", FARES],
    ["a bound", "Children pay less than 9 euros.", FARES],
    ["an exception", "Everyone pays 9 euros except children.", FARES],
  ])("are not doubted where a sentence speaks of %s", async (_what, text, source) => {
    expect(await pairing(text, [source])).toMatchObject({ verdict: "pass" });
  });

  it("are not doubted where another statement says the same, and are where it only repeats the first", async () => {
    const text = "Children pay 9 euros.";
    expect(await pairing(text, [FARES, "In August children pay 9 euros."])).toMatchObject({ verdict: "pass" });
    expect(await pairing(text, [FARES, "Adults pay 9 euros, children pay 4 euros."])).toMatchObject({ verdict: "warn" });
  });

  it("are not doubted where the question names their part", async () => {
    expect(await pairing("With children it is 9 euros.", [FARES])).toMatchObject({ verdict: "warn" });
    expect(await pairing("With children it is 9 euros.", [FARES], "What do adults pay?")).toMatchObject({ verdict: "pass" });
  });

  it("are not looked at where a sentence says none, and are left to the cells in rows", async () => {
    expect(await pairing("Children pay less.", [FARES])).toBeUndefined();
    expect(await pairing("Children pay 9 euros.", ["Adults, 9 euros | children, 4 euros"])).toMatchObject({ verdict: "pass" });
  });
});
