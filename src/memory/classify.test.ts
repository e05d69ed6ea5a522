import { describe, expect, it } from "vitest";
import { loadDomain } from "../engine/domain.ts";
import { expectLinearTime } from "../testing/growth.ts";
import { createClassifier, createTopicReader, isCode } from "./classify.ts";

const classify = createClassifier(loadDomain("veterans"));
const entities = (question: string) => classify(question).entities.map(({ value }) => value);

describe("createClassifier", () => {
  it.each([
    ["What is the rating for tinnitus DC 6260?", ["DC 6260"]],
    ["diagnostic code #6260 and a 6260 rating", ["DC 6260"]],
    ["How do I fill out VA Form 21-526ez?", ["VA Form 21-526EZ"]],
    ["Am I eligible for Disability  Compensation?", []],
    ["Am I eligible for Disability Compensation or the GI bill?", ["disability compensation", "gi bill"]],
    ["Who was it in 1999-2001?", []],
    ["", []],
  ])("finds the entities of %j", (question, found) => {
    expect(entities(question)).toEqual(found);
  });

  it("distinguishes codes from names", () => {
    expect(classify("DC 6260 and the GI Bill").entities.map(isCode)).toEqual([true, false]);
  });
});

const read = createTopicReader([
  { slug: "ratings", name: "Ratings", keywords: ["disability rating", "CFR", "38 CFR", "service-connected"] },
  { slug: "appeals", name: "Appeals", keywords: ["appeal", "decision review", "higher-level review"] },
  { slug: "forms", name: "Forms", keywords: ["form", "21-526EZ"] },
  { slug: "odd", name: "Odd", keywords: ["???", " "] },
]);

describe("createTopicReader", () => {
  it.each([
    ["How do appeals work?", ["appeals"]],
    ["Is hearing loss service connected under 38 CFR 4.85?", ["ratings"]],
    ["Where do I send the 21-526ez?", ["forms"]],
    ["HIGHER-LEVEL REVIEWS?", ["appeals"]],
    ["Which form starts a decision review or another appeal?", ["appeals", "forms"]],
  ])("finds keywords in any inflection, and sorts topics by their number: %s", (text, topics) => {
    expect(read(text)).toEqual(topics);
  });

  it.each(["More information for former members", "a disability, and its rating", "???", "", "reform"])(
    "does not find parts of words or separated words: %j",
    (text) => {
      expect(read(text)).toEqual([]);
    },
  );

  it("takes linear time for a huge hostile text", () =>
    expectLinearTime(200_000, (size) => `${"a".repeat(size)} ${"form-".repeat(size / 4)}`, read));
});
