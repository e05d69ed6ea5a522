import { type GateCalibration, gateCalibrationSchema } from "../evidence/calibration.ts";

/** Returns a calibration in the format of `sourcebound calibrate`. */
export function fakeCalibration(over: Partial<GateCalibration> = {}): GateCalibration {
  const figure = { value: 0.1, low: 0.05, high: 0.2 };
  return gateCalibrationSchema.parse({
    format: "sourcebound-gate-calibration-1",
    name: "d.sourcebound.2026-11-21T101500Z",
    date: "2026-11-21T10:15:00.000Z",
    version: "0.1.0",
    domain: "d",
    profile: "sourcebound",
    settings: "a".repeat(64),
    encoder: "encoder-1",
    weights: { id: "weights-1", model: "vectors" },
    writer: "extractive",
    documents: { count: 10, windows: 400, revision: 10, sha256: "b".repeat(64) },
    labels: { sha256: "c".repeat(64), n: 200, answerable: 100, unanswerable: { near_miss: 100 } },
    risk: 0.1,
    delta: 0.05,
    threshold: 0.6,
    measured: { answered: 80, wrong: 3, risk: figure, coverage: 0.4, answered_answerable: 77, reached: 80 },
    aurc: figure,
    calibration_error: figure,
    chances: Array.from({ length: 200 }, (_, i) => i / 199),
    ...over,
  });
}
