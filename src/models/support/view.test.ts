import { describe, expect, it } from "vitest";
import { SHARED_PARTS } from "../../../test/support/shared-parts.ts";
import { answerFeatures } from "../embedded-support.ts";
import type { SupportView } from "./claim-view.ts";
import { SUPPORT_FEATURES } from "./features.ts";
import { readEvidence, readSentence } from "./text.ts";
import { viewSupport } from "./view.ts";
import { SupportVocabulary } from "./vocabulary.ts";

const vocabulary = new SupportVocabulary(SHARED_PARTS.embedded());
function view(claim: string, ...evidence: string[]): SupportView {
  const found = viewSupport(readSentence(claim, vocabulary), readEvidence(evidence, vocabulary), vocabulary);
  if (found === null) throw new Error("nothing to view");
  return found;
}
const feature = (name: string, claim: string, ...evidence: string[]) => SUPPORT_FEATURES[name]?.(view(claim, ...evidence)) ?? null;

describe("a claim beside its evidence", () => {
  it("finds words in any form, joined or apart", () => {
    expect(feature("all.hard-count", "Applications need signatures.", "An application needs a signature.")).toBe(1);
    expect(feature("all.hard-count", "Takeout and wi-fi.", "Take out; WiFi.")).toBe(1);
    expect(feature("all.hard-count", "Veterans apply.", "Bananas ripen.")).toBe(0);
  });

  it("covers a claim by one sentence, or by two", () => {
    const claim = "The clinic in Ohio treats burns.";
    expect(feature("one.hard", claim, "The clinic treats burns. It stands in Ohio.")).toBeLessThan(1);
    expect(feature("two.hard", claim, "The clinic treats burns. It stands in Ohio.")).toBeCloseTo(1, 6);
  });

  it("counts a number only with its unit, and knows the role that it plays", () => {
    const evidence = "A claim takes 60 days. The fee is 30 dollars.";
    expect(feature("amounts.missing", "It takes 60 days.", evidence)).toBe(0);
    expect(feature("amounts.missing", "It takes 90 days.", evidence)).toBe(1);
    expect(feature("amounts.other-unit", "It takes 60 weeks.", evidence)).toBe(1);
    expect(feature("amounts.rival", "A claim takes 90 days.", evidence)).toBe(1);
    const right = feature("amounts.role-least", "The fee is 30 dollars.", evidence) ?? 0;
    expect(right).toBeGreaterThan(feature("amounts.role-least", "The claim takes 30.", evidence) ?? 1);
  });

  it("sees a negation on one side only, before the word or after it", () => {
    expect(feature("negation.flipped-count", "You can appeal the decision.", "You cannot appeal the decision.")).toBeGreaterThan(0);
    expect(feature("negation.flipped-count", "You cannot appeal the decision.", "You can't appeal the decision.")).toBe(0);
    expect(feature("negation.flipped-count", "No fee, but you must apply.", "There is no fee, but you must apply.")).toBe(0);
    const denied = readSentence("Valet parking and showers are not available.", vocabulary).tokens.filter((token) => token.denied);
    expect(denied.map(({ text }) => text)).toEqual(["valet", "parking", "and", "showers"]);
  });

  it.each([
    ["opposite.comparison", "Rates rise.", "Rates fall."],
    ["opposite.order", "Apply before discharge.", "Apply after discharge."],
    ["opposite.modality", "You must sign.", "You may sign."],
    ["opposite.quantity", "All veterans qualify.", "Some veterans qualify."],
    ["opposite.meaning", "The office is public.", "The office is private."],
  ])("%s: %s is not %s", (name, claim, evidence) => {
    expect(feature(name, claim, evidence)).toBeGreaterThan(0);
    expect(feature(name, claim, claim)).toBe(0);
  });

  it("tells names that are missing from names that are mixed", () => {
    const evidence = "We met Anna Weber and Paul Klein in Berlin.";
    expect(feature("names.missing", "We met Anna Weber.", evidence)).toBe(0);
    expect(feature("names.missing", "We met Anna Novak.", evidence)).toBe(1);
    expect(feature("names.mixed", "We met Anna Klein.", evidence)).toBe(1);
  });

  it("checks times of day on the days that the claim names", () => {
    const record = JSON.stringify({ hours: { Monday: "9:0-17:0", Tuesday: "9:0-17:0", Saturday: "10:0-14:0" } });
    expect(feature("hours.least", "It is open Monday and Tuesday from 9 am to 5 pm.", record)).toBe(1);
    expect(feature("hours.least", "It is open Monday through Wednesday from 9 am to 5 pm.", record)).toBeCloseTo(2 / 3, 6);
    expect(feature("hours.least", "On Saturday it closes at 5 pm.", record)).toBe(0);
    expect(feature("hours.closed", "It is closed on Saturdays.", record)).toBe(1);
    expect(feature("hours.closed", "It is closed on Sundays.", record)).toBe(0);
  });

  it("has no figure for what is not there", () => {
    for (const name of ["amounts.missing", "hours.least", "record.conflicts", "context.names"])
      expect(feature(name, "plain words.", "plain words."), name).toBeNull();
    expect(viewSupport(readSentence("…", vocabulary), readEvidence(["words"], vocabulary), vocabulary)).toBeNull();
    expect(viewSupport(readSentence("words", vocabulary), readEvidence(["…"], vocabulary), vocabulary)).toBeNull();
  });

  it("gives a finite number or nothing, whatever the text", () => {
    const odd = [
      "",
      "a",
      "1",
      "A.",
      "no no no",
      "😀 emoji",
      "( , ; )",
      '{"a":null}',
      '{"Monday":"9:00-"}',
      "Monday Monday 5 pm 5 pm",
      "\uD800",
    ];
    for (const claim of odd) {
      for (const evidence of odd) {
        const found = viewSupport(readSentence(claim, vocabulary), readEvidence([evidence], vocabulary), vocabulary);
        if (found === null) continue;
        for (const [name, measure] of Object.entries(SUPPORT_FEATURES)) {
          const value = measure(found);
          if (value !== null) expect(Number.isFinite(value), `${name} of "${claim}" against "${evidence}"`).toBe(true);
        }
      }
    }
  });
});

describe("answerFeatures", () => {
  const columns = { sums: ["a"], means: ["b"], firsts: ["c"] };
  const sentence = (score: number, values: Record<string, number>) => ({ score, feature: (name: string) => values[name] ?? null });

  it("puts the worst sentences first, then how many doubt, sums and means of what is known", () => {
    const features = answerFeatures([sentence(0.9, { a: 1, b: 4, c: 7 }), sentence(0.4, { a: 2, b: 2 })], columns);
    expect(features.map((value) => (value === null ? null : Number(value.toFixed(4))))).toEqual([
      0.4,
      0.9,
      1,
      0.65,
      Number(Math.log(0.36).toFixed(4)),
      1,
      1,
      2,
      3,
      3,
      2,
      7,
    ]);
  });

  it("has no mean of what no sentence knows", () => {
    expect(answerFeatures([sentence(0.5, {})], columns).slice(-4)).toEqual([0, null, null, null]);
  });
});
