import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { SHARED_PARTS } from "../../test/support/shared-parts.ts";
import { PACKAGE_ROOT } from "../package.ts";
import { describeSupportContract } from "../testing/support-contract.ts";
import { createEmbeddedSupportScorer, readSupportWeights, readWordingWeights } from "./embedded-support.ts";
import { chanceOf } from "./weights/scorer.ts";

const folder = mkdtempSync(join(tmpdir(), "support-"));
afterAll(() => rmSync(folder, { recursive: true }));
const FILE = join(PACKAGE_ROOT, "src/models/weights/support.json");
const weights = readSupportWeights();
const scorer = createEmbeddedSupportScorer(SHARED_PARTS.embedded(), weights);
const scoreOf = (claim: string, ...evidence: string[]) => scorer.scoreSync([{ claim, evidence }])[0]?.score ?? Number.NaN;

describeSupportContract("embedded", async (behaviour) => (behaviour === "broken" ? null : { scorer, close: async () => undefined }));

describe("the shipped weights", () => {
  it("give the chances that the training computed", () => {
    const schema = z.array(z.object({ values: z.array(z.number().nullable()), chance: z.number() }));
    const cases = schema.parse(JSON.parse(readFileSync(join(PACKAGE_ROOT, "lab/train/support/parity.json"), "utf8")));
    expect(cases.length).toBeGreaterThan(50);
    for (const { values, chance } of cases) expect(chanceOf(values, weights.model.sentence)).toBeCloseTo(chance, 3);
  });

  it("give the chances of wording that the training computed", () => {
    const schema = z.array(z.object({ values: z.array(z.number().nullable()), chance: z.number() }));
    const cases = schema.parse(JSON.parse(readFileSync(join(PACKAGE_ROOT, "lab/train/support/wording-parity.json"), "utf8")));
    const { model } = readWordingWeights();
    for (const { values, chance } of cases) expect(chanceOf(values, model)).toBeCloseTo(chance, 3);
  });

  it.each([
    [
      "Guests must leave the keys of their room at the desk in the hall.",
      "Guests may leave the keys of their room at the desk in the hall.",
    ],
    [
      "You can return the lamp within a month unless you kept the receipt.",
      "You can return the lamp within a month if you kept the receipt.",
    ],
    ["Water the plants in the yard after sunset in the dry months.", "Water the plants in the yard before sunset in the dry months."],
  ])("tell an exchanged word from the sentence as it stands: %s", (claim, evidence) => {
    const wordingOf = (text: string) => scorer.scoreSync([{ claim: text, evidence: ["Please read this first.", evidence] }])[0]?.wording;
    expect(wordingOf(claim)?.score).toBeLessThan(0.2);
    expect(wordingOf(evidence)?.score).toBeGreaterThan(0.5);
    expect(wordingOf("Nobody asked.")).toBeUndefined();
  });

  it("are refused when a number was altered, a list cut, or the file is no JSON", () => {
    const text = readFileSync(FILE, "utf8");
    const broken: [string, RegExp][] = [
      [text.replace(/"leaves":\[([-\d.]+),/, '"leaves":[9,'), /hash/],
      [text.slice(0, 5000), /support_corrupt|JSON/],
      [text.replace('"strange.count"', '"no-such-feature"'), /no-such-feature|Invalid/],
    ];
    for (const [content, says] of broken) {
      const path = join(folder, "weights.json");
      writeFileSync(path, content);
      expect(() => readSupportWeights(path)).toThrowError(says);
    }
    expect(() => readSupportWeights(join(folder, "nowhere.json"))).toThrowError(expect.objectContaining({ code: "support_corrupt" }));
  });
});

describe("the embedded support scorer", () => {
  const rule =
    "You must apply within 60 days. If you qualify, you may get up to $1,500 a year, and a copy of VA Form 21-526EZ is sent to your address in Ohio.";

  it.each([
    ["a number", "You must apply within 60 days.", "You must apply within 90 days."],
    ["an amount", "You may get up to $1,500 a year.", "You may get up to $5,100 a year."],
    ["a name", "The form is sent to your address in Ohio.", "The form is sent to your address in Nevada."],
    ["a negation", "You must apply within 60 days.", "You must not apply within 60 days."],
    ["a part that nobody wrote", "You must apply within 60 days.", "You must apply within 60 days, and a lawyer has to sign every page."],
    ["a foreign statement", "You must apply within 60 days.", "Dental implants are covered for retired pilots."],
  ])("scores a claim lower for %s that is wrong", (_what, right, wrong) => {
    expect(scoreOf(right, rule)).toBeGreaterThan(scoreOf(wrong, rule) + 0.05);
  });

  it("reads a record: what it denies or leaves open is not affirmed", () => {
    const record = JSON.stringify({
      name: "Harbor Cafe",
      attributes: { WiFi: "no", OutdoorSeating: true, Parking: { valet: false, street: true }, Music: null },
    });
    expect(scoreOf("The cafe has outdoor seating.", record)).toBeGreaterThan(scoreOf("The cafe has no outdoor seating.", record) + 0.2);
    expect(scoreOf("WiFi is not available.", record)).toBeGreaterThan(scoreOf("The cafe offers free WiFi.", record) + 0.2);
    expect(scoreOf("Street parking is available.", record)).toBeGreaterThan(scoreOf("Valet parking is available.", record) + 0.2);
  });

  it("marks the part that is wrong and says why", () => {
    const claim = "You must apply within 90 days.";
    const [one] = scorer.scoreSync([{ claim, evidence: [rule] }]);
    expect(one?.spans.map(({ start, end }) => claim.slice(start, end))).toEqual(["90"]);
    expect(one?.reason).toBe('"90" is not in the evidence.');
  });

  it("gives an answer less when a sentence of it is wrong", () => {
    const good = ["You must apply within 60 days.", "You may get up to $1,500 a year if you qualify."];
    const bad = [good[0] as string, "The payment is $9,900 and goes to Canada without any papers."];
    const right = scorer.scoreAnswer(good, [rule]);
    const wrong = scorer.scoreAnswer(bad, [rule]);
    expect(right?.score).toBeGreaterThan(wrong?.score ?? 1);
    expect(wrong?.sentences.map((one) => one?.score)).toEqual(
      scorer.scoreSync(bad.map((claim) => ({ claim, evidence: [rule] }))).map((one) => one?.score),
    );
    expect(scorer.scoreAnswer([" ", "…"], [rule])).toBeNull();
    expect(scorer.scoreAnswer(good, [])).toBeNull();
  });
});
