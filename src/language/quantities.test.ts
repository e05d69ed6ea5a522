import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { part } from "../../test/support/trials.ts";
import { expectLinearTime } from "../testing/growth.ts";
import { amountsOf, compatible, sameAmount } from "./amounts.ts";
import { askedValues, heldValues, VALUE_KINDS } from "./asked-values.ts";
import { equalQuantities, oppositeBounds, type Quantity, quantitiesIn } from "./quantities.ts";

const read = (text: string) => quantitiesIn(text).map(({ measure, amount }) => `${measure} ${amount}`);
const only = (text: string) => quantitiesIn(text)[0] as Quantity;

/** Of which hostile texts are made. */
const HOSTILE_PIECES =
  "1|1,|$1 |one |12-|forms |at least |(800) |twenty-|twenty-first |first day |§ |january |٣|1/|a hundred |1½|1 1/2 |one and a |1¹/".split(
    "|",
  );

describe("quantitiesIn", () => {
  it.each([
    ["percentages", "70%, 70 percent, ten per cent, 3.5 %", ["percent 70", "percent 70", "percent 10", "percent 3.5"]],
    [
      "money",
      "$1,500, $1.5k, $2 million, 5 dollars, 41.5 cents, €20",
      ["money $1500", "money $1500", "money $2000000", "money $5", "money $0.415", "money €20"],
    ],
    [
      "powers as one value",
      "10⁶ cells, 10^6 cells, 106 cells, 3 × 10⁻³ kg, 2.5x10^4 days, 10^1.5",
      ["count 1000000", "count 1000000", "count 106", "mass 3000", "days 25000", "count 31.6227766017"],
    ],
    ["raised marks of notes as no value", "40¹ dollars, 5² weeks, 20 m² of room", ["money $40", "days 35", "count 20"]],
    [
      "fractions behind a number as part of it",
      "1½ tablets, 1 ½, 2¹/₂, 2¹⁄₂, 2^1/2, 2^(1 / 2), 1 1/2 years, 1-1/2 inches, 12 1/2%, $2½ million, 1½-year, aged 5½, 1¼ to 2 hours",
      [
        ...["count 1.5", "count 1.5", "count 2.5", "count 2.5", "count 2.5", "count 2.5", "months 18", "length 0.0381"],
        ...["percent 12.5", "money $2500000", "months 18", "age 5.5", "minutes 75", "minutes 120"],
      ],
    ],
    [
      "fractions in words behind a number",
      "one and a half hours, two and a quarter years, 2 and a half miles, three and two-thirds, five and a half percent",
      ["minutes 90", "months 27", "length 4023.36", "count 3.66666666667", "percent 5.5"],
    ],
    ["fractions alone", "½, ¾ of them, 1⁄2, ¹/₂, ½%", ["share 0.5", "share 0.75", "share 0.5", "share 0.5", "percent 0.5"]],
    [
      "numbers before a fraction of something else, or a date, as they were",
      "in 2019 1/2 of them, in step 3 1/2 of the water, 5 12/24, 10^6/10",
      ["date 2019", "share 0.5", "code step 3", "share 0.5", "count 5", "count 12", "count 1000000"],
    ],
    [
      "raised cents",
      "$19⁹⁹, €1,299⁹⁰, 19⁹⁹ dollars, $10⁵⁰, $10⁶, $19.50⁹⁹, $19¹²³",
      ["money $19.99", "money €1299.9", "money $19.99", "money $10.5", "money $1000000", "money $19.5", "money $19"],
    ],
    [
      "ordinals that say how often as intervals, and those that say which ones as no value",
      "every second week, every 2nd week, Every third full month, every  twenty-first day; every second week of the month, every 3rd person",
      ["days 14", "days 14", "months 3", "days 21"],
    ],
    [
      "ordinals before a unit of time",
      "the fourth day, on the 4th day, twenty-first week, a second full year, THIRD QUARTER, the thirtieth day",
      ["count 4", "count 4", "count 21", "count 2", "count 3", "count 30"],
    ],
    [
      "no ordinals that say no value",
      "First, take the tablet. First Bank; at first; the first time; a second opinion, second-hand, third party, the first few days, firsthand days",
      [],
    ],
    [
      "durations by their unit",
      "one year, 12 months, a 30-year loan, two weeks, 90 minutes",
      ["months 12", "months 12", "months 360", "days 14", "minutes 90"],
    ],
    [
      "dates of every form",
      "December 16, 2003; 16 December 2003; 12/16/2003; 2003-12-16; Oct. 1; February 19, 2019",
      ["date 2003-12-16", "date 2003-12-16", "date 2003-12-16", "date 2003-12-16", "date --10-01", "date 2019-02-19"],
    ],
    [
      "months, years and fiscal years",
      "May 2019, 1977, FY 2019, fiscal year 2019, 1964-1975",
      ["date 2019-05", "date 1977", "date fy2019", "date fy2019", "date 1964", "date 1975"],
    ],
    ["ages", "age 55, 57 years of age, a 57-year-old, her 55th birthday", ["age 55", "age 57", "age 57", "age 55"]],
    [
      "codes",
      "DC 6260, diagnostic code 7101, 38 CFR 4.25, § 3.309, Chapter 35, F43.10",
      ["code dc6260", "code dc7101", "code cfr4.25", "code cfr3.309", "code chapter 35", "code f43.10"],
    ],
    [
      "forms",
      "VA Form 21-526EZ, 21P-534EZ, DD214, DD Form 214, SF-86, Form 10182",
      ["form 21-526ez", "form 21p-534ez", "form dd214", "form dd214", "form sf86", "form 10182"],
    ],
    ["telephone numbers", "1-800-827-1000, (800) 827-1000", ["phone 8008271000", "phone 8008271000"]],
    ["ranges, each end with the unit", "10% to 30%, between 5 and 10 days", ["percent 10", "percent 30", "days 5", "days 10"]],
    [
      "parts and multiples",
      "half, two-thirds, 1/2, twice, 3 times",
      ["share 0.5", "share 0.666666666667", "share 0.5", "times 2", "times 3"],
    ],
    ["times of day", "8:00 a.m. to 9:30 p.m.", ["time 8:00", "time 21:30"]],
    ["numbers in words from two on", "one of two forms for twenty-five people", ["count 2", "count 25"]],
    ["digits of other scripts", "١٠٪, １０％, 𝟏𝟎%, १० days", ["percent 10", "percent 10", "percent 10", "days 10"]],
    ["no digits inside words", "B12, x15, abc123def", []],
  ])("reads %s", (_what, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    ["at least 10 days", "least"],
    ["more than 10 days", "least"],
    ["up to 10 days", "most"],
    ["won't pay more than $10", "most"],
    ["within 10 days", "most"],
    ["10 days", "none"],
  ])("reads the bound of %s", (text, bound) => {
    expect(only(text).bound).toBe(bound);
  });

  it("keeps the place of every value, also where digits were folded", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("60 days", "𝟏𝟎%", "$5", "Form 10182", " and ", "😀", "é "), { maxLength: 12 }), (pieces) => {
        const text = pieces.join(" ; ");
        for (const { start, end } of quantitiesIn(text)) {
          expect(start).toBeLessThan(end);
          expect(["60 days", "𝟏𝟎%", "$5", "Form 10182"]).toContain(text.slice(start, end));
        }
      }),
    );
  });

  it("never throws, and reads a hostile text in proportion to its length", async () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => quantitiesIn(text).every(({ start, end }) => start >= 0 && end <= text.length)),
    );
    for (const piece of part(HOSTILE_PIECES, 5)) await expectLinearTime(100_000 / piece.length, (n) => piece.repeat(n), quantitiesIn);
  });
});

describe("equalQuantities", () => {
  it.each([
    ["one year", "12 months"],
    ["ten percent", "10%"],
    ["age 57", "57 or older"],
    ["her 55th birthday", "55 or older"],
    ["2003", "December 16, 2003"],
    ["December 16", "December 16, 2003"],
    ["the 60 mark", "60%"],
    ["$19.99", "$19⁹⁹"],
    ["two weeks", "every second week"],
    ["18 months", "one and a half years"],
  ])("takes %s for %s", (claimed, stated) => {
    expect(equalQuantities(only(claimed), only(stated))).toBe(true);
  });

  it.each([
    ["60 days", "60 months"],
    ["$19", "$19⁹⁹"],
    ["50%", "½%"],
    ["December 16, 2003", "2003"],
    ["FY 2019", "2019"],
    ["VA Form 21-526EZ", "VA Form 21-526"],
    ["1-800-827-1000", "1-800-827-1001"],
    ["60 days", "60"],
  ])("does not take %s for %s", (claimed, stated) => {
    expect(equalQuantities(only(claimed), only(stated))).toBe(false);
  });

  it("knows opposite bounds", () => {
    expect(oppositeBounds(only("at least 5 days"), only("up to 5 days"))).toBe(true);
    expect(oppositeBounds(only("at least 5 days"), only("5 days"))).toBe(false);
  });
});

describe("amounts", () => {
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
});

const { money, percent, duration, date, number, form, phone, address, name } = VALUE_KINDS;

describe("askedValues", () => {
  it.each([
    ["How much does a headstone cost?", [money | percent | number]],
    ["how long do I have to appeal", [duration]],
    ["What's the deadline for a claim?", [duration | date]],
    ["when is the payment made?", [date | duration]],
    ["Which VA form do I need?", [form]],
    ["how many dependents count", [number]],
    ["what address do I mail it to", [address]],
    ["What number do I call?", [phone]],
    ["Can I cancel the boiler service over the phone?", []],
    ["My phone was stolen from the cab, are you told by the police?", []],
    ["To which address do I post the match sheets?", [address]],
    ["Is my rental contract enough to register my new address?", []],
    ["Who signs the letter?", [name]],
    ["what percent, and how long does it last", [duration, percent | number]],
    ["How old must I be?", [number | duration]],
    ["How much time do I have?", [duration]],
    ["When I moved, my file was lost. Can I get a copy?", []],
    ["كم تبلغ الرسوم؟", []],
  ])("%s", (question, kinds) => expect(askedValues(question)).toEqual(kinds));

  it.each(["cost ", "how ", "what rate ", "when ", "which a b c ", "what address e-mail "])(
    "takes linear time on %j over and over",
    (piece) => expectLinearTime(50_000, (n) => piece.repeat(n), askedValues),
  );
});

describe("heldValues", () => {
  it.each([
    ["It costs $1,200.", money],
    ["You pay 2.5% of it.", percent],
    ["Ask within one year.", duration],
    ["It ends on March 3, 2019.", date],
    ["Fill out VA Form 21-526EZ.", form],
    ["Call 1-800-827-1000.", phone],
    ["Write to P.O. Box 5365.", address],
    ["It is signed by Ann Lee.", name],
    ["Two letters are needed.", number],
  ])("%s", (text, kind) => expect(heldValues(text) & kind).toBe(kind));

  it("takes the figures of dates and durations for no numbers", () => {
    expect(heldValues("Ask within 30 days of March 3, 2019.") & (number | duration | date)).toBe(duration | date);
    expect(heldValues("Bring 2 letters within 30 days.") & (number | duration)).toBe(number | duration);
  });

  it("sees none where there is none", () => expect(heldValues("You may be able to get it.")).toBe(0));

  it("reads an enormous text in linear time", () => expectLinearTime(500_000, (n) => "1 a ".repeat(n), heldValues));
});
