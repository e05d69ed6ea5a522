import { describe, expect, it } from "vitest";
import { sourcebound } from "../profiles/sourcebound.ts";
import { citedQuote } from "../testing/quotes.ts";
import { checkSentence } from "./check.ts";
import type { CitedQuote, Finding } from "./finding.ts";
import { createReader } from "./statements.ts";

const reader = createReader();
async function foundBeside(text: string, cited: readonly CitedQuote[], question = "What holds?"): Promise<readonly Finding[]> {
  const context = { settings: sourcebound.check, hosts: [], homePage: null, reader, question, support: null };
  return (await checkSentence({ text, cited }, context)).results;
}

const found = (text: string, stated: string, above: readonly string[] = []) => foundBeside(text, [citedQuote(stated, { above })]);

async function failed(text: string, stated: string, above: readonly string[] = []): Promise<string[]> {
  return (await found(text, stated, above)).filter(({ verdict }) => verdict === "fail").map(({ name }) => name);
}

async function faultOf(text: string, stated: string): Promise<string | undefined> {
  return (await found(text, stated)).find(({ name, verdict }) => name === "values" && verdict === "fail")?.reason;
}

describe("a number without its unit", () => {
  const row = "October 1, 2024 | 2 years | $978";

  it.each([
    ["of a duration in another cell", "The rate on or after October 1, 2, is $978.", row],
    ["of a length", "The rope has 40 strands.", "The rope is 40 feet long and has several strands."],
  ])("is not supported by a value %s", async (_what, text, stated) => {
    expect(await failed(text, stated)).toContain("values");
  });

  it.each([
    ["an age", "Syrup is not advised from 65 on.", "From 65 years on syrup is not advised."],
    ["a range of ages", "Children aged 6 to 12 pay half the fare.", "Children from 6 to 12 years pay half the fare."],
    ["a percentage", "The discount is 40 in lane 7.", "Lane 7 gives a discount of 40 percent."],
    [
      "a second value beside one with the unit",
      "You have 30 days to object, then 60 to appeal.",
      "You have 30 days to object, then 60 days to appeal.",
    ],
  ])("is supported if it is %s", async (_what, text, stated) => {
    expect(await failed(text, stated)).not.toContain("values");
  });
});

describe("an end of a range", () => {
  const rows = "4 to 5 years | 7.5 ml\n6–7 years | 10 ml";

  it("supports it as a bare number, so that only the other value is reported", async () => {
    expect(await faultOf("A child of 4 gets 7.5 ml.", rows)).toBeUndefined();
    expect(await faultOf("A child of 5 gets 7.5 ml.", rows)).toBeUndefined();
    expect(await faultOf("A child of 4 gets 12 ml.", rows)).toBe("12 ml stands in no cited quote");
    expect(await faultOf("A child of 7 gets 12 ml.", rows)).toBe("12 ml stands in no cited quote");
  });

  it("does not support a number with its own unit, or one between the ends", async () => {
    expect(await faultOf("A child of 8 gets 10 ml.", rows)).toContain("8 stands in no cited quote");
    expect(await failed("The rate on or after October 1, 2, is $978.", "October 1, 2024 | 2 years | $978")).toContain("values");
  });
});

describe("an ordinal before a unit of time", () => {
  const stated = "A medical certificate is needed from the fourth day of absence.";

  it("is a value, in words and in digits", async () => {
    expect(await failed("A medical certificate is needed from the first day of absence.", stated)).toContain("values");
    expect(await failed("A medical certificate is needed from the 3rd day of absence.", stated)).toContain("values");
    expect(await failed("A medical certificate is needed from the 4th day of absence.", stated)).toEqual([]);
    expect(await failed("From the fourth day of absence a medical certificate is needed.", stated)).toEqual([]);
  });

  it("is not a value in another sense, or if nothing counts the same", async () => {
    expect(await failed("First, a medical certificate is needed from the fourth day of absence.", stated)).not.toContain("values");
    const month = await failed("Visitors leave on the first day of the month.", "Visitors leave on the first of the month.");
    expect(month).not.toContain("values");
  });
});

describe("table cells without their unit", () => {
  const rows = [
    "Chronic failure with retention of carbon dioxide, or requires an opening 100",
    "Requires use of a breathing assistance device such as a machine 50",
    "Persistent sleepiness at day-time 30",
    "Attacks from one to four times a month 60",
    "Attacks and an unsteady gait more than once weekly 100",
  ].join("\n");

  it.each([
    ["Persistent sleepiness at day-time is rated 30 percent.", []],
    ["Persistent sleepiness at day-time is rated 100 percent.", ["values"]],
    ["Use of a breathing assistance device is rated 55 percent.", ["values"]],
  ])("support values of their own row only: %s", async (text, names) => {
    expect(await failed(text, rows, ["Sleep disorders"])).toEqual(names);
  });

  it("are compared one by one, without the code that names the row", async () => {
    const coded = "5258 Cartilage, dislocated, with frequent locking and pain 20\n5259 Cartilage, removal of, symptomatic 10";
    const right = "Dislocated cartilage with frequent locking is 20 percent; symptomatic removal (5259) is 10 percent.";
    expect(await failed(right, coded)).toEqual([]);
    expect(await failed("Symptomatic removal of cartilage (5259) is 20 percent.", coded)).toEqual(["values"]);
  });
});

describe("a negated value", () => {
  it.each([
    ["The minimum balance is not $25,000.", "The minimum balance isn't $25,000."],
    ["The minimum balance is not more than $25,000.", "The minimum balance is up to $25,000."],
    ["The loan is limited to $25,000.", "The loan cannot exceed $25,000."],
    ["Attacks four times a month rate 60 percent.", "Attacks four times a month, without tinnitus 60 percent"],
  ])("is not wrong: %s", async (text, stated) => {
    expect(await failed(text, stated)).toEqual([]);
  });
});

describe("cells of a cited table", () => {
  const rowsOf = (title: string, header: string, rows: readonly string[]): CitedQuote[] =>
    rows.map((text) => citedQuote(text, { header, above: [title, header] }));
  const OFFICES = rowsOf("Membership", "Office | Name | Elected for", [
    "Chair | Renate Vogt | two years",
    "Treasurer | Jakob Frei | two years",
    "Secretary | Aylin Demir | three years",
  ]);
  const LAUNDRY = rowsOf("Laundry", "Service | Member | Non-member", [
    "Wash, 60 minutes | € 2.50 | € 3.80",
    "Dryer, 45 minutes | € 1.80 | € 2.60",
    "Ironing station | free | € 1.00",
  ]);
  const KEYS = rowsOf("Keys", "Item | Price", ["Key | € 28", "Garage key | € 65"]);
  const cells = async (text: string, cited: readonly CitedQuote[], question = "") =>
    (await foundBeside(text, cited, question)).find(({ name }) => name === "cells");

  it.each([
    ["a name", "The treasurer is Renate Vogt.", OFFICES],
    ["a price of another row", "The wash costs members € 1.80.", LAUNDRY],
    ["a price of another column", "A non-member pays € 1.80 to use the dryer.", LAUNDRY],
    ["a price of a column whose name contains the other's name", "A member pays € 2.60 to use the dryer.", LAUNDRY],
    ["one clause of two", "Renate Vogt is treasurer and Jakob Frei is chair.", OFFICES],
    ["a row whose name contains the other's name", "A garage key costs € 28.", KEYS],
  ])("are reported when they are swapped: %s", async (_what, text, cited) => {
    expect(await cells(text, cited)).toMatchObject({ name: "cells", verdict: "warn" });
  });

  it("are reported with the right value", async () => {
    const text = "The treasurer is Renate Vogt.";
    const found = await cells(text, OFFICES);
    expect(found?.reason).toBe('"Renate Vogt" stands at "Chair" in the cited table; at "Treasurer" stands "Jakob Frei"');
    expect(found?.spans.map(({ start, end }) => text.slice(start, end))).toEqual(["Renate", "Vogt"]);
  });

  it.each([
    ["one cell by row and column", "A non-member pays € 2.60 to use the dryer.", LAUNDRY],
    ["two rows, clause by clause", "Renate Vogt is chair and Jakob Frei is treasurer.", OFFICES],
    ["two rows, one described in words", "Unlike the dryer, the wash costs € 2.50.", LAUNDRY],
    ["two columns", "For the dryer, members pay € 1.80 and others € 2.60.", LAUNDRY],
    ["all rows", "All offices are held for two years or longer.", OFFICES],
    ["a bound", "The dryer costs a member less than € 2.50.", LAUNDRY],
    ["a denial", "Renate Vogt is not the treasurer.", OFFICES],
    ["an exception", "A dryer is to be paid for, except that ironing is free.", LAUNDRY],
    ["two rows, where one name contains the other", "Compared with the garage key, a key costs € 28.", KEYS],
    ["a row whose name contains the whole stated name", "The key costs € 65.", KEYS],
    ["no row", "Renate Vogt and Aylin Demir were elected.", OFFICES],
  ])("are not reported for a sentence about %s", async (_what, text, cited) => {
    expect(await cells(text, cited)).toMatchObject({ verdict: "pass" });
  });

  it("are not reported when another quote says the same", async () => {
    const said = citedQuote("Renate Vogt is the treasurer until May.", { above: ["News"] });
    expect(await cells("The treasurer is Renate Vogt.", [...OFFICES, said])).toMatchObject({ verdict: "pass" });
    const other = citedQuote("Renate Vogt lives next door.", { above: ["News"] });
    expect(await cells("The treasurer is Renate Vogt.", [...OFFICES, other])).toMatchObject({ verdict: "warn" });
  });

  it("are not reported when the question names their row", async () => {
    expect(await cells("With the dryer it costs € 2.50.", LAUNDRY)).toMatchObject({ verdict: "warn" });
    expect(await cells("With the dryer it costs € 2.50.", LAUNDRY, "What does a wash cost?")).toMatchObject({ verdict: "pass" });
  });

  it("are ignored without a cited table, or in a single row without a second column", async () => {
    expect(await cells("The treasurer is Renate Vogt.", [citedQuote("Chair | Renate Vogt")])).toBeUndefined();
    expect(await cells("A garage key costs € 28.", KEYS.slice(0, 1))).toBeUndefined();
  });
});

describe("values of a cited sentence", () => {
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
  const pairing = async (text: string, cited: readonly string[], question = "") =>
    (
      await foundBeside(
        text,
        cited.map((one) => citedQuote(one, { above: [] })),
        question,
      )
    ).find(({ name }) => name === "pairing");

  it.each([
    ["hours of another day", "The main library is open on Saturday from 9 am to 8 pm.", HOURS],
    ["the first price", "Children pay 9 euros.", FARES],
    ["both prices, clause by clause", "Children pay 9 euros, adults pay 4 euros.", FARES],
    ["a price with its unit", "A book costs $2 a day.", LOANS],
    ["durations in two units", "Report theft to the insurer within 24 hours.", THEFT],
    ["one range of two", "Breakfast in the hall costs between 50 and 90 euros.", RANGE],
  ])("are reported when they are said of another part of it: %s", async (_what, text, source) => {
    expect(await pairing(text, [source])).toMatchObject({ name: "pairing", verdict: "warn" });
  });

  it("are reported with the right value", async () => {
    const text = "From 9 am to 8 pm the main library is open on Saturday.";
    const found = await pairing(text, [HOURS]);
    expect(found?.reason).toBe('"9 am to 8 pm" stands with "Friday" in the cited sentence; with "Saturday" stands "10 am to 4 pm"');
    expect(found?.spans.map(({ start, end }) => text.slice(start, end))).toEqual(["9 am", "8 pm"]);
  });

  it.each([
    ["its own part in other words", "Grown-ups are charged 9 euros.", FARES],
    ["its own part, with a word that the source lacks", "In winter the museum opens at 10 am.", MUSEUM],
    ["its own part, with another word and a shared verb", "Kids ride for 2 euros.", "Adults ride for 4 euros, and children for 2 euros."],
    ["both parts, in turn", "Adults and children pay 9 and 4 euros.", FARES],
    ["both parts, one in other words", "New fish stay in quarantine for ten days, marine fish for three weeks.", STAY],
    [
      "both parts, with a word of the first after both",
      "Mothers rest in the eight weeks before and the twelve weeks after a birth.",
      BIRTH,
    ],
    ["a part of what the first one counts", "Of the lamps brought to the repair shop, 2,640 could be fixed.", LAMPS],
    ["one end of a range", "A room can be had for 90 euros.", RANGE],
    ["parts that no delimiter separates", "Children pay 4 euros.", DAYS],
    ["a denial", "Children do not pay 9 euros.", FARES],
    ["a bound", "Children pay less than 9 euros.", FARES],
    ["an exception", "Everyone pays 9 euros except children.", FARES],
  ])("are not reported for a sentence about %s", async (_what, text, source) => {
    expect(await pairing(text, [source])).toMatchObject({ verdict: "pass" });
  });

  it("are not reported when another sentence says the same, unless it only repeats the first", async () => {
    const text = "Children pay 9 euros.";
    expect(await pairing(text, [FARES, "In August children pay 9 euros."])).toMatchObject({ verdict: "pass" });
    expect(await pairing(text, [FARES, "Adults pay 9 euros, children pay 4 euros."])).toMatchObject({ verdict: "warn" });
  });

  it("are not reported when the question names their part", async () => {
    expect(await pairing("With children it is 9 euros.", [FARES])).toMatchObject({ verdict: "warn" });
    expect(await pairing("With children it is 9 euros.", [FARES], "What do adults pay?")).toMatchObject({ verdict: "pass" });
  });

  it("are ignored in a sentence without values, and in table rows", async () => {
    expect(await pairing("Children pay less.", [FARES])).toBeUndefined();
    expect(await pairing("Children pay 9 euros.", ["Adults, 9 euros | children, 4 euros"])).toMatchObject({ verdict: "pass" });
  });
});
