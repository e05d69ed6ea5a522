import { describe, expect, it } from "vitest";
import { readAmounts, readDays } from "./amounts.ts";

const shown = (text: string) => readAmounts(text).map(({ number, kind, unit }) => [number, kind, unit].join(" ").trim());

describe("readAmounts", () => {
  it.each([
    ["up to $1,500 in 2019", ["1500 money dollar", "2019 year"]],
    ["1.2 million dollars", ["1200000 money dollar"]],
    ["70 percent, 70%", ["70 percent percent", "70 percent percent"]],
    ["twenty-five years, two weeks", ["25 plain year", "2 plain week"]],
    ["one of them for one year", ["1 plain year"]],
    ["1½ cups, 1 1/2 hours, $19⁹⁹", ["1.5 plain cup", "1.5 plain hour", "19.99 money dollar"]],
    ["a 10-year-old", ["10 plain year"]],
    ["from 11 am to 5:30 p.m.", ["660 time", "1050 time"]],
    ["11:0-17:0", ["660 time", "1020 time"]],
    ["noon till midnight", ["720 time", "0 time"]],
    ["12 am, 12 pm", ["0 time", "720 time"]],
    ["no number here", []],
    ["٣ 99:99 13 pm", []],
  ])("reads %s", (text, expected) => {
    expect(shown(text)).toEqual(expected);
  });

  it("gives the place of each", () => {
    const text = "Pay $20 by 5 pm.";
    expect(readAmounts(text).map(({ start, end }) => text.slice(start, end))).toEqual(["$20", "5 pm"]);
  });
});

describe("readDays", () => {
  const bits = (text: string) => readDays(text).map(({ days }) => days.toString(2).padStart(7, "0"));

  it.each([
    ["Monday", ["0000001"]],
    ["Monday through Friday", ["0011111"]],
    ["Sat - Mon", ["1100001"]],
    ["weekdays and weekends", ["0011111", "1100000"]],
    ["open daily", ["1111111"]],
    ["we sat at a monument in the sun", []],
    ["every monday", ["0000001"]],
    ["nothing", []],
  ])("reads %s, Monday as the last bit", (text, expected) => {
    expect(bits(text)).toEqual(expected);
  });
});
