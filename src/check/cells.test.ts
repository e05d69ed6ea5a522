import { describe, expect, it } from "vitest";
import { sourcebound } from "../profiles/sourcebound.ts";
import { checkSentence } from "./check.ts";
import type { CitedQuote, Finding } from "./finding.ts";
import { createReader } from "./statements.ts";

const reader = createReader();
const rowsOf = (title: string, header: string, rows: readonly string[]): CitedQuote[] =>
  rows.map((text) => ({ text, header, above: [title, header], url: null, exact: true }));

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

async function cells(text: string, cited: readonly CitedQuote[], question = ""): Promise<Finding | undefined> {
  const context = { settings: sourcebound.check, hosts: [], homePage: null, reader, question, support: null };
  const { results } = await checkSentence({ text, cited }, context);
  return results.find(({ name }) => name === "cells");
}

describe("cells of a cited table", () => {
  it.each([
    ["a name", "The treasurer is Renate Vogt.", OFFICES],
    ["a price of another row", "The wash costs members € 1.80.", LAUNDRY],
    ["a price of another column", "A non-member pays € 1.80 to use the dryer.", LAUNDRY],
    ["a price of the column of which the name holds the other", "A member pays € 2.60 to use the dryer.", LAUNDRY],
    ["one clause of two", "Renate Vogt is treasurer and Jakob Frei is chair.", OFFICES],
    ["what the name of another row is part of", "A garage key costs € 28.", KEYS],
  ])("are doubted where they are swapped: %s", async (_what, text, cited) => {
    expect(await cells(text, cited)).toMatchObject({ name: "cells", verdict: "warn" });
  });

  it("are named with what stands in their place", async () => {
    const text = "The treasurer is Renate Vogt.";
    const found = await cells(text, OFFICES);
    expect(found?.reason).toBe('"Renate Vogt" stands at "Chair" in the cited table; at "Treasurer" stands "Jakob Frei"');
    expect(found?.spans.map(({ start, end }) => text.slice(start, end))).toEqual(["Renate", "Vogt"]);
  });

  it.each([
    ["one cell by row and column", "A non-member pays € 2.60 to use the dryer.", LAUNDRY],
    ["two rows, clause by clause", "Renate Vogt is chair and Jakob Frei is treasurer.", OFFICES],
    ["two rows, the one left out in words", "Unlike the dryer, the wash costs € 2.50.", LAUNDRY],
    ["two columns", "For the dryer, members pay € 1.80 and others € 2.60.", LAUNDRY],
    ["all rows", "All offices are held for two years or longer.", OFFICES],
    ["a bound", "The dryer costs a member less than € 2.50.", LAUNDRY],
    ["a denial", "Renate Vogt is not the treasurer.", OFFICES],
    ["an exception", "A dryer is to be paid for, except that ironing is free.", LAUNDRY],
    ["two rows of which one name holds the other", "Compared with the garage key, a key costs € 28.", KEYS],
    ["a row that shares all of the name that is said", "The key costs € 65.", KEYS],
    ["no row", "Renate Vogt and Aylin Demir were elected.", OFFICES],
  ])("are not doubted where a sentence speaks of %s", async (_what, text, cited) => {
    expect(await cells(text, cited)).toMatchObject({ verdict: "pass" });
  });

  it("are not doubted where another statement says the same", async () => {
    const said: CitedQuote = { text: "Renate Vogt is the treasurer until May.", above: ["News"], url: null, exact: true };
    expect(await cells("The treasurer is Renate Vogt.", [...OFFICES, said])).toMatchObject({ verdict: "pass" });
    const other: CitedQuote = { text: "Renate Vogt lives next door.", above: ["News"], url: null, exact: true };
    expect(await cells("The treasurer is Renate Vogt.", [...OFFICES, other])).toMatchObject({ verdict: "warn" });
  });

  it("are not doubted where the question names their row", async () => {
    expect(await cells("With the dryer it costs € 2.50.", LAUNDRY)).toMatchObject({ verdict: "warn" });
    expect(await cells("With the dryer it costs € 2.50.", LAUNDRY, "What does a wash cost?")).toMatchObject({ verdict: "pass" });
  });

  it("are not looked at where no table is cited, or one row without a second column", async () => {
    expect(await cells("The treasurer is Renate Vogt.", [{ text: "Chair | Renate Vogt", url: null, exact: true }])).toBeUndefined();
    expect(await cells("A garage key costs € 28.", KEYS.slice(0, 1))).toBeUndefined();
  });
});
