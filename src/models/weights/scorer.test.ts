import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../package.ts";
import { isComplete, namedScorerSchema, scoreOf, scorerSchema } from "./scorer.ts";

const SCORER = { features: ["one", "two"], fill: [1, 2], scale: [2, 1], linear: [0.5, -1], bias: 3 };

describe("scoreOf", () => {
  it("adds the bias and the weighted, standardised values", () => {
    // 3 + .5·(3 − 1)/2 − (4 − 2)/1
    expect(scoreOf([3, 4], SCORER)).toBe(1.5);
    expect(scoreOf([3, 4], { linear: [1, 2] })).toBe(11);
  });
  it("replaces an unknown value by the mean, not by 0", () => {
    expect(scoreOf([null, null], SCORER)).toBe(scoreOf([1, 2], SCORER));
    expect(scoreOf([null, 2], SCORER)).not.toBe(scoreOf([0, 2], SCORER));
  });
});

describe("the form of a scorer", () => {
  const named = namedScorerSchema(["one", "two"]);
  it("is parsed unchanged", () => {
    expect(named.parse(SCORER)).toEqual(SCORER);
  });
  it.each([
    ["a feature that this version does not measure", { ...SCORER, features: ["one", "three"] }],
    ["a feature twice", { ...SCORER, features: ["one", "one"] }],
    ["no features", { features: [], linear: [] }],
    ["one number too few", { ...SCORER, fill: [1] }],
    ["a scale of zero", { ...SCORER, scale: [0, 1] }],
    ["a falling curve", { ...SCORER, chance: [-1, 0] }],
    ["no linear part", { features: ["one"], bias: 1 }],
    ["an invalid number", { ...SCORER, linear: [0.5, "1"] }],
  ])("is rejected with %s", (_, scorer) => {
    expect(named.safeParse(scorer).success).toBe(false);
  });
  it("fits every bundled linear model", () => {
    const folder = join(PACKAGE_ROOT, "src/models/weights");
    const scorers = readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => modelsIn(JSON.parse(readFileSync(join(folder, name), "utf8"))).map((model) => ({ name, model })));
    const withoutModel = new Set(["entailment.json", "paraphrase.json"]);
    const others = readdirSync(folder).filter((name) => name.endsWith(".json") && !withoutModel.has(name));
    expect(new Set(scorers.map(({ name }) => name))).toEqual(new Set(others));
    const plain = scorerSchema.loose().refine(isComplete);
    for (const { name, model } of scorers) expect(plain.safeParse(model).error?.message, name).toBeUndefined();
    expect(scorers.length).toBeGreaterThanOrEqual(5);
  });
});

/** Returns all objects inside the value that have the form of a model. */
function modelsIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  const held = ["linear", "weights", "bias", "constant"].some((key) => key in value);
  return held ? [value] : Object.values(value).flatMap(modelsIn);
}
