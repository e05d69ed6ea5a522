import { describe, expect, it } from "vitest";
import { profileNamed } from "../profiles/index.ts";
import { decide, headroomOf } from "./decide.ts";

describe("headroomOf", () => {
  it("goes by the learned chance where that decided", () => {
    const { gate } = profileNamed("sourcebound");
    const judged = { probability: 0.4, minimum: 0.3, confidence: 0.9, calibrated: true, model: "vectors" as const, reason: "" };
    expect(headroomOf({ confidence: 0.9 }, gate, judged)).toBeCloseTo(0.1);
    expect(headroomOf({ confidence: 0.9 }, gate, null)).toBeNull();
  });

  it.each([
    ["seven-layer", 0.45],
    ["spark", 0.35],
    ["vg-rag", 0.75],
    ["book", 0.7],
  ])("is 0 where %s begins to answer", (name, least) => {
    expect(headroomOf({ confidence: least }, profileNamed(name).gate, null)).toBe(0);
  });

  it("is not known without a gate, or without anything to judge", () => {
    expect(headroomOf({ confidence: 0.9 }, profileNamed("validator").gate, null)).toBeNull();
    expect(headroomOf(decide([], profileNamed("book").gate), profileNamed("book").gate, null)).toBeNull();
  });
});
