import { describe, expect, it } from "vitest";
import { valuesIn } from "./values.ts";

const keys = (text: string) => valuesIn(text).map(({ key }) => key);

describe("valuesIn", () => {
  it.each([
    ["percent as sign and word", "70% and 70 percent", ["70%", "70%"]],
    ["spelled numbers with a unit", "ten percent, one year, sixty days", ["10%", "1 year", "60 day"]],
    ["no spelled number without a unit", "one of the forms", []],
    ["durations in singular", "within 120 days or 1-year", ["120 day", "1 year"]],
    ["money", "$1,500 or $1.5k or $2 million", ["$1500", "$1500", "$2000000"]],
    ["diagnostic codes of any range", "DC 6260, diagnostic code 7101", ["dc6260", "dc7101"]],
    ["form ids", "VA Form 21-526EZ and 21P-527EZ", ["21-526ez", "21p-527ez"]],
    ["phone numbers with and without 1", "1-800-827-1000 or (800) 827-1000", ["8008271000", "8008271000"]],
    ["powers as their value", "10⁶, 10^6 or 106 cells, 2.5 × 10⁻³ g", ["1000000", "1000000", "106", "0.0025"]],
    ["fractions and raised cents", "1½ days, 1 1/2 days, $19⁹⁹", ["1.5 day", "1.5 day", "$19.99"]],
  ])("reads %s", (_what, text, expected) => {
    expect(keys(text)).toEqual(expected);
  });
});
