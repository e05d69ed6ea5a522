import { describe, expect, it } from "vitest";
import { loadDomain } from "../engine/domain.ts";
import { createClassifier, isCode } from "./classify.ts";

const classify = createClassifier(loadDomain("veterans"));
const topics = (question: string) => classify(question).topics.map(({ slug }) => slug);
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

  it.each([
    ["Where is the form for an appeal?", ["appeals", "forms"]],
    ["Which APPEALS can I make?", ["appeals"]],
    ["Please inform me of the performance", []],
    ["Is a higher-level review a decision review?", ["appeals"]],
    ["What is TRICARE?", ["healthcare_benefits"]],
  ])("finds the topics of %j by whole words", (question, found) => {
    expect(topics(question)).toEqual(found);
  });

  it("tells codes from names", () => {
    expect(classify("DC 6260 and the GI Bill").entities.map(isCode)).toEqual([true, false]);
  });
});
