import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../package.ts";
import { SMALL_TREES } from "../../testing/scorers.ts";
import { type NamedScorer, namedScorerSchema, scoreOf, scorerSchema, usableOn } from "./scorer.ts";

const UNITS: NamedScorer = {
  features: ["one", "two"],
  fill: [1, 2],
  scale: [2, 1],
  linear: [0.5, -1],
  hidden: [{ weights: [1, 0], bias: 0.5, out: 2 }],
};
const TREES: NamedScorer = {
  features: ["one", "two"],
  fill: [0.5, 0.2],
  scale: [0.25, 0.1],
  linear: [2, 3],
  bias: -1,
  trees: SMALL_TREES,
};

describe("scoreOf", () => {
  it("adds the linear part and the units over standardised values", () => {
    expect(scoreOf([3, 4], UNITS)).toBeCloseTo(0.5 - 2 + 2 * Math.tanh(1.5), 12);
  });
  it("takes an unknown value as the middle, not as 0", () => {
    expect(scoreOf([null, null], UNITS)).toBe(scoreOf([1, 2], UNITS));
    expect(scoreOf([null, 2], UNITS)).not.toBe(scoreOf([0, 2], UNITS));
  });
  it("adds the linear part and one leaf of each tree", () => {
    // −1 + 2·(.75 − .5)/.25 + 3·(.4 − .2)/.1 + .7 + .25
    expect(scoreOf([0.75, 0.4], TREES)).toBeCloseTo(7.95, 9);
    // A value equal to the threshold goes left: −1 − .8 + 0 − .5 + .25
    expect(scoreOf([0.4, 0.2], TREES)).toBeCloseTo(-2.05, 9);
  });
  it("takes what is not known as its mean, and down the way that trees learned for it", () => {
    // The missing value goes right at the second split: −1 + 2 + .7 + .25
    expect(scoreOf([0.75, null], TREES)).toBeCloseTo(1.95, 9);
    expect(scoreOf([null, 0.2], TREES)).toBeCloseTo(-1.25, 9);
  });
  it("is trees alone where nothing is linear, and linear alone where nothing is a tree", () => {
    const { trees, features } = TREES;
    expect(scoreOf([0.4, 0.2], { features, trees } as NamedScorer)).toBeCloseTo(-0.25, 12);
    expect(scoreOf([3, 4], { linear: [1, 2] })).toBe(11);
  });
});

describe("the form of a scorer", () => {
  const named = namedScorerSchema(["one", "two"]);
  it("is kept as it stands", () => {
    for (const scorer of [UNITS, TREES]) expect(named.parse(scorer)).toEqual(scorer);
  });
  it.each([
    ["a feature that this version does not measure", { ...UNITS, features: ["one", "three"] }],
    ["a feature twice", { ...UNITS, features: ["one", "one"] }],
    ["no features", { features: [], linear: [] }],
    ["a number too few", { ...UNITS, fill: [1] }],
    ["a unit of too many numbers", { ...UNITS, hidden: [{ weights: [1, 2, 3], bias: 0, out: 1 }] }],
    ["a scale of zero", { ...UNITS, scale: [0, 1] }],
    ["a curve that falls", { ...UNITS, chance: [-1, 0] }],
    ["means of nothing", { features: ["one"], fill: [1], trees: TREES.trees }],
    ["neither a linear part nor trees", { features: ["one"], bias: 1 }],
    ["a tree that runs in a circle", { ...TREES, trees: { ...TREES.trees, right: [0, -3] } }],
    ["a tree with a child that is no leaf", { ...TREES, trees: { ...TREES.trees, left: [-9, -2] } }],
    ["a tree with a child between two", { ...TREES, trees: { ...TREES.trees, left: [-1, -2.5] } }],
    ["a tree with a root that is not there", { ...TREES, trees: { ...TREES.trees, roots: [7] } }],
    ["a tree whose lists differ in length", { ...TREES, trees: { ...TREES.trees, missing: [] } }],
    ["a split on no feature", { ...TREES, trees: { ...TREES.trees, feature: [7, 1] } }],
    ["a number that is none", { ...UNITS, linear: [0.5, "1"] }],
  ])("is refused with %s", (_, scorer) => {
    expect(named.safeParse(scorer).success).toBe(false);
  });
  it("is that of every linear and tree model that ships", () => {
    const folder = join(PACKAGE_ROOT, "src/models/weights");
    const scorers = readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => modelsIn(JSON.parse(readFileSync(join(folder, name), "utf8"))).map((model) => ({ name, model })));
    const withoutModel = new Set(["entailment.json", "paraphrase.json"]);
    const others = readdirSync(folder).filter((name) => name.endsWith(".json") && !withoutModel.has(name));
    expect(new Set(scorers.map(({ name }) => name))).toEqual(new Set(others));
    const plain = scorerSchema
      .loose()
      .superRefine(usableOn(({ linear, trees }) => linear?.length ?? Math.max(...(trees?.feature ?? [0])) + 1));
    for (const { name, model } of scorers) expect(plain.safeParse(model).error?.message, name).toBeUndefined();
    expect(scorers.length).toBeGreaterThanOrEqual(5);
  });
});

/** Returns all nested objects that look like a model. */
function modelsIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  const held = ["linear", "trees", "weights", "bias", "constant"].some((key) => key in value) && !("out" in value);
  return held ? [value] : Object.values(value).flatMap(modelsIn);
}
