import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfTest } from "../../test/support/folders.ts";
import { fakeCalibration } from "../testing/gate-calibration.ts";
import { applyThreshold, createCalibrationFinder, type GateFacts, gateCalibrationSchema, misfitOf } from "./calibration.ts";
import type { Sufficiency } from "./gate.ts";

const calibration = fakeCalibration();
const facts: GateFacts = { domain: "d", profile: "sourcebound", settings: "a".repeat(64), writer: "extractive", weights: "weights-1" };
const judged: Sufficiency = { probability: 0.5, minimum: 0.26, confidence: 0.5, calibrated: false, model: "vectors", reason: "as shipped" };
const seen = { ranker: "encoder-1", windows: 400 };

describe("gateCalibrationSchema", () => {
  it.each([
    ["another format", { format: "sourcebound-gate-calibration-2" }],
    ["a threshold above 1", { threshold: 1.1 }],
    ["no confidences to compare with", { chances: [] }],
    ["confidences that do not rise", { chances: [0.5, 0.4] }],
    ["an invalid hash", { settings: "abc" }],
    ["an invalid date", { date: "yesterday" }],
  ])("refuses %s", (_, over) => {
    expect(gateCalibrationSchema.safeParse({ ...calibration, ...over }).success).toBe(false);
  });
  it.each([
    ["a threshold that was lowered by hand", { threshold: 0.1 }, "the threshold is not the one that was measured"],
    ["a risk that its labels do not support", { risk: 0.01 }, "3 wrong of 80 answers do not prove a risk of at most 1 %"],
    ["a confidence that its labels do not support", { delta: 0.001 }, "with 99.9 % confidence"],
    [
      "errors that were left out",
      { measured: { ...calibration.measured, wrong: 81 } },
      "the measured counts of answers contradict each other",
    ],
    ["labels that did not exist", { labels: { ...calibration.labels, n: 2000 } }, "the counts of labelled questions do not add up"],
  ])("refuses %s", (_, over, why) => {
    const { error } = gateCalibrationSchema.safeParse({ ...calibration, ...over });
    expect(error?.message).toContain(why);
  });
  it("accepts a written calibration, and one of an earlier version with its map of confidences", () => {
    expect(gateCalibrationSchema.parse(JSON.parse(JSON.stringify(calibration)))).toEqual(calibration);
    for (const map of [null, { scores: [0, 1], probabilities: [0.1, 0.9] }])
      expect(gateCalibrationSchema.parse({ ...calibration, map })).toMatchObject({ threshold: calibration.threshold });
  });
});

describe("misfitOf", () => {
  it("is null if everything that the gate depends on is the same", () => expect(misfitOf(calibration, facts)).toBeNull());
  it.each([
    ["domain", "e", 'it was made for domain "d"'],
    ["profile", "other", 'it was made for profile "sourcebound"'],
    ["weights", "weights-2", "other weights then (weights-1; now weights-2)"],
    ["writer", "llama3.2, llama3.2", "written by extractive; now answers are written by llama3.2"],
    ["settings", "d".repeat(64), "settings of profile"],
  ])("reports another %s", (key, value, why) => expect(misfitOf(calibration, { ...facts, [key]: value })).toContain(why));
});

describe("applyThreshold", () => {
  const calibrated = { type: "calibrated", calibration } as const;

  it("applies the calibration's threshold to the confidence, ignoring the map of an earlier version", () => {
    const mapped = fakeCalibration({ map: { scores: [0, 1], probabilities: [0.1, 0.9] } });
    const at = applyThreshold(judged, { ...calibrated, calibration: mapped }, seen);
    expect(at).toMatchObject({ minimum: 0.6, probability: 0.5, confidence: 0.5, calibrated: true, misfit: null });
    expect(at.reason).toContain("at most 10 % of the answers to such questions are wrong, with 95 % confidence");
  });
  it.each([
    ["another encoder ranked", { ranker: "encoder-2", windows: 400 }, "ranked by encoder-2, but were ranked by encoder-1"],
    ["search ranked by words alone", { ranker: null, windows: 400 }, "ranked by words only"],
    ["the index has far fewer windows", { ranker: "encoder-1", windows: 199 }, "199 now, 400 when it was made"],
    ["the index has far more windows", { ranker: "encoder-1", windows: 801 }, "801 now, 400 when it was made"],
  ])("is not used, with a reason, if %s", (_, here, why) => {
    const at = applyThreshold(judged, calibrated, here);
    expect(at).toMatchObject({ minimum: 0.26, calibrated: false, confidence: 0.5, reason: "as shipped" });
    expect(at.misfit).toContain(why);
  });
  it.each([200, 800])("is used from half to twice the number of windows: %i", (windows) =>
    expect(applyThreshold(judged, calibrated, { ...seen, windows }).misfit).toBeNull(),
  );
  it("is not used with other weights", () => {
    expect(applyThreshold({ ...judged, model: "words" }, calibrated, seen).misfit).toContain("weights for words");
  });
  it("keeps the bundled threshold, gives the reason for an unusable file, or answers everything", () => {
    expect(applyThreshold(judged, { type: "shipped" }, seen)).toEqual({ ...judged, misfit: null });
    expect(applyThreshold(judged, { type: "set", minimum: 0.3 }, seen)).toMatchObject({ minimum: 0.3, calibrated: false, misfit: null });
    expect(applyThreshold(judged, { type: "unusable", name: "n", why: "it is broken" }, seen)).toEqual({
      ...judged,
      misfit: "it is broken",
    });
    expect(applyThreshold(judged, { type: "none" }, seen)).toMatchObject({ minimum: 0, calibrated: false, confidence: 0.5 });
  });
});

describe("createCalibrationFinder", () => {
  const here = folderOfTest();
  const finder = (at = here.folder) => createCalibrationFinder(at, () => 0);
  function write(name: string, content: unknown = fakeCalibration({ name })): string {
    const path = join(here.folder, `${name}.json`);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }
  const found = (name: string) => ({ type: "found", calibration: expect.objectContaining({ name }) });

  it("reports an unreadable folder without failing the question", () => {
    const file = join(here.folder, "file");
    writeFileSync(file, "");
    expect(finder(file)("d", "p", null)).toMatchObject({ type: "unreadable", why: expect.stringContaining("folder cannot be read") });
  });

  it("finds the newest calibration of the domain and profile", () => {
    for (const name of ["d.p.2026-11-20T101500Z", "d.p.2026-11-21T101500Z", "d.other.2026-12-01T101500Z", "de.p.2026-12-01T101500Z"])
      write(name);
    expect(finder()("d", "p", null)).toEqual(found("d.p.2026-11-21T101500Z"));
  });
});
