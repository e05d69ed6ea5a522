import { describe, expect, it } from "vitest";
import { pointAt, riskCoverage } from "./coverage-chart.tsx";

const items = [
  { shown: true, right: true, confidence: 0.9 },
  { shown: true, right: false, confidence: 0.5 },
  { shown: true, right: true, confidence: 0.7 },
  { shown: true, right: true, confidence: 0.5 },
  { shown: true, right: false, confidence: null },
  { shown: false, right: false, confidence: 0.99 },
];

describe("riskCoverage", () => {
  it("shows the surest first, equals together, and counts what is shown without a confidence as never shown", () => {
    expect(riskCoverage(items)).toEqual([
      { threshold: 0.9, shown: 1, wrong: 0, coverage: 0.2, risk: 0 },
      { threshold: 0.7, shown: 2, wrong: 0, coverage: 0.4, risk: 0 },
      { threshold: 0.5, shown: 4, wrong: 1, coverage: 0.8, risk: 0.25 },
    ]);
  });

  it("tells what a threshold would do", () => {
    const points = riskCoverage(items);
    expect([pointAt(points, 0.6)?.shown, pointAt(points, 0)?.shown, pointAt(points, 0.95)]).toEqual([2, 4, null]);
    expect(riskCoverage([])).toEqual([]);
  });
});
