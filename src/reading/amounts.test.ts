import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amountsOf, compatible, sameAmount } from "./amounts.ts";
import { quantitiesIn } from "./quantities.ts";

const amounts = (text: string) => amountsOf(text, quantitiesIn(text));
const only = (text: string) => {
  const [first, ...more] = amounts(text);
  if (first === undefined || more.length > 0) throw new Error(`${text}: ${JSON.stringify(amounts(text))}`);
  return first;
};

describe("compatible", () => {
  it.each([
    ["within 90 days", "within 60 days", false, "two limits"],
    ["up to 30 days", "20 days", true, "the bound allows it"],
    ["more than 21 days", "25 days", true, "above the least"],
    ["125 days", "about 4 months", true, "another unit, rounded"],
    ["1 year", "12 months", true, "the same"],
    ["$127,061", "a little over $127,000", true, "rounded"],
    ["50%", "half", true, "a share"],
    ["2 to 8 months", "3 months", true, "inside the range"],
    ["1 year and 120 days", "485 days", true, "a sum"],
    ["no time limit", "within 5 years", false, "a limit where there is none"],
    ["December 1, 2018", "December 2018", true, "a day of that month"],
    ["after September 10, 2001", "on or after September 11, 2001", true, "the same first day"],
    ["8:00 a.m. to 9:00 p.m.", "8:00 a.m. to 8:00 p.m.", false, "hours"],
    ["$5", "5 days", true, "other kinds cannot contradict each other"],
  ])("%s and %s: %s (%s)", (a, b, expected) => {
    expect(compatible(only(a), only(b))).toBe(expected);
    expect(compatible(only(b), only(a))).toBe(expected);
  });

  it("is symmetric, and every amount is compatible with itself", () => {
    const text = fc.tuple(
      fc.constantFrom("", "up to ", "at least ", "about ", "within "),
      fc.integer({ min: 1, max: 400 }),
      fc.constantFrom(" days", " months", "%", " years"),
    );
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [one, other] = [only(a.join("")), only(b.join(""))];
        expect(compatible(one, other)).toBe(compatible(other, one));
        expect(compatible(one, one)).toBe(true);
      }),
    );
  });
});

describe("amountsOf", () => {
  it("keeps where a value stands, and what it is per", () => {
    const text = "The premium is $1 per month.";
    const amount = only(text);
    expect(text.slice(amount.start, amount.end)).toBe("$1");
    expect(amount.per).toBe("$month");
    expect(only("You pay $12 a year.").per).toBe("$year");
    expect(only("within 3 business days").per).toBe("working");
  });
  it("reads nothing where there is nothing", () => {
    expect(amounts("")).toEqual([]);
    expect(amounts("No limit of patience.")).toEqual([]);
  });
  it("does not take a range that covers a value for the value", () => {
    expect(sameAmount(only("2 to 8 months"), only("14 weeks"))).toBe(false);
    expect(sameAmount(only("14 weeks"), only("98 days"))).toBe(true);
  });
});
