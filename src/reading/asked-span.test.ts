import { describe, expect, it } from "vitest";
import { readAskedSpan } from "./asked-values.ts";

describe("readAskedSpan", () => {
  it.each([
    ["How long do I have to ask for a Higher-Level Review?", "deadline"],
    ["How much time does a widow have to file?", "deadline"],
    ["How many days do I get to answer?", "deadline"],
    ["What is the deadline for an appeal?", "deadline"],
    ["How long have I got?", "deadline"],
    ["How long does a higher-level review take?", "duration"],
    ["How long do I have to wait for a decision?", "duration"],
    ["How long will it be before I hear back?", "duration"],
    ["What is the processing time of a claim?", "duration"],
    ["How soon is it paid?", "duration"],
    ["How long is a library card valid?", "validity"],
    ["How long does the coverage last?", "validity"],
    ["How many months until it expires?", "validity"],
    ["How long may books be kept?", null],
    ["What rating does tinnitus get?", null],
    ["", null],
  ])("reads %j", (question, span) => {
    expect(readAskedSpan(question)).toBe(span);
  });
});
