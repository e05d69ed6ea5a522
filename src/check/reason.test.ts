import { describe, expect, it } from "vitest";
import { onlySaysThatItIsSo } from "../answer/check.ts";

describe("onlySaysThatItIsSo", () => {
  it.each([
    ["Why is only one suitcase allowed?", ["Only one suitcase is allowed per person."], true],
    ["why are selfie sticks not allowed", ["Tripods and selfie sticks are not allowed.", "In exhibitions photography is forbidden."], true],
    [
      "Why is only one suitcase allowed?",
      ["Only one suitcase is allowed, because the hold of the boat is small and others travel too."],
      false,
    ],
    ["Why is only one suitcase allowed?", ["The hold is small."], false],
    ["Is only one suitcase allowed?", ["Only one suitcase is allowed per person."], false],
    ["Why?", ["Only one suitcase is allowed."], false],
    ["Why is only one suitcase allowed?", [], false],
  ])("%s", (question, sentences, expected) => expect(onlySaysThatItIsSo(question, sentences)).toBe(expected));
});
