import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/grade/metrics.ts";
import { MUTATIONS, mutate } from "./mutations.ts";

const SENTENCE = "You can send the form to Alice Baker within 60 days.";
const PASSAGE = `${SENTENCE} Appeals take 15 days.`;
const DONOR = { text: "Nobody wrote to Charles Dickens." };
const made = (kind: (typeof MUTATIONS)[number], sentence = SENTENCE) => mutate(kind, sentence, PASSAGE, DONOR, createRandom(3));

describe("mutate", () => {
  it("changes exactly one thing", () => {
    expect(made("value")).toMatch(/^You can send the form to Alice Baker within (?!60)\d+ days\.$/);
    expect(made("value_elsewhere")).toBe(SENTENCE.replace("60 days", "15 days"));
    expect(made("name")).toMatch(/to (?:(?:Charles|Dickens) Baker|Alice (?:Charles|Dickens)) within 60 days\.$/);
    expect(made("negation")).toBe(SENTENCE.replace("can", "can not"));
    expect(made("citation")).toBe(SENTENCE);
  });

  it("takes a negation away where there is one", () => {
    expect(made("negation", "It is not open.")).toBe("It is open.");
  });

  it("is null where a sentence offers nothing", () => {
    for (const kind of MUTATIONS.filter((one) => one !== "citation")) expect(made(kind, "Nothing here helps."), kind).toBeNull();
  });

  it("makes the same of the same seed", () => {
    for (const kind of MUTATIONS) expect(made(kind)).toBe(made(kind));
  });
});
