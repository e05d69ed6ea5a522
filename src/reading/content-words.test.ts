import { describe, expect, it } from "vitest";
import { createWordReader } from "./content-words.ts";

const read = createWordReader();
const marked = (text: string, mark: "name" | "negated" | "denied" | "supposed") =>
  read(text)
    .filter((word) => word[mark])
    .map(({ text: word }) => word);

describe("createWordReader", () => {
  it("knows a word by its root, and leaves out words of grammar and numbers", () => {
    const [a, b] = ["remarried", "remarriage"].map((word) => read(word)[0]?.root);
    expect(a).toBe(b);
    expect(read("You would also have to, within 30 days")).toMatchObject([{ text: "days" }]);
  });

  it("tells names from capitalised words", () => {
    expect(marked("Veterans who get TRICARE or the Fry Scholarship call the Board of Appeals", "name")).toEqual([
      "tricare",
      "fry",
      "scholarship",
      "board",
      "appeals",
    ]);
    expect(marked("The Veteran applied in May", "name")).toEqual([]);
  });

  it.each([
    ["a denied verb, and what it reaches", "You can't apply by phone, but you can write.", ["apply"], ["apply", "phone"]],
    ["curly apostrophes", "It wasn’t expected.", ["expected"], ["expected"]],
    [
      "adverbs before the verb, and its subject",
      "The result isn't reasonably expected.",
      ["reasonably", "expected"],
      ["result", "reasonably", "expected"],
    ],
    ["no limit as a denial", "We won't pay more than $2,000 in fees.", [], ["pay", "fees"]],
    ["no lack as a denial", "Veterans with no dependents apply.", [], ["dependents"]],
    ["no contrast as a denial", "File it with the Court, not with the agency.", [], ["agency"]],
    ["in no case", "It lasts in no case longer.", ["case"], ["case", "longer"]],
  ])("reads %s", (_what, text, denied, negated) => {
    expect(marked(text, "denied")).toEqual(denied);
    expect(marked(text, "negated")).toEqual(negated);
  });

  it("knows what is only supposed", () => {
    expect(marked("If you have evidence, send a letter.", "supposed")).toEqual(["evidence"]);
  });
});
