import { describe, expect, it } from "vitest";
import { gradeReport } from "../pipeline/assemble.ts";
import { validator } from "../profiles/validator.ts";
import type { CheckResult } from "../shared/types.ts";

const metrics = validator.report ?? [];
const result = (name: string, verdict: CheckResult["verdict"] = "pass", over: Partial<CheckResult> = {}): CheckResult => ({
  name,
  verdict,
  score: 0.9,
  reason: "because",
  spans: [],
  sentence: null,
  ...over,
});
const all = metrics.map(({ check }) => result(check));

describe("gradeReport with the metrics of validator", () => {
  it("contains the five metrics of the source with its names and thresholds", () => {
    expect(metrics.map(({ metric, threshold }) => [metric, threshold])).toEqual([
      ["pii_leakage", null],
      ["token_budget", 512],
      ["answer_relevancy", 0.45],
      // Threshold for the bundled score. The threshold .35 of the published `validator` design is for its own model (`leastFaithfulness`).
      ["faithfulness", 0.55],
      ["chain_terminology", null],
    ]);
  });

  it("passes when every metric passes", () => {
    const report = gradeReport(all, metrics);
    expect(report.overallPass).toBe(true);
    expect(report.metrics.answer_relevancy).toEqual({ passed: true, score: 0.9, threshold: 0.45, reason: "because" });
  });

  it("fails when one metric fails or warns, even if others are unknown", () => {
    expect(gradeReport([...all.slice(1), result("pii", "fail")], metrics).overallPass).toBe(false);
    expect(gradeReport([result("pii", "warn")], metrics).overallPass).toBe(false);
  });

  it("passes a metric without findings only if its check ran on every sentence", () => {
    const report = gradeReport(all.slice(1), metrics, new Set(["pii"]));
    expect(report.overallPass).toBe(true);
    expect(report.metrics.pii_leakage).toEqual({ passed: true, score: null, threshold: null, reason: "nothing found in any sentence" });
    expect(gradeReport([result("pii", "fail"), ...all.slice(1)], metrics, new Set(["pii"])).overallPass).toBe(false);
    expect(gradeReport(all.slice(1), metrics, new Set(["terminology"])).overallPass).toBeNull();
  });

  it("does not pass a metric that did not run or could not be scored", () => {
    const missing = gradeReport(all.slice(1), metrics);
    expect(missing.overallPass).toBeNull();
    expect(missing.metrics.pii_leakage).toEqual({ passed: null, score: null, threshold: null, reason: 'the check "pii" did not run' });
    const unscored = gradeReport([...all.slice(0, 3), result("faithfulness", "pass", { score: null }), all[4] as CheckResult], metrics);
    expect(unscored.metrics.faithfulness?.passed).toBeNull();
    expect(unscored.overallPass).toBeNull();
    expect(gradeReport([], metrics).overallPass).toBeNull();
  });
});
