import { describe, expect, it } from "vitest";
import { sourcebound } from "../profiles/sourcebound.ts";
import { checkSentence } from "./check.ts";
import type { Finding } from "./finding.ts";
import { createReader } from "./statements.ts";

const reader = createReader();
/** What every check finds for a sentence that cites a text. */
async function found(text: string, stated: string, above: readonly string[] = []): Promise<readonly Finding[]> {
  const context = { settings: sourcebound.check, hosts: [], homePage: null, reader, question: "What holds?", support: null };
  return (await checkSentence({ text, cited: [{ text: stated, url: null, exact: true, above }] }, context)).results;
}

/** Names of the checks that fail. */
async function failed(text: string, stated: string, above: readonly string[] = []): Promise<string[]> {
  return (await found(text, stated, above)).filter(({ verdict }) => verdict === "fail").map(({ name }) => name);
}

/** Why the values of a sentence do not stand. */
async function faultOf(text: string, stated: string): Promise<string | undefined> {
  return (await found(text, stated)).find(({ name, verdict }) => name === "values" && verdict === "fail")?.reason;
}

describe("a number without its unit", () => {
  const row = "October 1, 2024 | 2 years | $978";

  it.each([
    ["of another cell's duration", "The rate on or after October 1, 2, is $978.", row],
    ["of a length", "The rope has 40 strands.", "The rope is 40 feet long and has several strands."],
  ])("is not borne out by a value %s", async (_what, text, stated) => {
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
  ])("is borne out where it is %s", async (_what, text, stated) => {
    expect(await failed(text, stated)).not.toContain("values");
  });
});

describe("an end of a range", () => {
  const rows = "4 to 5 years | 7.5 ml\n6–7 years | 10 ml";

  it("stands in it as a bare number, so that the value that does not is the one that is named", async () => {
    expect(await faultOf("A child of 4 gets 7.5 ml.", rows)).toBeUndefined();
    expect(await faultOf("A child of 5 gets 7.5 ml.", rows)).toBeUndefined();
    expect(await faultOf("A child of 4 gets 12 ml.", rows)).toBe("12 ml stands in no cited quote");
    expect(await faultOf("A child of 7 gets 12 ml.", rows)).toBe("12 ml stands in no cited quote");
  });

  it("is no other number: one beside a unit of its own, or between the ends", async () => {
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

  it("is no value in any other sense, nor where nothing counts the same", async () => {
    expect(await failed("First, a medical certificate is needed from the fourth day of absence.", stated)).not.toContain("values");
    expect(await failed("Visitors leave on the first day of the month.", "Visitors leave on the first of the month.")).not.toContain(
      "values",
    );
  });
});

describe("a table's cells without their unit", () => {
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
  ])("are of their own row: %s", async (text, names) => {
    expect(await failed(text, rows, ["Sleep disorders"])).toEqual(names);
  });

  it("are compared cell by cell: the code that names a row is no value of it", async () => {
    const coded = "5258 Cartilage, dislocated, with frequent locking and pain 20\n5259 Cartilage, removal of, symptomatic 10";
    expect(
      await failed("Dislocated cartilage with frequent locking is 20 percent; symptomatic removal (5259) is 10 percent.", coded),
    ).toEqual([]);
    expect(await failed("Symptomatic removal of cartilage (5259) is 20 percent.", coded)).toEqual(["values"]);
  });
});

describe("a value that is denied", () => {
  it.each([
    ["The minimum balance is not $25,000.", "The minimum balance requirement is $25,000.", ["polarity"]],
    ["There is no $25 fee for a lost card.", "A lost card has a $25 fee.", ["polarity"]],
    ["The minimum balance is $25,000.", "The minimum balance is not $25,000.", ["polarity"]],
    ["The minimum balance is not $25,000.", "The minimum balance isn't $25,000.", []],
    ["The minimum balance is not more than $25,000.", "The minimum balance is up to $25,000.", []],
    ["The loan is limited to $25,000.", "The loan cannot exceed $25,000.", []],
    ["A repair is not paid for 30 days.", "For 30 days a repair is paid by the tenant.", ["polarity"]],
    ["Attacks four times a month rate 60 percent.", "Attacks four times a month, without tinnitus 60 percent", []],
  ])("is the opposite of what gives it: %s", async (text, stated, names) => {
    expect(await failed(text, stated)).toEqual(names);
  });
});
