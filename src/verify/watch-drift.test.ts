import { describe, expect, it } from "vitest";
import { fakeCalibration } from "../testing/gate-calibration.ts";
import { DRIFT_EVERY, DriftWatch } from "./watch-drift.ts";

const calibration = fakeCalibration();
const even = Array.from({ length: 200 }, (_, i) => (i + 0.5) / 200);
const low = even.map((chance) => chance / 3);

function watch(recent: readonly number[]) {
  const state = { recent, asked: [] as unknown[], warned: [] as string[] };
  const drift = new DriftWatch({
    recent: async (of, limit) => {
      state.asked.push({ ...of, limit });
      return state.recent;
    },
    warn: (message) => state.warned.push(message),
  });
  return { state, drift };
}

describe("DriftWatch", () => {
  it("looks at the first question and then at every fiftieth, at those since the calibration", async () => {
    const { state, drift } = watch(even);
    for (let i = 0; i < DRIFT_EVERY + 1; i++) expect(await drift.question(calibration)).toBeNull();
    expect(state.asked).toEqual([0, 1].map(() => ({ domain: "d", profile: "sourcebound", since: "2026-11-21T10:15:00.000Z", limit: 200 })));
    expect(state.warned).toEqual([]);
  });

  it("says what has moved with every question, warns once, and stops when it is over", async () => {
    const { state, drift } = watch(low);
    const said = await drift.question(calibration);
    expect(said).toMatch(/last 200 questions .*\(median 0.17 instead of 0.50.*p < .001.*sourcebound calibrate/);
    expect(await drift.question(calibration)).toBe(said);
    expect(await drift.look(calibration)).toBe(said);
    expect(state.warned).toEqual([said]);
    state.recent = even;
    expect(await drift.look(calibration)).toBeNull();
    expect(await drift.question(calibration)).toBeNull();
    state.recent = low;
    await drift.look(calibration);
    expect(state.warned).toHaveLength(2);
  });
});
