import { describe, expect, it } from "vitest";
import { sourcebound } from "../profiles/sourcebound.ts";
import { readRankingWeights } from "../ranking/features.ts";
import { FIT_FROM, fitOf, joinConflicts, type WireConflict } from "./display.ts";

const side = (document_id: string, value: string, as_of: string | null = null, start = 0): WireConflict["sides"][number] => ({
  ...{ sid: document_id, document_id, value, as_of, start, end: start + 20 },
  ...{ quote: `It costs ${value}.`, document_version: "1", title: document_id, url: null },
});
const conflict = (
  sides: WireConflict["sides"],
  resolved_by: WireConflict["resolved_by"] = null,
  kind: WireConflict["kind"] = "value",
): WireConflict => ({ about: "", kind, certainty: 0.7, sides, resolved_by });
const shown = (conflicts: readonly WireConflict[]) =>
  joinConflicts(conflicts).map(({ heading, sides }) => `${heading}: ${sides.map(({ title }) => title).join(" ")}`);

describe("displayed conflicts", () => {
  it("combine several sides against the same value, newer sources first", () => {
    const a = side("a", "$5", "2024-01-01");
    expect(shown([conflict([a, side("b", "$8")]), conflict([a, side("c", "$8", "2026-01-01")])])).toEqual([
      "Sources disagree: $8 or $5: c b a",
    ]);
  });

  it("combine all linked ones, in any order", () => {
    const [a, b, c, d] = [side("a", "1"), side("b", "2"), side("c", "3"), side("d", "4")];
    expect(shown([conflict([a, b]), conflict([c, d]), conflict([b, c])])).toEqual(["Sources disagree: 1 or 2 or 3 or 4: a b c d"]);
  });

  it("separate other values, places or kinds", () => {
    const a = side("a", "$5");
    const others = [side("a", "3 days"), side("a", "$5", null, 40)].map((own, i) => conflict([own, side(`c${i}`, "x")]));
    expect(joinConflicts([conflict([a, side("b", "$8")]), ...others, conflict([a, side("d", "$8")], null, "date")])).toHaveLength(4);
  });

  it("show values, not parts of sentences", () => {
    const [one] = joinConflicts([conflict([side("a", "… not needed"), side("b", "needed …")], null, "polarity")]);
    expect(one).toMatchObject({ heading: "Sources disagree", sides: [{ value: null }, { value: null }] });
  });

  it("are decided only if a rule decides all of them consistently", () => {
    const [a, b, c] = [side("a", "$5"), side("b", "$8"), side("c", "$8")];
    const holds = (...conflicts: WireConflict[]) =>
      joinConflicts(conflicts).map(({ decidedBy, sides }) => [decidedBy, ...sides.map((one) => one.holds)]);
    expect(holds(conflict([a, b], { rule: "newer", holds: "b" }), conflict([a, c], { rule: "newer", holds: "c" }))).toEqual([
      ["newer", false, true, true],
    ]);
    expect(holds(conflict([a, b], { rule: "newer", holds: "b" }), conflict([a, c], { rule: "newer", holds: "a" }))).toEqual([
      ["newer", false, true, false],
    ]);
    expect(holds(conflict([a, b], { rule: "newer", holds: "b" }), conflict([a, c]))).toEqual([[null, false, false, false]]);
  });
});

describe("the displayed match of sources", () => {
  it("uses the bundled threshold, so new weights need a new measurement", () => {
    expect(FIT_FROM.partly).toBe(readRankingWeights().threshold.minimum);
    expect(sourcebound.gate.type).toBe("sufficiency");
  });

  it("is shown for the learned confidence only", () => {
    expect([0.91, 0.9, 0.89, 0.81, 0.8].map((chance) => fitOf(chance, sourcebound.name))).toEqual([
      "well",
      "well",
      "partly",
      "partly",
      "loosely",
    ]);
    expect(fitOf(0.9, "seven-layer")).toBeNull();
  });
});
