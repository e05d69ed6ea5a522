import { describe, expect, it } from "vitest";
import { expectLinearTime } from "../testing/growth.ts";
import { createTopicReader } from "./topics.ts";

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
  ])("finds keywords in any inflection, the topic with most of them first: %s", (text, topics) => {
    expect(read(text)).toEqual(topics);
  });

  it.each(["More information for former members", "a disability, and its rating", "???", "", "reform"])(
    "does not find parts of words or words apart: %j",
    (text) => {
      expect(read(text)).toEqual([]);
    },
  );

  it("reads a huge hostile text in linear time", () =>
    expectLinearTime(200_000, (size) => `${"a".repeat(size)} ${"form-".repeat(size / 4)}`, read));
});
