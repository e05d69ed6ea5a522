import { describe, expect, it } from "vitest";
import { createStemmer, tokenize } from "../text/tokens.ts";
import { ABBREVIATION_WEIGHT, createThesaurus, SYNONYM_WEIGHT } from "./understand.ts";

const thesaurus = createThesaurus(
  {
    abbreviations: { TDIU: ["individual unemployability"], "C&P": ["claim exam"], HLR: ["higher-level review"] },
    synonyms: [
      ["widow", "surviving spouse"],
      ["kicked out", "discharge"],
    ],
  },
  (text) => tokenize(text),
  createStemmer(),
);
const others = (text: string) => thesaurus.equivalents(text).map(({ to }) => to);

describe("createThesaurus", () => {
  it("reads an abbreviation both ways, in any case, with signs inside", () => {
    expect(others("can I get tdiu")).toEqual(["individual unemployability"]);
    expect(others("individual unemployability rules")).toEqual(["TDIU"]);
    expect(others("my C&P exam")).toEqual(["claim exam"]);
    expect(others("higher level reviews")).toEqual(["HLR"]);
  });

  it("matches phrases in any inflection and with stop words, never part of a word", () => {
    expect(others("I was kicked out")).toEqual(["discharge"]);
    expect(others("two widows")).toEqual(["surviving spouse"]);
    expect(others("widowmaker")).toEqual([]);
  });

  it("gives other words less weight than the question's own, synonyms the least", () => {
    expect(thesaurus.equivalents("TDIU")[0]?.weight).toBe(ABBREVIATION_WEIGHT);
    expect(thesaurus.equivalents("widow")[0]?.weight).toBe(SYNONYM_WEIGHT);
    expect(SYNONYM_WEIGHT).toBeLessThan(ABBREVIATION_WEIGHT);
    expect(ABBREVIATION_WEIGHT).toBeLessThan(1);
  });

  it("lists each equivalent once, however often its phrase is repeated", () => {
    expect(others("widow ".repeat(500))).toEqual(["surviving spouse"]);
  });
});
