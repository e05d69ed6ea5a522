import { describe, expect, it } from "vitest";
import { isTechnical, labelCheck, labelConfidence, labelWarning } from "./plain-words.ts";

describe("plain words", () => {
  it("claim no probability for an uncalibrated confidence", () => {
    for (const agg_conf of [0, 0.2, 0.5, 0.99, 1]) {
      const { label, meaning } = labelConfidence({ agg_conf, agg_conf_calibrated: false, profile: "sourcebound" });
      expect(label).not.toMatch(/likely/i);
      expect(meaning).toContain("do not read it as a probability");
    }
    expect(labelConfidence({ agg_conf: null, agg_conf_calibrated: true, profile: "sourcebound" }).label).toBe("Confidence unknown");
  });

  it("describe the match of sources by the bundled threshold, and no other scores", () => {
    const label = (agg_conf: number, profile = "sourcebound") => labelConfidence({ agg_conf, agg_conf_calibrated: false, profile }).label;
    expect([0.9, 0.85, 0.4].map((value) => label(value))).toEqual(["Sources match well", "Sources match partly", "Sources match loosely"]);
    expect(label(0.9, "spark")).toBe("Confidence not calibrated");
  });

  it("follow the scale for a calibrated one", () => {
    const label = (agg_conf: number) => labelConfidence({ agg_conf, agg_conf_calibrated: true, profile: "sourcebound" }).label;
    expect([0.9, 0.66, 0.33, 0.32].map(label)).toEqual([
      "Very likely correct",
      "Likely correct",
      "Possibly correct",
      "Unlikely to be correct",
    ]);
  });

  it("hide technical figures from readers", () => {
    expect(labelWarning({ code: "low_confidence", message: "internal confidence 41.0 %" })).not.toMatch(/\d/);
    expect(isTechnical({ code: "other", message: "80 % likely; the calibration va-golden does not fit" })).toBe(true);
    expect(labelWarning({ code: "new", message: "As it comes." })).toBe("As it comes.");
    expect(labelCheck({ name: "new-check", reason: "as it comes" })).toBe("as it comes");
  });
});
