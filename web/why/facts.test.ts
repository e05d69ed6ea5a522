import { describe, expect, it } from "vitest";
import { factsInWords, rawFacts } from "./facts.ts";

describe("facts of a stage", () => {
  it("leave out what was not found, and say the rest in words", () => {
    const facts = {
      injection_signals: null,
      codes: [],
      calibrated: false,
      cache_mode: "miss",
      best_piece: 0.68543,
      also_searched: ["ear", "ringing"],
    };
    expect(factsInWords(facts)).toEqual([
      { name: "stored answer", value: "none" },
      { name: "best part of a passage", value: "69 in 100" },
      { name: "also searched for", value: "ear, ringing" },
    ]);
  });

  it("say why the nearest stored question was used or not", () => {
    expect(factsInWords({ semantic_rule: "values" })).toEqual([{ name: "nearest stored question", value: "has other numbers" }]);
    expect(factsInWords({ semantic_rule: "new_rule" })).toEqual([{ name: "nearest stored question", value: "new_rule" }]);
  });

  it("keep a number of none, and names that nobody has put into words apart", () => {
    const facts = { calls: 0, new_fact: "x", odd: { a: 1 }, glance: -2.413, missing: null };
    expect(factsInWords(facts)).toEqual([{ name: "calls of a model", value: "0" }]);
    expect(rawFacts(facts)).toEqual([
      { name: "new_fact", value: "x" },
      { name: "odd", value: '{"a":1}' },
      { name: "glance", value: "-2.413" },
    ]);
  });
});
