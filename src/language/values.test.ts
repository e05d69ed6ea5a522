import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { part } from "../../test/support/trials.ts";
import { expectLinearTime } from "../testing/growth.ts";
import { compareValues, isStated, oppositeBounds } from "./compare-values.ts";
import { joinValues, type Value, valuesIn } from "./values.ts";

interface Cases {
  readonly values: readonly (readonly [kind: string, text: string, meaning: string])[];
  readonly comparisons: readonly (readonly [one: string, other: string, comparison: string])[];
}
const cases = JSON.parse(readFileSync(new URL("values.cases.json", import.meta.url), "utf8")) as Cases;
/** Minimum share of correct cases in each list. */
const RIGHT = 0.98;

const amountsIn = (text: string) => joinValues(valuesIn(text), text);

function end(kind: Value["kind"], value: number | string): string {
  if (typeof value === "string") return value;
  if (value === Number.POSITIVE_INFINITY) return "inf";
  return kind === "time" ? `${Math.floor(value / 60)}:${String(value % 60).padStart(2, "0")}` : String(Number(value.toPrecision(10)));
}

function meaning({ kind, unit, low, high, bound, approximate, per }: Value): string {
  const side = approximate ? "~" : bound === "least" ? ">=" : bound === "most" ? "<=" : "";
  const isRange = low !== high && typeof low === "number";
  const period = per === "" ? "" : kind === "money" || kind === "times" ? ` /${per}` : ` ${per}`;
  const isUnlimited = low === Number.POSITIVE_INFINITY;
  const name = isUnlimited || unit === "" ? "" : ` ${unit.replace(/^\$$/, "USD")}`;
  return `${kind} ${kind === "date" ? "" : side}${end(kind, low)}${isRange ? `..${end(kind, high)}` : ""}${name}${period}`;
}

describe("exact values", () => {
  it("are found in expressions of twelve kinds", () => {
    const wrong = cases.values.flatMap(([, text, expected]) => {
      const read = amountsIn(text).map(meaning).join("; ");
      return read === expected ? [] : [`${text}: ${read}, not ${expected}`];
    });
    expect(cases.values.length).toBeGreaterThanOrEqual(200);
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual((1 - RIGHT) * cases.values.length);
  });

  it("compare equally in both directions", () => {
    const wrong = cases.comparisons.flatMap(([one, other, expected]) => {
      const [[a, ...moreA], [b, ...moreB]] = [amountsIn(one), amountsIn(other)];
      if (a === undefined || b === undefined || moreA.length + moreB.length > 0) return [`${one} and ${other}: not one value each`];
      const found = new Set([compareValues(a, b), compareValues(b, a)]);
      return found.size === 1 && found.has(expected as ReturnType<typeof compareValues>)
        ? []
        : [`${one} and ${other}: ${[...found].join(" or ")}, not ${expected}`];
    });
    expect(cases.comparisons).toHaveLength(100);
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual((1 - RIGHT) * cases.comparisons.length);
  });
});

const only = (text: string) => amountsIn(text)[0] as Value;

/** Parts of adversarial texts. */
const HOSTILE_PIECES =
  "1|1,|1.|$1 |one |12-|forms |at least |(800) |twenty-|twenty-first |first day |§ |january |٣|1/|a hundred |a thousand |1½|1 1/2 |one and a |1¹/|v1.|9.30–".split(
    "|",
  );

describe("valuesIn", () => {
  it.each([
    [
      "powers as one value",
      "10⁶ cells, 106 cells, 3 × 10⁻³ kg, 2.5x10^4 days, 10^1.5",
      ["number 1000000", "number 106", "mass 3", "duration 25000", "number 31.6227766017"],
    ],
    ["superscript note marks as no value", "40¹ dollars, 5² weeks", ["money 40", "duration 35"]],
    [
      "fractions after a number as part of it",
      "2¹/₂, 2¹⁄₂, 2^1/2, 2^(1 / 2), 1-1/2 inches, 12 1/2%, $2½ million, aged 5½, two and a quarter years, three and two-thirds",
      [
        ...["number 2.5", "number 2.5", "number 2.5", "number 2.5", "length 0.0381", "percent 12.5", "money 2500000", "age 5.5"],
        ...["duration 27", "number 3.66666666667"],
      ],
    ],
    [
      "numbers before another fraction or a date unchanged",
      "in 2019 1/2 of them, in step 3 1/2 of the water, 5 12/24, 10^6/10",
      ["date 2019", "share 0.5", "code step 3", "share 0.5", "number 5", "number 12", "number 1000000"],
    ],
    [
      "superscript cents",
      "$19⁹⁹, €1,299⁹⁰, 19⁹⁹ dollars, $10⁶, $19¹²³",
      ["money 19.99", "money 1299.9", "money 19.99", "money 1000000", "money 19"],
    ],
    [
      "ordinals of frequency as intervals, and ordinals of selection as no value",
      "every 2nd week, Every third full month, every  twenty-first day; every second week of the month, every 3rd person",
      ["duration 14", "duration 3", "duration 21"],
    ],
    [
      "no value from other ordinals",
      "First, take the tablet. At first; the first time; a second opinion, second-hand, third party, the first few days",
      [],
    ],
    ["a point as a separator of thousands beside a decimal comma", "12,5 % of 1.500 members", ["percent 12.5", "number 1500"]],
    ["digits in other scripts", "١٠٪, １０％, 𝟏𝟎%, १० days", ["percent 10", "percent 10", "percent 10", "duration 10"]],
    ["no digits inside words, and no unit in the next word", "x15, abc123def, one has 2 gaps", ["number 2"]],
  ])("reads %s", (_what, text, expected) => {
    expect(valuesIn(text).map(({ kind, low }) => `${kind} ${low}`)).toEqual(expected);
  });

  it("keeps the place of every value, also for converted digits", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("60 days", "𝟏𝟎%", "$5", "Form 10182", " and ", "😀", "é "), { maxLength: 12 }), (pieces) => {
        const text = pieces.join(" ; ");
        for (const { start, end } of valuesIn(text)) expect(["60 days", "𝟏𝟎%", "$5", "Form 10182"]).toContain(text.slice(start, end));
      }),
    );
  });

  it("never throws, and takes linear time for hostile text", async () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) =>
        valuesIn(text).every(({ start, end }) => start >= 0 && start < end && end <= text.length),
      ),
    );
    for (const piece of part(HOSTILE_PIECES, 5)) await expectLinearTime(100_000 / piece.length, (n) => piece.repeat(n), valuesIn);
  });
});

describe("joinValues", () => {
  it("keeps the place of a value and its unit of reference", () => {
    const text = "The premium is $1 per month.";
    const { start, end, per } = only(text);
    expect([text.slice(start, end), per, only("You pay $12 a year.").per, only("within 3 business days").per]).toEqual([
      "$1",
      "month",
      "year",
      "working",
    ]);
  });
});

describe("isStated", () => {
  it.each([
    ["her 55th birthday", "55 or older"],
    ["age 5", "5 years"],
    ["2003", "December 16, 2003"],
    ["December 16", "December 16, 2003"],
    ["the 60 mark", "60%"],
    ["$19.99", "$19⁹⁹"],
    ["two weeks", "every second week"],
    ["one day", "24 hours"],
    ["10 days", "10 business days"],
  ])("accepts %s for %s", (claimed, stated) => expect(isStated(only(claimed), only(stated))).toBe(true));

  it.each([
    ["60 days", "60 months"],
    ["50%", "½%"],
    ["December 16, 2003", "2003"],
    ["FY 2019", "2019"],
    ["1-800-827-1000", "1-800-827-1001"],
    ["60 days", "60"],
    ["$100 per month", "$100 per year"],
  ])("rejects %s for %s", (claimed, stated) => expect(isStated(only(claimed), only(stated))).toBe(false));
});

describe("compareValues", () => {
  it.each([
    ["$127,061", "a little over $127,000", "not comparable"],
    ["1 year and 120 days", "485 days", "not comparable"],
    ["after September 10, 2001", "on or after September 11, 2001", "equal"],
    ["8:00 a.m. to 9:00 p.m.", "8:00 a.m. to 8:00 p.m.", "different"],
    ["2 to 8 months", "14 weeks", "not comparable"],
  ])("%s and %s: %s", (a, b, expected) => expect(compareValues(only(a), only(b))).toBe(expected));

  it("is symmetric, and every value equals itself", () => {
    const text = fc.tuple(
      fc.constantFrom("", "up to ", "at least ", "about ", "within "),
      fc.integer({ min: 1, max: 400 }),
      fc.constantFrom(" days", " months", "%", " years"),
    );
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [one, other] = [only(a.join("")), only(b.join(""))];
        expect(compareValues(one, other)).toBe(compareValues(other, one));
        expect(compareValues(one, one)).toBe("equal");
        expect(oppositeBounds(one, one)).toBe(false);
      }),
    );
  });
});
