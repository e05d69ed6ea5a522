import { describe, expect, it } from "vitest";
import { sourcebound } from "../../src/profiles/sourcebound.ts";
import { fakeSupport } from "../../src/testing/fake-support.ts";
import { folderOfFile, writeIn } from "../../test/support/folders.ts";
import { fitLogistic, predictLogistic } from "../judges/logistic-regression.ts";
import { readSupportSet } from "../sets/support-sets.ts";
import { evaluateChecks } from "./checks.ts";
import { evaluateSupport } from "./support.ts";

const data = folderOfFile();

const context = "passage 1:A claim takes 60 days in Ohio.\n\npassage 2:The fee is 30 dollars and it is paid once.\n\n";
const answers = [
  ["A claim takes 60 days in Ohio. The fee is 30 dollars.", null],
  ["A claim takes 60 days in Ohio. Lawyers in Nevada charge 900 dollars every week.", "Lawyers in Nevada charge 900 dollars every week."],
] as const;
writeIn(
  data,
  "ragtruth/ragtruth-part.jsonl",
  Array.from({ length: 60 }, (_, i) => {
    const [response, wrong] = answers[i % 2] as (typeof answers)[number];
    const labels = wrong === null ? [] : [{ start: response.indexOf(wrong), end: response.length }];
    return {
      id: `r${i}`,
      task: i % 4 < 2 ? "qa" : "summary",
      source_id: `s${i >> 2}`,
      context,
      response,
      hallucinated: wrong !== null,
      labels,
    };
  }),
);
writeIn(data, "begin/begin_x.jsonl", [
  { data_source: "x", knowledge: "Cats sleep.", response: "Cats sleep. They do.", begin_label: "Not fully attributable" },
  { data_source: "x", knowledge: "Cats sleep.", response: "Hello!", begin_label: "Generic" },
]);
writeIn(data, "summedits/docs.jsonl", [{ doc_id: "d", text: "Sales rose. Costs fell." }]);
writeIn(data, "summedits/summedits.jsonl", [
  { id: "e", domain: "sales", doc_id: "d", summary: "Sales rose. Costs rose.", label: 0, original_summary: "Sales rose. Costs fell." },
]);

describe("sets of judged answers", () => {
  it("label the sentences that overlap a span as unsupported, and split passages", () => {
    const items = readSupportSet("ragtruth", data) ?? [];
    expect(items[1]?.units.map(({ supported }) => supported)).toEqual([true, false]);
    expect(items[1]?.supported).toBe(false);
    expect(items[0]?.evidence).toHaveLength(2);
  });

  it("say nothing of a sentence where people judged only the whole, and leave generic remarks out", () => {
    const items = readSupportSet("begin", data) ?? [];
    expect(items.map(({ units }) => units.map(({ supported }) => supported))).toEqual([[null, null]]);
  });

  it("blame only the sentences that an edit changed", () => {
    expect(readSupportSet("summedits", data)?.[0]?.units.map(({ supported }) => supported)).toEqual([true, false]);
  });
});

describe("eval checks, support", () => {
  it("takes the least score of an answer's sentences", async () => {
    const support = fakeSupport(({ claim }) => ({ score: claim.startsWith("Lawyers") ? 0.1 : 0.9 }));
    const ragtruth = await evaluateSupport("ragtruth", { data, support, answers: 60, seed: 1 });
    expect(ragtruth?.n).toMatchObject({ ragtruth: 60, "ragtruth.unsupported": 30 });
    expect(ragtruth?.metrics["ragtruth.auroc"]).toBe(1);
    expect(ragtruth?.items).toHaveLength(60);
  });

  it("says what to give when there is nothing to measure", async () => {
    const domain = { base_url: null, strip_prefix: "", hosts: [], home_page: null };
    const options = { domain, profile: sourcebound.name, support: null, command: "eval checks" };
    await expect(evaluateChecks(options).next()).rejects.toMatchObject({ code: "nothing_to_measure" });
  });
});

describe("logistic regression", () => {
  it("finds the chances of a table of counts", () => {
    // Probability 3/4 at x = 1 and 1/4 at x = 0, with so many rows that the ridge penalty is negligible.
    const rows = Array.from({ length: 4000 }, (_, i) => [i % 2]);
    const labels = rows.map(([x], i) => Math.floor(i / 2) % 4 < 3 === (x === 1));
    const model = fitLogistic(rows, labels);
    expect(predictLogistic(model, [1])).toBeCloseTo(0.75, 2);
    expect(predictLogistic(model, [0])).toBeCloseTo(0.25, 2);
  });
});
