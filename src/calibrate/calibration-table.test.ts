import { describe, expect, it } from "vitest";
import type { CalibrationReport } from "./calibrate.ts";
import { calibrationTable } from "./calibration-table.ts";

const figure = { value: 0.2, low: 0.1, high: 0.3 };
const point = { threshold: 0.5, answered: 10, wrong: 1, answeredAnswerable: 9 };

function reportOn(pages: number): CalibrationReport {
  return {
    domain: "d",
    profile: "sourcebound",
    risk: 0.1,
    delta: 0.05,
    by: { encoder: null, model: "words" },
    labels: { sha256: "", n: 40, answerable: 30, unanswerable: { near_miss: 10 }, pages, repeated: 0, unjudgeable: [] },
    curve: [point],
    shipped: point,
    aurc: figure,
    calibrationError: figure,
    choice: { type: "too-few", needed: 29, missing: 12, least: 29 },
    calibration: null,
    questions: [],
  };
}
const notes = (pages: number) => calibrationTable(reportOn(pages)).map(({ name, note }) => `${name}: ${note}`);

describe("calibrationTable", () => {
  it("warns where many labelled questions are about one page", () => {
    expect(notes(10).join("\n")).toMatch(/crowded: 3\.00 questions a page.*label more pages/);
    expect(notes(25).join("\n")).not.toContain("crowded");
  });

  it("says why no threshold was chosen, and how many labels are missing", () => {
    expect(notes(25).join("\n")).toMatch(
      /29 or more are answered.*at least 12 more labelled questions, answered without an error, are missing/,
    );
  });
});
